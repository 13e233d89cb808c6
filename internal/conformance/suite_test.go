package conformance

import (
	"net/http"
	"slices"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// TestConformance runs every case on every target. The build tag realslurm adds the second one.
func TestConformance(t *testing.T) {
	for _, target := range targets {
		t.Run(target.name, func(t *testing.T) { runSuite(t, target) })
	}
}

// targets are the Slurms there are.
var targets = []target{inMemory}

// target is a Slurm with the users alice and bob, account "research", who live in /home, and the partitions
//
//	cpu, the default  nodes n1 and n2: 8 CPUs, 32,000 MiB; 30 minutes by default, at most a day
//	a4                nodes g1 and g2: 16 CPUs, 64,000 MiB, 8 GPUs b200; an hour by default, at most 4
//
// 256 MiB of memory for a CPU unless asked, 4 licenses "matlab", arrays with an index up to 10,000, and a few seconds
// each from the end of a job to its leaving the queue and from SIGTERM to SIGKILL. There is no reservation, and no QOS
// but "normal".
type target struct {
	name string
	// run calls test for one case, on a Slurm where nothing else happens if the case has to be alone.
	run func(t *testing.T, alone bool, test func(*testing.T, controls))
}

// controls are what a client cannot do. They end the test if they fail, and everything is up again after it.
type controls interface {
	handler(user string) http.Handler // the REST API as that user
	stop(daemon)
	start(daemon)
	nodeDown(name string)
	nodeUp(name string)
	requeue(id slurm.JobID)       // of a running job
	configure(name, value string) // a line of slurm.conf; for cases that are alone
	sleeping(id slurm.JobID) bool // whether the script of a running job has come to its sleep
	share(path, text string)      // writes a file that the nodes can read
	// sbatch is what only a real Slurm has: it submits a script held, from alice's home directory, or refuses it.
	sbatch(script string) (id slurm.JobID, refused string, ok bool)
	// wrote tells whether a running job's script writes to a file, if this Slurm has files.
	wrote(id slurm.JobID, path string) (yes, ok bool)
	keep(name string, g golden) bool // whether what becomes of a script is being written down anew
}

type daemon int

const (
	controller daemon = iota
	database
	rest
)

// testCase is a thing that both Slurms must do, and that the client must see. Names are paths, for go test -run.
type testCase struct {
	name string
	test func(*bed)
	// alone is for cases that take something away that others need. They run first, one by one.
	alone bool
}

func suite() []testCase {
	return slices.Concat(
		listCases(), outageCases(), nodeCases(),
		submitCases(), submitOnceCases(), refusalCases(), stateCases(), resourceCases(), queueCases(),
		updateCases(), dependencyCases(), arrayCases(), hetCases(), cancelCases(), signalCases(), userCases(),
		historyCases(), summaryCases(), wrapperCases(), infoCases(), versionCases(), readyCases(), watchCases(),
		scriptCases(), sbatchCases(),
	)
}

func runSuite(t *testing.T, target target) {
	cases := suite()
	slices.SortStableFunc(cases, func(a, b testCase) int {
		switch {
		case a.alone == b.alone:
			return 0
		case a.alone:
			return -1
		}
		return 1
	})
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			target.run(t, c.alone, func(t *testing.T, controls controls) { c.test(newBed(t, c.name, controls)) })
		})
	}
}
