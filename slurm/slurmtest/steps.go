package slurmtest

import (
	"cmp"
	"time"
)

// steps are what ran within the job: the batch step, on the first node. A
// further component of a het job has none.
func (v stored) steps() []object {
	if !v.placedYet() || v.het != nil && v.offset > 0 {
		return []object{}
	}
	first := v.allocation[0]
	end := int64(0)
	if v.finished {
		end = v.end
	}
	state, code := v.batchState()
	cpu, tres := v.used(first)
	return []object{{
		{"time", object{
			{"elapsed", v.elapsed},
			{"end", number(end)},
			{"start", number(v.start)},
			{"suspended", 0},
			{"system", cpuTime(0)},
			{"total", cpuTime(cpu)},
			{"user", cpuTime(cpu)},
		}},
		{"exit_code", code},
		{"nodes", object{{"count", 1}, {"range", first.node.Name}, {"list", []string{first.node.Name}}}},
		{"tasks", object{{"count", 1}}},
		{"pid", ""},
		{"CPU", object{
			{"requested_frequency", object{{"min", number(0)}, {"max", number(0)}}},
			{"governor", "0"},
		}},
		{"kill_request_user", ""},
		{"state", state},
		{"statistics", object{
			{"CPU", object{{"actual_frequency", 0}}},
			{"energy", object{{"consumed", number(0)}}},
		}},
		{"step", object{{"id", itoa(v.id) + ".batch"}, {"name", "batch"}}},
		{"task", object{{"distribution", "Unknown"}}},
		{"tres", tres},
	}}
}

// batchState: a script that was ended from outside is CANCELLED as a step,
// whatever became of its job, and reports the signal.
func (v stored) batchState() ([]string, object) {
	switch {
	case !v.finished:
		return []string{v.state}, exitObject(exit{})
	case v.state == stateNodeFail:
		return []string{stateCancelled}, pendingExit()
	case v.wasRequeued:
		return []string{stateCancelled}, exitObject(exit{signal: sigTERM})
	case v.plan.batch != "" && v.state == stateTimeout:
		return []string{v.plan.batch}, exitObject(v.exit)
	case v.state == stateCompleted, v.state == stateFailed && v.exit.signal == 0:
		return []string{v.state}, exitObject(v.exit)
	}
	return []string{stateCancelled}, exitObject(v.exit)
}

// Of a shell that does nothing but sleep.
const (
	idleCPU    = 3 * time.Millisecond
	idleMemory = 4_849_664
)

// used is what a step took, which accounting is told when it ends. Memory comes
// from samples, and CPU time from the kernel, if anything is gathered at all.
func (v stored) used(first *share) (time.Duration, object) {
	none := usage{}
	if !v.finished || v.state == stateNodeFail || v.sampling == 0 {
		return 0, first.stepTres(none, none)
	}
	cpu, memory := cmp.Or(v.outcome.CPUTime, idleCPU), cmp.Or(v.outcome.Memory, idleMemory)
	in, out := usage{{"energy", "", 3, 0}}, usage{{"energy", "", 3, 0}}
	if time.Duration(v.elapsed)*time.Second >= v.sampling {
		in = usage{{"cpu", "", 1, cpu.Milliseconds()}, {"mem", "", 2, memory}, {"energy", "", 3, 0},
			{"fs", "disk", 6, 10981}, {"vmem", "", 7, memory + 2<<20}, {"pages", "", 8, 0}}
		out = append(out, amount{"fs", "disk", 6, 1})
	}
	return cpu, first.stepTres(in, out)
}

// usage is what the one task of a step used.
type usage []amount

type amount struct {
	typ, name string
	id, count int64
}

// sampled is false where there is nothing but the energy, of which no task has
// a maximum.
func (u usage) sampled() bool { return len(u) > 1 }

func (u usage) list(node string) []object {
	list := []object{}
	for _, a := range u {
		entry := object{{"type", a.typ}, {"name", a.name}, {"id", a.id}, {"count", a.count}}
		if node != "" {
			entry = append(entry, object{{"task", 0}, {"node", node}}...)
		}
		list = append(list, entry)
	}
	return list
}

func (sh *share) stepTres(in, out usage) object {
	kinds := func(u usage) object {
		peaks := []object{}
		if u.sampled() {
			peaks = u.list(sh.node.Name)
		}
		return object{{"max", peaks}, {"min", peaks}, {"average", u.list("")}, {"total", u.list("")}}
	}
	var allocated []object
	for _, entry := range tresList(int64(len(sh.cores)), sh.mb, 1, int64(len(sh.gpus)), sh.node.GPUType, false) {
		if entry[0].value != "billing" {
			allocated = append(allocated, entry)
		}
	}
	return object{{"requested", kinds(in)}, {"consumed", kinds(out)}, {"allocated", allocated}}
}
