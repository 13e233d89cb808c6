package cluster_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/rpcstatus"
)

// The tables of the package's doc comment are held to what the code does.

// docTable returns the rows of the table whose heading begins so. Columns are two spaces apart, or more.
func docTable(t *testing.T, heading string, columns int) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "\n\t"+heading+" ")
	if !found {
		t.Fatalf("doc.go has no table %q", heading)
	}
	for line := range strings.Lines(table[strings.Index(table, "\n")+1:]) {
		if !strings.HasPrefix(line, "\t") {
			break
		}
		row := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1)
		if columns == 3 && len(row) == 2 { // one space is enough where a name is long
			first, second, _ := strings.Cut(row[0], " ")
			row = []string{first, second, row[1]}
		}
		if len(row) != columns {
			t.Fatalf("%q has %d columns, not %d", line, len(row), columns)
		}
		rows = append(rows, row)
	}
	return rows
}

// refusal is a transport that has no token, as package rest knows them.
type refusal bool

func (refusal) Error() string     { return "no token" }
func (r refusal) Permanent() bool { return bool(r) }

// failures are what the words of the retry table stand for.
var failures = map[string]reply{
	"the connection cannot be made":     {err: &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}},
	"a token cannot be fetched for now": {err: refusal(false)},
	"503 with Retry-After or RetryInfo": {status: 503, body: "{}", header: http.Header{"Retry-After": {"1"}}},
	"503 without":                       {status: 503, body: "{}"},
	"the connection breaks":             {err: &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}},
	"the reply is cut short":            {status: 200, body: `{"name":`},
	"a page of HTML":                    {status: 200, body: "<html>"},
	"no credentials":                    {err: refusal(true)},
	"a certificate that is not trusted": {err: x509.UnknownAuthorityError{}},
	"408":                               {status: 408, body: "{}"}, "429": {status: 429, body: "{}"}, "500": {status: 500, body: "{}"},
	"502": {status: 502, body: "{}"}, "504": {status: 504, body: "{}"}, "400": {status: 400, body: "{}"},
	"401": {status: 401, body: "{}"}, "403": {status: 403, body: "{}"}, "404": {status: 404, body: "{}"},
	"409": {status: 409, body: "{}"}, "501": {status: 501, body: "{}"},
}

func TestRetryTable(t *testing.T) {
	slurm := func(method, body string, repeat cluster.SlurmRepeat) func(context.Context, *cluster.Client) error {
		return func(ctx context.Context, c *cluster.Client) error {
			_, err := c.CallSlurm(ctx, "c", &cluster.SlurmRequest{Method: method, Path: "/x", Body: []byte(body), Repeat: repeat})
			return err
		}
	}
	spec, err := cluster.ReadFile("testdata/payloads/cpu-only.json")
	if err != nil {
		t.Fatal(err)
	}
	kinds := [][]func(context.Context, *cluster.Client) error{
		{
			func(ctx context.Context, c *cluster.Client) error { _, err := c.GetCluster(ctx, "c"); return err },
			func(ctx context.Context, c *cluster.Client) error {
				_, err := c.ListClusters(ctx, nil).Next()
				return err
			},
			func(ctx context.Context, c *cluster.Client) error {
				_, err := c.Operation(parent + "/operations/1").Poll(ctx)
				return err
			},
			func(ctx context.Context, c *cluster.Client) error {
				return c.Operation(parent + "/operations/1").Cancel(ctx)
			},
			slurm("GET", "", cluster.RepeatDefault), slurm("DELETE", "", cluster.RepeatAlways),
		}, {
			func(ctx context.Context, c *cluster.Client) error { _, err := c.DeleteCluster(ctx, "c"); return err },
			func(ctx context.Context, c *cluster.Client) error {
				_, err := c.CreateCluster(ctx, "c", spec)
				return err
			},
			func(ctx context.Context, c *cluster.Client) error {
				m := &cluster.ModelDevelopmentCluster{Name: parent + "/modelDevelopmentClusters/c", Labels: map[string]string{"a": "b"}}
				_, err := c.UpdateCluster(ctx, m, cluster.FieldMask{cluster.PathLabels}, cluster.UpdateModeUserOnly)
				return err
			},
			func(ctx context.Context, c *cluster.Client) error {
				_, err := c.ReportFaultyNodes(ctx, "c", &cluster.NodeAction{NodeID: "c-cpu-0"})
				return err
			},
		},
		{slurm("POST", "{}", cluster.RepeatDefault), slurm("DELETE", "", cluster.RepeatDefault)},
	}
	told := map[string]bool{}
	for _, row := range docTable(t, "failure", 1+len(kinds)) {
		for name := range strings.SplitSeq(row[0], ", ") {
			failure, known := failures[name]
			if !known {
				t.Errorf("nobody knows what %q is", name)
				continue
			}
			told[name] = true
			for i, calls := range kinds {
				for j, call := range calls {
					synctest.Test(t, func(t *testing.T) {
						c, w := scripted(t, failure)
						err := call(t.Context(), c)
						want := map[string]int{"yes": 5, "no": 1}[row[i+1]]
						if len(w.requests) != want || err == nil {
							t.Errorf("%s, call %d of column %d: sent %d times, and the table says %s: %v", name, j, i+1, len(w.requests), row[i+1], err)
						}
					})
				}
			}
		}
	}
	if len(told) != len(failures) {
		t.Errorf("the table tells of %d failures of %d", len(told), len(failures))
	}
}

// TestMaskTable plans changes below each path, and compares what they cost.
func TestMaskTable(t *testing.T) {
	type edit = func(*cluster.ModelDevelopmentCluster)
	edits := map[string][]edit{
		cluster.PathLabels: {func(m *cluster.ModelDevelopmentCluster) { m.Labels = map[string]string{"a": "b"} }},
		cluster.PathNodePools: {
			func(m *cluster.ModelDevelopmentCluster) { m.NodePools = m.NodePools[1:] },
			func(m *cluster.ModelDevelopmentCluster) { m.NodePool("cpu").ScalingSpec.MaxNodeCount-- },
			func(m *cluster.ModelDevelopmentCluster) { m.NodePool("cpu").StartupScript = "#!/bin/sh\n" },
			func(m *cluster.ModelDevelopmentCluster) { m.NodePool("login").StartupScript = "#!/bin/sh\n" },
		},
		cluster.PathPartitions:         {func(m *cluster.ModelDevelopmentCluster) { m.Slurm().Partitions = m.Slurm().Partitions[1:] }},
		cluster.PathDefaultPartitionID: {func(m *cluster.ModelDevelopmentCluster) { m.Slurm().DefaultPartitionID = "two" }},
		cluster.PathLoginNodePoolID:    {func(m *cluster.ModelDevelopmentCluster) { m.Slurm().LoginNodePoolID = "cpu" }},
		cluster.PathPrologBashScripts:  {func(m *cluster.ModelDevelopmentCluster) { m.Slurm().PrologBashScripts = []string{"#!/bin/bash\n"} }},
		cluster.PathEpilogBashScripts:  {func(m *cluster.ModelDevelopmentCluster) { m.Slurm().EpilogBashScripts = []string{"#!/bin/bash\n"} }},
		cluster.PathConfig:             {func(m *cluster.ModelDevelopmentCluster) { m.Slurm().Config.Set("PriorityWeightAge", "7") }},
		cluster.PathScheduling:         {func(m *cluster.ModelDevelopmentCluster) { m.Slurm().Scheduling = &cluster.Scheduling{} }},
		cluster.PathAccounting:         {func(m *cluster.ModelDevelopmentCluster) { m.Slurm().Accounting = &cluster.Accounting{} }},
		cluster.PathNodeSets:           {func(m *cluster.ModelDevelopmentCluster) { m.Slurm().NodeSets = []*cluster.NodeSet{{NodePoolID: "cpu"}} }},
	}
	rows := docTable(t, "path", 3)
	if len(rows) != len(edits) {
		t.Errorf("the table has %d paths, not %d", len(rows), len(edits))
	}
	for _, row := range rows {
		if _, err := cluster.ParseFieldMask(row[0]); err != nil || edits[row[0]] == nil {
			t.Errorf("%s is no path: %v", row[0], err)
		}
		var cost []string
		for _, change := range edits[row[0]] {
			current, want := small(t), small(t)
			change(want)
			plan := cluster.PlanUpdate(current, want, cluster.FieldMask{row[0]}, cluster.UpdateModeUserOnly)
			for _, e := range plan.Effects {
				if e.Kind.Destructive() && !slices.Contains(cost, string(e.Kind)) {
					cost = append(cost, string(e.Kind))
				}
			}
		}
		want := strings.Fields(strings.TrimPrefix(row[2], "nothing"))
		slices.Sort(cost)
		slices.Sort(want)
		if !slices.Equal(cost, want) {
			t.Errorf("%s: changes cost %q, and the table says %q", row[0], cost, want)
		}
	}
}

// small is a cluster with two partitions.
func small(t *testing.T) *cluster.ModelDevelopmentCluster {
	t.Helper()
	m, err := cluster.ReadFile("testdata/payloads/cpu-only.json")
	if err != nil {
		t.Fatal(err)
	}
	m.Name = parent + "/modelDevelopmentClusters/c"
	m.Slurm().Partitions = append(m.Slurm().Partitions, &cluster.Partition{ID: "two", NodePoolIDs: []string{"cpu"}})
	return m
}

// TestErrorTable: each row's variable is that of its code, and each variable has a row.
func TestErrorTable(t *testing.T) {
	variables := map[string]error{
		"ErrInvalidArgument": cluster.ErrInvalidArgument, "ErrNotFound": cluster.ErrNotFound,
		"ErrAlreadyExists": cluster.ErrAlreadyExists, "ErrPermissionDenied": cluster.ErrPermissionDenied,
		"ErrUnauthenticated": cluster.ErrUnauthenticated, "ErrResourceExhausted": cluster.ErrResourceExhausted,
		"ErrFailedPrecondition": cluster.ErrFailedPrecondition, "ErrAborted": cluster.ErrAborted,
		"ErrUnimplemented": cluster.ErrUnimplemented, "ErrUnavailable": cluster.ErrUnavailable,
	}
	text, err := os.ReadFile("errors.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(regexp.MustCompile(`(?m)^\tErr\w+ += errors\.New`).FindAll(text, -1)); n != len(variables) {
		t.Errorf("errors.go has %d variables, and this test knows %d", n, len(variables))
	}
	told := map[string]bool{}
	for _, row := range docTable(t, "code", 3) {
		// 418 is UNKNOWN by itself, so that the code is the one of the body.
		c, _ := scripted(t, reply{status: 418, body: `{"error":{"code":418,"status":"` + row[0] + `","message":"m"}}`})
		_, err := c.DeleteCluster(t.Context(), "c")
		for name, variable := range variables {
			if errors.Is(err, variable) != (row[1] == name) {
				t.Errorf("%s matches %s: %v", row[0], name, err)
			}
		}
		if got := err.Error(); !strings.Contains(got, ": "+row[0]+": ") {
			t.Errorf("%s is no code: %s", row[0], got)
		}
		told[row[1]] = true
	}
	for name := range variables {
		if !told[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
}

// TestErrorTableIsComplete: whatever the service, a proxy, the network or the context does to a call, the code of its error
// has a row, and each row is for something.
func TestErrorTableIsComplete(t *testing.T) {
	answers := map[string]reply{}
	maps.Copy(answers, failures)
	for status := 300; status < 600; status++ {
		answers[fmt.Sprint("HTTP ", status)] = reply{status: status, body: "{}"}
	}
	for code := codes.Code(0); code < 18; code++ {
		answers[fmt.Sprint("google.rpc.Code ", code)] = reply{status: 400, body: fmt.Sprintf(`{"error":{"code":%d}}`, code)}
		answers[fmt.Sprint("status of ", code)] = reply{status: 400, body: fmt.Sprintf(`{"error":{"status":%q}}`, rpcstatus.Name(code))}
	}
	answers["not JSON"], answers["a lone word"] = reply{status: 200, body: "hello"}, reply{status: 400, body: "hello"}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithTimeout(t.Context(), -1)
	defer cancel()
	row, seen := map[string]bool{}, map[string]bool{}
	for _, cells := range docTable(t, "code", 3) {
		row[cells[0]] = true
	}
	for name, answer := range answers {
		for _, ctx := range []context.Context{t.Context(), ended, late} {
			if ctx.Err() != nil {
				answer.err = ctx.Err() // as the transport would say
			}
			c, _ := scripted(t, answer)
			_, err := c.GetCluster(ctx, "c", gax.WithRetry(func() gax.Retryer { return never{} }))
			var e *cluster.Error
			if !errors.As(err, &e) {
				t.Fatalf("%s: %v", name, err)
			}
			code := rpcstatus.Name(e.Code)
			if seen[code] = true; !row[code] {
				t.Errorf("%s: %s has no row: %v", name, code, err)
			}
		}
	}
	for code := range row {
		if !seen[code] {
			t.Errorf("nothing leads to %s", code)
		}
	}
}
