package slurmtest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// A server on a socket, for code that speaks to slurmrestd itself.
func Example() {
	slurm := slurmtest.NewServer(slurmtest.WithUser("alice"))
	web := httptest.NewServer(slurm)
	defer web.Close()

	request := `{"job": {"name": "train", "current_working_directory": "/home/alice", "environment": ["PATH=/bin"]},
		"script": "#!/bin/bash\nsleep 1h\n"}`
	resp, err := http.Post(web.URL+"/slurm/v0.0.42/job/submit", "application/json", strings.NewReader(request))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(body[:len(`{"job_id":1`)])+"…")

	for _, job := range slurm.Jobs() {
		fmt.Println(job.ID, job.Name, job.State, job.TimeLimit)
	}
	// Output:
	// 200 {"job_id":1…
	// 1 train PENDING 30m0s
}

// A fault in the middle of a job's life.
func ExampleServer_FailNode() {
	slurm := slurmtest.NewServer(slurmtest.WithScheduleDelay(0), slurmtest.WithCompletingTime(0))
	id, err := slurm.AddJob("bob", []byte(`{"job": {"current_working_directory": "/home/bob", "environment": ["A=1"]},
		"script": "#!/bin/bash\nsleep 1h\n"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	job, _ := slurm.Job(id)
	fmt.Println(job.State, job.Nodes)
	if err := slurm.FailNode("n1"); err != nil {
		fmt.Println(err)
	}
	job, _ = slurm.Job(id)
	fmt.Println(job.State, job.Reason, job.Restarts)
	// Output:
	// RUNNING n1
	// PENDING BeginTime 1
}
