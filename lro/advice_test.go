package lro_test

import (
	"errors"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

// advised is a Service that knows what to do.
type advised struct{ *service }

func (advised) Advise(failed lro.State) string {
	if failed.Err.Message == "hopeless" {
		return ""
	}
	return "after a " + failed.Type + "\nsend less"
}

func TestAdvice(t *testing.T) {
	const body = `{"name": "` + nameA + `", "done": true, "error": {"code": 8, "message": "no quota"}, "metadata": {"@type": "x/CreateIt"}}`
	const want = "lro: operation " + nameA + " failed: RESOURCE_EXHAUSTED: no quota; after a CreateIt send less"
	s := advised{serving(nameA, step{body: body})}
	started, err := lro.Started(s, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []*lro.Operation{started, lro.New(s, nameA)} {
		var failure *lro.OperationError
		if err := op.Wait(t.Context()); !errors.As(err, &failure) || err.Error() != want || failure.Hint != "after a CreateIt\nsend less" {
			t.Errorf("Wait = %v\n    want %s", err, want)
		}
		if op.State().Err != failure {
			t.Error("State has another failure")
		}
	}
	err = lro.New(advised{serving(nameA, fails(nameA, 8, "hopeless"))}, nameA).Wait(t.Context())
	if err == nil || err.Error() != "lro: operation "+nameA+" failed: RESOURCE_EXHAUSTED: hopeless" {
		t.Errorf("without advice: %v", err)
	}
}
