package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"slices"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// newTracedClient stands for cluster.NewClient(ctx, "projects/my-project/locations/us-central1", opts...), with a service
// that is out of order once and asks for a short pause.
func newTracedClient(ctx context.Context, opts ...option.ClientOption) *cluster.Client {
	srv := clustertest.NewServer()
	srv.Inject(clustertest.Fault{RetryInfo: time.Nanosecond})
	c, err := cluster.NewClient(ctx, "projects/my-project/locations/us-central1", append(srv.ClientOptions(), opts...)...)
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// A tracer that counts. A program that calls on several goroutines counts under a lock.
func ExampleWithTracer() {
	ctx := context.Background()
	calls, attempts, failed := map[string]int{}, 0, 0
	c := newTracedClient(ctx, cluster.WithTracer(&cluster.Tracer{
		AttemptEnd: func(_ context.Context, _ *cluster.CallTrace, _ *cluster.AttemptTrace) { attempts++ },
		CallEnd: func(_ context.Context, call *cluster.CallTrace) {
			calls[call.Op]++
			if call.Err != nil {
				failed++
			}
		},
	}))

	if _, err := c.ListClusters(ctx, nil).Next(); err != cluster.Done {
		log.Fatal(err)
	}
	if _, err := c.GetCluster(ctx, "research"); !errors.Is(err, cluster.ErrNotFound) {
		log.Fatal(err)
	}
	fmt.Println("calls:", calls)
	fmt.Println("attempts:", attempts, "calls that failed:", failed)
	// Output:
	// calls: map[get:1 list:1]
	// attempts: 3 calls that failed: 1
}

// A log of calls and attempts, here without what differs from one run to the next.
func ExampleLogTracer() {
	ctx := context.Background()
	varies := []string{slog.TimeKey, "duration", "reply_bytes", "resource"}
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if slices.Contains(varies, a.Key) {
				return slog.Attr{}
			}
			return a
		},
	}))
	c := newTracedClient(ctx, cluster.WithTracer(cluster.LogTracer(logger)))

	if _, err := c.ListClusters(ctx, nil).Next(); err != cluster.Done {
		log.Fatal(err)
	}
	if _, err := c.GetCluster(ctx, "research"); !errors.Is(err, cluster.ErrNotFound) {
		log.Fatal(err)
	}
	// Output:
	// level=WARN msg="attempt failed, trying again" op=list request_bytes=0 attempt=1 http_status=503 code=UNAVAILABLE pause=1ns
	// level=DEBUG msg=attempt op=list request_bytes=0 attempt=2 http_status=200 code=OK
	// level=INFO msg=call op=list request_bytes=0 attempts=2 http_status=200
	// level=DEBUG msg=attempt op=get request_bytes=0 attempt=1 http_status=404 code=NOT_FOUND
	// level=WARN msg="call failed" op=get request_bytes=0 attempts=1 http_status=404 code=NOT_FOUND
}
