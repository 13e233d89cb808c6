package lro

import (
	"context"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/internal/poll"
)

// WaitOption tunes one wait. There is none for a time limit: limits come from the context. A nil option is skipped.
type WaitOption func(*poll.Settings)

// WithBackoff sets how the pauses between reads grow. A zero field keeps its default: for operations 2 seconds,
// growing by a factor of 1.5 to 30 seconds. If Max alone is below the default Initial, or Initial alone above the
// default Max, the field that was given decides both.
//
// Each pause is drawn from the upper half of the current one: at least half of it always remains. A pause that the
// service asks for comes instead, if it is at least half of Initial; it is capped at 5 minutes.
func WithBackoff(b gax.Backoff) WaitOption {
	return func(s *poll.Settings) {
		if b.Initial > 0 {
			s.Backoff.Initial = b.Initial
			s.Backoff.Max = max(s.Backoff.Max, b.Initial)
		}
		if b.Max > 0 {
			s.Backoff.Max = b.Max
		}
		if b.Multiplier >= 1 {
			s.Backoff.Multiplier = b.Multiplier
		}
	}
}

// WithPauses is [WithBackoff] with nothing but the first and the longest pause; 0 keeps the default of either.
func WithPauses(first, longest time.Duration) WaitOption {
	return WithBackoff(gax.Backoff{Initial: first, Max: longest})
}

// WithTolerance sets for how long transient read failures (429, 5xx, broken connections, cut answers) are borne in
// an unbroken row, counted from the first of them; 2 minutes by default. Any good read ends the row. With 0 or less
// the first failure ends the wait. A read that has no answer after a minute has failed. Failures that time does not
// heal (400, 401, 403, 404) are never borne, but for the first 404s of an operation that has just been started, see
// [Started].
func WithTolerance(d time.Duration) WaitOption {
	return func(s *poll.Settings) {
		s.Tolerance = d
		if d <= 0 {
			s.Tolerance = -1
		}
	}
}

// OnProgress sets a function that is told about a wait, on the goroutine that waits and never concurrently: after
// the first good read, at each change of the message or of what is done, and at each failed read that is borne.
// The wait pauses while it runs. To stop the wait from there, cancel its context. Of several OnProgress the last
// one counts.
func OnProgress(f func(Progress)) WaitOption {
	return func(s *poll.Settings) {
		s.Progress = nil
		if f != nil {
			s.Progress = func(p poll.Progress) { f(Progress(p)) }
		}
	}
}

// FailFast ends a wait for many at the first that fails or cannot be read any more, instead of waiting for the
// others as well. A wait for one is not affected.
func FailFast() WaitOption {
	return func(s *poll.Settings) { s.FailFast = true }
}

// Then adds a step to a wait: check runs once, with the context of the wait and on the goroutine that waits, after all
// that was waited for has succeeded, be it known from the beginning or while the context ended. The wait blocks until
// check returns, and returns its error as it is. It does not run if any work failed or the watching ended early.
//
// Several steps run in the order given, and the first that fails is the last. A nil check is skipped.
func Then(check func(ctx context.Context) error) WaitOption {
	return func(s *poll.Settings) {
		if check != nil {
			s.Then = append(s.Then, check)
		}
	}
}

// Progress is one piece of news of a wait.
type Progress struct {
	Name    string        // what the news is about
	Message string        // what the service says about it; often empty
	Done    bool          // it has ended, well or badly
	Elapsed time.Duration // since the wait began
	Polls   int           // rounds of reads so far
	Pending int           // how many are still waited for
	Total   int           // how many there are

	// Err is a failed read that does not end the wait: it is borne, or, among many, it cost only the one called
	// Name, which is not read any more.
	Err error
}

// settings returns the defaults with opts applied.
func settings(opts []WaitOption) poll.Settings {
	s := poll.Settings{
		Backoff: poll.Backoff{
			Initial: poll.DefaultInitial, Max: poll.DefaultMax, Multiplier: poll.DefaultMultiplier,
		},
		Tolerance: poll.DefaultTolerance,
	}
	for _, opt := range opts {
		if opt != nil {
			opt(&s)
		}
	}
	return s
}
