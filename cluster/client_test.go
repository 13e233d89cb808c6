package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/googleapis/gax-go/v2"
	"github.com/googleapis/gax-go/v2/apierror"
	"github.com/googleapis/gax-go/v2/callctx"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// fake is a server with one cluster, "training", and a client of it.
func fake(t *testing.T, opts ...clustertest.Option) (*clustertest.Server, *cluster.Client) {
	t.Helper()
	srv := clustertest.NewServer(append([]clustertest.Option{clustertest.WithTB(t)}, opts...)...)
	if err := srv.AddCluster("training", payload(t, "response-cluster-get.json")); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.NewClient(t.Context(), parent, srv.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	return srv, c
}

// TestLifeOfACluster goes through every verb in a day's order, minutes apart, in virtual time.
func TestLifeOfACluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := clustertest.NewServer(clustertest.WithTB(t))
		c, err := cluster.NewClient(t.Context(), parent, srv.ClientOptions()...)
		if err != nil {
			t.Fatal(err)
		}
		ctx, start := t.Context(), time.Now()
		spec, err := cluster.ReadFile("testdata/payloads/cpu-only.json")
		if err != nil {
			t.Fatal(err)
		}
		op, err := c.CreateCluster(ctx, "training", spec)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := c.GetCluster(ctx, "training"); err != nil || m.State() != cluster.StateProvisioning || !m.State().Changing() {
			t.Errorf("while it is created: %v, %v", m, err)
		}
		if _, err := op.Cluster(); err == nil || !strings.Contains(err.Error(), "is not done") {
			t.Errorf("Cluster of a pending operation: %v", err)
		}
		if err := op.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took < 5*time.Minute {
			t.Errorf("created after %v of virtual time", took)
		}
		m, err := op.Cluster()
		if err != nil || m.ID() != "training" || m.Unknown.Get("@type") != nil {
			t.Fatalf("created %v, %v, unknown %q", m, err, m.Unknown.Names())
		}

		m.NodePool("cpu").ScalingSpec.MaxNodeCount = 4
		op, err = c.UpdateCluster(ctx, m, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly)
		if err != nil {
			t.Fatal(err)
		}
		// Another process goes on with nothing but the name.
		if err := c.Operation(op.Name()).Wait(ctx); err != nil {
			t.Fatal(err)
		}
		if m, err = c.GetCluster(ctx, m.Name); err != nil || m.NodePool("cpu").ScalingSpec.MaxNodeCount != 4 || len(m.NodePools) != 2 {
			t.Errorf("after the resize: %v, %v", m, err)
		}

		op, err = c.ReportFaultyNodes(ctx, "training", &cluster.NodeAction{NodeID: "training-cpu-0"})
		if err != nil {
			t.Fatal(err)
		}
		if err := op.Wait(ctx); err != nil {
			t.Error(err)
		}

		op, err = c.DeleteCluster(ctx, "training")
		if err != nil {
			t.Fatal(err)
		}
		if err := op.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := op.Cluster(); err == nil || !strings.Contains(err.Error(), "reports no cluster") {
			t.Errorf("Cluster of a deletion: %v", err)
		}
		if _, err := c.GetCluster(ctx, "training"); !errors.Is(err, cluster.ErrNotFound) {
			t.Errorf("after the deletion: %v", err)
		}
	})
}

func TestFailedCreationKeepsTheID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := clustertest.NewServer(clustertest.WithoutMachine("n2-standard-8"))
		c, err := cluster.NewClient(t.Context(), parent, srv.ClientOptions()...)
		if err != nil {
			t.Fatal(err)
		}
		spec := parse(t, payload(t, "cpu-only.json"))
		op, err := c.CreateCluster(t.Context(), "training", spec)
		if err != nil {
			t.Fatal(err)
		}
		var failed *lro.OperationError
		if err := op.Wait(t.Context()); !errors.As(err, &failed) || failed.Code != codes.InvalidArgument {
			t.Errorf("Wait: %v", err)
		}
		if _, err := op.Cluster(); !errors.As(err, &failed) {
			t.Errorf("Cluster: %v", err)
		}
		if _, err := c.CreateCluster(t.Context(), "training", spec); !errors.Is(err, cluster.ErrAlreadyExists) || errors.Is(err, cluster.ErrAborted) {
			t.Errorf("second creation: %v", err)
		}
	})
}

func TestRefreshSendsTheLabelsBack(t *testing.T) {
	srv, c := fake(t)
	if _, err := c.RefreshCluster(t.Context(), "training"); err != nil {
		t.Fatal(err)
	}
	requests := srv.RequestsFor(clustertest.VerbUpdate)
	if len(requests) != 1 || !strings.HasSuffix(requests[0].URL, "?updateMask=labels&updateMode=USER_AND_SERVICE") || string(requests[0].Body) != `{"labels":{"env":"prod"}}` {
		t.Errorf("sent %v %s", requests, requests[0].Body)
	}
}

// TestListGoesToTheLastToken: pages are short, and some are empty, and only an empty token ends the list.
func TestListGoesToTheLastToken(t *testing.T) {
	srv, c := fake(t, clustertest.WithPageSize(2), clustertest.WithEmptyPages())
	want := []string{"training"}
	for _, id := range []string{"alpha", "beta", "delta", "gamma"} {
		if err := srv.AddCluster(id, nil); err != nil {
			t.Fatal(err)
		}
		want = append(want, id)
	}
	slices.Sort(want)
	var got []string
	for m, err := range c.ListClusters(t.Context(), &cluster.ListOptions{PageSize: 50}).All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m.ID())
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	if n := len(srv.RequestsFor(clustertest.VerbList)); n != 6 { // 3 pages, each behind an empty one
		t.Errorf("%d requests", n)
	}
	srv.ResetRequests()
	for range c.ListClusters(t.Context(), nil).All() {
		break
	}
	if n := len(srv.RequestsFor(clustertest.VerbList)); n != 2 {
		t.Errorf("a loop left at once made %d requests", n)
	}
	it := c.ListClusters(t.Context(), nil)
	for err := error(nil); err == nil; {
		_, err = it.Next()
	}
	if _, err := it.Next(); err != cluster.Done {
		t.Errorf("Next after the end: %v", err)
	}
}

func TestListStopsAtAnError(t *testing.T) {
	c, w := scripted(t,
		reply{status: 200, body: string(payload(t, "response-list-page1.json"))},
		reply{status: 403, body: string(payload(t, "response-error-permission-denied.json"))})
	it := c.ListClusters(context.Background(), nil)
	var ids []string
	m, err := it.Next()
	for ; err == nil; m, err = it.Next() {
		ids = append(ids, m.ID())
	}
	if !slices.Equal(ids, []string{"training", "second"}) || !errors.Is(err, cluster.ErrPermissionDenied) {
		t.Errorf("%q, then %v", ids, err)
	}
	if _, again := it.Next(); again != err || len(w.requests) != 2 {
		t.Errorf("after the error: %v, %d requests", again, len(w.requests))
	}
	c, _ = scripted(t, reply{status: 200, body: `{"clusters":[{"name":"` + parent + `/modelDevelopmentClusters/a"}]}`})
	if m, err := c.ListClusters(context.Background(), nil).Next(); err != nil || m.ID() != "a" {
		t.Errorf("a list as the oldest documents have it: %v, %v", m, err)
	}
	c, _ = scripted(t, reply{status: 200, body: `{"nextPageToken":"same"}`})
	if _, err := c.ListClusters(context.Background(), nil).Next(); err == nil || !strings.Contains(err.Error(), "the list would never end") {
		t.Errorf("a token that does not change: %v", err)
	}
	if _, err := c.ListClusters(context.Background(), &cluster.ListOptions{PageSize: -1}).Next(); err == nil || !strings.Contains(err.Error(), "the page size is -1; want 0 or more") {
		t.Errorf("negative page size: %v", err)
	}
}

// TestBadNamesAreNotSent, by any verb.
func TestBadNamesAreNotSent(t *testing.T) {
	ctx := context.Background()
	spec := parse(t, payload(t, "cpu-only.json"))
	for _, name := range []string{"", "..", "a/b", "a?x=y", "a%2fb", "a\nb", "training:callSlurmRestApi", "projects/p/locations/us-east4/modelDevelopmentClusters/x",
		"projects/p/locations/us-central1/modelDevelopmentClusters/", "projects/p/locations/us-central1/clusters/x"} {
		c, w := scripted(t, reply{status: 200, body: `{}`})
		spec.Name = name
		_, get := c.GetCluster(ctx, name)
		_, del := c.DeleteCluster(ctx, name)
		_, upd := c.UpdateCluster(ctx, spec, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly)
		_, rep := c.ReportFaultyNodes(ctx, name, &cluster.NodeAction{NodeID: "n"})
		_, slu := c.CallSlurm(ctx, name, &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/jobs/"})
		_, cre := c.CreateCluster(ctx, name, spec)
		_, ref := c.RefreshCluster(ctx, name)
		_, pol := c.Operation(name).Poll(ctx)
		for i, err := range []error{get, del, upd, rep, slu, cre, ref, pol} {
			if err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(), "want") && !strings.Contains(err.Error(), "make a client for") {
				t.Errorf("%q, verb %d: %v", name, i, err)
			}
		}
		if len(w.requests) > 0 {
			t.Errorf("%q was sent: %v", name, w.requests)
		}
	}
}

func TestLocalErrorsAreErrors(t *testing.T) {
	c, _ := scripted(t, reply{status: 200, body: `{}`})
	_, err := c.CreateCluster(context.Background(), "My_Cluster", parse(t, payload(t, "cpu-only.json")))
	var e *cluster.Error
	if !errors.As(err, &e) || e.Code != codes.InvalidArgument || e.Attempts != 0 || !e.Unprocessed || e.Transient() {
		t.Fatalf("%#v", err)
	}
	want := `cluster: create ` + parent + `/modelDevelopmentClusters/My_Cluster: INVALID_ARGUMENT: model_development_cluster_id: cluster id "My_Cluster" has 'M' at position 1; ` +
		`want a lowercase letter followed by at most 9 lowercase letters or digits`
	if err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{second(c.CreateCluster(context.Background(), "c", nil)), "the cluster is nil"},
		{second(c.ReportFaultyNodes(context.Background(), "c", nil)), "no node is named; want NodeAction.NodeID, such as c-a4-0"},
		{second(c.ReportFaultyNodes(context.Background(), "c", &cluster.NodeAction{NodeID: "c-a4-0", ReportFaultyHost: &cluster.ReportFaultyHost{}})),
			"the report on the host of c-a4-0 has no fault reason"},
	} {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%v; want %q", tt.err, tt.want)
		}
	}
}

func second(_ *cluster.Operation, err error) error { return err }

func TestAnswersThatAreNone(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer reply
		code   codes.Code
		want   string
	}{
		{"a proxy's page", reply{status: 200, body: "<html><title>Sign in</title></html>"}, codes.Internal, `the answer is an HTML page titled "Sign in", not JSON: check the endpoint and any proxy`},
		{"a wrong endpoint", reply{status: 404, body: "<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>"}, codes.NotFound, `HTML page titled "Error 404 (Not Found)!!1"`},
		{"cut short", reply{status: 200, body: `{"name":"proj`}, codes.Internal, "JSON cut short after 13 bytes"},
		{"a list", reply{status: 200, body: `[]`}, codes.Internal, "cannot read the answer: want an object, got a list"},
		{"a wrong type", reply{status: 200, body: `{"nodePools":{"a":1}}`}, codes.Internal, "cannot read the answer: node_pools: want a list, got an object"},
		{"an error with status 200", reply{status: 200, body: `{"error":{"code":404}}`}, codes.Internal, "cannot read the answer: it has no name, so it is no cluster"},
		{"a wrong type below", reply{status: 200, body: `{"name":"n","clusterStatus":"RUNNING"}`}, codes.Internal, `cluster_status: want an object, got "RUNNING"`},
		{"empty", reply{status: 200}, codes.Internal, "the answer is empty"},
		{"broken connection", reply{err: io.ErrUnexpectedEOF}, codes.Unavailable, "unexpected EOF"},
	} {
		e := getError(t, tt.answer)
		if e.Code != tt.code || !strings.Contains(e.Error(), tt.want) {
			t.Errorf("%s: %v; want %v and %q", tt.name, e, tt.code, tt.want)
		}
	}
	c, _ := scripted(t, reply{status: 200, body: `{"done":true}`})
	_, err := c.DeleteCluster(context.Background(), "training")
	if want := "INTERNAL: cannot read the answer: the answer to the call that starts the work is not an operation: it has no name; " +
		"the service has taken the call, so look at the cluster before repeating it [attempt 1]"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("an operation without a name: %v", err)
	}
	c, _ = scripted(t, reply{status: 200, body: `{"name":"` + parent + `/operations/1","done":true,"response":{"@type":"x.ModelDevelopmentCluster","nodePools":7}}`})
	op, err := c.DeleteCluster(context.Background(), "training")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := op.Cluster(); err == nil || err.Error() != "cluster: operation "+parent+"/operations/1: cannot read the cluster that it reports: node_pools: want a list, got 7" {
		t.Errorf("an operation with an odd cluster: %v", err)
	}
}

// TestErrorsWorkWithGooglesHelpers, so that code written for other clients keeps its habits.
func TestErrorsWorkWithGooglesHelpers(t *testing.T) {
	e := getError(t, reply{status: 409, body: string(payload(t, "response-error-already-exists.json"))})
	if status.Code(e) != codes.AlreadyExists {
		t.Errorf("status.Code = %v", status.Code(e))
	}
	var api *apierror.APIError
	var plain *googleapi.Error
	if !errors.As(e, &api) || api.HTTPCode() != 409 || !errors.As(e, &plain) || plain.Code != 409 {
		t.Errorf("chain: %v, %v", api, plain)
	}
	denied := getError(t, reply{status: 403, body: `{"error":{"code":403,"status":"PERMISSION_DENIED","message":"no"}}`})
	var hint *auth.Error
	if !errors.As(denied, &hint) || !strings.Contains(hint.Hint, "aiplatform.modelDevelopmentClusters.get") || !strings.Contains(hint.Hint, "roles/aiplatform.viewer") {
		t.Errorf("403 without details: %v", denied)
	}
	if !errors.As(denied, &api) || api.HTTPCode() != 403 {
		t.Error("the hint hides Google's error")
	}
	if got := denied.LogValue().String(); !strings.Contains(got, "PERMISSION_DENIED") {
		t.Errorf("LogValue %s", got)
	}
}

// TestWritesAreNotRepeatedBlindly: a lost answer may hide a success, and a second operation would collide with it.
func TestWritesAreNotRepeatedBlindly(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fault clustertest.Fault
		want  int // requests
	}{
		{"answer lost", clustertest.Fault{Kind: clustertest.FaultDropAfter, Times: -1}, 1},
		{"500", clustertest.Fault{Status: "INTERNAL", Times: -1}, 1},
		{"refused connection", clustertest.Fault{Kind: clustertest.FaultRefused, Times: 2}, 3},
		{"429", clustertest.Fault{Status: "RESOURCE_EXHAUSTED", Times: 2}, 3},
		{"503 with a wish", clustertest.Fault{RetryInfo: time.Second, Times: 2}, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			srv, c := fake(t)
			srv.Inject(tt.fault)
			_, err := c.DeleteCluster(t.Context(), "training")
			if got := len(srv.Requests()); got != tt.want {
				t.Errorf("%s: sent %d times, want %d (%v)", tt.name, got, tt.want, err)
			}
			var e *cluster.Error
			if tt.want == 1 && (!errors.As(err, &e) || e.Unprocessed || e.Attempts != 1) {
				t.Errorf("%s: %#v", tt.name, err)
			}
		})
	}
}

func TestReadsAreRepeated(t *testing.T) {
	for _, fault := range []clustertest.Fault{
		{Kind: clustertest.FaultDropAfter}, {Kind: clustertest.FaultCut}, {Kind: clustertest.FaultRefused}, {Kind: clustertest.FaultReply}, {Status: "INTERNAL"},
		{Status: "RESOURCE_EXHAUSTED", RetryAfter: 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			srv, c := fake(t)
			fault.Times = 3
			srv.Inject(fault)
			if _, err := c.GetCluster(t.Context(), "training"); err != nil || len(srv.Requests()) != 4 {
				t.Errorf("fault %v: %v after %d requests", fault.Kind, err, len(srv.Requests()))
			}
		})
	}
}

func TestCallOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, c := fake(t)
		srv.Inject(clustertest.Fault{Status: "INTERNAL", Times: -1})
		custom := gax.WithRetry(func() gax.Retryer {
			return gax.OnCodes([]codes.Code{codes.Internal}, gax.Backoff{Initial: time.Second, Max: time.Second})
		})
		// The caller's retryer sees the code, and the time limit ends its retries.
		_, err := c.GetCluster(t.Context(), "training", custom, gax.WithTimeout(time.Hour))
		var e *cluster.Error
		if !errors.As(err, &e) || e.Attempts < 100 {
			t.Errorf("%v", err)
		}
		srv.ClearFaults()
		srv.ResetRequests()
		srv.Inject(clustertest.Fault{Kind: clustertest.FaultDelay, Delay: time.Hour})
		start := time.Now()
		if _, err := c.GetCluster(t.Context(), "training"); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != cluster.DefaultTimeout {
			t.Errorf("a server that never answers: %v after %v", err, time.Since(start))
		}
		ctx := callctx.SetHeaders(t.Context(), "x-goog-request-reason", "ticket 42")
		if _, err := c.GetCluster(ctx, "training"); err != nil {
			t.Fatal(err)
		}
		requests := srv.Requests()
		if got := requests[len(requests)-1].Header.Get("X-Goog-Request-Reason"); got != "ticket 42" {
			t.Errorf("header of the context: %q", got)
		}
	})
}

// TestWaitForADay polls an operation through failures, in virtual time and hardly any real time.
func TestWaitForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, c := fake(t, clustertest.WithOperationTime(24*time.Hour))
		op, err := c.DeleteCluster(t.Context(), "training")
		if err != nil {
			t.Fatal(err)
		}
		for nth := 10; nth < 2000; nth += 50 {
			kinds := []clustertest.FaultKind{clustertest.FaultError, clustertest.FaultReply, clustertest.FaultCut, clustertest.FaultDropBefore}
			srv.Inject(clustertest.Fault{Verb: clustertest.VerbGetOperation, Nth: nth, Times: 3, Kind: kinds[nth/50%4]})
		}
		start, failures := time.Now(), 0
		err = op.Wait(t.Context(), lro.OnProgress(func(p lro.Progress) {
			if p.Err != nil {
				failures++
			}
		}))
		if took := time.Since(start); err != nil || took < 24*time.Hour || took > 24*time.Hour+time.Minute {
			t.Errorf("waited %v: %v", took, err)
		}
		if srv.PendingFaults() > 0 || failures > 0 { // each read retries, so the wait itself sees none
			t.Errorf("%d faults left, %d seen by the wait", srv.PendingFaults(), failures)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := srv.AddCluster("other", nil); err != nil {
			t.Fatal(err)
		}
		if op, err = c.DeleteCluster(ctx, "other"); err != nil {
			t.Fatal(err)
		}
		start = time.Now()
		var watching *lro.WaitError
		if err := op.Wait(ctx); !errors.As(err, &watching) || !errors.Is(err, context.DeadlineExceeded) || !slices.Equal(watching.Pending, []string{op.Name()}) || time.Since(start) != time.Minute {
			t.Errorf("deadline in the pause: %v after %v", err, time.Since(start))
		}
	})
}

func TestClientIsSafeForConcurrentUse(t *testing.T) {
	srv, c := fake(t)
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if _, err := c.GetCluster(context.Background(), "training"); err != nil {
				t.Error(err)
			}
			if _, err := c.ListClusters(context.Background(), nil).Next(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(srv.Requests()); n != 64 {
		t.Errorf("%d requests", n)
	}
}

func TestNewClientRefuses(t *testing.T) {
	hc := option.WithHTTPClient(http.DefaultClient)
	for _, tt := range []struct {
		parent string
		opts   []option.ClientOption
		want   string
	}{
		{"", nil, "cluster: parent name is empty; want projects/PROJECT/locations/REGION"},
		{"my-project", nil, `cluster: parent name "my-project" has 1 parts`},
		{"projects/p/locations/us-central1/x/y", nil, `has 6 parts instead of 4`},
		{parent, []option.ClientOption{hc, option.WithEndpoint("ftp://x")}, `endpoint "ftp://x" is no URL such as https://us-central1-aiplatform.googleapis.com`},
		{parent, []option.ClientOption{auth.WithToken("t"), option.WithEndpoint("http://gateway.example")},
			`cluster: auth: calls to http://gateway.example would not be encrypted`},
	} {
		if _, err := cluster.NewClient(context.Background(), tt.parent, tt.opts...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v; want %q", tt.parent, err, tt.want)
		}
	}
}

func TestEndpoints(t *testing.T) {
	const path = "/v1beta1/" + parent + "/modelDevelopmentClusters/c"
	for _, tt := range []struct {
		opts []option.ClientOption
		want string
	}{
		{nil, "https://us-central1-aiplatform.googleapis.com" + path},
		{[]option.ClientOption{option.WithUniverseDomain("s3nsapis.fr")}, "https://us-central1-aiplatform.s3nsapis.fr" + path},
		{[]option.ClientOption{option.WithEndpoint("https://aiplatform-x.p.googleapis.com")}, "https://aiplatform-x.p.googleapis.com" + path},
		{[]option.ClientOption{option.WithEndpoint("https://aiplatform-x.p.googleapis.com/v1beta1/")}, "https://aiplatform-x.p.googleapis.com" + path},
		{[]option.ClientOption{option.WithEndpoint("https://aiplatform-x.p.googleapis.com/v1")}, "https://aiplatform-x.p.googleapis.com" + path},
		{[]option.ClientOption{option.WithEndpoint("http://127.0.0.1:8080/")}, "http://127.0.0.1:8080" + path},
		{[]option.ClientOption{option.WithEndpoint("aiplatform-x.p.googleapis.com:443")}, "https://aiplatform-x.p.googleapis.com:443" + path},
		{[]option.ClientOption{option.WithEndpoint("https://gateway.example/google/")}, "https://gateway.example/google" + path},
		{[]option.ClientOption{option.WithEndpoint("https://gateway.example/a%2Fb%0A%25zz/")}, "https://gateway.example/a%2Fb%0A%25zz" + path},
	} {
		w := &wire{answers: []reply{{status: 200, body: named}}}
		c, err := cluster.NewClient(context.Background(), parent, append(tt.opts, option.WithHTTPClient(&http.Client{Transport: w}))...)
		if err != nil {
			t.Errorf("%s: %v", tt.want, err)
			continue
		}
		if _, err := c.GetCluster(context.Background(), "c"); err != nil || w.requests[0].url != tt.want {
			t.Errorf("sent to %s, %v; want %s", w.requests[0].url, err, tt.want)
		}
	}
}

// TestBrokenTokenIsNotRetried: credentials that are missing stay missing, and nothing is sent without them.
func TestBrokenTokenIsNotRetried(t *testing.T) {
	c, err := cluster.NewClient(context.Background(), parent, auth.WithToken(""))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.GetCluster(context.Background(), "training")
	var e *cluster.Error
	var hint *auth.Error
	if !errors.As(err, &e) || !errors.Is(err, cluster.ErrUnauthenticated) || e.Attempts != 1 || !e.Unprocessed || e.Transient() || !errors.As(err, &hint) || hint.Hint == "" {
		t.Errorf("%#v", err)
	}
	if n := strings.Count(fmt.Sprint(err), hint.Hint); n != 1 {
		t.Errorf("the hint stands %d times in %q", n, err)
	}
}
