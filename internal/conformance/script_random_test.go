//go:build realslurm

package conformance

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/internal/realslurm"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// choices are options about resources that depend on each other. Of each row a script has one.
var choices = [][]string{
	{"-N1", "-N2", "-N1-2", "--nodes=1,2", ""},
	{"", "-n1", "-n2", "-n3", "-n4"},
	{"", "-c1", "-c2", "-c3"},
	{"", "", "--ntasks-per-node=1", "--ntasks-per-node=2", "--ntasks-per-node=3"},
	{"", "--mem=1G", "--mem-per-cpu=100", "--mem=0"},
	{"", "", "", "--exclusive", "-s"},
	{"", "", "", "-O"},
	{"", "", "--gpus=2", "--gpus-per-node=2", "--gres=gpu:1", "--gpus-per-task=1", "--gpus-per-node=b200:1"},
	{"", "", "", "--mincpus=2"},
	{"", "", "", "--sockets-per-node=1", "--threads-per-core=1", "-B1"},
	{"", "", "", "--hint=nomultithread", "--hint=compute_bound"},
	{"", "", "", "--ntasks-per-gpu=1", "--ntasks-per-gpu=2"},
	{"", "", "", "", "-w g1", "-w g1,g2"},
	{"", "", "", "", "--cpus-per-gpu=2", "--mem-per-gpu=1G"},
	{"", "", "", "", "--ntasks-per-socket=2", "--ntasks-per-core=1"},
	{"", "", "", "-m block", "-m plane=2", "-m cyclic"},
	{"", "", "", "--use-min-nodes", "--spread-job", "--contiguous"},
}

// TestRandomScripts compares what ParseScript and sbatch make of options in combinations that nobody would think of:
// both refuse a script, or both give the same job.
func TestRandomScripts(t *testing.T) {
	b := newBed(t, "random scripts", real{realslurm.Connect(t)})
	random := rand.New(rand.NewPCG(1, 2))
	both := 0
	for range 150 {
		options := []string{"-p a4"}
		for _, row := range choices {
			options = append(options, row[random.IntN(len(row))])
		}
		script := "#!/bin/bash\n#SBATCH " + strings.Join(options, " ") + "\ntrue\n"
		reference, refused, _ := b.sbatch(script)
		parsed, err := slurm.ParseScript(script)
		var id slurm.JobID
		if err == nil {
			parsed.Spec.Hold, parsed.Spec.WorkingDirectory = true, "/home/alice"
			id, err = b.alice.Submit(b.ctx, parsed.Spec)
		}
		if (refused != "") != (err != nil) {
			t.Errorf("%s\nsbatch says %q, we %v", script, refused, err)
		}
		if refused == "" && err == nil {
			both++
			ours, theirs := b.rawJob(id), b.rawJob(reference)
			if others := differing(theirs, ours); len(others) > 0 {
				t.Errorf("%s\ngives %s, sbatch's job is %s", script, asJSON(differing(ours, theirs)), asJSON(others))
			}
		}
		for _, job := range []slurm.JobID{id, reference} {
			if job != "" {
				b.must("Cancel", b.alice.Cancel(b.ctx, job))
			}
		}
	}
	if both < 20 {
		t.Errorf("only %d scripts were accepted", both)
	}
}
