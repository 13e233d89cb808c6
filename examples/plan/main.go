// Command plan shows what an update of a cluster would do, and sends nothing; -h tells how.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

var (
	errRefused     = errors.New("the update would be refused")
	errDestructive = errors.New("the update is destructive")
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if status(err) != 0 {
		fmt.Fprintln(os.Stderr, "plan:", err)
	}
	os.Exit(status(err))
}

// status is the exit status that the usage promises.
func status(err error) int {
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errDestructive):
		return 3
	}
	return 1
}

// run prints the plan to out, and what else there is to say to notes.
func run(ctx context.Context, args []string, out, notes io.Writer, opts ...option.ClientOption) error {
	cfg, err := parse(args, notes, opts)
	if err != nil {
		return err
	}
	c, err := cluster.NewClient(ctx, cfg.place.Parent(), cfg.opts...)
	if err != nil {
		return err
	}
	current, err := c.GetCluster(ctx, cfg.place.Cluster)
	if err != nil {
		return err
	}
	mask, err := cfg.fields(current, notes)
	if err != nil {
		return err
	}
	plan := &cluster.Plan{Cluster: current.ID(), Mode: cfg.mode} // of nothing, for which there is no mask
	if len(mask) > 0 {
		plan = cluster.PlanUpdate(current, cfg.want, mask, cfg.mode)
	}
	if err := show(out, plan, cfg.format); err != nil {
		return err
	}
	switch {
	case plan.Refused():
		return errRefused
	case plan.Destructive():
		return errDestructive
	}
	return nil
}

func show(out io.Writer, plan *cluster.Plan, format string) (err error) {
	switch format {
	case "json":
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(plan)
	case "markdown":
		_, err = fmt.Fprintln(out, plan.Markdown())
	default:
		_, err = fmt.Fprintln(out, plan)
	}
	return err
}
