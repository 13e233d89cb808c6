package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"syscall"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/rpcstatus"
)

// LogTracer logs calls to logger: each call at level info, each attempt at debug, and at warn each attempt that will be
// repeated and each call that failed. Whether the logger takes a level is asked anew each time. Give it to [WithTracer].
//
// option.WithLogger, auth.WithLogger and GOOGLE_SDK_GO_LOGGING_LEVEL have the same effect, and besides log the requests for
// tokens. A client that has a LogTracer as well logs its calls by that alone, and the other logger gets the requests for
// tokens, so that no call is logged twice.
//
// A nil logger is slog's default one at the time of each call; unless the program sets another, that writes calls and
// failures to stderr, and no attempts. In a gophernotes notebook no cell shows them: they go to the terminal of the Jupyter
// server, and so does what is written to the os.Stderr of an earlier cell, since each cell has its own. There, let a logger
// write to a bytes.Buffer and print that.
//
// The attributes are op, resource, slurm_method, slurm_path, request_bytes, reply_bytes, http_status, code, reason,
// request_id, cause, attempt, attempts, duration and pause, where they apply; cause is what the network, a certificate or the
// credentials have to say of a request without an answer. The query of a Slurm path and what the service says of
// a failure are left out, since they may have what was sent in them, and so the log holds no token, script or environment.
// The texts and the levels may change in any release.
func LogTracer(logger *slog.Logger) *Tracer {
	l := callLog{logger}
	return &Tracer{AttemptEnd: l.attempt, CallEnd: l.call, logs: true}
}

type callLog struct{ logger *slog.Logger }

func (l callLog) attempt(ctx context.Context, call *CallTrace, a *AttemptTrace) {
	level, text := slog.LevelDebug, "attempt"
	if a.Again {
		level, text = slog.LevelWarn, "attempt failed, trying again"
	}
	l.log(ctx, level, text, call, func() []slog.Attr {
		attrs := []slog.Attr{slog.Int("attempt", a.Number), slog.Int("http_status", a.HTTPStatus), slog.String("code", a.Code),
			slog.Int64("reply_bytes", a.ReplyBytes), slog.Duration("duration", a.Duration)}
		if a.Again {
			attrs = append(attrs, slog.Duration("pause", a.Pause))
		}
		return append(attrs, causeAttrs(a.Err)...)
	})
}

func (l callLog) call(ctx context.Context, call *CallTrace) {
	level, text := slog.LevelInfo, "call"
	if call.Err != nil {
		level, text = slog.LevelWarn, "call failed"
	}
	l.log(ctx, level, text, call, func() []slog.Attr {
		attrs := []slog.Attr{slog.Int("attempts", call.Attempts), slog.Int("http_status", call.HTTPStatus),
			slog.Int64("reply_bytes", call.ReplyBytes), slog.Duration("duration", call.Duration)}
		return append(attrs, failureAttrs(call.Err)...)
	})
}

// failureAttrs are what is known of a failure beside its text.
func failureAttrs(err error) (attrs []slog.Attr) {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return nil
	}
	attrs = append(attrs, slog.String("code", rpcstatus.Name(e.Code)))
	if e.Reason != "" {
		attrs = append(attrs, slog.String("reason", e.Reason))
	}
	if e.RequestID != "" {
		attrs = append(attrs, slog.String("request_id", e.RequestID))
	}
	return append(attrs, causeAttrs(err)...)
}

// causeAttrs say why a request got no answer, which its code and status 0 do not: it may be the network, a certificate or
// the credentials. Nobody who writes these texts has seen the request. Other errors of a transport are left out.
func causeAttrs(err error) []slog.Attr {
	text := ""
	if e, ok := errors.AsType[*Error](err); !ok || e.HTTPStatus != 0 {
		return nil
	}
	if e, ok := errors.AsType[*auth.Error](err); ok {
		text = e.Hint
	} else if e, ok := errors.AsType[*net.DNSError](err); ok {
		text = e.Error()
	} else if e, ok := errors.AsType[*net.OpError](err); ok {
		text = e.Op
		if errno, ok := errors.AsType[syscall.Errno](e.Err); ok {
			text += ": " + errno.Error()
		}
	} else if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		text = e.Error()
	}
	if text == "" {
		return nil
	}
	const most = 200
	return []slog.Attr{slog.String("cause", foreign.Line(text, most))}
}

func (l callLog) log(ctx context.Context, level slog.Level, text string, call *CallTrace, more func() []slog.Attr) {
	logger := l.logger
	if logger == nil {
		logger = slog.Default()
	}
	if !logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{slog.String("op", call.Op), slog.String("resource", call.Resource)}
	if call.SlurmPath != "" {
		attrs = append(attrs, slog.String("slurm_method", call.SlurmMethod), slog.String("slurm_path", call.SlurmPath))
	}
	attrs = append(attrs, slog.Int("request_bytes", call.RequestBytes))
	logger.LogAttrs(ctx, level, text, append(attrs, more()...)...)
}
