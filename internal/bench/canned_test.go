package bench

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// recorded reads an answer of a real Slurm.
func recorded(t testing.TB, name string) []byte {
	t.Helper()
	file, err := os.Open("../../slurm/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// slurmAnswer hands the same answer of Slurm to every call, with no service between: what is measured above it is what
// a user gets of package slurm.
type slurmAnswer []byte

func (a slurmAnswer) CallSlurm(context.Context, string, *cluster.SlurmRequest, ...gax.CallOption) (*cluster.SlurmResponse, error) {
	return &cluster.SlurmResponse{Status: http.StatusOK, Body: a, Attempts: 1}, nil
}

func (a slurmAnswer) StreamSlurm(context.Context, string, *cluster.SlurmRequest, ...gax.CallOption) (*cluster.SlurmStream, error) {
	return cluster.NewSlurmStream(http.StatusOK, io.NopCloser(bytes.NewReader(a))), nil
}

// slurmClient is one whose every call is answered with data.
func slurmClient(t testing.TB, data []byte) *slurm.Client {
	t.Helper()
	client, err := slurm.NewClient(slurmAnswer(data), "training")
	if err != nil {
		t.Fatal(err)
	}
	return client
}
