package slurmtest

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
	return []object{{
		{"time", object{
			{"elapsed", v.elapsed},
			{"end", number(end)},
			{"start", number(v.start)},
			{"suspended", 0},
			{"system", cpuTime()},
			{"total", cpuTime()},
			{"user", cpuTime()},
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
		{"tres", first.stepTres()},
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

func (sh *share) stepTres() object {
	none := func() object {
		return object{{"max", []object{}}, {"min", []object{}}, {"average", []object{}}, {"total", []object{}}}
	}
	var allocated []object
	for _, entry := range tresList(int64(len(sh.cores)), sh.mb, 1, int64(len(sh.gpus)), sh.node.GPUType, false) {
		if entry[0].value != "billing" {
			allocated = append(allocated, entry)
		}
	}
	return object{{"requested", none()}, {"consumed", none()}, {"allocated", allocated}}
}
