package bench

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestOpenTelemetry: each attempt carries the trace of its context to the service, and no option of Google's clients about
// that is lost. It is here because the SDK itself requires nothing of OpenTelemetry.
func TestOpenTelemetry(t *testing.T) {
	before := otel.GetTextMapPropagator()
	otel.SetTextMapPropagator(propagation.TraceContext{})
	defer otel.SetTextMapPropagator(before)
	var headers []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers = append(headers, r.Header.Get("Traceparent"))
		if len(headers)%2 == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(`{"name":"projects/p/locations/us-central1/modelDevelopmentClusters/c"}`))
	}))
	defer server.Close()
	ctx := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1, 2, 3}, SpanID: trace.SpanID{4, 5}, TraceFlags: trace.FlagsSampled,
	}))
	const id = "01020300000000000000000000000000"
	for name, tt := range map[string]struct {
		opts []option.ClientOption
		want bool
	}{
		"by default":       {[]option.ClientOption{auth.WithoutAuthentication()}, true},
		"with a token":     {[]option.ClientOption{auth.WithToken("t")}, true},
		"shut off":         {[]option.ClientOption{auth.WithoutAuthentication(), option.WithTelemetryDisabled()}, false},
		"shut off by ours": {[]option.ClientOption{auth.WithToken("t"), auth.WithoutTelemetry()}, false},
		"own client":       {[]option.ClientOption{option.WithHTTPClient(&http.Client{})}, false},
		"own instruments":  {[]option.ClientOption{auth.WithHTTPClient(&http.Client{Transport: otelhttp.NewTransport(http.DefaultTransport)})}, true},
	} {
		headers = nil
		c, err := cluster.NewClient(t.Context(), "projects/p/locations/us-central1", append(tt.opts, auth.WithEndpoint(server.URL))...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.GetCluster(ctx, "c"); err != nil || len(headers) != 2 {
			t.Fatalf("%s: %d attempts: %v", name, len(headers), err)
		}
		for _, header := range headers {
			if strings.Contains(header, id) != tt.want {
				t.Errorf("%s: the trace is %q, and it is wanted there: %v", name, header, tt.want)
			}
		}
	}
}
