// Command watch shows the jobs of the queue as they change: in a terminal as a table that is drawn anew, otherwise as a
// line for each change.
//
//	go run ./examples/watch          # a cluster embedded in the program, with some jobs
//	go run ./examples/watch | cat    # the same, line by line
//	go run ./examples/watch -project my-project -cluster training -user alice_example_com
//
// It ends with an interrupt, and with -idle when the last of the jobs has ended.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func main() { demo.Main(run) }

func run(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error {
	flags := flag.NewFlagSet("watch", flag.ContinueOnError)
	place := demo.Flags(flags)
	var chosen slurm.WatchOptions
	flags.Func("user", "name of a user whose jobs to show; repeat it for several; without it all", func(name string) error {
		chosen.Users = append(chosen.Users, name)
		return nil
	})
	idle := flags.Bool("idle", false, "end when the last of the jobs has ended, as on the embedded servers")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s, err := place.Jobs(ctx, opts...)
	if err != nil {
		return err
	}
	if place.Embedded() {
		if err := submitSome(ctx, s); err != nil {
			return err
		}
	}
	queue := table{}
	for event, err := range s.WatchQueue(ctx, &chosen, place.Pace()) {
		if ctx.Err() != nil {
			return nil // interrupted
		}
		if err != nil {
			return err
		}
		queue.note(event)
		if isTerminal(out) {
			fmt.Fprint(out, "\x1b[H\x1b[2J", queue) // from the first line of an empty screen
		} else {
			fmt.Fprintln(out, event)
		}
		if (*idle || place.Embedded()) && queue.active() == 0 {
			break
		}
	}
	return nil
}

func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
