package clustertest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// started sends a request that starts an operation and returns the address of the operation.
func started(t *testing.T, s *clustertest.Server, method, url, body string) string {
	t.Helper()
	return host + "/v1/" + send(t, s, method, url, body).ok(t)["name"].(string)
}

func TestDeleteOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := seeded(t, "")
		op := send(t, s, "DELETE", one, "").ok(t)
		if at(op, "metadata", "@type") != "type.googleapis.com/google.cloud.aiplatform.v1beta1.DeleteModelDevelopmentClusterOperationMetadata" ||
			at(op, "metadata", "progressMessage") != nil {
			t.Errorf("metadata of a delete %v", op["metadata"])
		}
		time.Sleep(270 * time.Second)
		end := send(t, s, "GET", host+"/v1/"+op["name"].(string), "").ok(t)
		if end["done"] != true || at(end, "response", "@type") != "type.googleapis.com/google.protobuf.Empty" {
			t.Errorf("finished delete %v", end)
		}
		send(t, s, "GET", one, "").fails(t, 404, "NOT_FOUND", "training")
	})
}

func TestCancel(t *testing.T) {
	tests := []struct {
		why, method, url, body string
		code                   any    // of the operation, nil while it runs
		state                  string // of the cluster right afterwards
		ends                   string // and when everything is over; "" is gone
	}{
		{"a create leaves a broken cluster", "POST", all + "?model_development_cluster_id=training", "cpu-only.json", 1.0, "ERROR", "ERROR"},
		{"an update leaves the cluster as it was", "PATCH", one + "?updateMask=node_pools", "update-resize.json", 1.0, "RUNNING", "RUNNING"},
		{"a delete goes on: cancelling is best effort", "DELETE", one, "", nil, "STOPPING", ""},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := clustertest.NewServer()
				body := ""
				if tt.body != "" {
					body = payload(t, tt.body)
				}
				if tt.method != "POST" {
					if err := s.AddCluster("training", []byte(payload(t, "cpu-only.json"))); err != nil {
						t.Fatal(err)
					}
				}
				op := started(t, s, tt.method, tt.url, body)
				time.Sleep(time.Second)
				if got := compact(t, send(t, s, "POST", op+":cancel", "{}").body); got != "{}" {
					t.Errorf("answer to cancel %s", got)
				}
				if code := at(send(t, s, "GET", op, "").ok(t), "error", "code"); code != tt.code {
					t.Errorf("code %v, want %v", code, tt.code)
				}
				got := send(t, s, "GET", one, "").ok(t)
				if state := at(got, "clusterStatus", "state"); state != tt.state {
					t.Errorf("state %v, want %s", state, tt.state)
				}
				if n := at(got, "nodePools", 0, "scalingSpec", "minNodeCount"); n != 2.0 {
					t.Errorf("count %v: the cancelled update took effect", n)
				}
				time.Sleep(time.Hour)
				if after := s.Cluster("training"); (after == nil) != (tt.ends == "") || !strings.Contains(string(after), tt.ends) {
					t.Errorf("in the end: %s", after)
				}
			})
		})
	}
}

func TestWaitMethod(t *testing.T) {
	tests := []struct {
		why, body string
		elapsed   time.Duration
		done      any
	}{
		{"the timeout ends first", `{"timeout":"3.5s"}`, 3500 * time.Millisecond, nil},
		{"the server's own patience ends first", `{"timeout":"3600s"}`, 30 * time.Second, nil},
		{"no timeout given", ``, 30 * time.Second, nil},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := seeded(t, "")
				op := started(t, s, "DELETE", one, "")
				start := time.Now()
				got := send(t, s, "POST", op+":wait", tt.body).ok(t)
				if elapsed := time.Since(start); elapsed != tt.elapsed || got["done"] != tt.done {
					t.Errorf("after %v done is %v, want %v and %v", elapsed, got["done"], tt.elapsed, tt.done)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := seeded(t, "")
		op := started(t, s, "DELETE", one, "")
		time.Sleep(265 * time.Second)
		start := time.Now()
		if got := send(t, s, "POST", op+":wait", "{}").ok(t); got["done"] != true || time.Since(start) != 5*time.Second {
			t.Errorf("the operation ended, but after %v wait says %v", time.Since(start), got)
		}
	})
}

func TestOperationRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := seeded(t, "")
		first := started(t, s, "PATCH", one+"?updateMask=labels", `{}`)
		time.Sleep(time.Hour)
		second := started(t, s, "DELETE", one, "")
		if got := fmt.Sprint(pages(t, s, parent+"/operations", "operations", "pageSize=1")); got != "[4000000000000000002 4000000000000000001]" {
			t.Errorf("operations %s, want the newest first", got)
		}
		// Deleting the record stops nothing.
		if got := compact(t, send(t, s, "DELETE", second, "").body); got != "{}" {
			t.Errorf("answer to delete %s", got)
		}
		send(t, s, "GET", second, "").fails(t, 404, "NOT_FOUND", "operations/4000000000000000002")
		send(t, s, "POST", second+":cancel", "").fails(t, 404, "NOT_FOUND", "")
		send(t, s, "POST", second+":wait", "").fails(t, 404, "NOT_FOUND", "")
		send(t, s, "GET", first, "").ok(t)
		time.Sleep(time.Hour)
		if s.Cluster("training") != nil {
			t.Error("the cluster outlived its deletion")
		}
	})
}

func TestFailNextOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := seeded(t, payload(t, "cpu-only.json"))
		s.FailNextOperation(clustertest.VerbUpdate, "RESOURCE_EXHAUSTED", "no capacity",
			json.RawMessage(`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCKOUT"}`))
		op := started(t, s, "PATCH", one+"?updateMask=node_pools", payload(t, "update-resize.json"))
		if got := send(t, s, "GET", op, "").ok(t); got["done"] != nil {
			t.Errorf("failed at once: %v", got)
		}
		time.Sleep(20 * time.Second)
		got := send(t, s, "GET", op, "").ok(t)
		if at(got, "error", "code") != 8.0 || at(got, "error", "message") != "no capacity" || at(got, "error", "details", 0, "reason") != "STOCKOUT" {
			t.Errorf("error %v", got["error"])
		}
		cl := send(t, s, "GET", one, "").ok(t)
		if at(cl, "clusterStatus", "state") != "RUNNING" || at(cl, "nodePools", 0, "scalingSpec", "minNodeCount") != 2.0 || len(nodeTimes(t, s)) != 3 {
			t.Errorf("cluster after the failed update %v", cl)
		}
		if again := send(t, s, "PATCH", one+"?updateMask=labels", `{}`).ok(t); again["error"] != nil {
			t.Errorf("the update after it failed too: %v", again)
		}
	})
}

func TestReportFaultyNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := seeded(t, payload(t, "gpu-filestore.json"))
		time.Sleep(time.Minute)
		report := one + ":reportFaultyNodes"
		op := started(t, s, "POST", report, payload(t, "report-faulty-nodes-host.json"))
		if got := nodeTimes(t, s)["training-a4-0"]; got != "REPAIRING 2000-01-01T00:01:00.000000Z" {
			t.Errorf("node %s", got)
		}
		send(t, s, "POST", report, payload(t, "report-faulty-nodes-host.json")).fails(t, 400, "FAILED_PRECONDITION", "REPAIRING")
		time.Sleep(2 * time.Minute)
		if got := send(t, s, "GET", op, "").ok(t); got["done"] != true {
			t.Errorf("operation %v", got)
		}
		if got := nodeTimes(t, s)["training-a4-0"]; got != "RUNNING 2000-01-01T00:03:00.000000Z" {
			t.Errorf("node %s", got)
		}
		op = started(t, s, "POST", report, payload(t, "report-faulty-nodes-delete.json"))
		if got := nodeTimes(t, s)["training-a4-0"]; !strings.HasPrefix(got, "PREPARING") {
			t.Errorf("deleted node %s", got)
		}
		send(t, s, "POST", op+":cancel", "").ok(t)
		if got := nodeTimes(t, s)["training-a4-0"]; got != "RUNNING 2000-01-01T00:03:00.000000Z" {
			t.Errorf("node after cancelling %s", got)
		}
		for body, want := range map[string]string{
			`{}`: "exactly one node action",
			`{"nodeActions":[{"nodeId":"training-a4-0"},{"nodeId":"training-a4-1"}]}`:                                            "got 2",
			`{"nodeActions":[{"nodeId":"training-a4-9"}]}`:                                                                       `"training-a4-9" is not part`,
			`{"nodeActions":[{"nodeId":"training-a4-0","reportFaultyHost":{}}]}`:                                                 "at least one reason",
			`{"nodeActions":[{"nodeId":"training-login-001","reportFaultyHost":{"faultReasons":[{"behavior":"PERFORMANCE"}]}}]}`: "n2-standard-8",
			`{"nodeActions":[{"nodeId":"training-a4-0","reportFaultyHost":{"faultReasons":[{"behavior":"SLOW"}]}}]}`:             `FaultReason.Behavior), "SLOW"`,
		} {
			send(t, s, "POST", report, body).fails(t, 400, "INVALID_ARGUMENT", want)
		}
	})
}
