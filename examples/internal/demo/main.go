package demo

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// Main runs a program until it returns or is interrupted, and ends the process with status 1 if it has failed. run is
// a function of its own for its tests, which give it options that lead to servers of theirs.
func Main(run func(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}

// Progress prints a line for each piece of news in a wait for an operation.
func Progress(out io.Writer) lro.WaitOption {
	return lro.OnProgress(func(p lro.Progress) {
		news := cmp.Or(p.Message, map[bool]string{true: "ended", false: "under way"}[p.Done])
		if p.Err != nil { // a failed read, which the wait bears
			news = p.Err.Error()
		}
		fmt.Fprintf(out, "%5s %s\n", p.Elapsed.Round(time.Second), news)
	})
}

// Pace is an option for waits: on embedded servers, which are quicker than real ones, it has them look once a second, and
// on a real cluster it changes nothing.
func (p *Place) Pace() lro.WaitOption {
	if !p.Embedded() {
		return nil
	}
	return lro.WithBackoff(gax.Backoff{Initial: 500 * time.Millisecond, Max: time.Second, Multiplier: 1.5})
}

// Settle is an option for waits until Slurm runs with new settings: on embedded servers it has them at once, and on a
// real cluster it changes nothing.
func (p *Place) Settle() slurm.ReadyOption {
	if !p.Embedded() {
		return nil
	}
	return slurm.SettleFor(0)
}
