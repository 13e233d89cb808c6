package slurm_test

import (
	"fmt"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// Run again the tasks that failed, and no others.
func ExampleArrayOf() {
	failed := []int64{3, 1, 2, 7}
	array, err := slurm.ArrayOf(failed...)
	fmt.Println(array, err)
	// Output: 1-3,7 <nil>
}
