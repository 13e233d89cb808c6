//go:build realslurm

package realslurm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/internal/realslurm"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// client is a user's client, through the platform's test server and the proxy, to the real Slurm.
func client(t *testing.T, bed *realslurm.Bed, user string) *slurm.Client {
	t.Helper()
	srv := clustertest.NewServer(clustertest.WithTB(t), clustertest.WithSlurm(bed.Handler(user)))
	if err := srv.AddCluster("training", nil); err != nil {
		t.Fatal(err)
	}
	platform, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", srv.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := slurm.NewClient(platform, "training")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// guideJob is the job of the service's guide, with the user's real home and a shorter pause. Its name is the test's,
// so that tests do not find each other's jobs.
func guideJob(t *testing.T, script string) *slurm.JobSpec {
	return &slurm.JobSpec{
		Name:             t.Name(),
		Partition:        "cpu",
		WorkingDirectory: "/home/alice",
		MinNodes:         1,
		TasksPerNode:     1,
		Environment:      map[string]string{"PATH": "/bin:/usr/bin"},
		TimeLimit:        2 * time.Hour,
		Script:           "#!/bin/bash\n" + script,
	}
}

func submit(t *testing.T, c *slurm.Client, spec *slurm.JobSpec) slurm.JobID {
	t.Helper()
	id, err := c.Submit(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Cancel(context.Background(), id) }) // t.Context has ended then
	return id
}

// quickly makes waits look more often than a cluster in use should be asked.
var quickly = lro.WithBackoff(gax.Backoff{Initial: 100 * time.Millisecond, Max: 500 * time.Millisecond, Multiplier: 1.5})

func TestPing(t *testing.T) {
	controllers, err := client(t, realslurm.Connect(t), "alice").Ping(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(controllers) != 1 || controllers[0].Hostname != "slurm" || !controllers[0].Up {
		t.Errorf("controllers %+v, want slurm, up", controllers)
	}
}

func TestGuide(t *testing.T) {
	bed := realslurm.Connect(t)
	c := client(t, bed, "alice")
	id := submit(t, c, guideJob(t, "echo hello\nsleep 1\necho done\n"))
	live, err := c.List(t.Context(), nil)
	if err != nil || !slices.ContainsFunc(live, func(j *slurm.Job) bool { return j.ID == id && j.User == "alice" }) {
		t.Errorf("the queue is %v, %v, want job %s of alice in it", live, err, id)
	}
	job, err := c.Wait(t.Context(), id, quickly)
	if err != nil {
		t.Fatal(err)
	}
	if job.State != slurm.StateCompleted || job.Name != t.Name() || job.TimeLimit != 2*time.Hour || job.Elapsed() < time.Second {
		t.Errorf("ended as %v after %v, limit %v", job, job.Elapsed(), job.TimeLimit)
	}
	if got := string(bed.ReadFile(fmt.Sprintf("/home/alice/slurm-%s.out", id))); got != "hello\ndone\n" {
		t.Errorf("output %q", got)
	}
	records, err := c.History(t.Context(), id)
	if err != nil || len(records) != 1 || records[0].State != slurm.StateCompleted || records[0].User != "alice" {
		t.Errorf("history %v, %v", records, err)
	}
}

func TestFailure(t *testing.T) {
	c := client(t, realslurm.Connect(t), "alice")
	job, err := c.Wait(t.Context(), submit(t, c, guideJob(t, "exit 3\n")), quickly)
	var failed *slurm.JobError
	if !errors.As(err, &failed) || job.State != slurm.StateFailed || job.ExitCode.Code != 3 {
		t.Errorf("ended as %v with %v, want FAILED with exit code 3", job, err)
	}
}

func TestGPUs(t *testing.T) {
	bed := realslurm.Connect(t)
	c := client(t, bed, "alice")
	spec := guideJob(t, "echo $CUDA_VISIBLE_DEVICES\n")
	spec.Partition, spec.GPUsPerNode, spec.GPUType = "a4", 2, "b200"
	spec.TimeLimit = time.Hour
	id := submit(t, c, spec)
	job, err := c.Wait(t.Context(), id, quickly)
	if err != nil || job.GPUs() != 2 {
		t.Errorf("ended as %v, %v, with %d GPUs, want 2", job, err, job.GPUs())
	}
	if got := string(bed.ReadFile(fmt.Sprintf("/home/alice/slurm-%s.out", id))); len(got) != len("0,1\n") {
		t.Errorf("devices %q, want two", got)
	}
}

func TestCancelPending(t *testing.T) {
	bed := realslurm.Connect(t)
	c := client(t, bed, "alice")
	spec := guideJob(t, "sleep 60\n")
	spec.Hold = true
	id := submit(t, c, spec)
	if err := client(t, bed, "bob").Cancel(t.Context(), id); !errors.Is(err, slurm.ErrPermission) {
		t.Errorf("bob cancels alice's job: %v, want no permission", err)
	}
	if err := c.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	job, err := c.Wait(t.Context(), id, quickly)
	var failed *slurm.JobError
	if !errors.As(err, &failed) || !failed.Cancelled() {
		t.Errorf("ended as %v with %v, want cancelled", job, err)
	}
}

// A job that has left the queue is still found, and Wait finds out how it ended.
func TestAgedJob(t *testing.T) {
	c := client(t, realslurm.Connect(t), "alice")
	id := submit(t, c, guideJob(t, "exit 4\n"))
	if _, err := c.Wait(t.Context(), id, quickly); err == nil {
		t.Fatal("exit 4 is no failure")
	}
	for {
		if _, err := c.Get(t.Context(), id); errors.Is(err, slurm.ErrNotFound) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		<-time.After(500 * time.Millisecond)
	}
	job, err := c.Wait(t.Context(), id, quickly)
	if err == nil || job.Source != slurm.SourceAccounting || job.State != slurm.StateFailed || job.ExitCode.Code != 4 {
		t.Errorf("ended as %v with %v, want FAILED with exit code 4", job, err)
	}
}

// The controller restarts, and then is away for some reads, while a job is waited for.
func TestControllerRestarts(t *testing.T) {
	bed := realslurm.Connect(t)
	c := client(t, bed, "alice")
	id := submit(t, c, guideJob(t, "sleep 3\n"))
	var news []string
	restarted := false
	job, err := c.Wait(t.Context(), id, quickly, lro.OnProgress(func(p lro.Progress) {
		news = append(news, fmt.Sprintf("%v %s %v", p.Elapsed.Round(time.Millisecond), p.Message, p.Err))
		if !restarted {
			restarted = true
			bed.Restart(realslurm.Controller)
		}
	}))
	if err != nil || job.State != slurm.StateCompleted || !restarted {
		t.Errorf("ended as %v, %v, restarted %v; progress %q", job, err, restarted, news)
	}
}

func TestControllerDown(t *testing.T) {
	bed := realslurm.Connect(t)
	c := client(t, bed, "alice")
	id := submit(t, c, guideJob(t, "sleep 1\n"))
	var news []string
	failures := 0
	job, err := c.Wait(t.Context(), id, quickly, lro.OnProgress(func(p lro.Progress) {
		news = append(news, fmt.Sprintf("%v %s %v", p.Elapsed.Round(time.Millisecond), p.Message, p.Err))
		switch {
		case len(news) == 1:
			bed.Stop(realslurm.Controller)
		case p.Err != nil:
			failures++
			bed.Start(realslurm.Controller)
		}
	}))
	if err != nil || job.State != slurm.StateCompleted || failures == 0 {
		t.Errorf("ended as %v, %v; progress %q", job, err, news)
	}
}

func TestNodeFailure(t *testing.T) {
	bed := realslurm.Connect(t)
	c := client(t, bed, "alice")
	spec := guideJob(t, "sleep 60\n")
	spec.RequiredNodes = []string{"n2"}
	spec.Requeue = new(bool)
	id := submit(t, c, spec)
	down := false
	job, err := c.Wait(t.Context(), id, quickly, lro.OnProgress(func(p lro.Progress) {
		if j, err := c.Get(t.Context(), id); err == nil && j.Running() && !down {
			down = true
			bed.NodeDown("n2")
		}
	}))
	var failed *slurm.JobError
	if !errors.As(err, &failed) || !failed.Infrastructure() || job.State != slurm.StateNodeFail {
		t.Errorf("ended as %v with %v, want NODE_FAIL", job, err)
	}
	bed.NodeResume("n2")
}
