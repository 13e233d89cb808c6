package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// signalNumbers are the signals that Slurm knows by name, with their numbers on Linux.
var signalNumbers = map[string]int{
	"HUP": 1, "INT": 2, "QUIT": 3, "ABRT": 6, "KILL": 9, "USR1": 10, "USR2": 12, "ALRM": 14, "TERM": 15,
	"CONT": 18, "STOP": 19, "TSTP": 20, "TTIN": 21, "TTOU": 22, "URG": 23,
}

// signalName returns the spelling that is sent for a signal: a short name, or a number for the signals that
// Slurm has no name for. It must refuse what Slurm does not know, since Slurm then says "No error" and kills
// the job.
func signalName(signal string) (string, error) {
	name := strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(signal)), "SIG")
	if _, ok := signalNumbers[name]; ok {
		return name, nil
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= 31 && name != "" && name[0] != '+' {
		for known, number := range signalNumbers {
			if number == n {
				return known, nil
			}
		}
		return strconv.Itoa(n), nil
	}
	return "", fmt.Errorf("%s is no signal that Slurm knows, and Slurm would kill the job for it: "+
		"want one of %s, or a number from 1 to 31", strconv.Quote(abbreviate(signal)), strings.Join(signalNames(), ", "))
}

func signalNames() []string {
	names := make([]string, 0, len(signalNumbers))
	for name := range signalNumbers {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return signalNumbers[a] - signalNumbers[b] })
	return names
}
