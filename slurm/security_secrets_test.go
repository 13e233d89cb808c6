package slurm_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// These stand for what nobody but the service may see.
const (
	plantedToken   = "ya29.PLANTED-bearer-0123456789"
	plantedRefresh = "1//PLANTED-refresh-0123456789"
	plantedScript  = "PLANTED-script-0123456789"
	plantedValue   = "PLANTED-environment-0123456789"
)

// traces are the planted texts in each form in which they could turn up.
func traces() (forms []string) {
	for _, plain := range []string{plantedToken, plantedRefresh, plantedScript, plantedValue, "PLANTED"} {
		b := []byte(plain)
		forms = append(forms, plain, hex.EncodeToString(b), strings.ToUpper(hex.EncodeToString(b)), fmt.Sprint(b)[1:len(fmt.Sprint(b))-1], url.QueryEscape(plain))
		for shift := range 3 { // base64 looks different at each offset; the first and last characters depend on what is around
			encoded := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), b...))
			forms = append(forms, strings.NewReplacer("+", "-", "/", "_").Replace(encoded[4:len(encoded)-4]), encoded[4:len(encoded)-4])
		}
	}
	return forms
}

// displayed is a value in every way in which a program comes to show it.
func displayed(value any) string {
	var b bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		fmt.Fprintf(&b, verb+"\n", value)
	}
	encoded, _ := json.Marshal(value)
	b.Write(encoded)
	logger := slog.New(slog.NewJSONHandler(&b, nil))
	logger.Info("value", "v", value)
	slog.New(slog.NewTextHandler(&b, nil)).Info("value", "v", value)
	func() {
		defer func() { fmt.Fprint(&b, recover()) }()
		panic(value)
	}()
	return b.String()
}

// checkQuiet looks for planted texts in what a value shows, and in what its chain of errors does as far as it is the SDK's.
func checkQuiet(t *testing.T, what string, value any) {
	t.Helper()
	text := displayed(value)
	for _, form := range traces() {
		if at := strings.Index(text, form); at >= 0 {
			t.Errorf("%s (%T) shows %q: …%q…", what, value, form, text[max(0, at-100):min(len(text), at+len(form)+50)])
			return
		}
	}
	err, _ := value.(error)
	for ; err != nil; err = errors.Unwrap(err) {
		switch err.(type) {
		case *cluster.Error, *slurm.Error, *slurm.UncertainError, *slurm.InputError, *auth.Error:
			checkQuiet(t, what+", inside", fmt.Sprintf("%#v %+v", err, err))
		}
	}
}

// ways are the kinds of failure, with servers that quote what they were sent.
func ways() map[string]clustertest.Fault {
	echo := "Authorization: Bearer " + plantedToken + " refresh_token=" + plantedRefresh +
		" https://storage.example/o?X-Goog-Signature=PLANTED&x=1"
	ways := map[string]clustertest.Fault{
		"none":        {Verb: "no such verb"},
		"page":        {Kind: clustertest.FaultReply, Body: "<html><title>" + echo + "</title></html>"},
		"text":        {Kind: clustertest.FaultReply, ContentType: "text/plain", Body: echo},
		"JSON":        {Kind: clustertest.FaultReply, ContentType: "application/json", Body: `{"request":"` + echo + `"}`},
		"200":         {Kind: clustertest.FaultReply, HTTPStatus: 200, Body: echo},
		"403":         {Kind: clustertest.FaultReply, HTTPStatus: 403, Body: echo},
		"cut":         {Kind: clustertest.FaultCut},
		"refused":     {Kind: clustertest.FaultRefused},
		"drop before": {Kind: clustertest.FaultDropBefore},
		"drop after":  {Kind: clustertest.FaultDropAfter},
	}
	for _, code := range []string{"INVALID_ARGUMENT", "PERMISSION_DENIED", "UNAUTHENTICATED", "NOT_FOUND", "UNAVAILABLE", "INTERNAL", "FAILED_PRECONDITION"} {
		ways[code] = clustertest.Fault{Status: code, Message: echo, Details: []any{map[string]any{
			"@type":           "type.googleapis.com/google.rpc.BadRequest",
			"fieldViolations": []any{map[string]string{"field": "f", "description": echo}},
		}, map[string]any{
			"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "R", "domain": "d", "metadata": map[string]string{"request": echo},
		}}}
	}
	return ways
}

// TestNothingShowsASecret drives each verb into each kind of failure, and shows whatever comes of it in every way.
func TestNothingShowsASecret(t *testing.T) {
	for name, fault := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			showAll(t, fault)
		})
	}
}

func showAll(t *testing.T, fault clustertest.Fault) {
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug - 8}))
	service := clustertest.NewServer(clustertest.WithSlurm(slurmtest.NewServer()),
		clustertest.WithTokenCheck(func(got string) bool { return got == plantedToken }))
	if err := service.AddCluster("training", nil); err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		service.ServeHTTP(w, r)
	}))
	defer server.Close()
	var limit limiter
	tracer := &cluster.Tracer{
		CallEnd: func(_ context.Context, c *cluster.CallTrace) { checkQuiet(t, "CallTrace", *c) },
		AttemptEnd: func(_ context.Context, _ *cluster.CallTrace, a *cluster.AttemptTrace) {
			checkQuiet(t, "AttemptTrace", *a)
			limit.start()
		},
	}
	opts := []option.ClientOption{auth.WithToken(plantedToken), auth.WithEndpoint(server.URL), auth.WithLogger(logger), cluster.WithTracer(tracer)}
	checkQuiet(t, "options", opts)
	platform, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", opts...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := slurm.NewClient(onceCaller{platform}, "training")
	if err != nil {
		t.Fatal(err)
	}
	fault.Times = -1
	service.Inject(fault)
	verbs := everyVerb(platform, c)
	for _, client := range []any{platform, c} {
		for method := range reflect.TypeOf(client).Methods() {
			if in := method.Type; in.NumIn() > 1 && in.In(1) == reflect.TypeFor[context.Context]() && verbs[method.Name] == nil {
				t.Errorf("%s is in no test of what it shows", method.Name)
			}
		}
	}
	for verb, call := range verbs {
		ctx, cancel := context.WithCancel(t.Context())
		if goesOn[verb] {
			limit.set(cancel)
		}
		before := requests.Load()
		result, err := call(ctx)
		limit.set(nil)
		cancel()
		if requests.Load() == before {
			t.Errorf("%s sent no request, and so shows nothing: %v, %v", verb, result, err)
		}
		checkQuiet(t, "the result of "+verb, result)
		checkQuiet(t, "the error of "+verb, err)
	}
	checkQuiet(t, "cluster.Client", platform)
	checkQuiet(t, "slurm.Client", c)
	checkQuiet(t, "the log", log.String())
}

// onceCaller tries each call of a slurm.Client once: what failures show is the same each time.
type onceCaller struct{ *cluster.Client }

func (c onceCaller) CallSlurm(
	ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption,
) (*cluster.SlurmResponse, error) {
	return c.Client.CallSlurm(ctx, name, req, append(opts, once)...)
}

func (c onceCaller) StreamSlurm(
	ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption,
) (*cluster.SlurmStream, error) {
	return c.Client.StreamSlurm(ctx, name, req, append(opts, once)...)
}

var once = gax.WithRetry(func() gax.Retryer { return giveUp{} })

// goesOn has the verbs that go on after a failure, or for ever, whatever the options of their calls.
var goesOn = map[string]bool{
	"Wait": true, "WaitAll": true, "WaitReady": true, "Watch": true, "WatchQueue": true, "Watcher": true, "QueueWatcher": true,
	"Submit": true, "SubmitJob": true, "SubmitHet": true, "Recover": true, "ListClusters": true, "Operation": true,
	"DeleteFailedCluster": true,
}

// limiter ends a verb that goes on a moment after its first attempt is over, however long that took to begin.
type limiter struct {
	mu     sync.Mutex
	cancel func()
}

func (l *limiter) set(cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cancel = cancel
}

func (l *limiter) start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel != nil {
		time.AfterFunc(100*time.Millisecond, l.cancel)
		l.cancel = nil
	}
}

// everyVerb makes one call of each that has a context, without retries where they take none.
func everyVerb(platform *cluster.Client, c *slurm.Client) map[string]func(context.Context) (any, error) {
	spec := &slurm.JobSpec{Name: "train", WorkingDirectory: "/home/alice_example_com", Script: "#!/bin/bash\necho " + plantedScript + "\n",
		Environment: map[string]string{"KEY": plantedValue}}
	second := &slurm.JobSpec{WorkingDirectory: spec.WorkingDirectory, Environment: spec.Environment}
	script := map[string]any{"script": plantedScript}
	verbs := clusterVerbs(platform)
	maps.Copy(verbs, map[string]func(context.Context) (any, error){
		"Submit":    func(ctx context.Context) (any, error) { return c.Submit(ctx, spec) },
		"SubmitJob": func(ctx context.Context) (any, error) { return c.SubmitJob(ctx, spec) },
		"SubmitHet": func(ctx context.Context) (any, error) { return c.SubmitHet(ctx, []*slurm.JobSpec{spec, second}) },
		"Recover":   func(ctx context.Context) (any, error) { return c.Recover(ctx, slurm.NewSubmitToken()) },
		"Get":       func(ctx context.Context) (any, error) { return c.Get(ctx, "1") },
		"GetAll":    func(ctx context.Context) (any, error) { return c.GetAll(ctx, "1") },
		"List":      func(ctx context.Context) (any, error) { return c.List(ctx, nil) },
		"Jobs":      func(ctx context.Context) (any, error) { return drain(c.Jobs(ctx, nil)) },
		"JobIterator": func(ctx context.Context) (any, error) {
			it := c.JobIterator(ctx, nil)
			defer it.Stop()
			return it.Next()
		},
		"ArrayTasks":      func(ctx context.Context) (any, error) { return c.ArrayTasks(ctx, "1") },
		"History":         func(ctx context.Context) (any, error) { return c.History(ctx, "1") },
		"ListHistory":     func(ctx context.Context) (any, error) { return c.ListHistory(ctx, nil) },
		"HistoryJobs":     func(ctx context.Context) (any, error) { return drain(c.HistoryJobs(ctx, nil)) },
		"HistoryIterator": func(ctx context.Context) (any, error) { return c.HistoryIterator(ctx, nil).Next() },
		"Cancel":          func(ctx context.Context) (any, error) { return nil, c.Cancel(ctx, "1") },
		"Signal":          func(ctx context.Context) (any, error) { return nil, c.Signal(ctx, "1", "USR1") },
		"Hold":            func(ctx context.Context) (any, error) { return nil, c.Hold(ctx, "1") },
		"Release":         func(ctx context.Context) (any, error) { return nil, c.Release(ctx, "1") },
		"Update": func(ctx context.Context) (any, error) {
			return nil, c.Update(ctx, "1", &slurm.JobUpdate{Name: "x", Extra: map[string]any{"environment": []string{"KEY=" + plantedValue}}})
		},
		"Wait":       func(ctx context.Context) (any, error) { return c.Wait(ctx, "1") },
		"WaitAll":    func(ctx context.Context) (any, error) { return c.WaitAll(ctx, []slurm.JobID{"1", "2"}) },
		"WaitReady":  func(ctx context.Context) (any, error) { return nil, c.WaitReady(ctx) },
		"Watch":      func(ctx context.Context) (any, error) { return drain(c.Watch(ctx, []slurm.JobID{"1"})) },
		"WatchQueue": func(ctx context.Context) (any, error) { return drain(c.WatchQueue(ctx, nil)) },
		"Watcher": func(ctx context.Context) (any, error) {
			w := c.Watcher(ctx, []slurm.JobID{"1"})
			defer w.Stop()
			return w.Next()
		},
		"QueueWatcher": func(ctx context.Context) (any, error) {
			w := c.QueueWatcher(ctx, nil)
			defer w.Stop()
			return w.Next()
		},
		"Ping":       func(ctx context.Context) (any, error) { return c.Ping(ctx) },
		"Nodes":      func(ctx context.Context) (any, error) { return c.Nodes(ctx) },
		"Partitions": func(ctx context.Context) (any, error) { return c.Partitions(ctx) },
		"Licenses":   func(ctx context.Context) (any, error) { return c.Licenses(ctx) },
		"Do": func(ctx context.Context) (any, error) {
			return nil, c.Do(ctx, http.MethodPost, "/slurm/v0.0.42/job/submit", script, nil)
		},
	})
	return verbs
}

func clusterVerbs(c *cluster.Client) map[string]func(context.Context) (any, error) {
	edit := func(m *cluster.ModelDevelopmentCluster) error {
		m.Labels = map[string]string{"team": "a"}
		return nil
	}
	m := &cluster.ModelDevelopmentCluster{Name: "projects/my-project/locations/us-central1/modelDevelopmentClusters/training", Labels: map[string]string{"team": "a"}}
	return map[string]func(context.Context) (any, error){
		"GetCluster":   func(ctx context.Context) (any, error) { return c.GetCluster(ctx, "training", once) },
		"ListClusters": func(ctx context.Context) (any, error) { return c.ListClusters(ctx, nil).Next() },
		"CreateCluster": func(ctx context.Context) (any, error) {
			return c.CreateCluster(ctx, "other", &cluster.ModelDevelopmentCluster{}, once, cluster.WithoutValidation())
		},
		"UpdateCluster": func(ctx context.Context) (any, error) {
			return c.UpdateCluster(ctx, m, cluster.FieldMask{cluster.PathLabels}, cluster.UpdateModeUserOnly, once)
		},
		"RefreshCluster": func(ctx context.Context) (any, error) { return c.RefreshCluster(ctx, "training", once) },
		"EditCluster":    func(ctx context.Context) (any, error) { return c.EditCluster(ctx, "training", edit, nil, once) },
		"PlanEdit":       func(ctx context.Context) (any, error) { return c.PlanEdit(ctx, "training", edit, nil, once) },
		"DeleteCluster":  func(ctx context.Context) (any, error) { return c.DeleteCluster(ctx, "training", once) },
		"DeleteFailedCluster": func(ctx context.Context) (any, error) {
			return c.DeleteFailedCluster(ctx, "training", c.Operation("projects/my-project/locations/us-central1/operations/1"), once)
		},
		"ReportFaultyNodes": func(ctx context.Context) (any, error) {
			return c.ReportFaultyNodes(ctx, "training", &cluster.NodeAction{NodeID: "training-cpu-0"}, once)
		},
		"Operation": func(ctx context.Context) (any, error) {
			return c.Operation("projects/my-project/locations/us-central1/operations/1").Poll(ctx)
		},
		"CallSlurm": func(ctx context.Context) (any, error) {
			return c.CallSlurm(ctx, "training", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/ping/"}, once)
		},
		"StreamSlurm": func(ctx context.Context) (any, error) {
			return c.StreamSlurm(ctx, "training", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/jobs/"}, once)
		},
	}
}

// drain is what an iterator gives up to its first error.
func drain[T any](all iter.Seq2[T, error]) (some []T, err error) {
	for v, err := range all {
		if err != nil {
			return some, err
		}
		some = append(some, v)
	}
	return some, nil
}

type giveUp struct{}

func (giveUp) Retry(error) (time.Duration, bool) { return 0, false }

// TestRefusalsShowNoSecret: what is wrong with a script or a value is said without them.
func TestRefusalsShowNoSecret(t *testing.T) {
	c, _ := newScripted(t, answer{status: 200, body: `{"job_id":1}`})
	for name, change := range map[string]func(*slurm.JobSpec){
		"no first line":     func(s *slurm.JobSpec) { s.Script = plantedScript },
		"NUL in the script": func(s *slurm.JobSpec) { s.Script += "\x00" },
		"broken script":     func(s *slurm.JobSpec) { s.Script += "\xff" },
		"carriage returns":  func(s *slurm.JobSpec) { s.Script = strings.ReplaceAll(s.Script, "\n", "\r\n") },
		"NUL in a value":    func(s *slurm.JobSpec) { s.Environment["KEY"] = plantedValue + "\x00" },
		"broken value":      func(s *slurm.JobSpec) { s.Environment["KEY"] = plantedValue + "\xff" },
		"bad name":          func(s *slurm.JobSpec) { s.Environment["1=K"] = plantedValue },
		"too large":         func(s *slurm.JobSpec) { s.Script += strings.Repeat(plantedScript, 100_000) },
		"too large a value": func(s *slurm.JobSpec) { s.Environment["KEY"] = strings.Repeat(plantedValue, 100_000) },
		"not JSON":          func(s *slurm.JobSpec) { s.Extra = map[string]any{"x": func() {}} },
		"twice":             func(s *slurm.JobSpec) { s.Extra = map[string]any{"script": plantedScript} },
		"no directory":      func(s *slurm.JobSpec) { s.WorkingDirectory = "" },
	} {
		spec := &slurm.JobSpec{WorkingDirectory: "/home/a", Script: "#!/bin/sh\n" + plantedScript + "\n", Environment: map[string]string{"KEY": plantedValue}}
		change(spec)
		_, err := c.Submit(t.Context(), spec)
		if err == nil {
			err = spec.Validate()
		}
		checkQuiet(t, name, err)
	}
	checkQuiet(t, "Update", c.Update(t.Context(), "1", &slurm.JobUpdate{Extra: map[string]any{"script": plantedScript}}))
	for _, script := range []string{plantedScript, "#!/bin/sh\n#SBATCH --nodes=\x00\n" + plantedScript, "#!/bin/sh\n#SBATCH --bogus\n" + plantedScript, "\xff" + plantedScript} {
		_, err := slurm.ParseScript(script)
		checkQuiet(t, "ParseScript", err)
	}
}
