package cluster_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestErrorsInLogs: the text of an error has all that the service says, which may quote the request, and what was asked
// of Slurm; what a log gets of the same error has neither.
func TestErrorsInLogs(t *testing.T) {
	const quoting = `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"bad script: SECRET","details":[
		{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"BAD_SCRIPT","domain":"d","metadata":{"script":"SECRET"}},
		{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"SECRET","description":"SECRET"}]},
		{"@type":"type.googleapis.com/google.rpc.RequestInfo","requestId":"r1"}]}}`
	for _, path := range []string{"/slurm/v0.0.42/jobs/?name=SECRET", "/slurm/v0.0.42/jobs/?a=b)SECRET?c)", "/slurm/v0.0.42/jobs/?"} {
		c, _ := scripted(t, reply{status: 400, body: quoting})
		_, err := c.CallSlurm(t.Context(), "c", &cluster.SlurmRequest{Method: "GET", Path: path})
		if text := err.Error(); !strings.Contains(text, ": SECRET") || !strings.Contains(text, path) {
			t.Errorf("the text lacks the message or the path: %s", text)
		}
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Error("m", "err", err)
		_, got, _ := strings.Cut(log.String(), "msg=m ")
		const want = `err.op="call Slurm (GET /slurm/v0.0.42/jobs/) of" err.resource=` + parent + `/modelDevelopmentClusters/c ` +
			"err.code=INVALID_ARGUMENT err.reason=BAD_SCRIPT err.request_id=r1 err.http_status=400 err.attempts=1\n"
		if got != want {
			t.Errorf("%s: the log is\n%s\nwant\n%s", path, got, want)
		}
	}
	// What was refused before it was sent quotes the request as well.
	c, w := scripted(t)
	_, err := c.CallSlurm(t.Context(), "c", &cluster.SlurmRequest{Method: "GET", Path: "slurm?x=SECRET"})
	var refused *cluster.Error
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "SECRET") || strings.Contains(refused.LogValue().String(), "SECRET") || len(w.requests) > 0 {
		t.Errorf("refused: %v, and the log has %v", err, refused.LogValue())
	}
}
