package endings

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

// Wait is a call that waits.
type Wait struct {
	Name  string
	Begin func(t *testing.T, line *Line) Work

	Reads   int           // how many there are at first; 1 if 0
	Later   int           // and after the first pause; as many as Reads if 0
	Failing int           // and at first if they fail, repetitions included; as many as Reads if 0
	Pause   time.Duration // that is, between half of this and this; [Pause] if 0

	InTurn    bool // the reads of a round come one after the other, and what is held up is the last of them
	Endless   bool // what is waited for has no end
	Remember  bool // an end that was seen once needs no read any more
	Unhurried bool // what pause a server asks for is up to each read
}

// Pause is what [Work] should set for the pauses of a wait, where they can be set.
const Pause = time.Minute

// Work is what is waited for, which goes on for more than a day.
type Work struct {
	Wait    func(context.Context) error
	Pending []string        // what the error has to name
	Unread  []string        // the same before any good read; nil if that makes no difference
	Finish  func()          // ends the work
	Fail    func()          // makes all reads fail from now on, in a way that may pass
	Busy    func()          // the same, and the server asks to be left alone for half of [Pause]
	Kept    func(err error) // complains if that lacks what the first read has told, and any later one; may be nil

	// What the wait says if it was ended, and what its text says is to be done, after a good read and after a failed one.
	// Without them it is an *lro.WaitError, and the work goes on.
	Stopped           func(error) (*lro.WaitError, bool)
	Advice, BadAdvice string
}

// held is which of the reads of a round is held up, and with it those that come at the same time.
func (w Wait) held(reads int) int {
	if w.InTurn {
		return reads
	}
	return 1
}

func (w Wait) withDefaults() Wait {
	w.Reads = max(w.Reads, 1)
	if w.Later == 0 {
		w.Later = w.Reads
	}
	if w.Failing == 0 {
		w.Failing = w.Reads
	}
	if w.Pause == 0 {
		w.Pause = Pause
	}
	return w
}

func (w Work) withDefaults() Work {
	if w.Stopped == nil {
		w.Stopped = errors.AsType[*lro.WaitError]
	}
	if w.Advice == "" {
		w.Advice = "; the work goes on and can be waited for again by name"
	}
	if w.BadAdvice == "" {
		w.BadAdvice = w.Advice
	}
	if w.Unread == nil {
		w.Unread = w.Pending
	}
	if w.Kept == nil {
		w.Kept = func(error) {}
	}
	return w
}
