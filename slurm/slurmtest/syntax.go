package slurmtest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

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
			if i := operatorAt(line); i >= 0 {
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

// operatorAt finds the first operator outside of quotes, or -1.
func operatorAt(line string) int {
	quote := rune(0)
	for i, r := range line {
		switch {
		case quote == 0 && strings.ContainsRune(";|&", r):
			return i
		case quote == 0 && (r == '\'' || r == '"'):
			if strings.ContainsRune(line[i+1:], r) { // otherwise it is no more than an apostrophe
				quote = r
			}
		case r == quote:
			quote = 0
		}
	}
	return -1
}

// functionHead matches the start of a function, up to its first command.
var functionHead = regexp.MustCompile(`^(?:function +(\w+)(?: *\(\))?|(\w+) *\(\)) *\{ *(.*)$`)

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

// variables are what a script can ask for by name, or by number for its
// arguments.
func variables(r Run) map[string]string {
	set := map[string]string{"SLURM_JOB_ID": itoa(r.JobID), "SLURM_JOB_NAME": r.Name}
	if r.ArrayTask >= 0 {
		set["SLURM_ARRAY_TASK_ID"] = itoa(r.ArrayTask)
	}
	if r.Restarts > 0 {
		set["SLURM_RESTART_COUNT"] = strconv.Itoa(r.Restarts)
	}
	if slices.Contains(r.Environment, "SLURM_GET_USER_ENV=1") { // as a login sets them
		set["HOME"], set["USER"], set["LOGNAME"], set["SHELL"] = "/home/"+r.User, r.User, r.User, "/bin/bash"
		set["PATH"] = "/usr/local/bin:/usr/bin:/bin"
	}
	for _, entry := range r.Environment {
		if name, text, ok := strings.Cut(entry, "="); ok {
			set[name] = text
		}
	}
	for i, text := range r.Arguments {
		set[strconv.Itoa(i+1)] = text
	}
	return set
}

var variable = regexp.MustCompile(`^\$(?:(\w+|\?)|\{(\w+)\})`)

// words splits a command as a shell does: quotes hold a word together, and
// names are replaced but in single quotes. A name that is not set is nothing.
func words(command string, set map[string]string) []string {
	var list []string
	var word strings.Builder
	inWord, quote := false, byte(0)
	end := func() {
		if inWord {
			list = append(list, word.String())
		}
		word.Reset()
		inWord = false
	}
	for len(command) > 0 {
		c := command[0]
		name := variable.FindStringSubmatch(command)
		switch {
		case quote != '\'' && name != nil:
			command = command[len(name[0]):]
			text := set[name[1]+name[2]]
			word.WriteString(text)
			inWord = inWord || text != ""
			continue
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inWord = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			end()
		default:
			word.WriteByte(c)
			inWord = true
		}
		command = command[1:]
	}
	end()
	return list
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
