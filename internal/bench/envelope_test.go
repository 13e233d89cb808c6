package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// serviceAnswer is a transport that answers every call of the service alike.
type serviceAnswer []byte

func (a serviceAnswer) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, ContentLength: int64(len(a)), Body: io.NopCloser(bytes.NewReader(a)),
	}, nil
}

const parent = "projects/my-project/locations/us-central1"

// serviceClient is the whole of the SDK above a transport.
func serviceClient(t testing.TB, opts ...option.ClientOption) *slurm.Client {
	t.Helper()
	platform, err := cluster.NewClient(t.Context(), parent, opts...)
	if err != nil {
		t.Fatal(err)
	}
	client, err := slurm.NewClient(platform, "training")
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func listThrough(b *testing.B, data []byte) contender {
	client := serviceClient(b, option.WithHTTPClient(&http.Client{Transport: serviceAnswer(data)}))
	return contender{ours, func() error {
		jobs, err := client.List(b.Context(), nil)
		return counted(len(jobs), err)
	}}
}

// BenchmarkStructuredList is BenchmarkLiveList with the list in the service's envelope, as an object.
func BenchmarkStructuredList(b *testing.B) {
	data := structured(recorded(b, "jobs-2000.json.gz"))
	contenders := []contender{
		listThrough(b, data),
		into(plainMap, json.Unmarshal, data, func(m *map[string]any) bool {
			return len((*m)["structuredBody"].(map[string]any)["jobs"].([]any)) == listed
		}),
		into(generated, json.Unmarshal, data, func(e *envelope[V0042OpenapiJobInfoResp]) bool { return len(e.Body.Jobs) == listed }),
	}
	compare(b, len(data), append(contenders, intoEach(data, func(e *envelope[liveList]) bool { return len(e.Body.Jobs) == listed })...)...)
}

var errStatus = errors.New("not the status that was sent")

// insideText decodes an answer that is a text in its envelope.
func insideText[T any](name string, unmarshal func([]byte, any) error, data []byte, check func(*T) bool) contender {
	return contender{name, func() error {
		var e textEnvelope
		if err := unmarshal(data, &e); err != nil {
			return err
		}
		if e.Status != http.StatusOK {
			return errStatus
		}
		return into(name, unmarshal, []byte(e.Body), check).work()
	}}
}

// BenchmarkTextList is the same with the list as a text in the envelope.
func BenchmarkTextList(b *testing.B) {
	data := textual(b, recorded(b, "jobs-2000.json.gz"))
	contenders := []contender{
		listThrough(b, data),
		insideText(plainMap, json.Unmarshal, data, func(m *map[string]any) bool { return len((*m)["jobs"].([]any)) == listed }),
		insideText(generated, json.Unmarshal, data, func(l *V0042OpenapiJobInfoResp) bool { return len(l.Jobs) == listed }),
	}
	for _, u := range unmarshalers {
		contenders = append(contenders, insideText(u.name, u.unmarshal, data, func(l *liveList) bool { return len(l.Jobs) == listed }))
	}
	compare(b, len(data), contenders...)
}
