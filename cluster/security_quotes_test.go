package cluster_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestServersThatQuote: what an answer quotes of the request gets into no error as far as it is secret, in whatever form it
// is quoted, and the rest of the answer counts as before.
func TestServersThatQuote(t *testing.T) {
	const token, line, value = "opaque-Token_without-any-form", "torchrun train.py --api-key sk-SECRET <in >out & wait", "hunter2-and-more"
	script := "#!/bin/bash\n" + line + "\n"
	request, err := json.Marshal(map[string]any{"script": script, "job": map[string]any{"environment": []string{"KEY=" + value}}})
	if err != nil {
		t.Fatal(err)
	}
	said := "cannot parse id_token:\n<nil> of Basic HDD: Authorization: Bearer " + token + " " + string(request) + " " + script +
		" https://h.example/o?a=1&X-Goog-Signature=deadbeef"
	for _, html := range []bool{false, true} { // whether <, > and & are escaped
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(html)
		if err := e.Encode(map[string]any{"error": map[string]any{"code": 503, "status": "UNAVAILABLE", "message": said, "details": []any{
			map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "90s"},
			map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "QUOTED", "metadata": map[string]any{"access_token": token, "x": said}},
		}}}); err != nil {
			t.Fatal(err)
		}
		for name, answer := range map[string]string{"status": b.String(), "text": said, "other JSON": `[` + quoted(said) + `]`} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusServiceUnavailable)
				fmt.Fprint(w, answer)
			}))
			c, err := cluster.NewClient(t.Context(), parent, auth.WithToken(token), auth.WithEndpoint(server.URL))
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.CallSlurm(t.Context(), "training", &cluster.SlurmRequest{Method: "POST", Path: "/slurm/v0.0.42/job/submit", Body: request})
			server.Close()
			var failed *cluster.Error
			if !errors.As(err, &failed) {
				t.Fatal(err)
			}
			shown := fmt.Sprintf("%v %+v %#v %v %q", err, *failed, failed.Err, failed.Err, failed.Metadata)
			for _, secret := range []string{token, "sk-SECRET", value, "deadbeef"} {
				if strings.Contains(shown, secret) {
					t.Errorf("%s: %q is shown in %s", name, secret, shown)
				}
			}
			if name == "status" && (failed.Reason != "QUOTED" || failed.RetryAfter != 90*time.Second || !strings.Contains(failed.Message, "Basic HDD")) {
				t.Errorf("%s: reason %q, retry after %v, message %q", name, failed.Reason, failed.RetryAfter, failed.Message)
			}
		}
	}
}
