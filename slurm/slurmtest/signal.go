package slurmtest

import (
	"strconv"
	"strings"
)

// signals are the names slurmrestd takes, with or without "SIG".
var signals = map[string]int{
	"HUP": 1, "INT": 2, "QUIT": 3, "ABRT": 6, "KILL": 9, "USR1": 10, "SEGV": 11, "USR2": 12,
	"PIPE": 13, "ALRM": 14, "TERM": 15, "STKFLT": 16, "CHLD": 17, "CONT": 18, "STOP": 19,
	"TSTP": 20, "TTIN": 21, "TTOU": 22, "URG": 23, "XCPU": 24,
}

const (
	sigHUP   = 1
	sigQUIT  = 3
	sigKILL  = 9
	sigTERM  = 15
	sigCHLD  = 17
	sigCONT  = 18
	sigSTOP  = 19
	sigURG   = 23
	sigWINCH = 28
	// sigNoOutput is how Slurm reports a job whose directory or output file
	// could not be opened.
	sigNoOutput = 53
)

func signalNumber(name string) (int, bool) {
	if n, err := strconv.Atoi(name); err == nil {
		return n, n > 0 && n < 65
	}
	n, ok := signals[strings.TrimPrefix(strings.ToUpper(name), "SIG")]
	return n, ok
}

// deadly says whether a signal ends a process that does not expect it. Batch
// scripts have no terminal, which is why those that stop a job of a terminal do
// nothing here.
func deadly(n int) bool { return (n < sigCHLD || n > sigURG) && n != sigWINCH }

// signalName is how records spell a signal: Slurm names only the ones that
// scancel takes and writes the others as digits.
func signalName(n int) string {
	switch n {
	case 0:
		return ""
	case 11, 13, 17:
		return strconv.Itoa(n)
	}
	for name, number := range signals {
		if number == n {
			return name
		}
	}
	return strconv.Itoa(n)
}

// signalTexts are the C library's phrases, as state_description quotes them.
var signalTexts = map[int]string{
	1: "Hangup", 2: "Interrupt", 3: "Quit", 4: "Illegal instruction", 5: "Trace/breakpoint trap", 6: "Aborted",
	7: "Bus error", 8: "Floating point exception", 9: "Killed", 10: "User defined signal 1",
	11: "Segmentation fault", 12: "User defined signal 2", 13: "Broken pipe", 14: "Alarm clock", 15: "Terminated",
	16: "Stack fault", 24: "CPU time limit exceeded", 25: "File size limit exceeded",
}

func signalText(n int) string {
	if text := signalTexts[n]; text != "" {
		return text
	}
	if n >= 34 {
		return "Real-time signal " + strconv.Itoa(n-34)
	}
	return "Unknown signal " + strconv.Itoa(n)
}
