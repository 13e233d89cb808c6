package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
	"github.com/trainingclusters/trainingclusters-go/internal/rest"
)

// SlurmRequest is a call of the cluster's Slurm REST API, slurmrestd. Package slurm makes these and gives their
// answers types.
type SlurmRequest struct {
	// Method is GET, POST or DELETE, as [net/http] names them.
	Method string
	// Path leads to the method with its query, such as /slurm/v0.0.42/job/submit.
	Path string
	// Body is a JSON object. POST needs one, GET and DELETE have none. Should an answer quote it, errors do not have the lines
	// of a script (of 16 bytes and more) or the values of an environment (of 8 and more) that are in it.
	Body []byte
	// Repeat says how the call may be repeated after a failure.
	Repeat SlurmRepeat
}

// SlurmRepeat says how a Slurm call may be repeated after a failure. The HTTP method outside says nothing: every
// Slurm call is a POST of the platform.
type SlurmRepeat int

const (
	// RepeatDefault repeats GET after any transient failure, and other methods only if the call surely did not
	// arrive.
	RepeatDefault SlurmRepeat = iota
	// RepeatAlways repeats after any transient failure; for calls that do no harm twice, such as a cancellation.
	RepeatAlways
)

// SlurmResponse is the answer of slurmrestd.
type SlurmResponse struct {
	// Status is Slurm's own HTTP status. A call succeeded as far as the platform is concerned whatever it says.
	Status int
	// Body is Slurm's answer: JSON as a rule, a line of text for some errors, empty if there was none.
	Body []byte
	// Attempts is how many times the call was sent.
	Attempts int
}

const (
	// MaxSlurmRequest is the size in bytes that a Slurm request must stay below, its envelope included. The
	// service says "1 MB"; this is the smaller of its two readings.
	MaxSlurmRequest = 1_000_000

	// maxSlurmReply bounds an answer. A list takes about 5 kB a job.
	maxSlurmReply = 1 << 30
)

// CallSlurm calls the Slurm REST API of a cluster, by id or full name, as the Linux user that belongs to the
// caller. It blocks until Slurm has answered.
//
// The error is about reaching Slurm, or about a request that is refused before it is sent: see [SlurmRequest] and
// [MaxSlurmRequest]. What Slurm itself made of the request is in the response. An answer of more than 1 GiB is an
// error that matches [ErrResourceExhausted]. The request's Repeat says what is retried.
func (c *Client) CallSlurm(
	ctx context.Context, name string, req *SlurmRequest, opts ...gax.CallOption,
) (*SlurmResponse, error) {
	call, err := c.slurmCall(name, req, opts)
	if err != nil {
		return nil, err
	}
	call.maxReply = maxSlurmReply
	var resp *SlurmResponse
	err = c.do(ctx, call, opts, func(reply *rest.Reply) (err error) {
		if resp, err = decodeSlurmResponse(reply); err != nil {
			return call.unreadable(reply, err)
		}
		resp.Attempts = reply.Attempts
		return nil
	})
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// slurmCall makes the call of a request, which it checks first.
func (c *Client) slurmCall(name string, req *SlurmRequest, opts []gax.CallOption) (*call, error) {
	call, _, err := c.clusterCall("call Slurm of", name, "run")
	if err != nil {
		return nil, err
	}
	if req == nil {
		return nil, call.refuse("the request is nil")
	}
	if err := req.check(opts); err != nil {
		return nil, call.refuse("%w", err)
	}
	call.slurm, call.method, call.url = req, "POST", call.url+":callSlurmRestApi"
	call.repeat = rest.IfUnsent
	if req.Method == "GET" || req.Repeat == RepeatAlways {
		call.repeat = rest.Always
	}
	if call.body = req.envelope(); len(call.body) >= MaxSlurmRequest {
		return nil, call.refuse("the request has %d bytes and must stay below %d; put a large script on shared storage "+
			"and submit a short one that runs it", len(call.body), MaxSlurmRequest)
	}
	return call, nil
}

func (r *SlurmRequest) check(opts []gax.CallOption) error {
	switch r.Method {
	case "GET", "DELETE":
		if len(r.Body) > 0 {
			return fmt.Errorf("a Slurm request with method %s has no body", r.Method)
		}
	case "POST":
		if !vouched(r.Body, opts) && (jsonx.Valid(r.Body) != nil || jsonx.KindOf(r.Body) != jsonx.KindObject) {
			return errors.New("a Slurm request with method POST needs a JSON object as body")
		}
	default:
		return fmt.Errorf("Slurm method %q; want GET, POST or DELETE", r.Method)
	}
	return checkSlurmPath(r.Path)
}

// voucher is an option of package slurm for the bodies that it writes itself. It vouches for the very body and no other, as
// whoever stands between the two may replace it.
type voucher interface{ IsObject(body []byte) bool }

func vouched(body []byte, opts []gax.CallOption) bool {
	return slices.ContainsFunc(opts, func(opt gax.CallOption) bool {
		v, ok := opt.(voucher)
		return ok && v.IsObject(body)
	})
}

// checkSlurmPath keeps a path a path. Which ones Slurm knows is for Slurm to say.
func checkSlurmPath(path string) error {
	bare, _, _ := strings.Cut(path, "?")
	plain, err := url.PathUnescape(bare) // servers do so too, some of them before they look for ".."
	switch {
	case !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//"):
		return fmt.Errorf("Slurm path %q; want one that starts with a single slash, such as /slurm/v0.0.42/jobs/", path)
	case err != nil:
		return fmt.Errorf("Slurm path %q: %w; a percent sign of its own is written %%25", path, err)
	case strings.Contains(plain, "..") && leadsUpwards(plain):
		return fmt.Errorf("Slurm path %q leads upwards", path)
	}
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c >= 0x7f || c == '#' || c == '\\' {
			return fmt.Errorf("Slurm path %q has the character %q, which must be percent-encoded", path, c)
		}
	}
	if strings.ContainsFunc(plain, unicode.IsControl) {
		return fmt.Errorf("Slurm path %q hides a control character, at which some servers end it", path)
	}
	return nil
}

// leadsUpwards looks for ".." between what some server may take for the end of a segment, the semicolon of Java's included.
func leadsUpwards(path string) bool {
	return slices.Contains(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' || r == ';' }), "..")
}

// secrets are what a job that is submitted has to hide: a service that quotes the request must not bring its script or its
// environment into an error.
func (call *call) secrets() func() []string {
	if call.slurm == nil || call.slurm.Body == nil {
		return nil
	}
	return func() []string { return foreign.JobSecrets(call.slurm.Body) }
}

// envelope is the body of the platform's call. The order of members is that of the service's own examples.
func (r *SlurmRequest) envelope() []byte {
	b := make([]byte, 0, len(r.Body)+len(r.Path)+64)
	b = append(b, `{"method":"HTTP_METHOD_`...)
	b = append(b, r.Method...)
	b = append(b, `","path":"`...)
	b = append(b, jsonPath(r.Path)...)
	b = append(b, '"')
	if len(r.Body) > 0 {
		b = append(append(b, `,"body":`...), r.Body...)
	}
	return append(b, '}')
}

// jsonPath escapes the one character that a checked path can hold and a JSON string cannot.
func jsonPath(path string) string { return strings.ReplaceAll(path, `"`, `\"`) }

// decodeSlurmResponse takes both forms of the envelope: structuredBody holds Slurm's answer as an object, body
// (until about September 2026) as text to be parsed again.
func decodeSlurmResponse(reply *rest.Reply) (*SlurmResponse, error) {
	resp := &SlurmResponse{}
	var structured, text []byte // nil for none, and for an empty one
	err := eachMember(reply, func(name, value []byte) error {
		switch string(name) {
		case "status":
			status, err := jsonx.Int(value)
			resp.Status = int(status)
			return jsonx.At("status", err)
		case "structuredBody", "structured_body":
			structured = answerIn(value, structured)
		case "body":
			text = answerIn(value, text)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case resp.Status == 0:
		return nil, errNoStatus
	}
	resp.Body = structured
	if structured == nil {
		resp.Body = text
	}
	if jsonx.KindOf(resp.Body) == jsonx.KindString {
		resp.Body = []byte(jsonx.Text(resp.Body))
	}
	return resp, nil
}

// answerIn returns the value unless Slurm answered nothing in it, and otherwise what came before it.
func answerIn(value, before []byte) []byte {
	if jsonx.KindOf(value) == jsonx.KindNull || string(value) == `""` {
		return before
	}
	return value
}

// eachMember is [jsonx.EachMember] for a reply, which has been taken apart already.
func eachMember(reply *rest.Reply, member func(name, value []byte) error) error {
	if reply.Object.Raw == nil {
		return jsonx.EachMember(reply.Body, member)
	}
	for n := range reply.Object.Len() {
		if err := member(reply.Object.Name(n), reply.Object.Value(n)); err != nil {
			return err
		}
	}
	return nil
}
