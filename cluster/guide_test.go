package cluster_test

import (
	"context"
	"strings"
	"testing"

	"github.com/googleapis/gax-go/v2/callctx"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

const (
	base       = "https://us-central1-aiplatform.googleapis.com/v1beta1/" + parent + "/modelDevelopmentClusters"
	training   = base + "/training"
	updateDone = "response-update-operation.json"
)

// TestGuideRequests sends what each command of the service's guides sends: the update, delete and Slurm pages, and
// creation. Bodies are compared as canonical JSON with names in camelCase. Where the SDK differs on purpose, the
// row says so.
func TestGuideRequests(t *testing.T) {
	ctx := context.Background()
	named := func(file string) *cluster.ModelDevelopmentCluster {
		m := parse(t, payload(t, file))
		m.Name = "training"
		return m
	}
	update := func(file string, mask cluster.FieldMask, mode cluster.UpdateMode) func(*cluster.Client) error {
		return func(c *cluster.Client) error {
			_, err := c.UpdateCluster(ctx, named(file), mask, mode)
			return err
		}
	}
	slurm := func(method, path string, body []byte) func(*cluster.Client) error {
		return func(c *cluster.Client) error {
			_, err := c.CallSlurm(ctx, "training", &cluster.SlurmRequest{Method: method, Path: path, Body: body})
			return err
		}
	}
	submitBody := `{"job":{"name":"my-run","partition":"cpu","current_working_directory":"/home/alice_example_com","minimum_nodes":1,` +
		`"tasks_per_node":1,"environment":["PATH=/bin:/usr/bin"],"time_limit":{"set":true,"number":120}},` +
		`"script":"#!/bin/bash\necho hello\nsleep 5\necho done\n"}`
	host := &cluster.ReportFaultyHost{FaultReasons: []*cluster.FaultReason{
		{Behavior: cluster.FaultBehaviorUnrecoverableGPUError, Description: "XID 79 on GPU 3"},
		{Behavior: cluster.FaultBehaviorPerformance, Description: "GPU 3 slower than its peers"},
	}}
	report := func(action *cluster.NodeAction) func(*cluster.Client) error {
		return func(c *cluster.Client) error {
			_, err := c.ReportFaultyNodes(ctx, "training", action)
			return err
		}
	}
	tests := []struct {
		name, answer string
		call         func(*cluster.Client) error
		method, url  string
		body         string // file of the guide's body, or the body itself; "" for none
	}{
		// The guide's first update has no mask and no mode; the SDK never leaves the mode to the service.
		{"replace all", updateDone, update("update-resize.json", cluster.FieldMask{cluster.AllFields}, cluster.UpdateModeUserAndService),
			"PATCH", training + "?updateMode=USER_AND_SERVICE", "update-resize.json"},
		// The guide sends the whole cluster along with this mask; the SDK sends what the mask names.
		{"resize", updateDone, update("update-resize.json", cluster.FieldMask{cluster.PathPartitions, cluster.PathNodePools}, cluster.UpdateModeUserAndService),
			"PATCH", training + "?updateMask=orchestrator_spec.slurm_spec.partitions,node_pools&updateMode=USER_AND_SERVICE", resizeMasked},
		{"preemption", updateDone, update("update-preemption-config.json", cluster.FieldMask{cluster.PathConfig}, cluster.UpdateModeUserOnly),
			"PATCH", training + "?updateMask=orchestrator_spec.slurm_spec.config&updateMode=USER_ONLY", "update-preemption-config.json"},
		{"preemption, older form", updateDone, update("update-preemption-scheduling-legacy.json", cluster.FieldMask{cluster.PathScheduling}, cluster.UpdateModeUserOnly),
			"PATCH", training + "?updateMask=orchestrator_spec.slurm_spec.scheduling&updateMode=USER_ONLY", "update-preemption-scheduling-legacy.json"},
		{"default partition", updateDone, update("update-default-partition.json", cluster.FieldMask{cluster.PathDefaultPartitionID}, cluster.UpdateModeUserOnly),
			"PATCH", training + "?updateMask=orchestrator_spec.slurm_spec.default_partition_id&updateMode=USER_ONLY", "update-default-partition.json"},
		{"migration", updateDone, update("update-migrate-to-config.json",
			cluster.FieldMask{cluster.PathConfig, cluster.Clear(cluster.PathScheduling), cluster.Clear(cluster.PathAccounting)}, cluster.UpdateModeUserOnly),
			"PATCH", training + "?updateMask=orchestrator_spec.slurm_spec.config,orchestrator_spec.slurm_spec.scheduling,orchestrator_spec.slurm_spec.accounting&updateMode=USER_ONLY",
			"update-migrate-to-config.json"},
		{"clear config", updateDone, update("update-clear-config.json", cluster.FieldMask{cluster.PathConfig}, cluster.UpdateModeUserOnly),
			"PATCH", training + "?updateMask=orchestrator_spec.slurm_spec.config&updateMode=USER_ONLY", "update-clear-config.json"},
		{"node sets", updateDone, update("update-node-sets.json", cluster.FieldMask{cluster.PathNodeSets}, cluster.UpdateModeUserOnly),
			"PATCH", training + "?updateMask=orchestrator_spec.slurm_spec.node_sets&updateMode=USER_ONLY", "update-node-sets.json"},
		{"labels", updateDone, update("update-labels.json", cluster.FieldMask{cluster.PathLabels}, cluster.UpdateModeUserOnly),
			"PATCH", training + "?updateMask=labels&updateMode=USER_ONLY", "update-labels.json"},
		{"delete", "response-delete-operation.json", func(c *cluster.Client) error { _, err := c.DeleteCluster(ctx, "training"); return err },
			"DELETE", training, ""},
		{"get", "response-cluster-get.json", func(c *cluster.Client) error { _, err := c.GetCluster(ctx, "training"); return err },
			"GET", training, ""},
		{"list", "response-list-empty.json", func(c *cluster.Client) error {
			if _, err := c.ListClusters(ctx, nil).Next(); err != cluster.Done {
				return err
			}
			return nil
		}, "GET", base, ""},
		{"operation", "response-operation-done-delete.json", func(c *cluster.Client) error {
			return c.Operation("projects/123456789012/locations/us-central1/operations/5851522680259346432").Wait(ctx)
		}, "GET", "https://us-central1-aiplatform.googleapis.com/v1/projects/123456789012/locations/us-central1/operations/5851522680259346432", ""},
		{"delete a faulty node", updateDone, report(&cluster.NodeAction{NodeID: "training-a4-0"}),
			"POST", training + ":reportFaultyNodes", "report-faulty-nodes-delete.json"},
		{"report a faulty host", updateDone, report(&cluster.NodeAction{NodeID: "training-a4-0", ReportFaultyHost: host}),
			"POST", training + ":reportFaultyNodes", "report-faulty-nodes-host.json"},
		{"submit", "response-slurm-structured.json", slurm("POST", "/slurm/v0.0.42/job/submit", []byte(submitBody)),
			"POST", training + ":callSlurmRestApi", "slurm-submit-job.json"},
		{"job", "response-slurm-job-get.json", slurm("GET", "/slurm/v0.0.42/job/1234", nil), "POST", training + ":callSlurmRestApi", "slurm-get-job.json"},
		{"jobs", "response-slurm-structured.json", slurm("GET", "/slurm/v0.0.42/jobs/", nil), "POST", training + ":callSlurmRestApi", "slurm-list-jobs.json"},
		{"cancel", "response-slurm-structured.json", slurm("DELETE", "/slurm/v0.0.42/job/1234", nil), "POST", training + ":callSlurmRestApi", "slurm-cancel-job.json"},
		{"finished job", "response-slurm-structured.json", slurm("GET", "/slurmdb/v0.0.42/job/1234", nil), "POST", training + ":callSlurmRestApi", "slurm-finished-job.json"},
	}
	for _, file := range []string{"cpu-only.json", "cpu-advanced-slurm.json", "cpu-advanced-slurm-legacy.json", "gpu-filestore.json",
		"gpu-lustre.json", "gpu-lustre-older-snake-affinity.json", "gpu-startup-script.json", "user-a3-mega-on-demand.json"} {
		tests = append(tests, tests[0])
		last := &tests[len(tests)-1]
		last.name, last.answer, last.method, last.url, last.body = "create "+file, "response-create-operation.json", "POST", base+"?model_development_cluster_id=training", file
		last.call = func(c *cluster.Client) error {
			_, err := c.CreateCluster(ctx, "training", parse(t, payload(t, file)))
			return err
		}
	}
	for _, tt := range tests {
		c, w := scripted(t, reply{status: 200, body: string(payload(t, tt.answer))})
		if err := tt.call(c); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if len(w.requests) != 1 {
			t.Errorf("%s: %d requests", tt.name, len(w.requests))
		}
		got := w.requests[0]
		if got.method != tt.method || got.url != tt.url {
			t.Errorf("%s: sent %s %s\nwant %s %s", tt.name, got.method, got.url, tt.method, tt.url)
		}
		if tt.body == "" {
			if got.body != "" || got.header.Get("Content-Type") != "" {
				t.Errorf("%s: sent a body %q of type %q", tt.name, got.body, got.header.Get("Content-Type"))
			}
			continue
		}
		want := []byte(tt.body)
		if strings.HasSuffix(tt.body, ".json") {
			want = payload(t, tt.body)
		}
		// What goes to Slurm is Slurm's and not renamed.
		isSlurm := strings.HasSuffix(tt.url, ":callSlurmRestApi")
		if got, want := canonical(t, []byte(got.body), false), canonical(t, want, !isSlurm); got != want {
			t.Errorf("%s: sent body\n%s\nwant\n%s", tt.name, got, want)
		}
		if got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: content type %q", tt.name, got.header.Get("Content-Type"))
		}
	}
}

const resizeMasked = `{"node_pools":[{"id":"cpu","machine_spec":{"machine_type":"n2-standard-8"},"scaling_spec":{"min_node_count":4,"max_node_count":4},` +
	`"zone":"us-central1-a","enable_public_ips":true,"boot_disk":{"boot_disk_type":"pd-standard","boot_disk_size_gb":120}},` +
	`{"id":"login","machine_spec":{"machine_type":"n2-standard-8"},"scaling_spec":{"min_node_count":1,"max_node_count":1},` +
	`"zone":"us-central1-a","enable_public_ips":true,"boot_disk":{"boot_disk_type":"pd-standard","boot_disk_size_gb":120}}],` +
	`"orchestrator_spec":{"slurm_spec":{"partitions":[{"id":"cpu","node_pool_ids":["cpu"]}]}}}`

// TestFlexStartPayload has a name without an id and "true" for true; the service takes both, and the SDK sends
// neither.
func TestFlexStartPayload(t *testing.T) {
	c, w := scripted(t, reply{status: 200, body: string(payload(t, "response-create-operation.json"))})
	if _, err := c.CreateCluster(context.Background(), "flexvm", parse(t, payload(t, "flex-start.json"))); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(`"true"`, `true`, `"name": "projects/my-project/locations/us-central1/modelDevelopmentClusters/",`, ``).
		Replace(string(payload(t, "flex-start.json")))
	if got, want := canonical(t, []byte(w.requests[0].body), false), canonical(t, []byte(want), true); got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
}

func TestHeaders(t *testing.T) {
	c, w := scripted(t, reply{status: 200, body: named})
	if _, err := c.GetCluster(context.Background(), "training"); err != nil {
		t.Fatal(err)
	}
	h := w.requests[0].header
	if got := h.Get("User-Agent"); !strings.HasPrefix(got, "trainingclusters-go/") {
		t.Errorf("User-Agent %q", got)
	}
	own := h.Get("X-Goog-Api-Client")
	if !strings.HasPrefix(own, "gl-go/1.") || !strings.Contains(own, " gccl/") {
		t.Errorf("X-Goog-Api-Client %q", own)
	}
	// A caller replaces headers, and adds to the one in which every library on the way names itself.
	ctx := callctx.SetHeaders(context.Background(), "x-goog-request-params", "a=b", "x-goog-api-client", "wrapper/1.0", "user-agent", "mine")
	if _, err := c.GetCluster(ctx, "training"); err != nil {
		t.Fatal(err)
	}
	h = w.requests[1].header
	if h.Get("X-Goog-Request-Params") != "a=b" || h.Get("User-Agent") != "mine" || h.Get("X-Goog-Api-Client") != "wrapper/1.0 "+own {
		t.Errorf("headers of the caller: %v", h)
	}
}
