package slurm

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// ExitStatus is Slurm's word for how a process ended. The set is open.
type ExitStatus string

// The exit statuses of Slurm 24.11.
const (
	ExitSuccess    ExitStatus = "SUCCESS"
	ExitError      ExitStatus = "ERROR"       // with another exit code than 0
	ExitSignaled   ExitStatus = "SIGNALED"    // by a signal
	ExitCoreDumped ExitStatus = "CORE_DUMPED" // by a signal, leaving a core
	ExitPending    ExitStatus = "PENDING"     // has not ended
	ExitInvalid    ExitStatus = "INVALID"
)

// Success reports whether the process ended by itself with code 0.
func (s ExitStatus) Success() bool { return s == ExitSuccess }

// Errored reports whether the process ended by itself with another code than 0.
func (s ExitStatus) Errored() bool { return s == ExitError }

// Signaled reports whether a signal ended the process, without a core.
func (s ExitStatus) Signaled() bool { return s == ExitSignaled }

// CoreDumped reports whether a signal ended the process and left a core.
func (s ExitStatus) CoreDumped() bool { return s == ExitCoreDumped }

// Pending reports whether the process has not ended.
func (s ExitStatus) Pending() bool { return s == ExitPending }

// Invalid reports whether s is [ExitInvalid].
func (s ExitStatus) Invalid() bool { return s == ExitInvalid }

// ExitCode tells how a job or step ended. The zero value means that it has not ended, or that Slurm did not say.
//
// Ask the state of a job, not this, whether the job succeeded: the accounting records give SUCCESS and 0 for
// cancelled jobs and for those that ran out of time.
type ExitCode struct {
	Known      bool // false: the other fields say nothing, and Code 0 is not a success
	Status     ExitStatus
	Code       int    // exit code, 0 if a signal ended the process
	Signal     int    // signal number, 0 if none
	SignalName string // "TERM"; "" where Slurm has no name for the number
}

// Success reports whether the process ended with exit code 0.
func (c ExitCode) Success() bool { return c.Known && c.Status == ExitSuccess && c.Code == 0 }

// String returns "exit code 3", "signal 15 (TERM)" or "no exit code".
func (c ExitCode) String() string {
	switch {
	case !c.Known:
		return "no exit code"
	case c.Signal == 0 && c.SignalName != "":
		return foreign.Printable("signal " + c.SignalName)
	case c.Signal == 0:
		return fmt.Sprintf("exit code %d", c.Code)
	}
	text := fmt.Sprintf("signal %d", c.Signal)
	if c.SignalName != "" {
		text += " (" + c.SignalName + ")"
	}
	if c.Status == ExitCoreDumped {
		text += ", core dumped"
	}
	return foreign.Printable(text)
}

// readExitCode reads exit_code in its present form, an object, and as a plain number.
func readExitCode(raw []byte) (ExitCode, error) {
	if jsonx.KindOf(raw) != jsonx.KindObject {
		return readPlainExitCode(raw)
	}
	var c ExitCode
	var odd error // the name of the signal, which is no reason to lose the rest
	err := jsonx.EachMember(raw, func(name, value []byte) error {
		switch string(name) {
		case "status":
			// Of an odd list nothing is taken, as of a state: what is left of it may be another status.
			err := readWords(value, func(word []byte) { c.Status = exitStatus(word) })
			return inMember(name, err)
		case "return_code":
			n, err := readCount(value)
			c.Code = n
			return inMember(name, err)
		case "signal":
			oddName, err := readSignal(value, &c)
			odd = inMember(name, oddName)
			return inMember(name, err)
		}
		return nil
	})
	c.Known = err == nil && c.Status != "" && c.Status != ExitPending && c.Status != ExitInvalid
	if !c.Known {
		return ExitCode{}, cmp.Or(err, odd)
	}
	return c, odd
}

// exitStatus spares an allocation for each word that is known: there are thousands of them in a list.
func exitStatus(word []byte) ExitStatus {
	for _, s := range [...]ExitStatus{ExitSuccess, ExitError, ExitSignaled, ExitPending, ExitCoreDumped, ExitInvalid} {
		if string(word) == string(s) {
			return s
		}
	}
	return ExitStatus(word)
}

// readSignal reads the number and the name of a signal. It returns apart what is wrong with the name.
func readSignal(raw []byte, c *ExitCode) (oddName, err error) {
	if jsonx.KindOf(raw) != jsonx.KindObject {
		c.Signal, err = readCount(raw)
		return nil, err
	}
	err = jsonx.EachMember(raw, func(name, value []byte) error {
		switch string(name) {
		case "id", "signal_id":
			n, err := readCount(value)
			c.Signal = n
			return inMember(name, err)
		case "name":
			switch kind := jsonx.KindOf(value); {
			case kind == jsonx.KindArray || kind == jsonx.KindObject:
				if !emptyValue(value) {
					_, odd := jsonx.Str(value)
					oddName = inMember(name, odd)
				}
			case len(value) > len(`""`):
				c.SignalName = displayText(value)
			}
		}
		return nil
	})
	// Slurm gives the number as text where it has no name for it.
	if c.SignalName != "" && strings.Trim(c.SignalName, "0123456789") == "" {
		c.SignalName = unnamedSignals[c.Signal]
	}
	return oddName, err
}

// unnamedSignals has the signals that end programs and that Slurm's own list lacks.
var unnamedSignals = map[int]string{4: "ILL", 5: "TRAP", 7: "BUS", 8: "FPE", 11: "SEGV", 31: "SYS"}

// readPlainExitCode reads the form of the oldest API versions, in which one number holds exit code and signal as
// wait(2) does. Numbers below 256 are taken for a plain exit code: some front ends have unpacked it already.
func readPlainExitCode(raw []byte) (ExitCode, error) {
	n, err := readUpTo(raw, 1<<16-1, "an exit code") // more has another meaning than its low bits, which may say success
	if err != nil || !n.set {
		return ExitCode{}, err
	}
	c := ExitCode{Known: true, Status: ExitSuccess, Code: int(n.value)}
	if n.value >= 1<<8 {
		c.Code, c.Signal = int(n.value>>8&0xff), int(n.value&0x7f)
	}
	switch {
	case c.Signal != 0:
		c.Status, c.Code, c.SignalName = ExitSignaled, 0, unnamedSignals[c.Signal]
	case c.Code != 0:
		c.Status = ExitError
	}
	return c, nil
}
