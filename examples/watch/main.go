// Command watch shows the jobs of the queue as they change: a line for each change, or a table, drawn anew after changes.
//
//	go run ./examples/watch           # a cluster embedded in the program, with some jobs
//	go run ./examples/watch -table    # the same, drawn
//	go run ./examples/watch -project my-project -cluster training -user alice_example_com
//
// An interrupt ends it, and on the embedded servers the end of the last job.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func main() { demo.Main(run) }

func run(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error {
	flags := flag.NewFlagSet("watch", flag.ContinueOnError)
	place := demo.Flags(flags)
	users := flags.String("user", "", "names of the users whose jobs to show, separated by commas; all if empty")
	table := flags.Bool("table", false, "draw a table instead of a line for each change")
	opts, err := place.Parse(args, opts)
	if err != nil {
		return err
	}
	s, err := slurm.Open(ctx, place.Name(), opts...)
	if err != nil {
		return err
	}
	last, err := place.SubmitSome(ctx, s)
	if err != nil {
		return err
	}
	if last != "" && *users != "" {
		return errors.New("-user is for a real cluster; all jobs of the embedded one are alice's")
	}
	var drawn time.Time
	for event, err := range s.WatchQueue(ctx, &slurm.WatchOptions{Users: []string{*users}}, place.Pace()) {
		switch {
		case ctx.Err() != nil:
			return nil // interrupted
		case err != nil:
			return err
		case !*table:
			fmt.Fprintln(out, event)
		case event.Time.After(drawn): // otherwise it is in the table already: one read brings many events
			drawn = time.Now()
			jobs, err := s.List(ctx, &slurm.ListOptions{Users: []string{*users}})
			if err != nil {
				return err
			}
			draw(out, jobs)
		}
		if event.JobID == last && event.Ended {
			return nil
		}
	}
	return nil
}

// draw writes the jobs that have not ended from the first line of an empty screen.
func draw(out io.Writer, jobs slurm.JobList) {
	text := fmt.Sprintf("\x1b[H\x1b[2J%s\n", jobs)
	for _, job := range jobs {
		if !job.Ended() {
			text += job.String() + "\n" // in which no name moves the cursor
		}
	}
	fmt.Fprint(out, text)
}
