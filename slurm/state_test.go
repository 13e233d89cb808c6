package slurm_test

import (
	"testing"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func TestStatePredicates(t *testing.T) {
	type answers struct{ terminal, succeeded, failed, pending, running bool }
	failed := answers{terminal: true, failed: true}
	tests := map[slurm.State]answers{
		slurm.StatePending:     {pending: true},
		slurm.StateRunning:     {running: true},
		slurm.StateSuspended:   {},
		slurm.StateCompleted:   {terminal: true, succeeded: true},
		slurm.StateCancelled:   failed,
		slurm.StateFailed:      failed,
		slurm.StateTimeout:     failed,
		slurm.StateNodeFail:    failed,
		slurm.StatePreempted:   failed,
		slurm.StateBootFail:    failed,
		slurm.StateDeadline:    failed,
		slurm.StateOutOfMemory: failed,
		"":                     {}, // missing
		"QUANTUM_WAIT":         {}, // newer than this package
		"completed":            {}, // Slurm never writes it so
	}
	if len(tests) != 15 {
		t.Errorf("%d states, want the 12 of Slurm and 3 others", len(tests))
	}
	for s, want := range tests {
		got := answers{s.Terminal(), s.Succeeded(), s.Failed(), s.Pending(), s.Running()}
		if got != want {
			t.Errorf("%q: %+v, want %+v", s, got, want)
		}
	}
}

// TestNilText: a notebook shows what a cell returns, nil included.
func TestNilText(t *testing.T) {
	var (
		job       *slurm.Job
		node      *slurm.Node
		partition *slurm.Partition
		ctl       *slurm.Controller
		license   *slurm.License
	)
	got := []string{job.String(), node.String(), partition.String(), ctl.String(), license.String()}
	want := []string{"no job", "no node", "no partition", "no controller", "no license"}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
}

func TestExitCodeText(t *testing.T) {
	tests := []struct {
		code    slurm.ExitCode
		want    string
		success bool
	}{
		{slurm.ExitCode{}, "no exit code", false},
		{slurm.ExitCode{Known: true, Status: slurm.ExitSuccess}, "exit code 0", true},
		{slurm.ExitCode{Known: true, Status: slurm.ExitError, Code: 3}, "exit code 3", false},
		{slurm.ExitCode{Known: true, Status: slurm.ExitSignaled, Signal: 15, SignalName: "TERM"}, "signal 15 (TERM)", false},
		{slurm.ExitCode{Known: true, Status: slurm.ExitSignaled, Signal: 53}, "signal 53", false},
		{slurm.ExitCode{Known: true, Status: slurm.ExitCoreDumped, Signal: 11, SignalName: "SEGV"}, "signal 11 (SEGV), core dumped", false},
		{slurm.ExitCode{Known: true, Status: slurm.ExitSignaled, SignalName: "KILL"}, "signal KILL", false},
		{slurm.ExitCode{Known: true, Status: slurm.ExitError}, "exit code 0", false},
	}
	for _, tt := range tests {
		if tt.code.String() != tt.want || tt.code.Success() != tt.success {
			t.Errorf("%+v: %q, success %v; want %q, %v", tt.code, tt.code, tt.code.Success(), tt.want, tt.success)
		}
	}
}

func TestPartitionUp(t *testing.T) {
	tests := []struct {
		states []string
		want   bool
	}{
		{[]string{"UP"}, true},
		{[]string{"DOWN"}, false},
		{[]string{"UP", "DRAIN"}, false},
		{nil, false},
	}
	for _, tt := range tests {
		if got := (&slurm.Partition{States: tt.states}).Up(); got != tt.want {
			t.Errorf("%v: up = %v, want %v", tt.states, got, tt.want)
		}
	}
}
