package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// After a lost answer, the token of the error leads to the job, also in another process and after days.
func ExampleClient_Recover() {
	ctx := context.Background()
	client := openTraining(ctx)

	id, err := client.Submit(ctx, job("train", "true"))
	var lost *slurm.UncertainError
	if errors.As(err, &lost) {
		id, err = client.Recover(ctx, lost.Token) // ErrNotFound now does not mean that there will be none later
	}
	fmt.Println(id, err)
	// Output:
	// 1 <nil>
}

// With a token that is stored before the submit, a program that dies in the middle can simply start again.
func ExampleNewSubmitToken() {
	ctx := context.Background()
	client := openTraining(ctx)
	spec := job("train", "true")
	spec.SubmitToken = slurm.NewSubmitToken()
	// … store the token …

	for range 2 {
		id, err := client.Submit(ctx, spec)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(id)
	}
	// Output:
	// 1
	// 1
}
