package slurmtest

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Run is a script about to start, for [WithRun].
type Run struct {
	JobID       int64
	ArrayTask   int64 // -1 outside arrays
	Restarts    int   // how often the job was requeued before
	Name        string
	User        string // who submitted the job
	Script      string
	Environment []string // as submitted, "NAME=value"
	Arguments   []string // of the script: argv without its first

	files map[string]string
}

// Outcome is how a script ends: after RunTime with ExitCode, or by Signal if
// that is not zero. A negative RunTime never ends by itself.
type Outcome struct {
	RunTime     time.Duration
	ExitCode    int
	Signal      int
	IgnoresTerm bool // survives SIGTERM until [WithKillWait] is over

	// What accounting says that the script used, once it has ended: see
	// [WithSampling]. Zeros are the 3 ms and 4.6 MiB of a shell that sleeps.
	CPUTime time.Duration
	Memory  int64 // bytes
}

// forever is the run time of a script that does not end by itself.
const forever = time.Duration(-1)

// Exit codes of scripts that the kernel refuses to start.
const (
	exitNoShebang     = 8 // Exec format error
	exitNoInterpreter = 2 // No such file or directory
)

// simulate reads a script as far as a queue needs it: how long it sleeps, what
// it makes of the signals that reached it, and how it exits. It runs nothing. A
// loop counts as one pass, unless it is "while true" without a break; a command
// it does not know succeeds at once.
func simulate(r Run, runTime time.Duration, came ...interrupt) Outcome {
	if code, refused := refuses(r.Script); refused {
		return Outcome{ExitCode: code}
	}
	sh := shell{
		variables: variables(r), endless: endless(r.Script), coming: came,
		traps: map[int]string{}, functions: map[string][]command{}, files: r.files,
	}
	sh.run(commands(r.Script))
	switch {
	case sh.slept:
	case sh.out.Signal != 0:
		sh.out.RunTime = runTime
	default:
		// The time that its commands take passes before its end, whatever that is.
		status, exited := sh.status, sh.ended
		sh.ended = false
		if sh.spend(runTime, inChild); !sh.ended && (exited || !sh.interrupted) {
			sh.status = status
		}
	}
	action, trapped := sh.traps[sigTERM]
	sh.out.IgnoresTerm = trapped && action == ""
	sh.out.ExitCode = sh.status & 0xff
	if sh.out.Signal != 0 {
		sh.out.ExitCode = 0
	}
	return sh.out
}

// shell is the state between two commands of a script. The run time of its
// outcome is the script's clock.
type shell struct {
	variables      map[string]string
	out            Outcome
	status         int
	background     time.Duration        // when the last child in the background ends
	branches       []bool               // of each open if: is this branch left out
	traps          map[int]string       // by signal; "" ignores it
	functions      map[string][]command // by name
	files          map[string]string    // by path
	coming         []interrupt
	slept, ended   bool
	endless, loops bool
	interrupted    bool // a signal cut something short
}

type command struct{ operator, text string }

// run executes commands, and puts function bodies aside.
func (sh *shell) run(list []command) {
	for i := 0; i < len(list) && !sh.ended; i++ {
		if head := functionHead.FindStringSubmatch(list[i].text); head != nil {
			body := []command{{text: head[3]}}
			for i++; i < len(list) && list[i].text != "}"; i++ {
				body = append(body, list[i])
			}
			sh.functions[head[1]+head[2]] = body
			continue
		}
		sh.variables["?"] = strconv.Itoa(sh.status)
		if !sh.skips(list[i]) {
			sh.do(words(list[i].text, sh.variables))
		}
	}
}

// skips knows which commands are left out: the rest of a chain and the other
// branch of an if.
func (sh *shell) skips(c command) bool {
	word, _, _ := strings.Cut(c.text, " ")
	switch last := len(sh.branches) - 1; {
	case word == "if":
		sh.branches = append(sh.branches, false)
		return false
	case last < 0:
	case word == "then":
		sh.branches[last] = sh.status != 0
	case word == "else":
		sh.branches[last] = !sh.branches[last]
	case word == "fi":
		sh.branches = sh.branches[:last]
	}
	if slices.Contains(sh.branches, true) {
		return true
	}
	return c.operator == "&&" && sh.status != 0 || c.operator == "||" && sh.status == 0
}

func (sh *shell) do(words []string) {
	replaces := slices.Contains(words[:min(2, len(words))], "exec")
	words = unprefixed(words)
	if len(words) == 0 {
		return
	}
	argument, last := "", words[len(words)-1]
	if len(words) > 1 {
		argument = words[1]
	}
	if name, text, ok := strings.Cut(last, "="); ok && (len(words) == 1 || words[0] == "export") {
		sh.variables[name] = text
	}
	before := sh.status
	sh.status = 0
	switch words[0] {
	case "sleep":
		sh.sleep(argument, last == "&")
	case "wait":
		sh.wait()
	case "while":
		sh.loops = argument == "true" || argument == ":"
	case "done":
		if sh.loops && sh.endless {
			sh.slept = true
			sh.spend(forever, inLoop)
			sh.ended = true
		}
	case "trap":
		if len(words) > 2 {
			sh.trap(argument, words[2:])
		}
	case "[", "test":
		sh.status = sh.test(words[1:])
	case "false":
		sh.status = 1
	case "kill":
		if last == "$$" {
			sh.out.Signal, _ = signalNumber(strings.TrimPrefix(argument, "-"))
			sh.ended = true
		}
	case "exit":
		if sh.status = before; argument != "" {
			sh.status, _ = strconv.Atoi(argument)
		}
		sh.ended = true
	default:
		if text, ok := sh.files[words[0]]; ok {
			sh.program(text, words)
			sh.ended = replaces || sh.out.Signal != 0
			return
		}
		sh.run(sh.functions[words[0]])
	}
}

// program runs a file as if it were a part of the script.
func (sh *shell) program(text string, words []string) {
	if code, refused := refuses(text); refused {
		sh.status = code
		return
	}
	for i, word := range words[1:] {
		sh.variables[strconv.Itoa(i+1)] = word
	}
	sh.run(commands(text))
}

func (sh *shell) sleep(argument string, inBackground bool) {
	d, ok := sleepTime(argument)
	if !ok {
		sh.status = 1
		return
	}
	sh.slept = true
	if inBackground {
		sh.background = longer(sh.background, sum(sh.out.RunTime, d))
		return
	}
	sh.spend(d, inChild)
}

func (sh *shell) wait() {
	switch {
	case sh.background == forever:
		sh.spend(forever, inWait)
	case sh.background > sh.out.RunTime:
		sh.spend(sh.background-sh.out.RunTime, inWait)
	}
	sh.background = 0
}

// test knows files and, of what there is else, comparisons.
func (sh *shell) test(words []string) int {
	if len(words) > 1 && words[0] == "!" {
		return 1 - sh.test(words[1:])
	}
	if len(words) > 1 && slices.Contains([]string{"-e", "-f", "-r", "-x"}, words[0]) {
		if _, ok := sh.files[words[1]]; !ok {
			return 1
		}
		return 0
	}
	return compare(words)
}

// compare is "[ a = b ]" and its three kin; anything else is true.
func compare(words []string) int {
	if len(words) < 3 {
		return 0
	}
	equal := words[0] == words[2]
	switch words[1] {
	case "=", "==", "-eq":
	case "!=", "-ne":
		equal = !equal
	default:
		return 0
	}
	if equal {
		return 0
	}
	return 1
}

func endless(script string) bool { return !strings.Contains(script, "break") }

// sum and longer know that forever outlasts everything.
func sum(a, b time.Duration) time.Duration {
	if a == forever || b == forever {
		return forever
	}
	return a + b
}

func longer(a, b time.Duration) time.Duration {
	if a == forever || b == forever {
		return forever
	}
	return max(a, b)
}
