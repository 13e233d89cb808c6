package slurmtest

import "time"

// interrupt is a signal that reached a script.
type interrupt struct {
	at     time.Duration // since the script began, not counting the time it was stopped
	signal int
	alone  bool // its children did not get it
}

// place is where a script is while time passes.
type place int

const (
	inChild place = iota // a command runs, and traps wait for its end
	inWait               // in the shell's "wait", which a trapped signal ends
	inLoop               // in a loop without an end
)

// spend lets time pass and deals with the signals that come meanwhile, as bash
// does: a signal without a trap ends the script, SIGQUIT only its child.
func (sh *shell) spend(d time.Duration, where place) {
	if sh.out.RunTime == forever {
		return
	}
	end := sum(sh.out.RunTime, d)
	var late []string // handlers that wait for a child
	for !sh.ended && len(sh.coming) > 0 && (end == forever || sh.coming[0].at < end) {
		in := sh.coming[0]
		sh.coming = sh.coming[1:]
		in.at = max(in.at, sh.out.RunTime)
		action, trapped := sh.traps[in.signal]
		switch {
		case trapped && action == "", !trapped && !deadly(in.signal):
		case !trapped && in.signal == sigQUIT:
			if where == inChild && !in.alone {
				sh.cut(in)
				return
			}
		case !trapped:
			sh.cut(in)
			sh.out.Signal, sh.ended = in.signal, true
		case where == inChild && (in.alone || !deadly(in.signal)):
			late = append(late, action)
		default:
			sh.cut(in)
			if sh.handle(action); where != inLoop {
				return
			}
		}
	}
	if sh.ended {
		return
	}
	sh.out.RunTime = end
	for _, action := range late {
		sh.handle(action)
	}
}

// cut ends what the script was doing. Its status tells the signal.
func (sh *shell) cut(in interrupt) {
	sh.out.RunTime, sh.status, sh.interrupted = in.at, 128+in.signal, true
}

// handle runs a trap's commands. If they do not exit, the script goes on with
// the status that it had.
func (sh *shell) handle(action string) {
	status := sh.status
	if sh.run(commands(action)); !sh.ended {
		sh.status = status
	}
}

// trap sets what signals do. An empty action ignores them, "-" resets them.
func (sh *shell) trap(action string, names []string) {
	for _, name := range names {
		n, ok := signalNumber(name)
		switch {
		case !ok || n == sigKILL || n == sigSTOP:
		case action == "-":
			delete(sh.traps, n)
		default:
			sh.traps[n] = action
		}
	}
}
