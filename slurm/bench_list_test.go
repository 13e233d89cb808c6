package slurm

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// canned is a transport that answers every call with one envelope.
type canned []byte

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, ContentLength: int64(len(c)),
		Body: io.NopCloser(bytes.NewReader(c)),
	}, nil
}

// listClient is a client whose every list is a recorded one, below the service's envelope.
func listClient(b *testing.B, list string) *Client {
	b.Helper()
	envelope := append(append([]byte(`{"status":200,"structuredBody":`), unzip(b, list)...), '}')
	platform, err := cluster.NewClient(b.Context(), "projects/my-project/locations/us-central1",
		option.WithHTTPClient(&http.Client{Transport: canned(envelope)}))
	if err != nil {
		b.Fatal(err)
	}
	client, err := NewClient(platform, "training")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(envelope)))
	b.ReportAllocs()
	return client
}

// BenchmarkClientList is what a program pays for a list of 2,000 jobs once it is on the machine: envelope included.
func BenchmarkClientList(b *testing.B) {
	client := listClient(b, "jobs-2000.json.gz")
	for b.Loop() {
		if jobs, err := client.List(b.Context(), nil); err != nil || len(jobs) != 2000 {
			b.Fatal(len(jobs), err)
		}
	}
}

// BenchmarkClientListFiltered is the same for somebody who wants few of them.
func BenchmarkClientListFiltered(b *testing.B) {
	client := listClient(b, "jobs-2000.json.gz")
	for b.Loop() {
		if jobs, err := client.List(b.Context(), &ListOptions{States: []State{StateRunning}}); err != nil || len(jobs) != 10 {
			b.Fatal(len(jobs), err)
		}
	}
}

// BenchmarkClientHistory is the same for the history of 2,000 jobs with their steps.
func BenchmarkClientHistory(b *testing.B) {
	client := listClient(b, "slurmdb-jobs-2000.json.gz")
	for b.Loop() {
		if jobs, err := client.ListHistory(b.Context(), nil); err != nil || len(jobs) != 2000 {
			b.Fatal(len(jobs), err)
		}
	}
}
