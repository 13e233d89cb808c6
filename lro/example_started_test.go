package lro_test

import (
	"fmt"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

// An operation of the answer to a call of one's own.
func ExampleStarted() {
	op, err := lro.Started(answers{}, []byte(`{"name": "`+create+`", "metadata": {"progressMessage": "request received"}}`))
	fmt.Println(op, err)

	_, err = lro.Started(answers{}, []byte(`{}`))
	fmt.Println(err)
	// Output:
	// operation projects/my-project/locations/us-central1/operations/1001 running: request received <nil>
	// lro: the answer to the call that starts the work is not an operation: it has no name
}
