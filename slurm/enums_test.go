package slurm

import "testing"

// TestEnumsAnswer what a notebook cannot find out by comparing with a literal.
func TestEnumsAnswer(t *testing.T) {
	for _, tt := range []struct {
		question  string
		got, want bool
	}{
		{"SUCCESS is a success", ExitSuccess.Success(), true},
		{"SIGNALED is none", ExitSignaled.Success(), false},
		{"IDLE is idle", NodeIdle.Idle(), true},
		{"DOWN is not idle", NodeDown.Idle(), false},
		{"MIXED is busy", NodeMixed.Busy(), true},
		{"ALLOCATED is busy", NodeAllocated.Busy(), true},
		{"IDLE is not busy", NodeIdle.Busy(), false},
		{"the queue is the queue", SourceQueue.Queue(), true},
		{"and not the accounting", SourceQueue.Accounting(), false},
		{"the accounting is the accounting", SourceAccounting.Accounting(), true},
		{"and not the queue", SourceAccounting.Queue(), false},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %v", tt.question, tt.got)
		}
	}
}
