package slurm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/names"
)

// Caller hands a request to the Slurm of a cluster. *cluster.Client is one; tests may bring their own. See also
// [StreamCaller].
type Caller interface {
	CallSlurm(ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption) (
		*cluster.SlurmResponse, error)
}

// Client submits, follows and ends the jobs of one cluster, as the caller whose credentials it was made with.
// It is safe for concurrent use. Besides its settings it holds what the cluster does not take, and what its waits share
// as long as there are any: see [Client.WaitAll]. There is nothing to close. The zero Client is of no use; make one with
// [Open] or [NewClient].
type Client struct {
	caller    Caller
	cluster   string
	version   string
	onWarning func(Warning)
	noTokens  bool
	refuses   [len(carriers)]atomic.Bool // where this cluster takes no submit tokens
	hub       *hub
}

// Option changes how a [Client] works.
type Option func(*Client)

// OnWarning has warn called for each warning in an answer to a request that changes something, or that asks
// the accounting for a list; those that [Client.SubmitJob] returns are among them. It is called on the goroutine
// that made the request, before the verb returns, and so from several at once if several use the client. A
// warning of Slurm's often means that a part of the request was ignored.
func OnWarning(warn func(Warning)) Option { return func(c *Client) { c.onWarning = warn } }

// NewClient returns a client for the Slurm of the cluster called clusterName, which c resolves: an id or a full
// name for a *cluster.Client. It makes no call.
func NewClient(c Caller, clusterName string, opts ...Option) (*Client, error) {
	if c == nil {
		return nil, errors.New("slurm: new client: no Caller: pass a *cluster.Client, or use Open")
	}
	if clusterName == "" {
		return nil, errors.New("slurm: new client: the name of the cluster is empty")
	}
	client := &Client{caller: c, cluster: clusterName, version: DefaultVersion}
	client.hub = &hub{client: client}
	for _, opt := range opts {
		opt(client)
	}
	if !isVersion(client.version) {
		return nil, fmt.Errorf("slurm: new client: %q is no API version: want one such as %q",
			abbreviate(client.version), DefaultVersion)
	}
	return client, nil
}

// Open makes a [cluster.Client] for the place of the cluster and a Client on top of it. clusterName is full:
// projects/PROJECT/locations/REGION/modelDevelopmentClusters/ID. ctx is used to find credentials only. Use
// [NewClient] to share one cluster.Client, or to set an [Option].
func Open(ctx context.Context, clusterName string, opts ...option.ClientOption) (*Client, error) {
	name, err := names.ParseCluster(clusterName)
	if err != nil {
		return nil, fmt.Errorf("slurm: open: %w", err)
	}
	c, err := cluster.NewClient(ctx, name.Parent.String(), opts...)
	if err != nil {
		return nil, err
	}
	return NewClient(calls{c.CallSlurm, c.StreamSlurm}, clusterName)
}

// calls are the two methods of a cluster.Client that a Client needs. With the type itself in an interface, the linker
// would keep the code of all its methods, plans and documents included, in every program.
type calls struct {
	call   func(context.Context, string, *cluster.SlurmRequest, ...gax.CallOption) (*cluster.SlurmResponse, error)
	stream func(context.Context, string, *cluster.SlurmRequest, ...gax.CallOption) (*cluster.SlurmStream, error)
}

func (c calls) CallSlurm(
	ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption,
) (*cluster.SlurmResponse, error) {
	return c.call(ctx, name, req, opts...)
}

func (c calls) StreamSlurm(
	ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption,
) (*cluster.SlurmStream, error) {
	return c.stream(ctx, name, req, opts...)
}

// Cluster returns the name of the cluster as it was given.
func (c *Client) Cluster() string { return c.cluster }

// live and history return paths below the two roots of Slurm's API: the controller, and the accounting.
// Callers put nothing into them but constants, checked job ids and escaped queries.
func (c *Client) live(path string) string    { return "/slurm/" + c.version + "/" + path }
func (c *Client) history(path string) string { return "/slurmdb/" + c.version + "/" + path }

// call sends a request and takes the answer apart. It judges nothing: see [reply].
func (c *Client) call(ctx context.Context, op string, req *cluster.SlurmRequest, opts ...gax.CallOption) (*reply, error) {
	resp, err := c.caller.CallSlurm(ctx, c.cluster, req, opts...)
	if err != nil {
		return nil, err
	}
	if resp == nil {
		return nil, noAnswer(op, req)
	}
	r, err := readReply(op, req, resp)
	if req.Body != nil && (err != nil || len(r.problems)+len(r.warnings) > 0) {
		quiet := *resp // of what it quotes of the request, without what a job has to hide
		quiet.Body = foreign.Clean(resp.Body, foreign.JobSecrets(req.Body))
		return readReply(op, req, &quiet)
	}
	return r, err
}

func noAnswer(op string, req *cluster.SlurmRequest) *Error {
	return &Error{Op: op, Method: req.Method, Path: req.Path, Text: "the Caller returned neither an answer nor an error"}
}

// write sends a POST request with a JSON object that this package has written.
func (c *Client) write(ctx context.Context, op, path string, body []byte) (*reply, error) {
	return c.call(ctx, op, &cluster.SlurmRequest{Method: http.MethodPost, Path: path, Body: body}, written(body))
}

// written tells package cluster that it need not check a body, which can be long, for being a JSON object.
type written []byte

// Resolve has nothing to do with what gax settles.
func (written) Resolve(*gax.CallSettings) {}

// IsObject reports whether body is the very one that was written.
func (w written) IsObject(body []byte) bool {
	return len(body) > 0 && len(body) == len(w) && &body[0] == &w[0]
}

// read sends a GET request.
func (c *Client) read(ctx context.Context, op, path string) (*reply, error) {
	return c.call(ctx, op, &cluster.SlurmRequest{Method: http.MethodGet, Path: path})
}

// warn hands the warnings of an answer to the callback.
func (c *Client) warn(warnings []Warning) {
	if c.onWarning == nil {
		return
	}
	for _, w := range warnings {
		c.onWarning(w)
	}
}
