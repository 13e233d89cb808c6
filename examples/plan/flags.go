package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
)

const usage = `plan shows what it would do to update a cluster to what a file says, and sends nothing.

	go run ./examples/plan    # a sample file, and a cluster embedded in the program
	go run ./examples/plan -project my-project -cluster training -f want.json

The file may hold a part of the cluster. By default the update is one of the fields that the file has and that differ;
fields that it leaves out, or that are empty in it, stay as they are.

Exit status:
	0  the update destroys nothing
	1  it would be refused, or there was an error
	3  it is destructive: it costs nodes, sessions or jobs, or may do so
"go run" makes 1 of 3; to tell them apart build the program.

`

// sample resizes a pool of the embedded cluster and changes a partition.
//
//go:embed want.json
var sample []byte

// config is what the flags say.
type config struct {
	place  *demo.Place
	opts   []option.ClientOption
	want   *cluster.ModelDevelopmentCluster
	mask   cluster.FieldMask // nil is what differs
	mode   cluster.UpdateMode
	format string
}

func parse(args []string, notes io.Writer, opts []option.ClientOption) (*config, error) {
	flags := flag.NewFlagSet("plan", flag.ContinueOnError)
	flags.SetOutput(notes)
	flags.Usage = func() { fmt.Fprint(notes, usage); flags.PrintDefaults() }
	cfg := &config{place: demo.Flags(flags)}
	file := flags.String("f", "", "`file` with the cluster as it should be, JSON or YAML")
	mask := flags.String("mask", "", "`fields` to update, separated by commas; by default those that differ")
	whole := flags.Bool("whole", false, "update all fields: what the file leaves out is removed")
	mode := flags.String("mode", "user-only", "user-only, or user-and-service, which renews images too")
	flags.StringVar(&cfg.format, "format", "text", "text, markdown or json")
	var err error
	if cfg.opts, err = cfg.place.Parse(args, opts); err != nil {
		return nil, err
	}
	switch {
	case *file == "" && !cfg.place.Embedded():
		return nil, errors.New("a real cluster needs a file, with -f; the sample is for the embedded one")
	case *mask != "" && *whole:
		return nil, errors.New("-mask names fields and -whole means all of them; give one of the two")
	case !slices.Contains([]string{"text", "markdown", "json"}, cfg.format):
		return nil, fmt.Errorf("unknown -format %q; want text, markdown or json", cfg.format)
	}
	if err := cfg.read(*mask, *whole, *mode); err != nil {
		return nil, err
	}
	return cfg, cfg.readFile(*file, notes)
}

// read turns what the flags say of the update into what the SDK takes.
func (cfg *config) read(mask string, whole bool, mode string) (err error) {
	switch mode {
	case "user-only":
		cfg.mode = cluster.UpdateModeUserOnly
	case "user-and-service":
		cfg.mode = cluster.UpdateModeUserAndService
	default:
		return fmt.Errorf("unknown -mode %q; want user-only or user-and-service", mode)
	}
	switch {
	case whole:
		cfg.mask = cluster.FieldMask{cluster.AllFields}
	case mask != "":
		if cfg.mask, err = cluster.ParseFieldMask(mask); err != nil {
			return fmt.Errorf("-mask: %w", err)
		}
	}
	return nil
}

// readFile reads the cluster, and notes what may be misspelled in it and where.
func (cfg *config) readFile(path string, notes io.Writer) error {
	doc, err := cluster.ParseDocument("want.json", sample)
	if path != "" {
		doc, err = cluster.ReadDocument(path)
	}
	if err != nil {
		return err
	}
	for _, w := range doc.Warnings() {
		fmt.Fprintf(notes, "%s: %s: %s\n", doc.Position(w.Field), w.Field, w.Description)
	}
	cfg.want = doc.Cluster
	return nil
}
