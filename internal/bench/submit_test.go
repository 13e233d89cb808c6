package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/bytedance/sonic"
	jsonv2 "github.com/go-json-experiment/json"
	goccy "github.com/goccy/go-json"
	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// BenchmarkSubmitEncoding makes the request of a submit and reads its answer, with no way between. Ours checks the job
// as well, and gives it a random token.
func BenchmarkSubmitEncoding(b *testing.B) {
	data := []byte(accepted)
	client, spec := slurmClient(b, data), ourSubmit()
	compare(b, len(data)+len(submitted(b)),
		contender{ours, func() error {
			_, err := client.Submit(b.Context(), spec)
			return err
		}},
		exchange(plainMap, json.Marshal, json.Unmarshal, mapSubmit, data, func(m *map[string]any) bool { return (*m)["job_id"] == 4711.0 }),
		exchange(generated, json.Marshal, json.Unmarshal, generatedSubmit, data, func(a *V0042OpenapiJobSubmitResponse) bool { return *a.JobId == 4711 }),
		typedExchange("json", json.Marshal, json.Unmarshal, data),
		typedExchange("jsonv2", func(v any) ([]byte, error) { return jsonv2.Marshal(v) },
			func(data []byte, v any) error { return jsonv2.Unmarshal(data, v) }, data),
		typedExchange("goccy", goccy.Marshal, goccy.Unmarshal, data),
		typedExchange("sonic", sonic.Marshal, sonic.Unmarshal, data),
	)
}

func typedExchange(name string, marshal func(any) ([]byte, error), unmarshal func([]byte, any) error, answer []byte) contender {
	return exchange(name, marshal, unmarshal, typedSubmit, answer, func(a *submitAnswer) bool { return a.JobID == 4711 })
}

var errEmpty = errors.New("nothing was encoded")

func exchange[T any](
	name string, marshal func(any) ([]byte, error), unmarshal func([]byte, any) error, request func() any, answer []byte, check func(*T) bool,
) contender {
	read := into(name, unmarshal, answer, check)
	return contender{name, func() error {
		data, err := marshal(request())
		if err == nil && len(data) == 0 {
			err = errEmpty
		}
		if err != nil {
			return err
		}
		return read.work()
	}}
}

// keeper keeps the last request.
type keeper struct {
	slurmAnswer
	body []byte
}

func (k *keeper) CallSlurm(ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption) (*cluster.SlurmResponse, error) {
	k.body = req.Body
	return k.slurmAnswer.CallSlurm(ctx, name, req, opts...)
}

// submitted is the body of our submit.
func submitted(t testing.TB) []byte {
	t.Helper()
	k := &keeper{slurmAnswer: slurmAnswer(accepted)}
	client, err := slurm.NewClient(k, "training")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Submit(t.Context(), ourSubmit()); err != nil {
		t.Fatal(err)
	}
	return k.body
}

// TestSubmitsAgree but for the token, which is random in ours.
func TestSubmitsAgree(t *testing.T) {
	want := decoded[map[string]any](t, submitted(t), json.Unmarshal)
	job := want["job"].(map[string]any)
	if len(fmt.Sprint(job["mcs_label"])) != len(token) {
		t.Errorf("token %v", job["mcs_label"])
	}
	job["mcs_label"] = token
	for name, v := range map[string]any{plainMap: mapSubmit(), generated: generatedSubmit(), "json": typedSubmit()} {
		if got := again[map[string]any](t, v); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%v\nwant\n%v", name, got, want)
		}
	}
}
