package cluster

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/googleapis/gax-go/v2"
	"github.com/googleapis/gax-go/v2/callctx"
	"google.golang.org/api/option"
	"google.golang.org/api/option/internaloption"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/names"
	"github.com/trainingclusters/trainingclusters-go/internal/rest"
	"github.com/trainingclusters/trainingclusters-go/internal/version"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// Client calls the training clusters of one project and region. It is safe for concurrent use, and one is enough
// for all of a program's calls there. There is nothing to close. The zero Client is of no use; make one with [NewClient].
type Client struct {
	rest    *rest.Client
	parent  names.Parent
	base    string // scheme and host, without a slash at the end
	tracers []*Tracer
	edits   turns
	last    atomic.Pointer[place]
}

// DefaultTimeout bounds a call whose context has no deadline, its retries and pauses included.
// [gax.WithTimeout] sets another bound for one call, and a deadline of the context takes precedence over both. Of a
// stream it bounds single waits only: see [Client.StreamSlurm].
const DefaultTimeout = 2 * time.Minute

// NewClient makes a client for the clusters below parent, "projects/PROJECT/locations/REGION". It finds
// credentials, which is all that ctx is used for, and calls nothing.
//
// Options are those of all Google Cloud clients. Without any, Application Default Credentials are used and the
// endpoint is https://REGION-aiplatform.googleapis.com; option.WithEndpoint replaces its scheme and host, and see
// [auth.HTTPClient] for plain http. [WithTracer] is an option of this package.
func NewClient(ctx context.Context, parent string, opts ...option.ClientOption) (*Client, error) {
	p, err := names.ParseParent(parent)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	defaults := []option.ClientOption{
		internaloption.WithDefaultEndpointTemplate("https://" + p.Location + "-aiplatform.UNIVERSE_DOMAIN"),
		internaloption.WithDefaultMTLSEndpoint("https://" + p.Location + "-aiplatform.mtls.googleapis.com"),
		internaloption.WithDefaultUniverseDomain("googleapis.com"),
	}
	hc, endpoint, err := auth.HTTPClient(ctx, append(defaults, opts...)...)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	base, err := baseURL(endpoint)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return &Client{rest: rest.NewClient(hc), parent: p, base: base, tracers: tracersOf(ctx, opts)}, nil
}

// baseURL takes an endpoint with or without scheme and path, as people give them.
func baseURL(endpoint string) (string, error) {
	if !strings.Contains(endpoint, "://") {
		endpoint = "https://" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", fmt.Errorf("endpoint %q is no URL such as https://us-central1-aiplatform.googleapis.com", foreign.URL(endpoint))
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	for _, version := range []string{"/v1beta1", "/v1"} {
		path = strings.TrimSuffix(path, version)
	}
	return u.Scheme + "://" + u.Host + path, nil
}

// Parent is the parent that the client was made for.
func (c *Client) Parent() string { return c.parent.String() }

// url is where a resource or collection is called. The verbs exist in v1beta1 only.
func (c *Client) url(name string) string { return c.base + "/v1beta1/" + name }

// call is one call of the API, with what its error has to say about it.
type call struct {
	op, resource string
	slurm        *SlurmRequest // if not nil, tells what was asked for instead of op
	creates      bool          // the resource
	permission   string        // that the call needs: the last part of its name
	method, url  string
	body         []byte
	repeat       rest.Repeat
	maxReply     int64
	tracers      []*Tracer
}

// newCall starts a call; permission is the last part of its name.
func (c *Client) newCall(op, resource, permission string) *call {
	return &call{op: op, resource: resource, permission: permission, tracers: c.tracers}
}

// place is where calls about one cluster go.
type place struct {
	asked         string // the name that it was asked for by
	name          names.Cluster
	resource, url string
}

// place resolves the name of a cluster. It remembers the last one, as a program calls the same again and again.
func (c *Client) place(name string) (*place, error) {
	if last := c.last.Load(); last != nil && last.asked == name {
		return last, nil
	}
	n, err := c.parent.Cluster(name)
	if err != nil {
		return nil, err
	}
	p := &place{asked: name, name: n, resource: n.String(), url: c.url(n.String())}
	c.last.Store(p)
	return p, nil
}

// clusterCall starts a call about one cluster, by id or full name, and checks the name.
func (c *Client) clusterCall(op, name, permission string) (*call, names.Cluster, error) {
	call := c.newCall(op, name, permission)
	p, err := c.place(name)
	if err != nil {
		return nil, names.Cluster{}, call.refuse("%w", err)
	}
	call.resource, call.url = p.resource, p.url
	return call, p.name, nil
}

// do makes the call and has read take what the service answers; nil takes anything. An answer that cannot be read is a
// failure of the call like any other, and so its tracers get the error that the caller gets.
func (c *Client) do(ctx context.Context, call *call, opts []gax.CallOption, read func(*rest.Reply) error) error {
	reply, trace, err := c.send(ctx, call, opts)
	if err == nil && read != nil {
		err = read(reply)
	}
	trace.end(err)
	return err
}

// send is do without the end: the answer is to be read, and the trace to be ended. gax resolves its own options, since
// the timeout among them is private to it; retrying is left to package rest, which keeps the failure it was retrying
// when the context ends during a pause.
func (c *Client) send(
	ctx context.Context, call *call, opts []gax.CallOption,
) (reply *rest.Reply, trace *tracing, err error) {
	ctx, trace = call.trace(ctx)
	returned := false
	defer trace.left(&returned)
	err = call.invoke(ctx, opts, func(limited context.Context, wire *rest.Call) (err error) {
		wire.Trace = trace.wire()
		reply, err = c.rest.Do(limited, wire)
		return err
	})
	returned = true
	return reply, trace, err
}

// invoke calls send with what goes to the service and with the context that gax limits, and turns its fault into the
// error that callers see.
func (call *call) invoke(
	ctx context.Context, opts []gax.CallOption, send func(limited context.Context, wire *rest.Call) error,
) error {
	var err error
	attempt := func(limited context.Context, settings gax.CallSettings) error {
		err = send(limited, &rest.Call{
			Method:   call.method,
			URL:      call.url,
			Header:   headers(ctx),
			Body:     call.body,
			Repeat:   call.repeat,
			Retry:    call.retryer(settings.Retry),
			MaxReply: call.maxReply,
			Secrets:  call.secrets(),
		})
		return nil
	}
	all := defaultOptions
	if len(opts) > 0 {
		all = slices.Concat(all, opts)
	}
	if gaxErr := gax.Invoke(ctx, attempt, all...); gaxErr != nil {
		return gaxErr
	}
	if err != nil {
		return call.failed(err)
	}
	return nil
}

var defaultOptions = []gax.CallOption{gax.WithTimeout(DefaultTimeout)}

// headers are those of every call, and those that the caller put into ctx with callctx.SetHeaders. As in Google's
// other clients, a caller adds to x-goog-api-client, where libraries on top name themselves, and replaces the rest.
func headers(ctx context.Context) http.Header {
	own := callctx.HeadersFromContext(ctx)
	if len(own) == 0 {
		return ownHeaders()
	}
	h := maps.Clone(ownHeaders())
	apiClient := h.Get(apiClientHeader)
	for name, values := range own {
		if name = http.CanonicalHeaderKey(name); name == apiClientHeader {
			apiClient = strings.Join(append(slices.Clone(values), apiClient), " ")
			continue
		}
		h[name] = values
	}
	h.Set(apiClientHeader, apiClient)
	return h
}

// ownHeaders are those of every call alone. They are shared, and not to be written to.
var ownHeaders = sync.OnceValue(func() http.Header {
	return http.Header{"User-Agent": {version.UserAgent()}, apiClientHeader: {version.APIClient()}}
})

const apiClientHeader = "X-Goog-Api-Client"

// retryer hands a caller's own gax.Retryer the errors that callers see.
func (call *call) retryer(custom func() gax.Retryer) func() rest.Retryer {
	if custom == nil {
		return nil
	}
	return func() rest.Retryer {
		r := custom()
		if r == nil {
			return nil
		}
		return adapter{r, call}
	}
}

type adapter struct {
	retryer gax.Retryer
	call    *call
}

func (a adapter) Retry(err error) (time.Duration, bool) { return a.retryer.Retry(a.call.failed(err)) }

// start makes a call that starts an operation.
func (c *Client) start(ctx context.Context, call *call, opts []gax.CallOption) (*Operation, error) {
	o := &Operation{}
	if call.creates {
		o.created = call.resource
	}
	err := c.do(ctx, call, opts, func(reply *rest.Reply) (err error) {
		if o.Operation, err = lro.Started(operations{c, o.created}, reply.Body); err != nil {
			return call.unreadable(reply,
				fmt.Errorf("%w; the service has taken the call, so look at the cluster before repeating it", err))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}
