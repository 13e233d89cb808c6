package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/option"
	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

var jobsRequest = &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/jobs/"}

// large is an answer of Slurm's that is streamed for long after StreamSlurm has returned.
var large = `{"jobs":["` + strings.Repeat(`caf\u00e9 \"\\ <\/jobs> `, 20_000) + `"],"errors":[]}`

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// TestStreamIsWhatCallGives, for each form of the envelope, each order of its members and each size.
func TestStreamIsWhatCallGives(t *testing.T) {
	small := `{"job_id": 1234, "errors": [], "name":"a\"\\\u00e4😀"}`
	envelopes := []string{
		string(payload(t, "response-slurm-structured.json")), string(payload(t, "response-slurm-body-string.json")),
		`{"status":"404","body":"Unable find requested URL."}`, `{"status":404,"structuredBody":"Unable find requested URL."}`,
		`{"body":"Unable find requested URL.","status":404}`,
		`{"status":200,"structured_body":{"a":1},"body":"{\"a\":2}"}`, `{"status":200,"structuredBody":null,"body":"{\"a\":2}"}`,
		`{"body":null,"structuredBody":{"a":1},"status":200}`, `{"body":"","structuredBody":{"a":1},"status":200}`,
		`{"status":304}`, `{"status":304,"body":""}`, `{"status":304,"body":null,"x":[{}]}`, `{"status":500,"structuredBody":[1,2]}`,
	}
	for _, answer := range []string{small, large} {
		envelopes = append(envelopes,
			`{"status":200,"structuredBody":`+answer+`}`, `{"status":200,"body":`+quoted(answer)+`}`,
			`{"structuredBody": `+answer+` , "new":{"a":[1]} , "status":200}`+"\n", `{"new":[`+answer+`],"body":`+quoted(answer)+`,"status":200.0}`)
	}
	for _, envelope := range envelopes {
		c, _ := scripted(t, reply{status: 200, body: envelope})
		want, err := c.CallSlurm(t.Context(), "training", jobsRequest)
		if err != nil {
			t.Fatal(err)
		}
		for name, slow := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader} {
			stream, err := c.StreamSlurm(t.Context(), "training", jobsRequest)
			if err != nil {
				t.Errorf("%.100s: %v", envelope, err)
				continue
			}
			if before := strings.HasPrefix(envelope, `{"status"`) || len(want.Body) == 0; before && stream.Status() != want.Status {
				t.Errorf("%.100s: status %d at the start", envelope, stream.Status())
			}
			got, err := io.ReadAll(slow(stream))
			if err != nil || string(got) != string(want.Body) || stream.Status() != want.Status || stream.Attempts != 1 {
				t.Errorf("%.100s, %s: status %d, %d bytes %.50q, %v; want %d, %d bytes", envelope, name, stream.Status(), len(got), got, err, want.Status, len(want.Body))
			}
			if err := stream.Close(); err != nil {
				t.Error(err)
			}
			if n, err := stream.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Errorf("%.100s: after its end and a Close: %d, %v", envelope, n, err)
			}
		}
	}
}

// TestStreamedEnvelopesThatAreNone: what has come by then is handed out, and the error is an *Error.
func TestStreamedEnvelopesThatAreNone(t *testing.T) {
	for _, tt := range []struct {
		envelope, want string
		started        bool // the failure is found after the start
		transient      bool
	}{
		{`{}`, "INTERNAL: cannot read the answer: the answer lacks Slurm's status", false, false},
		{`{"status":"soon"}`, `INTERNAL: cannot read the answer: status: want an integer, got "soon"`, false, false},
		{`[{"status":200}]`, "INTERNAL: cannot read the answer: want an object, got a list", false, false},
		{`{"structuredBody":{}}`, "INTERNAL: cannot read the answer: the answer lacks Slurm's status", true, false},
		{`{"structuredBody":{},"status":{}}`, "INTERNAL: cannot read the answer: status: want an integer, got an object", true, false},
		{`{"structuredBody":` + large + `}`, "INTERNAL: cannot read the answer: the answer lacks Slurm's status", true, false},
		{`{"status":200,"structuredBody":` + large, "INTERNAL: JSON cut short after 480056 bytes", true, true},
		{`{"status":200,"structuredBody":` + large[:100_000], "INTERNAL: JSON cut short after 100031 bytes", true, true},
		{`{"status":200,"body":"` + strings.Repeat("x", 100_000) + `\`, "INTERNAL: JSON cut short after 100023 bytes", true, true},
		{`{"status":200,"body":"` + strings.Repeat("x", 100_000) + "\n" + `"}`, "INTERNAL: not JSON at byte 100023: want an escape", true, true},
		{`{"status":200,"structuredBody":` + large + `}}`, "INTERNAL: not JSON at byte 4", true, true},
		{`{"status":200,"structuredBody":` + large + `,"x":}`, "INTERNAL: not JSON at byte 4", true, true},
	} {
		c, w := scripted(t, reply{status: 200, body: tt.envelope})
		stream, err := c.StreamSlurm(t.Context(), "training", jobsRequest)
		if (err == nil) != tt.started {
			t.Errorf("%.50s: started with %v", tt.envelope, err)
			continue
		}
		if err == nil {
			_, err = io.ReadAll(stream)
			if _, again := stream.Read(make([]byte, 1)); again != err {
				t.Errorf("%.50s: first %v, then %v", tt.envelope, err, again)
			}
			_ = stream.Close()
		}
		var e *cluster.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) || e.Attempts != 1 || e.HTTPStatus != 200 || e.Transient() != tt.transient || len(w.requests) != 1 ||
			!strings.HasPrefix(err.Error(), "cluster: call Slurm (GET /slurm/v0.0.42/jobs/) of projects/my-project/") {
			t.Errorf("%.50s: %v (transient %v); want %q", tt.envelope, err, e.Transient(), tt.want)
		}
	}
}

// TestStreamRefusesWhatCallRefuses, before anything is sent.
func TestStreamRefusesWhatCallRefuses(t *testing.T) {
	c, w := scripted(t, reply{status: 200, body: `{"status":200}`})
	for _, req := range []*cluster.SlurmRequest{nil, {Path: "/slurm/v0.0.42/jobs/"}, {Method: "GET", Path: "/slurm/../x"}} {
		_, held := c.CallSlurm(t.Context(), "training", req)
		_, err := c.StreamSlurm(t.Context(), "training", req)
		if !errors.Is(err, cluster.ErrInvalidArgument) || err.Error() != held.Error() || len(w.requests) > 0 {
			t.Errorf("%v: %v, want %v; %d sent", req, err, held, len(w.requests))
		}
	}
}

// TestStreamRepeatsBeforeItBegins and never after: the reader has seen a part of the answer then.
func TestStreamRepeatsBeforeItBegins(t *testing.T) {
	answers := map[string]string{"small": `{"jobs":[]}`, "large": large}
	for _, tt := range []struct {
		size  string
		fault clustertest.Fault
		sent  int
		ok    bool
	}{
		{"small", clustertest.Fault{Kind: clustertest.FaultCut}, 2, true},
		{"small", clustertest.Fault{Kind: clustertest.FaultDropAfter}, 2, true},
		{"large", clustertest.Fault{Kind: clustertest.FaultDropAfter}, 2, true},
		{"large", clustertest.Fault{Status: "UNAVAILABLE"}, 2, true},
		{"large", clustertest.Fault{Kind: clustertest.FaultCut}, 1, false},
		{"large", clustertest.Fault{Status: "PERMISSION_DENIED"}, 1, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			srv, c := fake(t, clustertest.WithSlurm(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, answers[tt.size])
			})))
			srv.Inject(tt.fault)
			stream, err := c.StreamSlurm(t.Context(), "training", jobsRequest)
			var got []byte
			if err == nil {
				got, err = io.ReadAll(stream)
			}
			if (err == nil) != tt.ok || len(srv.Requests()) != tt.sent || tt.ok && (string(got) != answers[tt.size] || stream.Attempts != tt.sent) {
				t.Errorf("%s, fault %v: %d bytes, %v, sent %d times", tt.size, tt.fault, len(got), err, len(srv.Requests()))
			}
			if tt.fault.Kind == clustertest.FaultCut && !tt.ok {
				var e *cluster.Error
				if !errors.As(err, &e) || !e.Transient() || !errors.Is(err, cluster.ErrUnavailable) || len(got) == 0 || !strings.HasPrefix(large, string(got)) {
					t.Errorf("cut in the middle: %d bytes, %v", len(got), err)
				}
			}
		})
	}
}

// dripping sends large with a pause after each of its parts.
type dripping struct {
	ctx   context.Context
	rest  string
	pause time.Duration
}

func (d *dripping) RoundTrip(req *http.Request) (*http.Response, error) {
	body := &dripping{req.Context(), `{"status":200,"structuredBody":` + large + `}`, d.pause}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, ContentLength: -1}, nil
}

func (d *dripping) Read(p []byte) (int, error) {
	n := copy(p, d.rest[:min(len(d.rest), 32<<10)])
	if d.rest = d.rest[n:]; n == 0 {
		return 0, io.EOF
	}
	select {
	case <-time.After(d.pause):
		return n, nil
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
}

func (d *dripping) Close() error { return nil }

// TestStreamMayTakeLong: the limits that a call has without a deadline are those of single waits here.
func TestStreamMayTakeLong(t *testing.T) {
	for _, tt := range []struct {
		name           string
		pause, reading time.Duration
		opts           []gax.CallOption
		deadline       time.Duration
		code           codes.Code // 0 for success
	}{
		{name: "long, with short pauses", pause: 50 * time.Second},
		{name: "with a slow reader", pause: time.Second, reading: time.Hour},
		{name: "nothing for too long", pause: cluster.DefaultTimeout + time.Second, code: codes.DeadlineExceeded},
		{name: "less patience", pause: 50 * time.Second, opts: []gax.CallOption{gax.WithTimeout(10 * time.Second)}, code: codes.DeadlineExceeded},
		{name: "more patience", pause: time.Hour, opts: []gax.CallOption{gax.WithTimeout(3 * time.Hour)}},
		{name: "a deadline bounds all of it", pause: 50 * time.Second, deadline: 5 * time.Minute, code: codes.DeadlineExceeded},
		{name: "and nothing else does", pause: time.Hour, deadline: 100 * time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			if tt.deadline > 0 {
				ctx, cancel = context.WithTimeout(ctx, tt.deadline)
			}
			defer cancel()
			c, err := cluster.NewClient(ctx, parent, option.WithHTTPClient(&http.Client{Transport: &dripping{pause: tt.pause}}))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			stream, err := c.StreamSlurm(ctx, "training", jobsRequest, tt.opts...)
			for buf := make([]byte, 100<<10); err == nil; {
				var more int
				more, err = stream.Read(buf)
				n += more
				time.Sleep(tt.reading)
			}
			var e *cluster.Error
			if tt.code == 0 && (err != io.EOF || n != len(large)) || tt.code != 0 && (!errors.As(err, &e) || e.Code != tt.code || !errors.Is(err, context.DeadlineExceeded)) {
				t.Errorf("%s: %d bytes, %v", tt.name, n, err)
			}
		})
	}
}

// TestStreamEndsWithCancel, in the middle.
func TestStreamEndsWithCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c, err := cluster.NewClient(ctx, parent, option.WithHTTPClient(&http.Client{Transport: &dripping{pause: time.Second}}))
		if err != nil {
			t.Fatal(err)
		}
		stream, err := c.StreamSlurm(ctx, "training", jobsRequest)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second/2, cancel)
		_, err = io.ReadAll(stream)
		var e *cluster.Error
		if !errors.As(err, &e) || e.Code != codes.Canceled || !errors.Is(err, context.Canceled) || e.Transient() {
			t.Errorf("%v", err)
		}
	})
}

// announcing claims that an answer is as long as it says.
type announcing int64

func (n announcing) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: int64(n), Body: io.NopCloser(strings.NewReader(`{"status":200}`))}, nil
}

// TestStreamIsBounded, though far above what is held.
func TestStreamIsBounded(t *testing.T) {
	for size, ok := range map[int64]bool{2 << 30: true, 16 << 30: true, 16<<30 + 1: false} {
		c, err := cluster.NewClient(t.Context(), parent, option.WithHTTPClient(&http.Client{Transport: announcing(size)}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = c.StreamSlurm(t.Context(), "training", jobsRequest); (err == nil) != ok || !ok && !errors.Is(err, cluster.ErrResourceExhausted) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// TestStreamClosedEarly: the server need not finish, and the client goes on.
func TestStreamClosedEarly(t *testing.T) {
	gone := make(chan struct{}, 1)
	slurm := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"status":200,"structuredBody":{"jobs":[0`)
		for {
			if _, err := io.WriteString(w, strings.Repeat(",0", 1000)); err != nil {
				gone <- struct{}{}
				return
			}
		}
	}))
	defer slurm.Close()
	c, err := cluster.NewClient(t.Context(), parent, option.WithEndpoint(slurm.URL), option.WithHTTPClient(slurm.Client()))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		stream, err := c.StreamSlurm(t.Context(), "training", jobsRequest)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(stream, make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(stream.Close(), stream.Close()); err != nil {
			t.Error(err)
		}
		if n, err := stream.Read(make([]byte, 1)); n != 0 || err == nil || err == io.EOF {
			t.Errorf("a closed stream reads %d, %v", n, err)
		}
		<-gone // the server has noticed
	}
}

func TestNewSlurmStream(t *testing.T) {
	body := &closing{Reader: strings.NewReader(large)}
	stream := cluster.NewSlurmStream(207, body)
	got, err := io.ReadAll(stream)
	if err != nil || string(got) != large || stream.Status() != 207 || stream.Attempts != 1 {
		t.Errorf("%d bytes, %v, status %d", len(got), err, stream.Status())
	}
	if err := errors.Join(stream.Close(), stream.Close()); err != nil || body.times != 1 {
		t.Errorf("closed %d times: %v", body.times, err)
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(cluster.NewSlurmStream(200, io.NopCloser(iotest.ErrReader(broken)))); err != broken {
		t.Errorf("its error became %v", err)
	}
}

type closing struct {
	io.Reader
	times int
}

func (c *closing) Close() error { c.times++; return nil }

// TestStreamReadToItsEnd leaves the connection to the next call.
func TestStreamReadToItsEnd(t *testing.T) {
	var connections atomic.Int32
	slurm := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"status":200,"structuredBody":`+large+`}`)
	}))
	slurm.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	slurm.Start()
	defer slurm.Close()
	c, err := cluster.NewClient(t.Context(), parent, option.WithEndpoint(slurm.URL), option.WithHTTPClient(slurm.Client()))
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		stream, err := c.StreamSlurm(t.Context(), "training", jobsRequest)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(stream); err != nil || string(got) != large {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("20 streams took %d connections", n)
	}
}
