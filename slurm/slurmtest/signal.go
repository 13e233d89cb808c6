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
	sigHUP  = 1
	sigKILL = 9
	sigTERM = 15
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

// signalText is the C library's phrase, as state_description quotes it.
func signalText(n int) string {
	switch n {
	case sigHUP:
		return "Hangup"
	case 2:
		return "Interrupt"
	case 6:
		return "Aborted"
	case sigKILL:
		return "Killed"
	case 10:
		return "User defined signal 1"
	case 11:
		return "Segmentation fault"
	case sigTERM:
		return "Terminated"
	}
	if n >= 34 {
		return "Real-time signal " + strconv.Itoa(n-34)
	}
	return "Unknown signal " + strconv.Itoa(n)
}
