// Command uses calls the service through the SDK: it makes a client, tells of its memory, and sends nothing without an
// argument.
package main

import (
	"context"
	"fmt"
	"os"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func main() {
	ctx := context.Background()
	s, err := slurm.Open(ctx, "projects/my-project/locations/us-central1/modelDevelopmentClusters/training", option.WithoutAuthentication())
	if err != nil {
		panic(err)
	}
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		_, _ = os.Stdout.Write(status)
	}
	for _, script := range os.Args[1:] {
		id, err := s.Submit(ctx, &slurm.JobSpec{Script: script})
		fmt.Println(id, err)
		fmt.Println(s.Get(ctx, id))
		fmt.Println(s.List(ctx, nil))
		fmt.Println(s.Wait(ctx, id))
	}
}
