package lro_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

// answers is a Service made for the examples: what reads of each operation are answered with, in turn. Programs get
// their operations from package cluster instead.
type answers map[string][]string

// WaitAll reads concurrently, and a Service has to be safe for that.
var reading sync.Mutex

func (a answers) ReadOperation(_ context.Context, name string) (*lro.Reading, error) {
	reading.Lock()
	defer reading.Unlock()
	body := a[name][0]
	if len(a[name]) > 1 {
		a[name] = a[name][1:]
	}
	return &lro.Reading{Body: []byte(body)}, nil
}

func (a answers) CancelOperation(_ context.Context, name string) error {
	reading.Lock()
	defer reading.Unlock()
	a[name] = []string{fmt.Sprintf(`{"name": %q, "done": true, "error": {"code": 1, "message": "canceled by the user"}}`, name)}
	return nil
}

const (
	create = "projects/my-project/locations/us-central1/operations/1001"
	remove = "projects/my-project/locations/us-central1/operations/1002"
)

// The answer of a call that starts work becomes an operation, and Wait blocks until that has finished.
func Example() {
	service := answers{create: {
		`{"name": "` + create + `", "done": true, "response": {"displayName": "training"}}`,
	}}
	op, err := lro.Started(service, []byte(`{"name": "`+create+`", "metadata": {"progressMessage": "request received"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(op)

	if err := op.Wait(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(op)
	fmt.Printf("%s\n", op.State().Response)
	// Output:
	// operation projects/my-project/locations/us-central1/operations/1001 running: request received
	// operation projects/my-project/locations/us-central1/operations/1001 succeeded
	// {"displayName": "training"}
}

// A name is all it takes to go on in another process.
func ExampleNew() {
	service := answers{create: {`{"name": "` + create + `", "done": true}`}}

	name := create // from a file, a database, the command line
	op := lro.New(service, name)
	fmt.Println(op)
	fmt.Println(op.Wait(context.Background(), lro.WithBackoff(gax.Backoff{Initial: 10 * time.Second})))
	// Output:
	// operation projects/my-project/locations/us-central1/operations/1001 not read yet
	// <nil>
}

// Three kinds of failure ask for three next steps.
func ExampleOperation_Wait() {
	service := answers{create: {
		`{"name": "` + create + `", "done": true, "error": {"code": 3, "message": "machine type a3-highgpu-8g is not allowed for VM"}}`,
	}}
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Hour, errors.New("maintenance window over"))
	defer cancel()

	err := lro.New(service, create).Wait(ctx)
	var failed *lro.OperationError
	var watching *lro.WaitError
	switch {
	case err == nil:
		fmt.Println("the cluster is there")
	case errors.As(err, &failed):
		fmt.Println("the work failed, correct the request:", failed.Code, failed.Message)
	case errors.As(err, &watching):
		fmt.Println("wait again later for:", watching.Pending)
	default:
		fmt.Println("nothing was sent:", err)
	}
	// Output:
	// the work failed, correct the request: InvalidArgument machine type a3-highgpu-8g is not allowed for VM
}

// Poll reads once, for those who pace themselves.
func ExampleOperation_Poll() {
	service := answers{create: {
		`{"name": "` + create + `", "metadata": {"progressMessage": "provisioning nodes"}}`,
		`{"name": "` + create + `", "done": true}`,
	}}
	op := lro.New(service, create)
	for !op.Done() {
		state, err := op.Poll(context.Background())
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(state.Done, state.Message)
	}
	// Output:
	// false provisioning nodes
	// true
}

// Cancel is a request; only a read tells how the operation ended.
func ExampleOperation_Cancel() {
	ctx := context.Background()
	op := lro.New(answers{create: {`{"name": "` + create + `"}`}}, create)
	if err := op.Cancel(ctx); err != nil {
		fmt.Println(err)
		return
	}
	var failed *lro.OperationError
	if err := op.Wait(ctx); errors.As(err, &failed) {
		fmt.Println(failed.Canceled(), failed)
	}
	// Output:
	// true lro: operation projects/my-project/locations/us-central1/operations/1001 failed: CANCELLED: canceled by the user
}

// WaitAll waits for all of them and joins what failed.
func ExampleWaitAll() {
	service := answers{
		create: {`{"name": "` + create + `", "done": true, "error": {"code": 8, "message": "no quota"}}`},
		remove: {`{"name": "` + remove + `", "done": true}`},
	}
	ops := []*lro.Operation{lro.New(service, create), lro.New(service, remove)}
	err := lro.WaitAll(context.Background(), ops, lro.OnProgress(func(p lro.Progress) {
		fmt.Printf("%d of %d pending\n", p.Pending, p.Total)
	}))
	fmt.Println(err)
	// Output:
	// 1 of 2 pending
	// 0 of 2 pending
	// lro: operation projects/my-project/locations/us-central1/operations/1001 failed: RESOURCE_EXHAUSTED: no quota
}

// What has to hold after a success is a step of the wait.
func ExampleThen() {
	service := answers{create: {`{"name": "` + create + `", "done": true}`}}

	err := lro.New(service, create).Wait(context.Background(), lro.Then(func(context.Context) error {
		return errors.New("the cluster is there, but its login node does not answer")
	}))
	fmt.Println(err)
	// Output:
	// the cluster is there, but its login node does not answer
}

// The callback returns nothing: to stop the wait, it ends the context. The work goes on.
func ExampleOnProgress() {
	service := answers{create: {`{"name": "` + create + `", "metadata": {"progressMessage": "provisioning nodes"}}`}}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)

	err := lro.New(service, create).Wait(ctx, lro.OnProgress(func(p lro.Progress) {
		fmt.Println(p.Message)
		cancel(errors.New("seen enough"))
	}))
	var watching *lro.WaitError
	if errors.As(err, &watching) {
		fmt.Println(watching.Cause, errors.Is(err, context.Canceled))
		fmt.Println(watching.Pending)
	}
	// Output:
	// provisioning nodes
	// seen enough true
	// [projects/my-project/locations/us-central1/operations/1001]
}
