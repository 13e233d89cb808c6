package cluster

import "testing"

// TestTracingCostsNothingWithoutATracer: not one allocation, whatever the call.
func TestTracingCostsNothingWithoutATracer(t *testing.T) {
	c := &call{op: "call Slurm (GET /x) of", slurm: &SlurmRequest{Method: "GET", Path: "/x?y"}}
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		same, trace := c.trace(ctx)
		if same != ctx || trace.wire() != nil {
			t.Error("somebody listens")
		}
		trace.endStream(nil, nil)
		trace.end(nil)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
