// Package demo has what the example programs share, so that each of them can be about the SDK: flags for a real
// cluster, and servers embedded in the program for whoever has none.
//
// A program of your own does without it. Where the examples call [Place.Clusters] it has
//
//	c, err := cluster.NewClient(ctx, "projects/my-project/locations/us-central1")
//
// and where they call [Place.Jobs]
//
//	s, err := slurm.Open(ctx, "projects/my-project/locations/us-central1/modelDevelopmentClusters/training")
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
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// Place is where a program runs: on a real cluster if Project is set, on embedded servers otherwise. It is not safe
// for concurrent use.
type Place struct {
	Project, Region, Cluster string // Cluster is an id

	// On embedded servers: the cluster, as JSON, nil for [GuideCluster], and how long operations take.
	Document      []byte
	OperationTime time.Duration

	servers *clustertest.Server // once they are needed
}

// Flags defines -project, -region and -cluster. The Place is complete when flags have been parsed.
func Flags(flags *flag.FlagSet) *Place {
	p := &Place{}
	flags.StringVar(&p.Project, "project", "", "project of a real cluster; without it the embedded servers are used")
	flags.StringVar(&p.Region, "region", "us-central1", "region of the cluster")
	flags.StringVar(&p.Cluster, "cluster", "training", "id of the cluster")
	return p
}

// Embedded reports whether the place has no project, and so no cluster that anybody has to care about.
func (p *Place) Embedded() bool { return p.Project == "" }

// Clusters returns a client for the place and the id of the cluster there. With a project that is a real cluster,
// reached with Application Default Credentials unless opts name others. Without one it is p.Document on [SampleOf]
// servers, the same ones for all clients of the place; or, in tests, on the servers whose options opts are.
func (p *Place) Clusters(ctx context.Context, opts ...option.ClientOption) (*cluster.Client, string, error) {
	project := p.Project
	if p.Embedded() {
		project = embeddedProject
	}
	if p.Embedded() && len(opts) == 0 {
		if err := p.start(); err != nil {
			return nil, "", err
		}
		opts = p.servers.ClientOptions()
	}
	c, err := cluster.NewClient(ctx, fmt.Sprintf("projects/%s/locations/%s", project, p.Region), opts...)
	return c, p.Cluster, err
}

// Jobs returns a client for the Slurm of the cluster that [Place.Clusters] finds with the same opts.
func (p *Place) Jobs(ctx context.Context, opts ...option.ClientOption) (*slurm.Client, error) {
	c, name, err := p.Clusters(ctx, opts...)
	if err != nil {
		return nil, err
	}
	return slurm.NewClient(c, name)
}

// start makes the embedded servers, once.
func (p *Place) start() (err error) {
	if p.servers == nil {
		name := cluster.Name{Project: embeddedProject, Location: p.Region, ID: p.Cluster}
		document := p.Document
		if document == nil {
			document = GuideCluster
		}
		p.servers, err = SampleOf(name.String(), document, clustertest.WithOperationTime(p.OperationTime))
	}
	return err
}

// Listen puts the embedded servers behind a socket of this machine as well, until ctx ends, so that other processes
// reach them. It returns their address.
func (p *Place) Listen(ctx context.Context) (url string, err error) {
	if err := p.start(); err != nil {
		return "", err
	}
	return Listen(ctx, p.servers)
}

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
