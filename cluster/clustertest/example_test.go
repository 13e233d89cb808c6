package clustertest_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// A server with one cluster, reached in memory. Clients of package cluster take srv.ClientOptions() instead of
// the bare HTTP client.
func ExampleServer() {
	srv := clustertest.NewServer()
	if err := srv.AddCluster("training", nil); err != nil {
		fmt.Println(err)
		return
	}
	resp, err := srv.HTTPClient().Get("https://us-central1-aiplatform.googleapis.com" +
		"/v1beta1/projects/my-project/locations/us-central1/modelDevelopmentClusters/nobody")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	_, _ = io.Copy(os.Stdout, resp.Body)
	fmt.Println(srv.Requests()[0].Verb)
	// Output:
	// {
	//   "error": {
	//     "code": 404,
	//     "message": "The ModelDevelopmentCluster does not exist: projects/123456789012/locations/us-central1/modelDevelopmentClusters/nobody",
	//     "status": "NOT_FOUND"
	//   }
	// }
	// get
}

// A submission whose answer is lost: Slurm has the job, the client does not know.
func ExampleServer_Inject() {
	jobs := 0
	slurm := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		jobs++
		fmt.Fprintf(w, `{"job_id":%d}`, jobs)
	})
	srv := clustertest.NewServer(clustertest.WithSlurm(slurm))
	if err := srv.AddCluster("training", nil); err != nil {
		fmt.Println(err)
		return
	}
	srv.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Kind: clustertest.FaultDropAfter})

	const url = "https://us-central1-aiplatform.googleapis.com" +
		"/v1beta1/projects/my-project/locations/us-central1/modelDevelopmentClusters/training:callSlurmRestApi"
	submit := `{"method":"HTTP_METHOD_POST","path":"/slurm/v0.0.42/job/submit","body":{"script":"#!/bin/sh"}}`
	for range 2 {
		resp, err := srv.HTTPClient().Post(url, "application/json", strings.NewReader(submit))
		if err != nil {
			fmt.Println(err)
			continue
		}
		text, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		fmt.Println(string(bytes.TrimSpace(text)))
	}
	fmt.Println("jobs:", jobs)
	// Output:
	// Post "https://us-central1-aiplatform.googleapis.com/v1beta1/projects/my-project/locations/us-central1/modelDevelopmentClusters/training:callSlurmRestApi": read tcp: read: connection reset by peer
	// {"status":200,"structuredBody":{"job_id":2}}
	// jobs: 2
}
