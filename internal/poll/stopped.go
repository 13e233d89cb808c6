package poll

import (
	"fmt"
	"time"
)

// Stopped is the end of a wait that did not see what it waited for.
type Stopped struct {
	Polls   int           // ticks made
	Elapsed time.Duration // since the wait began
	Cause   error         // [context.Cause]; nil if a failed read ended the wait
	Ctx     error         // the context's error; nil if a failed read ended the wait
	Last    error         // the latest failed read, nil if the latest read was good
}

// Error names the reason and the last failed read.
func (s *Stopped) Error() string {
	text := fmt.Sprintf("stopped after %v and %d polls", s.Elapsed, s.Polls)
	if s.Ctx == nil {
		return fmt.Sprintf("%s: %v", text, s.Last)
	}
	text = fmt.Sprintf("%s: %v", text, s.Cause)
	if s.Last != nil {
		text = fmt.Sprintf("%s; the last read failed: %v", text, s.Last)
	}
	return text
}

// Unwrap returns what is set of cause, context error and last failure. With a cause of the caller's own,
// context.Canceled is found only because the context's error is kept beside it.
func (s *Stopped) Unwrap() []error { return NonNil(s.Cause, s.Ctx, s.Last) }

// NonNil returns those of errs that are not nil.
func NonNil(errs ...error) []error {
	var set []error
	for _, err := range errs {
		if err != nil {
			set = append(set, err)
		}
	}
	return set
}
