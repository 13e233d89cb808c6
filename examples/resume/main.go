// Command resume begins work in one process and waits for it in another. All that has to be kept are names: ids of jobs
// and names of operations.
//
//	go run ./examples/resume    # both processes, on a cluster embedded in the first
//	go run ./examples/resume -project my-project -cluster training -dir /home/USERNAME          # prints names
//	go run ./examples/resume -project my-project -cluster training -dir /home/USERNAME 41 42    # waits for these
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func main() { demo.Main(run) }

func run(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error {
	flags := flag.NewFlagSet("resume", flag.ContinueOnError)
	place := demo.Flags(flags)
	place.OperationTime = 2 * time.Second
	dir := flags.String("dir", "/home/alice", "working directory of the jobs, on the cluster")
	endpoint := flags.String("endpoint", "", "address of a test server, which wants no credentials")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if place.Embedded() && *endpoint == "" && len(opts) == 0 {
		url, err := place.Listen(ctx)
		if err != nil {
			return err
		}
		*endpoint = url
	}
	if *endpoint != "" {
		opts = append(opts, auth.WithEndpoint(*endpoint), auth.WithoutAuthentication())
	}
	c, name, err := place.Clusters(ctx, opts...)
	if err != nil {
		return err
	}
	s, err := slurm.NewClient(c, name)
	if err != nil {
		return err
	}
	w := &work{clusters: c, jobs: s, name: name, dir: *dir, out: out, pace: place.Pace()}
	if flags.NArg() > 0 {
		return w.resume(ctx, flags.Args())
	}
	names, err := w.begin(ctx)
	if err != nil {
		return err
	}
	if place.Embedded() { // a real cluster is left as it is
		operation, err := w.edit(ctx)
		if err != nil {
			return err
		}
		names = append(names, operation)
	}
	fmt.Fprintln(out, "keep:", strings.Join(names, " "))
	if *endpoint == "" {
		return nil
	}
	return another(ctx, out, append([]string{"-endpoint", *endpoint}, names...)...)
}
