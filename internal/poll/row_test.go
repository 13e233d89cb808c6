package poll_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"syscall"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/poll"
)

func get(err error) error { return &url.Error{Op: "Get", URL: "https://example.com", Err: err} }

func TestTransient(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	certificate := &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	cases := []struct {
		why  string
		err  error
		want bool
	}{
		{"a fault decides for itself", busy, true},
		{"also against it", &fault{text: "denied", permanent: true}, false},
		{"also when wrapped", fmt.Errorf("read: %w", busy), true},
		{"also when it wraps a network error that knows less", errors.Join(&fault{permanent: true}, refused), false},
		{"connection refused: a server restarts", refused, true},
		{"the same from net/http", get(refused), true},
		{"name resolution", get(&net.DNSError{Err: "no such host", IsNotFound: true}), true},
		{"one attempt timed out while the wait goes on", get(context.DeadlineExceeded), true},
		{"an answer cut short", fmt.Errorf("body: %w", io.ErrUnexpectedEOF), true},
		{"a connection closed before the answer", get(io.EOF), true},
		{"the end of a file is no cut answer", io.EOF, false},
		{"a certificate does not get better", get(certificate), false},
		{"a malformed address neither", get(errors.New("unsupported protocol scheme")), false},
		{"canceled by someone else", get(context.Canceled), false},
		{"unknown", errors.New("unknown"), false},
	}
	for _, c := range cases {
		if got := poll.Transient(c.err); got != c.want {
			t.Errorf("%s: Transient(%v) = %v", c.why, c.err, got)
		}
	}
}

func TestNotFound(t *testing.T) {
	missing := &fault{text: "missing", notFound: true}
	for err, want := range map[error]bool{
		missing:                         true,
		fmt.Errorf("read: %w", missing): true,
		busy:                            false,
		errors.New("not found"):         false,
	} {
		if got := poll.NotFound(err); got != want {
			t.Errorf("NotFound(%v) = %v", err, got)
		}
	}
}

func TestRowForgetsAfterGoodRead(t *testing.T) {
	var row poll.Row
	if row.Last() != nil {
		t.Errorf("Last of a new Row = %v", row.Last())
	}
	if stop := row.Bear(t.Context(), time.Minute, 0, busy); stop != nil || row.Last() != busy {
		t.Errorf("Bear = %v, Last = %v; want the failure borne and kept", stop, row.Last())
	}
	row.Good()
	if row.Last() != nil {
		t.Errorf("Last after a good read = %v", row.Last())
	}
}

// The zero value of the tolerance means none here: only Settings has a default.
func TestRowWithoutTolerance(t *testing.T) {
	var row poll.Row
	if stop := row.Bear(t.Context(), 0, 0, busy); stop == nil || stop.Last != busy {
		t.Errorf("Bear = %v, want an end", stop)
	}
}
