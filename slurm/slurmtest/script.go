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
	Script      string
	Environment []string // as submitted, "NAME=value"
}

// Outcome is how a script ends: after RunTime with ExitCode, or by Signal if
// that is not zero. A negative RunTime never ends by itself.
type Outcome struct {
	RunTime     time.Duration
	ExitCode    int
	Signal      int
	IgnoresTerm bool // survives SIGTERM until [WithKillWait] is over
}

// forever is the run time of a script that does not end by itself.
const forever = time.Duration(-1)

// Exit codes of scripts that the kernel refuses to start.
const (
	exitNoShebang     = 8 // Exec format error
	exitNoInterpreter = 2 // No such file or directory
)

// simulate reads a script as far as a queue needs it: how long it sleeps and
// how it exits. It runs nothing. A loop counts as one pass, unless it is
// "while true" without a break; a command it does not know succeeds at once.
func simulate(r Run, runTime time.Duration) Outcome {
	if code, refused := refuses(r.Script); refused {
		return Outcome{ExitCode: code}
	}
	sh := shell{run: r, endless: endless(r.Script)}
	for _, c := range commands(r.Script) {
		if sh.skips(c) {
			continue
		}
		if sh.do(strings.Fields(expand(c.text, r))); sh.ended {
			break
		}
	}
	sh.out.ExitCode = sh.status & 0xff
	if !sh.slept {
		sh.out.RunTime = runTime
	}
	return sh.out
}

// shell is the state between two commands of a script.
type shell struct {
	run            Run
	out            Outcome
	status         int
	background     time.Duration
	branches       []bool // of each open if: is this branch left out
	slept, ended   bool
	endless, loops bool
}

type command struct{ operator, text string }

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
	words = unprefixed(words)
	if len(words) == 0 {
		return
	}
	argument, last := "", words[len(words)-1]
	if len(words) > 1 {
		argument = words[1]
	}
	sh.status = 0
	switch words[0] {
	case "sleep":
		sh.sleep(argument, last == "&")
	case "wait":
		sh.out.RunTime, sh.background = sum(sh.out.RunTime, sh.background), 0
	case "while":
		sh.loops = argument == "true" || argument == ":"
	case "done":
		if sh.loops && sh.endless {
			sh.out.RunTime, sh.slept, sh.ended = forever, true, true
		}
	case "trap":
		sh.out.IgnoresTerm = argument == "''" || argument == `""`
	case "[", "test":
		sh.status = compare(words[1:])
	case "false":
		sh.status = 1
	case "kill":
		if last == "$$" {
			sh.out.Signal, _ = signalNumber(strings.TrimPrefix(argument, "-"))
			sh.ended = true
		}
	case "exit":
		sh.status, _ = strconv.Atoi(argument)
		sh.ended = true
	}
}

func (sh *shell) sleep(argument string, inBackground bool) {
	d, ok := sleepTime(argument)
	if !ok {
		sh.status = 1
		return
	}
	sh.slept = true
	if inBackground {
		sh.background = longer(sh.background, d)
		return
	}
	sh.out.RunTime = sum(sh.out.RunTime, d)
}

// compare is "[ a = b ]" and its three kin; anything else is true.
func compare(words []string) int {
	if len(words) < 3 {
		return 0
	}
	equal := strings.Trim(words[0], `"'`) == strings.Trim(words[2], `"'`)
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

// refuses finds the scripts that sbatch would not have let through.
func refuses(script string) (code int, refused bool) {
	line, _, _ := strings.Cut(script, "\n")
	interpreter, found := strings.CutPrefix(line, "#!")
	if !found {
		return exitNoShebang, true
	}
	if strings.HasSuffix(line, "\r") {
		return exitNoInterpreter, true // the kernel looks for "bash\r"
	}
	interpreter, _, _ = strings.Cut(strings.TrimSpace(interpreter), " ")
	for _, dir := range []string{"/bin/", "/usr/", "/opt/"} {
		if strings.HasPrefix(interpreter, dir) {
			return 0, false
		}
	}
	return exitNoInterpreter, true
}

// commands splits a script into simple commands, without its comments. Each
// knows the operator in front of it.
func commands(script string) []command {
	var list []command
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		operator := ""
		for line != "" {
			text, next := line, ""
			if i := strings.IndexAny(line, ";|&"); i >= 0 {
				text, next = line[:i], line[i:]
			}
			ahead := operator
			switch {
			case strings.HasPrefix(next, "&&"), strings.HasPrefix(next, "||"):
				operator, line = next[:2], next[2:]
			case strings.HasPrefix(next, "&"):
				text, operator, line = text+" &", "", next[1:]
			case next != "":
				operator, line = "", next[1:]
			default:
				line = ""
			}
			if text = strings.TrimSpace(text); text != "" {
				list = append(list, command{ahead, text})
			}
		}
	}
	return list
}

// unprefixed drops words that only say how the command behind them runs.
func unprefixed(words []string) []string {
	for len(words) > 0 {
		switch w := words[0]; {
		case slices.Contains([]string{"srun", "exec", "time", "nohup", "if", "then", "do", "else"}, w):
		case strings.HasPrefix(w, "-"):
		default:
			return words
		}
		words = words[1:]
	}
	return nil
}

// expand puts in the variables that a script decides by.
func expand(command string, r Run) string {
	set := map[string]string{"SLURM_JOB_ID": itoa(r.JobID), "SLURM_JOB_NAME": r.Name}
	if r.ArrayTask >= 0 {
		set["SLURM_ARRAY_TASK_ID"] = itoa(r.ArrayTask)
	}
	if r.Restarts > 0 {
		set["SLURM_RESTART_COUNT"] = strconv.Itoa(r.Restarts)
	}
	for _, entry := range r.Environment {
		if name, text, ok := strings.Cut(entry, "="); ok {
			set[name] = text
		}
	}
	for name, text := range set {
		command = strings.ReplaceAll(command, "${"+name+"}", text)
		command = strings.ReplaceAll(command, `"$`+name+`"`, text)
		if rest, found := strings.CutSuffix(command, "$"+name); found {
			command = rest + text
		}
		command = strings.ReplaceAll(command, "$"+name+" ", text+" ")
	}
	return command
}

// sleepTime reads sleep's argument: seconds, or a number with s, m, h or d.
func sleepTime(text string) (time.Duration, bool) {
	if text == "infinity" || text == "inf" {
		return forever, true
	}
	unit := time.Second
	if text != "" {
		if i := strings.IndexByte("smhd", text[len(text)-1]); i >= 0 {
			unit = []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour}[i]
			text = text[:len(text)-1]
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 {
		return 0, false
	}
	return time.Duration(n * float64(unit)), true
}
