package slurm

import "testing"

// TestStatesAreSorted, and of two of one name the last one counts.
func TestStatesAreSorted(t *testing.T) {
	v := queueStates{
		{number: 3, task: noIndex, text: "a"}, {number: 1, task: 4, text: "b"}, {number: 1, task: noIndex, text: "c"},
		{number: 1, task: 4, text: "d"}, {number: 2, task: noIndex, text: "e"},
	}.sorted()
	got := ""
	for _, s := range v {
		got += s.text
	}
	if got != "cdea" || len(v.of(1)) != 2 || len(v.of(3)) != 1 || len(v.of(4)) != 0 {
		t.Errorf("got %s, %v", got, v)
	}
}

// TestWhatHoldsIsTheSame: a group costs nothing as long as the states say just what its records do, or what has been
// found out to be all that there is to learn.
func TestWhatHoldsIsTheSame(t *testing.T) {
	plain := &Job{RawID: 7, State: StateRunning}
	array := []*Job{
		{RawID: 8, ArrayJobID: "5", IsArrayTask: true, ArrayTaskID: 1, State: StateRunning},
		{RawID: 5, ArrayJobID: "5", IsArrayTask: true, ArrayTaskID: 2, State: StateRunning},
	}
	running, odd := string(StateRunning), string(StateCompleted)
	state := func(name, text string) seenState {
		s := seenState{name: []byte(name), text: text}
		if !s.place() {
			t.Fatal(name)
		}
		return s
	}
	for name, tt := range map[string]struct {
		group  group
		number int64
		states queueStates
		same   bool
	}{
		"a job":                       {group{jobs: []*Job{plain}}, 7, queueStates{state(`"7"`, running)}, true},
		"another state":               {group{jobs: []*Job{plain}}, 7, queueStates{state(`"7"`, odd)}, false},
		"gone":                        {group{jobs: []*Job{plain}}, 7, nil, false},
		"known to differ":             {group{jobs: []*Job{plain}, known: "states: 7 " + odd}, 7, queueStates{state(`"7"`, odd)}, true},
		"known, now other":            {group{jobs: []*Job{plain}, known: "states: 7 PENDING"}, 7, queueStates{state(`"7"`, odd)}, false},
		"was stale":                   {group{jobs: []*Job{plain}, stale: true}, 7, queueStates{state(`"7"`, running)}, false},
		"something has left":          {group{jobs: []*Job{plain}, left: map[int64]bool{9: true}}, 7, queueStates{state(`"7"`, running)}, false},
		"nothing at all":              {group{}, 7, nil, true},
		"an array":                    {group{jobs: array}, 5, queueStates{state(`"5_2"`, running), state(`"8_1"`, running)}, true},
		"an array, by its own number": {group{jobs: array}, 5, queueStates{state(`"5_1"`, running), state(`"5_2"`, running)}, true},
		"one more task": {group{jobs: array}, 5,
			queueStates{state(`"5_1"`, running), state(`"5_2"`, running), state(`"5_3"`, running)}, false},
	} {
		g := tt.group
		if next := g.confirm(tt.number, tt.states); (next == &g) != tt.same {
			t.Errorf("%s: the same: %v, want %v", name, next == &g, tt.same)
		}
		if !tt.same {
			continue
		}
		if n := testing.AllocsPerRun(10, func() { g.confirm(tt.number, tt.states) }); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
