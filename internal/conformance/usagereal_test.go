//go:build realslurm

package conformance

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/internal/realslurm"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// TestUsageAgreesWithSacct compares the usage of a job with several steps, tasks and nodes with what Slurm's own command
// tells of it, and its efficiency with seff's way to work it out: the CPU time of all steps in relation to that of the
// job's CPUs, and the largest sum of a step's peaks in relation to the memory of the job.
func TestUsageAgreesWithSacct(t *testing.T) {
	r := real{realslurm.Connect(t)}
	b := newBed(t, t.Name(), r)
	const load = `perl -e 'my $x = q(a) x (40_000_000 * (1 + $ENV{SLURM_PROCID})); my $t = time; while (time - $t < 8) { $y++ }'`
	id := b.submit("sleep 6; srun -N2 -n3 "+load+"\nsrun -N1 -n1 "+load, func(s *slurm.JobSpec) {
		s.MinNodes, s.Tasks, s.MemoryPerNode = 2, 3, 500<<20
		s.Environment = map[string]string{"PATH": "/usr/bin:/bin"}
	})
	job := b.recorded(id, 1)[0]
	u := job.Usage()
	if len(u.Missing) > 0 || len(job.Steps) != 3 {
		t.Fatalf("%d steps, used %+v", len(job.Steps), u)
	}
	out := r.bed.Exec("sacct", "-nP", "--noconvert", "-j", string(id), "-o",
		"JobID,ElapsedRaw,AllocCPUS,TotalCPU,UserCPU,SystemCPU,MaxRSS,MaxRSSNode,MaxRSSTask,AllocTRES,TRESUsageInTot")
	var total, most, peak float64
	var where string
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 11 {
			t.Fatalf("sacct says %q", out)
		}
		if f[0] == string(id) {
			equal(b, "elapsed", fmt.Sprint(u.Elapsed.Seconds()), f[1])
			equal(b, "CPUs", fmt.Sprint(u.Allocated.CPUs()), f[2])
			near3(b, "CPU time", u.CPUTime.Seconds(), seconds(t, f[3]))
			near3(b, "user CPU time", u.UserCPUTime.Seconds(), seconds(t, f[4]))
			near3(b, "system CPU time", u.SystemCPUTime.Seconds(), seconds(t, f[5]))
			cpu, _ := u.CPUEfficiency()
			near3(b, "CPU efficiency", cpu, seconds(t, f[3])/(number(t, f[1])*number(t, f[2])))
			total = amount(t, f[9], "mem")
			continue
		}
		most = max(most, amount(t, f[10], "mem"))
		if rss := number(t, f[6]); rss > peak {
			peak, where = rss, f[0]+" "+f[7]+" "+f[8]
		}
	}
	equal(b, "peak", float64(u.MaxRSS.Count), peak)
	equal(b, "place of the peak", fmt.Sprint(u.MaxRSSStep, " ", u.MaxRSS.Node, " ", u.MaxRSS.Task), where)
	equal(b, "memory", float64(u.Memory), most)
	memory, _ := u.MemoryEfficiency()
	near3(b, "memory efficiency", memory, most/total)
	if total != 1000<<20 || memory < 0.1 || u.MaxRSS.Task != 2 {
		t.Errorf("of %v bytes, used %+v", total, u)
	}
}

func near3(b *bed, what string, got, want float64) {
	b.t.Helper()
	if math.Abs(got-want) > 2e-3 {
		b.t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	unit := 1.0
	for i, letter := range "KMG" {
		if s, ok := strings.CutSuffix(text, string(letter)); ok {
			text, unit = s, float64(int64(1)<<(10*(i+1)))
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatalf("sacct says %q: %v", text, err)
	}
	return n * unit
}

// seconds reads "01:02.003" and "01:02:03".
func seconds(t *testing.T, text string) (sum float64) {
	t.Helper()
	for _, part := range strings.Split(text, ":") {
		sum = 60*sum + number(t, part)
	}
	return sum
}

// amount reads one of "cpu=2,mem=1000M".
func amount(t *testing.T, list, name string) float64 {
	t.Helper()
	for _, one := range strings.Split(list, ",") {
		if text, ok := strings.CutPrefix(one, name+"="); ok {
			return number(t, text)
		}
	}
	t.Fatalf("sacct says %q, without %s", list, name)
	return 0
}
