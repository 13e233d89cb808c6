// Package demo has what the example programs share, so that each of them can be about the SDK: flags for a real
// cluster, and servers embedded in the program for whoever has none.
//
// A program of your own does without it. What the examples take from here, it has itself:
//
//	place.Parse(args, opts)   flags.Parse(args), and as opts options of package auth, or none for application default credentials
//	place.Parent()            "projects/my-project/locations/us-central1"
//	place.Name()              "projects/my-project/locations/us-central1/modelDevelopmentClusters/training"
//	place.Cluster             "training"
//	place.Pace()              nothing: the pauses of waits suit real clusters
//	place.Settle()            nothing, likewise
//	demo.Review(out, send)    a function that shows a *cluster.Plan and returns an error if it is not to be sent
//	demo.ShowNode(…)          a look into ClusterStatus.NodesStatus of what GetCluster returns
//	demo.Progress(out)        lro.OnProgress with a function that prints what it is told
package demo

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// Place is where a program runs: on a real cluster if Project is set, on embedded servers otherwise. It is not safe
// for concurrent use.
type Place struct {
	Project, Region, Cluster string // Cluster is an id

	// To be set before [Place.Parse]: for embedded servers the cluster, as JSON, nil for [GuideCluster], and how long
	// operations take, and whether the program takes arguments besides flags.
	Document      []byte
	OperationTime time.Duration
	Arguments     bool

	flags *flag.FlagSet
}

// Flags defines -project, -region and -cluster.
func Flags(flags *flag.FlagSet) *Place {
	p := &Place{flags: flags}
	flags.StringVar(&p.Project, "project", "", "project of a real cluster; without it the embedded servers are used")
	flags.StringVar(&p.Region, "region", "us-central1", "region of the cluster")
	flags.StringVar(&p.Cluster, "cluster", "training", "id of the cluster")
	return p
}

// Parse parses args, and returns options for all clients of the place: with a project none, so that application
// default credentials are used, and without one those that lead to embedded servers. opts, which tests have, go before
// either.
func (p *Place) Parse(args []string, opts []option.ClientOption) ([]option.ClientOption, error) {
	if err := p.flags.Parse(args); err != nil {
		return nil, err
	}
	if p.flags.NArg() > 0 && !p.Arguments {
		return nil, fmt.Errorf("unexpected argument %q; all that can be said are flags, see -h", p.flags.Arg(0))
	}
	name, err := cluster.ParseName(p.Name())
	switch {
	case err != nil:
		return nil, err
	case len(opts) > 0:
		return opts, nil
	case !p.Embedded():
		return nil, nil
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	document := p.Document
	if document == nil {
		document = GuideCluster
	}
	srv, err := SampleOf(name.String(), document, clustertest.WithOperationTime(p.OperationTime))
	if err != nil {
		return nil, err
	}
	return srv.ClientOptions(), nil
}

// Check refuses -cluster and -region without -project: whoever gives them means a real cluster, and would take what the
// embedded servers say for its answers. The flags must have been parsed.
func (p *Place) Check() (err error) {
	p.flags.Visit(func(f *flag.Flag) {
		if p.Embedded() && (f.Name == "cluster" || f.Name == "region") {
			err = fmt.Errorf("-%s is for a real cluster; name its -project, too", f.Name)
		}
	})
	return err
}

// Embedded reports whether the place has no project, and so no cluster that anybody has to care about.
func (p *Place) Embedded() bool { return p.Project == "" }

// Parent is what cluster.NewClient takes.
func (p *Place) Parent() string {
	project := p.Project
	if p.Embedded() {
		project = embeddedProject
	}
	return "projects/" + project + "/locations/" + p.Region
}

// Name is what slurm.Open takes.
func (p *Place) Name() string { return p.Parent() + "/modelDevelopmentClusters/" + p.Cluster }

// Listen serves h on a socket of this machine until ctx ends, and returns its address.
func Listen(ctx context.Context, h http.Handler) (url string, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	web := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go web.Serve(listener)
	context.AfterFunc(ctx, func() { web.Close() })
	return "http://" + listener.Addr().String(), nil
}
