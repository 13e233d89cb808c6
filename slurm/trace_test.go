package slurm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

const trainingName = "projects/my-project/locations/us-central1/modelDevelopmentClusters/training"

// TestLogsHoldNoSecrets plants one in all that travels, has servers quote it, and logs by each way there is at the finest
// level, over a socket.
func TestLogsHoldNoSecrets(t *testing.T) {
	for name, way := range map[string]func(*slog.Logger) option.ClientOption{
		"WithLogger": option.WithLogger,
		"LogTracer":  func(l *slog.Logger) option.ClientOption { return cluster.WithTracer(cluster.LogTracer(l)) },
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug - 4, AddSource: true}))
			plant(t, logger, way(logger))
			if strings.Contains(log.String(), "PLANTED") {
				t.Errorf("the log holds a secret:\n%s", log.String())
			}
			for _, want := range []string{`"slurm_path":"/slurm/v0.0.42/job/submit"`, `"code":"INVALID_ARGUMENT"`,
				`"attempt failed, trying again"`, `"msg":"refused","err":{"op":"call Slurm (POST /slurm/v0.0.42/job/submit) of"`} {
				if !strings.Contains(log.String(), want) {
					t.Errorf("the log lacks %s:\n%s", want, log.String())
				}
			}
		})
	}
}

// plant makes calls that hold secrets, of a client that logs as opt says, and logs an error of theirs.
func plant(t *testing.T, logger *slog.Logger, opt option.ClientOption) {
	const token, script, value, name = "ya29.PLANTED-token", "PLANTED-script", "PLANTED-environment", "PLANTED-name"
	service := clustertest.NewServer(clustertest.WithSlurm(slurmtest.NewServer()),
		clustertest.WithTokenCheck(func(got string) bool { return got == token }))
	if err := service.AddCluster("training", nil); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(service)
	defer server.Close()
	client, err := slurm.Open(t.Context(), trainingName, auth.WithToken(token), auth.WithEndpoint(server.URL), opt)
	if err != nil {
		t.Fatal(err)
	}
	spec := &slurm.JobSpec{
		Name: name, WorkingDirectory: "/home/alice_example_com", Script: "#!/bin/bash\necho " + script + "\n",
		Environment: map[string]string{"KEY": value},
	}
	if _, err := client.Submit(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	quoting := clustertest.Fault{Status: "INVALID_ARGUMENT", Message: strings.Join([]string{token, script, value}, " ")}
	service.Inject(quoting)
	var refused *cluster.Error
	if _, err := client.Submit(t.Context(), spec); !errors.As(err, &refused) {
		t.Fatal(err)
	}
	logger.Error("refused", "err", refused)
	service.Inject(clustertest.Fault{Kind: clustertest.FaultReply, HTTPStatus: 500, Body: script + token})
	if _, err := client.ListHistory(t.Context(), &slurm.HistoryOptions{Names: []string{name}}); err != nil {
		t.Fatal(err)
	}
}

// TestTracerSeesEveryRead of a wait as a call.
func TestTracerSeesEveryRead(t *testing.T) {
	service := clustertest.NewServer(clustertest.WithSlurm(slurmtest.NewServer(slurmtest.WithRunTime(0))))
	if err := service.AddCluster("training", nil); err != nil {
		t.Fatal(err)
	}
	paths := map[string]int{}
	client, err := slurm.Open(t.Context(), trainingName, append(service.ClientOptions(), cluster.WithTracer(&cluster.Tracer{
		CallEnd: func(_ context.Context, call *cluster.CallTrace) { paths[call.SlurmMethod+" "+call.SlurmPath]++ },
	}))...)
	if err != nil {
		t.Fatal(err)
	}
	requests := len(service.Requests())
	if _, err := client.Submit(t.Context(), &slurm.JobSpec{WorkingDirectory: "/home/a", Script: "#!/bin/sh\n"}); err != nil {
		t.Fatal(err)
	}
	for job, err := range client.Jobs(t.Context(), nil) {
		if job == nil || err != nil {
			t.Fatal(err)
		}
	}
	total := 0
	for _, n := range paths {
		total += n
	}
	if sent := len(service.Requests()) - requests; total != sent || paths["POST /slurm/v0.0.42/job/submit"] != 1 {
		t.Errorf("%d requests, and the tracer heard of %v", sent, paths)
	}
}

// See what a client asks for.
func ExampleOpen_tracer() {
	ctx := context.Background()
	service := clustertest.NewServer(clustertest.WithSlurm(slurmtest.NewServer()))
	if err := service.AddCluster("training", nil); err != nil {
		fmt.Println(err)
		return
	}
	tracer := cluster.WithTracer(&cluster.Tracer{
		AttemptEnd: func(_ context.Context, call *cluster.CallTrace, a *cluster.AttemptTrace) {
			fmt.Println("attempt", a.Number, a.Code, "again:", a.Again)
		},
		CallEnd: func(_ context.Context, call *cluster.CallTrace) {
			fmt.Println(call.Op, call.SlurmMethod, call.SlurmPath, call.Duration > time.Minute)
		},
	})
	client, err := slurm.Open(ctx, trainingName, append(service.ClientOptions(), tracer)...)
	if err != nil {
		fmt.Println(err)
		return
	}
	service.Inject(clustertest.Fault{Kind: clustertest.FaultRefused})
	if _, err := client.Ping(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// attempt 1 UNAVAILABLE again: true
	// attempt 2 OK again: false
	// call Slurm GET /slurm/v0.0.42/ping/ false
}
