package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// scene is a service that takes creations of doomed and lets them fail 20 seconds later.
type scene struct {
	*cluster.Client
	srv            *clustertest.Server
	sound, doomed  *cluster.ModelDevelopmentCluster
	deletionsSoFar int
}

func inScene(t *testing.T, test func(*testing.T, *scene)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{srv: clustertest.NewServer(clustertest.WithTB(t), clustertest.WithoutMachine("n2-standard-16"))}
		s.Client = s.client(t, parent)
		s.sound, s.doomed = parse(t, payload(t, "cpu-only.json")), parse(t, payload(t, "cpu-only.json"))
		s.doomed.NodePool("cpu").MachineSpec.MachineType = "n2-standard-16"
		test(t, s)
	})
}

func (s *scene) client(t *testing.T, parent string) *cluster.Client {
	t.Helper()
	c, err := cluster.NewClient(t.Context(), parent, s.srv.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// failed returns the operation of a creation that was accepted and has failed since.
func (s *scene) failed(t *testing.T, id string) *cluster.Operation {
	t.Helper()
	op, err := s.CreateCluster(t.Context(), id, s.doomed)
	if err != nil {
		t.Fatal(err)
	}
	if err := op.Wait(t.Context()); err == nil {
		t.Fatal("the creation has not failed")
	}
	return op
}

// must waits for what a verb has started.
func must(t *testing.T, op *cluster.Operation, err error) {
	t.Helper()
	if err == nil {
		err = op.Wait(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// refuses checks that nothing was deleted, and that the error says why.
func (s *scene) refuses(t *testing.T, op *cluster.Operation, err, kind error, says string) {
	t.Helper()
	var e *cluster.Error
	if op != nil || !errors.As(err, &e) || !errors.Is(err, kind) || !e.Unprocessed || e.Attempts != 0 || !strings.Contains(err.Error(), says) ||
		!strings.HasPrefix(err.Error(), "cluster: delete failed creation of "+parent+"/modelDevelopmentClusters/") {
		t.Errorf("got %v, %v; want a refusal that says %q", op, err, says)
	}
	if n := len(s.srv.RequestsFor(clustertest.VerbDelete)); n != s.deletionsSoFar {
		t.Errorf("%d deletions were sent", n-s.deletionsSoFar)
	}
}

func TestFailedCreation(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		op, err := s.CreateCluster(t.Context(), "training", s.doomed)
		if err != nil {
			t.Fatal(err)
		}
		const why = "INVALID_ARGUMENT: machine type n2-standard-16 is not allowed for VM; the failed creation leaves a cluster " +
			`in state ERROR that holds the id "training", with which another creation fails with ALREADY_EXISTS until ` +
			"Client.DeleteFailedCluster has deleted it"
		if err := op.Wait(t.Context()); err == nil || !strings.HasSuffix(err.Error(), " failed: "+why) {
			t.Errorf("Wait: %v", err)
		}
		if again, err := s.CreateCluster(t.Context(), "training", s.sound); again != nil || !errors.Is(err, cluster.ErrAlreadyExists) {
			t.Errorf("CreateCluster on top of the leftover: %v, %v", again, err)
		}
		deletion, err := s.DeleteFailedCluster(t.Context(), "training", op)
		must(t, deletion, err)
		created, err := s.CreateCluster(t.Context(), "training", s.sound)
		must(t, created, err)
	})
}

// TestHintOfFailedCreation: in another process only the metadata tells that an operation is a creation.
func TestHintOfFailedCreation(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		create := s.failed(t, "training")
		resumed := s.Operation(create.Name())
		var failure *lro.OperationError
		if err := resumed.Wait(t.Context()); !errors.As(err, &failure) || !strings.Contains(failure.Hint, "that holds its id,") {
			t.Errorf("resumed by name: %v", err)
		}
		deletion, err := s.DeleteFailedCluster(t.Context(), "training", create)
		must(t, deletion, err)
		created, err := s.CreateCluster(t.Context(), "training", s.sound)
		must(t, created, err)
		s.srv.FailNextOperation(clustertest.VerbDelete, "INTERNAL", "no luck")
		deletion, err = s.DeleteCluster(t.Context(), "training")
		if err != nil {
			t.Fatal(err)
		}
		if err := deletion.Wait(t.Context()); !errors.As(err, &failure) || failure.Hint != "" {
			t.Errorf("a failed deletion has the hint %q", failure.Hint)
		}
	})
}

func TestDeleteFailedClusterRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		kind error
		says string
		op   func(*testing.T, *scene) *cluster.Operation
	}{
		"no operation": {cluster.ErrInvalidArgument, "the operation is nil", func(t *testing.T, s *scene) *cluster.Operation {
			s.failed(t, "training")
			return nil
		}},
		"an operation without a name": {cluster.ErrInvalidArgument, "the operation is nil", func(*testing.T, *scene) *cluster.Operation {
			return &cluster.Operation{}
		}},
		"another cluster's creation": {cluster.ErrInvalidArgument, `is the creation of cluster "other"`, func(t *testing.T, s *scene) *cluster.Operation {
			s.failed(t, "training")
			return s.failed(t, "other")
		}},
		"another region's creation": {cluster.ErrInvalidArgument, "is in us-east4", func(t *testing.T, s *scene) *cluster.Operation {
			s.failed(t, "training")
			op, err := s.client(t, "projects/my-project/locations/us-east4").CreateCluster(t.Context(), "training", s.doomed)
			if err != nil {
				t.Fatal(err)
			}
			return op
		}},
		"another region's creation, resumed there": {cluster.ErrInvalidArgument, "is in us-east4", func(t *testing.T, s *scene) *cluster.Operation {
			create, err := s.CreateCluster(t.Context(), "training", s.doomed)
			if err != nil {
				t.Fatal(err)
			}
			elsewhere := s.client(t, "projects/my-project/locations/us-east4")
			other, err := elsewhere.CreateCluster(t.Context(), "training", s.doomed)
			if err != nil {
				t.Fatal(err)
			}
			if err := lro.WaitAll(t.Context(), []*lro.Operation{create.Operation, other.Operation}); err == nil {
				t.Fatal("the creations have not failed")
			}
			return elsewhere.Operation(other.Name())
		}},
		"a creation that goes on": {cluster.ErrFailedPrecondition, "has not ended; wait for it first", func(t *testing.T, s *scene) *cluster.Operation {
			op, err := s.CreateCluster(t.Context(), "training", s.doomed)
			if err != nil {
				t.Fatal(err)
			}
			return op
		}},
		"a creation that succeeded": {cluster.ErrFailedPrecondition, "has succeeded", func(t *testing.T, s *scene) *cluster.Operation {
			op, err := s.CreateCluster(t.Context(), "training", s.sound)
			must(t, op, err)
			return op
		}},
		"a deletion": {cluster.ErrInvalidArgument, "its metadata is a DeleteModelDevelopmentClusterOperationMetadata", func(t *testing.T, s *scene) *cluster.Operation {
			s.failed(t, "training")
			s.srv.FailNextOperation(clustertest.VerbDelete, "INTERNAL", "no luck")
			op, err := s.DeleteCluster(t.Context(), "training")
			if err != nil || op.Wait(t.Context()) == nil {
				t.Fatalf("the deletion has not failed: %v", err)
			}
			return op
		}},
		"a cluster that was made since, and works": {cluster.ErrFailedPrecondition, "is in state RUNNING, not ERROR", func(t *testing.T, s *scene) *cluster.Operation {
			create := s.failed(t, "training")
			deletion, err := s.DeleteCluster(t.Context(), "training")
			must(t, deletion, err)
			replacement, err := s.CreateCluster(t.Context(), "training", s.sound)
			must(t, replacement, err)
			return create
		}},
		"a cluster that was made since, and failed as well": {cluster.ErrFailedPrecondition, "had ended at 2000-01-01T00:00:20.000Z, so that it is another one", func(t *testing.T, s *scene) *cluster.Operation {
			create := s.failed(t, "training")
			deletion, err := s.DeleteCluster(t.Context(), "training")
			must(t, deletion, err)
			s.failed(t, "training")
			return create
		}},
		"a cluster that was there before, by a wrong id for a resumed operation": {cluster.ErrFailedPrecondition, "so that it is another one", func(t *testing.T, s *scene) *cluster.Operation {
			s.failed(t, "training")
			return s.Operation(s.failed(t, "other").Name())
		}},
		"a cluster that is being deleted": {cluster.ErrFailedPrecondition, "is in state STOPPING", func(t *testing.T, s *scene) *cluster.Operation {
			create := s.failed(t, "training")
			if _, err := s.DeleteFailedCluster(t.Context(), "training", create); err != nil {
				t.Fatal(err)
			}
			return create
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				op := test.op(t, s)
				s.deletionsSoFar = len(s.srv.RequestsFor(clustertest.VerbDelete))
				deletion, err := s.DeleteFailedCluster(t.Context(), "training", op)
				s.refuses(t, deletion, err, test.kind, test.says)
			})
		})
	}
}

// TestSomebodyElsesCluster: a creation that is refused at once has no operation, and so nothing leads to a deletion.
func TestSomebodyElsesCluster(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		s.failed(t, "training") // somebody else's
		op, err := s.CreateCluster(t.Context(), "training", s.sound)
		if op != nil || !errors.Is(err, cluster.ErrAlreadyExists) {
			t.Fatalf("CreateCluster: %v, %v", op, err)
		}
		deletion, err := s.DeleteFailedCluster(t.Context(), "training", op)
		s.refuses(t, deletion, err, cluster.ErrInvalidArgument, "the operation is nil")
	})
}

func TestDeleteFailedClusterOfAnotherProcess(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		create := s.failed(t, "training")
		resumed := s.Operation(create.Name()) // read once, since nothing is known of it
		m, err := s.GetCluster(t.Context(), "training")
		if err != nil {
			t.Fatal(err)
		}
		deletion, err := s.DeleteFailedCluster(t.Context(), m.Name, resumed)
		must(t, deletion, err)
		if _, err := s.DeleteFailedCluster(t.Context(), "training", create); !errors.Is(err, cluster.ErrNotFound) {
			t.Errorf("gone already: %v, want ErrNotFound", err)
		}
	})
}

// TestDeletionGoesWhereTheCreationWent, however another client and the caller spell the project.
func TestDeletionGoesWhereTheCreationWent(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		create := s.failed(t, "training")
		byNumber := s.client(t, "projects/123456789012/locations/us-central1")
		deletion, err := byNumber.DeleteFailedCluster(t.Context(), "training", create)
		must(t, deletion, err)
		if got := s.srv.RequestsFor(clustertest.VerbDelete)[0].URL; !strings.HasSuffix(got, parent+"/modelDevelopmentClusters/training") {
			t.Errorf("deleted %s", got)
		}
	})
}

// TestFailedReadsDeleteNothing: what cannot be read cannot be judged.
func TestFailedReadsDeleteNothing(t *testing.T) {
	for _, verb := range []clustertest.Verb{clustertest.VerbGetOperation, clustertest.VerbGet} {
		inScene(t, func(t *testing.T, s *scene) {
			resumed := s.Operation(s.failed(t, "training").Name())
			s.srv.Inject(clustertest.Fault{Verb: verb, Status: "PERMISSION_DENIED"})
			op, err := s.DeleteFailedCluster(t.Context(), "training", resumed)
			if op != nil || !errors.Is(err, cluster.ErrPermissionDenied) || len(s.srv.RequestsFor(clustertest.VerbDelete)) != 0 {
				t.Errorf("%s fails: %v, %v", verb, op, err)
			}
		})
	}
}

// TestTimesOfFailedCreation goes through what the service may tell about times, down to nothing.
func TestTimesOfFailedCreation(t *testing.T) {
	const name = "projects/123456789012/locations/us-central1/operations/1"
	at := func(seconds int) string {
		if seconds == lost {
			return ""
		}
		return time.Date(2026, 6, 26, 12, 0, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second).Format(time.RFC3339)
	}
	for _, tt := range []struct {
		why                     string
		cluster, begun, end     int // when it was created; when the operation began and ended
		fromCreate, fromResumed bool
	}{
		{"together", 0, 0, 20, true, true},
		{"clocks that differ a little", -10, 0, 20, true, true},
		{"before", -11, 0, 20, false, false},
		{"at the last moment", 20, 0, 20, true, true},
		{"after", 21, 0, 20, false, false},
		{"no time of the cluster", lost, 0, 20, true, false},
		{"no times of the operation", 0, lost, lost, true, false},
		{"no end, and before", -11, 0, lost, false, false},
		{"no begin, and after", 21, lost, 20, false, false},
		{"no times", lost, lost, lost, true, false},
	} {
		t.Run(tt.why, func(t *testing.T) {
			started := fmt.Sprintf(`{"name": %q}`, name)
			failed := fmt.Sprintf(`{"name": %q, "done": true, "error": {"code": 3, "message": "no"}, "metadata": {"genericMetadata":
				{"createTime": %q, "updateTime": %q}}}`, name, at(tt.begun), at(tt.end))
			leftover := `{"name": "` + parent + `/modelDevelopmentClusters/training", "clusterStatus": {"state": "ERROR"}`
			if tt.cluster != lost {
				leftover += fmt.Sprintf(`, "createTime": %q`, at(tt.cluster))
			}
			read := []reply{{status: 200, body: failed}, {status: 200, body: leftover + "}"}, {status: 200, body: started}}

			c, w := scripted(t, append([]reply{{status: 200, body: started}}, read...)...)
			create, err := c.CreateCluster(context.Background(), "training", parse(t, payload(t, "cpu-only.json")))
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.DeleteFailedCluster(context.Background(), "training", create)
			deleted(t, w, err, tt.fromCreate)
			// Metadata without a type does not hide what is known of the operation.
			if hint := create.State().Err.Hint; !strings.Contains(hint, `holds the id "training"`) {
				t.Errorf("hint %q", hint)
			}

			c, w = scripted(t, read...)
			resumed := c.Operation(name)
			_, err = c.DeleteFailedCluster(context.Background(), "training", resumed)
			deleted(t, w, err, tt.fromResumed)
			if hint := resumed.State().Err.Hint; hint != "" {
				t.Errorf("an operation of an unknown kind has the hint %q", hint)
			}
		})
	}
}

const lost = -1 << 20

func deleted(t *testing.T, w *wire, err error, want bool) {
	t.Helper()
	last := w.requests[len(w.requests)-1]
	if sent := last.method == "DELETE"; sent != want || sent != (err == nil) || sent && last.url != training {
		t.Errorf("ends with %s %s and %v, want a deletion: %v", last.method, last.url, err, want)
	}
	if err != nil && !errors.Is(err, cluster.ErrFailedPrecondition) {
		t.Errorf("got %v", err)
	}
}
