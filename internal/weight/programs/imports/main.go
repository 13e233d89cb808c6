// Command imports links the SDK, and calls none of it.
package main

import (
	"os"

	_ "github.com/trainingclusters/trainingclusters-go/auth"
	_ "github.com/trainingclusters/trainingclusters-go/cluster"
	_ "github.com/trainingclusters/trainingclusters-go/lro"
	_ "github.com/trainingclusters/trainingclusters-go/slurm"
)

func main() {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		_, _ = os.Stdout.Write(status)
	}
}
