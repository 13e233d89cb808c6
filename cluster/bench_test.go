package cluster_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// BenchmarkDecode decodes the answer of GetCluster: validation included, as everywhere here. internal/bench compares
// with encoding/json.
func BenchmarkDecode(b *testing.B) {
	doc := largeCluster(b, pools)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		decodeCluster(b, doc)
	}
}

func BenchmarkEncode(b *testing.B) {
	m := decodeCluster(b, largeCluster(b, pools))
	b.ReportAllocs()
	for b.Loop() {
		encode(b, m)
	}
}

// BenchmarkRoundTrip decodes and encodes.
func BenchmarkRoundTrip(b *testing.B) {
	doc := largeCluster(b, pools)
	b.ReportAllocs()
	for b.Loop() {
		encode(b, decodeCluster(b, doc))
	}
}

// BenchmarkClientRoundTrip is GetCluster and UpdateCluster, which checks what it sends, but for the network.
func BenchmarkClientRoundTrip(b *testing.B) {
	c := benchClient(b)
	b.ReportAllocs()
	for b.Loop() {
		m, err := c.GetCluster(b.Context(), "training")
		if err != nil {
			b.Fatal(err)
		}
		mask := cluster.FieldMask{cluster.PathNodePools, cluster.PathLabels, cluster.PathPartitions}
		if _, err := c.UpdateCluster(b.Context(), m, mask, cluster.UpdateModeUserOnly); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEditCluster reads, plans, reads again and sends, but for the network.
func BenchmarkEditCluster(b *testing.B) {
	c := benchClient(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.EditCluster(b.Context(), "training", grow, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPlanEdit is what EditCluster does up to its plan.
func BenchmarkPlanEdit(b *testing.B) {
	c := benchClient(b)
	b.ReportAllocs()
	for b.Loop() {
		if p, err := c.PlanEdit(b.Context(), "training", grow, nil); err != nil || p.Refused() {
			b.Fatal(p, err)
		}
	}
}

func BenchmarkPlanUpdate(b *testing.B)          { benchmarkPlan(b, grow, 1) }
func BenchmarkPlanUpdateUnchanged(b *testing.B) { benchmarkPlan(b, leave, 0) }

func benchmarkPlan(b *testing.B, edit func(*cluster.ModelDevelopmentCluster) error, changes int) {
	current, want := editedCluster(b, pools, edit)
	mask := cluster.FieldMask{cluster.PathNodePools}
	b.ReportAllocs()
	for b.Loop() {
		p := cluster.PlanUpdate(current, want, mask, cluster.UpdateModeUserOnly)
		if len(p.Changes) != changes || p.Refused() {
			b.Fatal(p)
		}
	}
}

func BenchmarkChangedFields(b *testing.B) {
	current, want := editedCluster(b, pools, grow)
	b.ReportAllocs()
	for b.Loop() {
		if mask, err := cluster.ChangedFields(current, want); err != nil || len(mask) != 1 {
			b.Fatal(mask, err)
		}
	}
}

// pools is a large cluster; most have less than ten.
const pools = 50

func grow(m *cluster.ModelDevelopmentCluster) error {
	m.NodePools[7].ScalingSpec.MaxNodeCount++
	return nil
}

func leave(*cluster.ModelDevelopmentCluster) error { return nil }

func editedCluster(tb testing.TB, pools int, edit func(*cluster.ModelDevelopmentCluster) error) (current, want *cluster.ModelDevelopmentCluster) {
	tb.Helper()
	doc := largeCluster(tb, pools)
	current, want = decodeCluster(tb, doc), decodeCluster(tb, doc)
	if err := edit(want); err != nil {
		tb.Fatal(err)
	}
	return current, want
}

func decodeCluster(tb testing.TB, doc []byte) *cluster.ModelDevelopmentCluster {
	m := new(cluster.ModelDevelopmentCluster)
	if err := m.UnmarshalJSON(doc); err != nil {
		tb.Fatal(err)
	}
	return m
}

func encode(tb testing.TB, m *cluster.ModelDevelopmentCluster) []byte {
	doc, err := m.MarshalJSON()
	if err != nil {
		tb.Fatal(err)
	}
	return doc
}

// benchClient is one whose service answers reads with the large cluster and updates with an operation.
func benchClient(b *testing.B) *cluster.Client {
	b.Helper()
	c, err := cluster.NewClient(context.Background(), parent, option.WithHTTPClient(&http.Client{Transport: instant{
		get:   largeCluster(b, pools),
		other: payload(b, "response-update-operation.json"),
	}}))
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// instant is a transport that costs next to nothing.
type instant struct{ get, other []byte }

func (t instant) RoundTrip(req *http.Request) (*http.Response, error) {
	answer := t.other
	if req.Method == http.MethodGet {
		answer = t.get
	}
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(answer)), ContentLength: int64(len(answer)),
	}, nil
}
