// Command quickstart goes through the life of a training cluster and of its jobs.
//
// Without flags it runs against servers embedded in the program, in a few seconds and without an account:
//
//	go run ./examples/quickstart
//
// With -slurm a real slurmrestd stands behind the embedded service, and the jobs really run:
//
//	go run ./examples/quickstart -slurm unix:/run/slurmrestd.sock -dir $HOME
//
// With the flags -project, -region and -cluster it runs the Slurm part against a cluster of yours, with Application
// Default Credentials. It changes nothing about the cluster unless -resize is given and deletes nothing unless
// -delete is:
//
//	go run ./examples/quickstart -project my-project -region us-central1 -cluster training -dir /home/alice_example_com
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// config is what the flags say.
type config struct {
	project, region, cluster string
	partition, dir           string
	slurm, root              string
	resize                   int64
	delete                   bool
	limit                    time.Duration
	options                  []option.ClientOption // of the clients; nil, without a project, for those of embedded servers
}

func main() {
	var cfg config
	place := demo.Flags(flag.CommandLine)
	flag.StringVar(&cfg.partition, "partition", "", "partition to submit to; the cluster's default if empty")
	flag.StringVar(&cfg.slurm, "slurm", "", "slurmrestd to put behind the embedded service: unix:/PATH, or http://HOST:PORT with a token in $SLURM_JWT")
	flag.StringVar(&cfg.dir, "dir", "/home/alice_example_com", "working directory of the jobs, on the cluster")
	flag.StringVar(&cfg.root, "root", "/", "where the cluster's files are seen from here, to show what the job wrote")
	flag.Int64Var(&cfg.resize, "resize", 0, "resize the first worker pool to at most this many nodes; a real cluster is not resized without it")
	flag.BoolVar(&cfg.delete, "delete", false, "delete the cluster at the end, also a real one")
	flag.DurationVar(&cfg.limit, "limit", time.Hour, "give up watching after this long")
	flag.Parse()
	cfg.project, cfg.region, cfg.cluster = place.Project, place.Region, place.Cluster
	if err := cmp.Or(place.Check(), cfg.check(flag.Args())); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(2)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, cfg.limit)
	defer cancel()
	if err := run(ctx, os.Stdout, cfg); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// check refuses what would go unnoticed.
func (cfg *config) check(args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("unexpected argument %q; all that can be said are flags, see -h", args[0])
	case cfg.project != "" && cfg.slurm != "":
		return errors.New("-slurm is for the embedded service; a cluster with a -project has a Slurm of its own")
	case cfg.resize < 0:
		return fmt.Errorf("-resize %d: want one node or more", cfg.resize)
	}
	return nil
}

// run goes through all steps and prints a line or more for each.
func run(ctx context.Context, out io.Writer, cfg config) error {
	embedded := cfg.project == ""
	if embedded {
		cfg.project, cfg.resize, cfg.delete = "my-project", cmp.Or(cfg.resize, 4), true
	}
	if embedded && cfg.options == nil {
		// Operations are hurried, so that nobody waits for minutes.
		srv, err := demo.Servers(cfg.slurm, clustertest.WithOperationTime(2*time.Second))
		if err != nil {
			return err
		}
		cfg.options = srv.ClientOptions()
	}
	c, err := cluster.NewClient(ctx, fmt.Sprintf("projects/%s/locations/%s", cfg.project, cfg.region), cfg.options...)
	if err != nil {
		return err
	}
	t := &tour{out: out, cfg: cfg, clusters: c, embedded: embedded}
	if t.jobs, err = slurm.NewClient(c, cfg.cluster, slurm.OnWarning(t.warn)); err != nil {
		return err
	}
	steps := []struct {
		wanted bool
		do     func(context.Context) error
	}{
		{embedded, t.create}, {true, t.read}, {cfg.resize > 0, t.resize},
		{true, t.submit}, {true, t.list}, {true, t.wait}, {true, t.cancel}, {true, t.history},
		{cfg.delete, t.remove},
	}
	for _, step := range steps {
		if !step.wanted {
			continue
		}
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// tour is one run through the steps.
type tour struct {
	out      io.Writer
	cfg      config
	clusters *cluster.Client
	jobs     *slurm.Client
	embedded bool
	job      slurm.JobID
}

func (t *tour) say(step, format string, args ...any) {
	fmt.Fprintf(t.out, "%-8s %s\n", step, fmt.Sprintf(format, args...))
}

func (t *tour) warn(w slurm.Warning) { t.say("warning", "%s", w.Description) }

// watch paces a wait and shows what happens in it. The embedded servers are quicker than the real ones.
func (t *tour) watch(step string) []lro.WaitOption {
	last := ""
	opts := []lro.WaitOption{lro.OnProgress(func(p lro.Progress) {
		news := p.Message
		switch {
		case p.Err != nil:
			news = "still watching after " + p.Err.Error()
		case news == "" && !p.Done:
			news = "under way"
		}
		if news != "" && news != last {
			t.say(step, "… %s", news)
			last = news
		}
	})}
	if t.embedded {
		opts = append(opts, lro.WithBackoff(gax.Backoff{Initial: 200 * time.Millisecond, Max: time.Second, Multiplier: 1.5}))
	}
	return opts
}
