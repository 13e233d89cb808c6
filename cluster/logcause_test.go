package cluster_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestLogSaysWhyThereIsNoAnswer: UNAVAILABLE with status 0 can be anything. What a transport of somebody else's says may
// quote the request, and is not told.
func TestLogSaysWhyThereIsNoAnswer(t *testing.T) {
	for want, failure := range map[string]error{
		`cause="dial: connection refused"`:                            &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
		`cause="read: connection reset by peer"`:                      &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)},
		`cause="lookup nowhere: no such host"`:                        &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "nowhere"}},
		`cause="run: gcloud auth login"`:                              &auth.Error{Hint: "run: gcloud auth login", Err: errors.New("SECRET")},
		`cause="tls: failed to verify certificate: x509: certificate`: &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
		`cause=write`: &net.OpError{Op: "write", Err: errors.New("SECRET")},
		`code=`:       errors.New("SECRET"),
	} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			c := traced(t, &wire{answers: []reply{{err: failure}}},
				cluster.WithTracer(cluster.LogTracer(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))))
			_, err := c.CallSlurm(t.Context(), "c", &cluster.SlurmRequest{Method: "POST", Path: "/slurm/v0.0.42/job/submit", Body: []byte("{}")})
			text := log.String()
			if err == nil || strings.Count(text, want) != strings.Count(text, "\n") || strings.Contains(text, "SECRET") {
				t.Errorf("%v: the log lacks %s, or has too much:\n%s", err, want, text)
			}
			if !strings.HasPrefix(want, "cause") && strings.Contains(text, "cause") {
				t.Errorf("a cause of nobody knows whom:\n%s", text)
			}
		})
	}
}
