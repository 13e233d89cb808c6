package rest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/internal/rpcstatus"
)

// script answers attempt n with its n-th entry, and every further one with the last.
type script struct {
	answers []func(*http.Request) (*http.Response, error)
	seen    []*http.Request
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	n := min(len(s.seen), len(s.answers)-1)
	s.seen = append(s.seen, req)
	return s.answers[n](req)
}

func play(answers ...func(*http.Request) (*http.Response, error)) (*Client, *script) {
	s := &script{answers: answers}
	return NewClient(&http.Client{Transport: s}), s
}

func answer(status int, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: -1}, nil
	}
}

func fail(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

func cut(body string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		r := io.MultiReader(strings.NewReader(body), errorReader{})
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(r), ContentLength: int64(len(body)) + 10}, nil
	}
}

type errorReader struct{}

func (errorReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

var (
	refused  = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	noProxy  = &net.OpError{Op: "proxyconnect", Net: "tcp", Err: refused}
	noHost   = &net.DNSError{Err: "no such host", Name: "x.invalid", IsNotFound: true}
	reset    = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	badCert  = x509.UnknownAuthorityError{}
	retry503 = `{"error":{"code":503,"message":"later","status":"UNAVAILABLE","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"5s"}]}}`
)

// noToken is a transport without a token, for good or for now.
type noToken bool

func (noToken) Error() string     { return "no token" }
func (n noToken) Permanent() bool { return bool(n) }

// TestWhatIsRepeated is the retry table: a failure, and how often each kind of call is sent because of it.
func TestWhatIsRepeated(t *testing.T) {
	const once, all = 1, maxAttempts
	for _, tt := range []struct {
		name                              string
		failure                           func(*http.Request) (*http.Response, error)
		ifUnsent, ifUnprocessed, repeated int
		unprocessed                       bool
	}{
		{"connection refused: nothing was sent", fail(refused), all, all, all, true},
		{"unknown host: nothing was sent", fail(noHost), all, all, all, true},
		{"no way to the proxy: nothing was sent", fail(noProxy), all, all, all, true},
		{"connection reset: it may have arrived", fail(reset), once, once, all, false},
		{"certificate: no repetition mends it", fail(badCert), once, once, once, true},
		{"no TLS where it is spoken to: nothing was sent", fail(tls.RecordHeaderError{Conn: new(net.TCPConn)}), once, once, once, true},
		{"HTTP in the clear there: nothing was sent", fail(tls.RecordHeaderError{Conn: new(net.TCPConn), RecordHeader: [5]byte([]byte("HTTP/"))}),
			once, once, once, true},
		{"TLS broken after it was set up: it may have arrived", fail(tls.RecordHeaderError{Msg: "oversized record"}), once, once, all, false},
		{"no token for now: nothing was sent", fail(noToken(false)), all, all, all, true},
		{"no credentials: nothing was sent", fail(noToken(true)), once, once, once, true},
		{"quota: refused at the door", answer(429, `{}`), all, all, all, true},
		{"503 with a wish: not processed", answer(503, retry503), once, all, all, true},
		{"503 without: maybe processed", answer(503, `{}`), once, once, all, false},
		{"500", answer(500, `{}`), once, once, all, false},
		{"502 of a proxy", answer(502, `<html>`), once, once, all, false},
		{"504", answer(504, ``), once, once, all, false},
		{"408", answer(408, ``), once, once, all, false},
		{"400", answer(400, `{}`), once, once, once, true},
		{"403", answer(403, `{}`), once, once, once, true},
		{"404", answer(404, `{}`), once, once, once, true},
		{"501", answer(501, `{}`), once, once, once, false},
		{"answer cut on the way", cut(`{"a":`), once, once, all, false},
		{"answer cut by a proxy, unnoticed by HTTP", answer(200, `{"a":`), once, once, all, false},
		{"page instead of an answer", answer(200, `<html>`), once, once, once, false},
		{"redirect", answer(302, ``, "Location", "https://elsewhere.example/"), once, once, once, true},
	} {
		for repeat, want := range map[Repeat]int{IfUnsent: tt.ifUnsent, IfUnprocessed: tt.ifUnprocessed, Always: tt.repeated} {
			synctest.Test(t, func(t *testing.T) {
				c, s := play(tt.failure)
				_, err := c.Do(t.Context(), &Call{Method: "POST", URL: "https://a.example/", Body: []byte(`{}`), Repeat: repeat})
				var fault *Fault
				if !errors.As(err, &fault) {
					t.Fatalf("%s: error %v", tt.name, err)
				}
				if len(s.seen) != want || fault.Attempts != want {
					t.Errorf("%s, repeat %d: sent %d times, reports %d; want %d", tt.name, repeat, len(s.seen), fault.Attempts, want)
				}
				if fault.Unprocessed != tt.unprocessed {
					t.Errorf("%s: Unprocessed = %t", tt.name, fault.Unprocessed)
				}
			})
		}
	}
}

func TestRetrySucceedsAndSendsTheBodyAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bodies []string
		read := func(then func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
			return func(req *http.Request) (*http.Response, error) {
				b, _ := io.ReadAll(req.Body)
				bodies = append(bodies, string(b))
				return then(req)
			}
		}
		c, _ := play(read(answer(500, ``)), read(cut(`{"ok"`)), read(answer(200, `{"ok":true}`)))
		reply, err := c.Do(t.Context(), &Call{Method: "POST", URL: "https://a.example/", Body: []byte(`{"n":1}`), Repeat: Always})
		if err != nil || reply.Attempts != 3 || string(reply.Body) != `{"ok":true}` {
			t.Fatalf("%+v, %v", reply, err)
		}
		if got := strings.Join(bodies, " "); got != `{"n":1} {"n":1} {"n":1}` {
			t.Errorf("bodies sent: %s", got)
		}
	})
}

func TestServersWishRules(t *testing.T) {
	for name, tt := range map[string]struct {
		failure func(*http.Request) (*http.Response, error)
		want    time.Duration
	}{
		"seconds":   {answer(503, ``, "Retry-After", "7"), 7 * time.Second},
		"RetryInfo": {answer(503, retry503), 5 * time.Second},
		"date": {func(r *http.Request) (*http.Response, error) {
			return answer(503, ``, "Retry-After", time.Now().Add(9*time.Second).UTC().Format(http.TimeFormat))(r)
		}, 9 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := play(tt.failure, answer(200, `{}`))
			start := time.Now()
			if _, err := c.Do(t.Context(), &Call{URL: "https://a.example/", Repeat: Always}); err != nil {
				t.Fatal(err)
			}
			if got := time.Since(start); got != tt.want {
				t.Errorf("%s: paused %v, want %v", name, got, tt.want)
			}
		})
	}
}

func TestNoPausePastTheDeadlineOrThePatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		c, s := play(answer(503, ``, "Retry-After", "30"))
		_, err := c.Do(ctx, &Call{URL: "https://a.example/", Repeat: Always})
		var fault *Fault
		if !errors.As(err, &fault) || fault.RetryAfter != 30*time.Second || len(s.seen) != 1 || time.Since(start) != 0 {
			t.Errorf("deadline in 10s, wish 30s: %v after %v and %d attempts", err, time.Since(start), len(s.seen))
		}
		c, s = play(answer(429, ``, "Retry-After", "86400"))
		if _, err := c.Do(t.Context(), &Call{URL: "https://a.example/", Repeat: Always}); err == nil || len(s.seen) != 1 {
			t.Errorf("wish of a day: %v after %d attempts", err, len(s.seen))
		}
	})
}

// TestCancelDuringPauseKeepsTheFailure: whoever reads the error learns of both.
func TestCancelDuringPauseKeepsTheFailure(t *testing.T) {
	why := errors.New("maintenance window over")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		c, s := play(answer(503, retry503))
		go func() {
			time.Sleep(time.Second)
			cancel(why)
		}()
		start := time.Now()
		_, err := c.Do(ctx, &Call{URL: "https://a.example/", Repeat: Always})
		if time.Since(start) != time.Second || len(s.seen) != 1 {
			t.Errorf("returned after %v and %d attempts", time.Since(start), len(s.seen))
		}
		if !errors.Is(err, context.Canceled) || !errors.Is(err, why) || !strings.Contains(err.Error(), "later") {
			t.Errorf("error %v lacks the cancellation, its cause or the failure", err)
		}
	})
}

// TestNoPauseOutlivesTheContext, also where both end at once and select could take either: there is no further attempt, and what
// was not sent before is known not to have been.
func TestNoPauseOutlivesTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if err := sleep(ctx, 0); !errors.Is(err, context.Canceled) {
			t.Fatalf("the pause ends with %v", err)
		}
	}
}

func TestBudgetEndsRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := play(answer(500, ``))
		const calls = 200
		for range calls {
			_, _ = c.Do(t.Context(), &Call{URL: "https://a.example/", Repeat: Always})
		}
		if got, want := len(s.seen), calls+budgetSize/retryCost; got != want {
			t.Errorf("an outage saw %d requests of %d calls, want %d", got, calls, want)
		}
		s.answers = []func(*http.Request) (*http.Response, error){answer(200, `{}`)}
		for range retryCost {
			_, _ = c.Do(t.Context(), &Call{URL: "https://a.example/"})
		}
		s.answers, s.seen = []func(*http.Request) (*http.Response, error){answer(500, ``)}, nil
		_, _ = c.Do(t.Context(), &Call{URL: "https://a.example/", Repeat: Always})
		if len(s.seen) != 2 {
			t.Errorf("after %d successes a call was sent %d times, want 2", retryCost, len(s.seen))
		}
	})
}

func TestFaultSaysWhatCame(t *testing.T) {
	for _, tt := range []struct {
		name    string
		failure func(*http.Request) (*http.Response, error)
		code    codes.Code
		want    string
	}{
		{"body's status beats HTTP", answer(409, `{"error":{"code":409,"status":"ALREADY_EXISTS","message":"taken"}}`), codes.AlreadyExists, "taken"},
		{"the same HTTP status, another code", answer(409, `{"error":{"code":409,"status":"ABORTED","message":"again"}}`), codes.Aborted, "again"},
		{"failed precondition is no invalid argument", answer(400, `{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"busy"}}`), codes.FailedPrecondition, "busy"},
		{"a code that is none says less than HTTP", answer(404, `{"error":{"code":-1,"message":"gone"}}`), codes.NotFound, "gone"},
		{"a code of the future, too", answer(404, `{"error":{"code":77,"message":"gone"}}`), codes.NotFound, "gone"},
		{"null is nothing", answer(404, `{"error":{"code":null,"message":null}}`), codes.NotFound, "the answer says nothing more"},
		{"a list around the error", answer(404, `[{"error":{"code":404,"status":"NOT_FOUND","message":"gone"}}]`), codes.NotFound, "gone"},
		{"proxy", answer(502, "<!DOCTYPE html><html><head><title>Bad\n Gateway</title></head>"), codes.Unavailable, `the answer is an HTML page titled "Bad Gateway", not JSON: check the endpoint and any proxy in between`},
		{"wrong endpoint", answer(404, `<html><title>Error 404 (Not Found)!!1</title>`), codes.NotFound, `HTML page titled "Error 404 (Not Found)!!1"`},
		{"empty", answer(500, " \n"), codes.Internal, "the answer is empty"},
		{"text", answer(403, "no way\nin"), codes.PermissionDenied, `the answer is not JSON: "no way in"`},
		{"other JSON", answer(400, `{"error":"invalid_grant"}`), codes.InvalidArgument, `the answer has no google.rpc.Status: "{\"error\":\"invalid_grant\"}"`},
		{"redirect", answer(301, ``, "Location", "https://elsewhere.example/"), codes.Unknown, `redirected to "https://elsewhere.example/", which is not followed: check the endpoint`},
		{"cut short", cut(`{"a":1`), codes.Unavailable, "the reply was cut short"},
		{"not whole", answer(200, `{"a":1`), codes.Internal, "JSON cut short after 6 bytes"},
		{"empty success", answer(200, ``), codes.Internal, "the answer is empty"},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := play(tt.failure)
			_, err := c.Do(t.Context(), &Call{URL: "https://a.example/"})
			var fault *Fault
			if !errors.As(err, &fault) || fault.Code != tt.code || !strings.Contains(fault.Message, tt.want) {
				t.Errorf("%s: %v; want %v and %q", tt.name, err, tt.code, tt.want)
			}
		})
	}
}

// TestRequestsThatCannotBeMade are the caller's mistake, and never sent.
func TestRequestsThatCannotBeMade(t *testing.T) {
	for _, call := range []*Call{
		{Method: "BAD METHOD", URL: "https://a.example/"}, {Method: "GET", URL: "https://a.example/%zz"}, {Method: "GET", URL: "https://a.example/\n"},
	} {
		call.Repeat = Always
		c, s := play(answer(200, `{}`))
		_, err := c.Do(t.Context(), call)
		_, streamed := c.Stream(t.Context(), call)
		for _, err := range []error{err, streamed} {
			var fault *Fault
			if !errors.As(err, &fault) || fault.Code != codes.InvalidArgument || fault.Transient || !fault.Unprocessed || fault.Err == nil ||
				!strings.HasPrefix(fault.Message, "the request cannot be made: ") || len(s.seen) > 0 {
				t.Errorf("%q: %v, sent %d times", call.URL, err, len(s.seen))
			}
		}
	}
}

func TestRepliesAreBounded(t *testing.T) {
	big := `"` + strings.Repeat("x", 100) + `"`
	c, s := play(answer(200, big))
	_, err := c.Do(t.Context(), &Call{URL: "https://a.example/", MaxReply: 50, Repeat: Always})
	if err == nil || !strings.Contains(err.Error(), "reply too large: more than 50 bytes") || len(s.seen) != 1 {
		t.Errorf("too large: %v after %d attempts", err, len(s.seen))
	}
	if reply, err := c.Do(t.Context(), &Call{URL: "https://a.example/", MaxReply: int64(len(big))}); err != nil || string(reply.Body) != big {
		t.Errorf("just fits: %v", err)
	}
	endless := func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 500, Header: http.Header{}, Body: io.NopCloser(zeros{})}, nil
	}
	c, _ = play(endless)
	if _, err := c.Do(t.Context(), &Call{URL: "https://a.example/"}); err == nil {
		t.Error("an endless error is no error")
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "120": 2 * time.Minute, "-5": 0, "soon": 0, "1.5": 0, "+5": 0, "0x5": 0, "1_0": 0,
		"2147483648": (1<<31 - 1) * time.Second, "99999999999999999999": (1<<31 - 1) * time.Second,
		"Mon, 30 Nov 2026 12:01:00 GMT": time.Minute, "Mon, 30 Nov 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("Retry-After %q = %v, want %v", value, got, want)
		}
	}
}

// FuzzFault reads any error body without harm and always has something to say: of a google.rpc.Status, what encoding/json
// reads in it.
func FuzzFault(f *testing.F) {
	f.Add(400, []byte(retry503))
	f.Add(502, []byte("<html><title>x</title>"))
	f.Add(403, []byte(`[{"error":{"code":7,"details":[{"@type":"x.ErrorInfo","metadata":{"a":1}}]}}]`))
	recorded, err := filepath.Glob("../../cluster/testdata/payloads/response-*error*.json")
	if err != nil || len(recorded) < 5 {
		f.Fatal(recorded, err)
	}
	for _, path := range recorded {
		body, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(103, body) // 403
		f.Add(203, body) // 503
	}
	f.Add(203, []byte(retry503))
	f.Add(201, []byte(`{}`)) // 501
	f.Add(203, []byte(`{}`))
	f.Add(129, []byte(`{"error":{"code":429,"message":"m","details":[{"@type":"a.ErrorInfo","reason":"R","domain":"d"},{"@type":"a.RetryInfo","retryDelay":"7s"},`+
		`{"@type":"a.QuotaFailure","violations":[{"subject":"s","description":"d"}]},{"@type":"a.BadRequest","fieldViolations":[{"field":"f"},{}]}]}}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		resp := &http.Response{StatusCode: 300 + abs(status)%300, Header: http.Header{}}
		fault := statusFault(resp, body)
		if fault.Message == "" || fault.Code == codes.OK || fault.HTTPStatus != resp.StatusCode {
			t.Errorf("status %d, body %q: %+v", resp.StatusCode, body, fault)
		}
		if code, message, ok := plainStatus(fault.Body); ok && (fault.Code != code || fault.Message != message) {
			t.Errorf("status %d, body %q: %v, %q, want %v, %q", resp.StatusCode, body, fault.Code, fault.Message, code, message)
		}
		if fault.Unprocessed && fault.HTTPStatus >= 500 && (fault.HTTPStatus != 503 || fault.RetryAfter == 0) || fault.unsent && fault.HTTPStatus != 429 {
			t.Errorf("status %d, body %q: passes for not processed", resp.StatusCode, body)
		}
		detailsAgree(t, fault)
	})
}

// detailsAgree compares what was read of the details with what encoding/json reads in them.
func detailsAgree(t *testing.T, fault *Fault) {
	t.Helper()
	var answer, status map[string]json.RawMessage
	var details []map[string]any
	if json.Unmarshal(fault.Body, &answer) != nil || json.Unmarshal(answer["error"], &status) != nil || status == nil || json.Unmarshal(status["details"], &details) != nil {
		return
	}
	reason, delay, violations := "", time.Duration(0), []string(nil)
	for _, detail := range details {
		kind, _ := detail["@type"].(string)
		switch kind[strings.LastIndexByte(kind, '.')+1:] {
		case "ErrorInfo":
			if text, ok := detail["reason"].(string); ok || detail["reason"] == nil {
				reason = text
			} else {
				return // no text
			}
		case "RetryInfo":
			text, _ := detail["retryDelay"].(string)
			if wholeSeconds.MatchString(text) {
				if d, _ := time.ParseDuration(text); d > 0 {
					delay = d
				}
			} else if text != "" {
				return
			}
		case "BadRequest":
			violations = append(violations, fields(detail["fieldViolations"], "field")...)
		case "QuotaFailure", "PreconditionFailure":
			violations = append(violations, fields(detail["violations"], "subject")...)
		}
	}
	same := func(v rpcstatus.Violation, field string) bool { return field == odd || v.Field == field }
	if s := fault.Status; s == nil || s.Reason != reason || s.RetryDelay != delay || !slices.EqualFunc(s.Violations, violations, same) ||
		len(s.Details) != len(details) || delay > 0 && fault.RetryAfter != delay {
		t.Errorf("body %q: %+v, want the reason %q, the pause %v, violations of %q and %d details", fault.Body, s, reason, delay, violations, len(details))
	}
}

// odd is a field that is no text.
const odd = "\x00"

// fields are the texts of one name in a list of objects.
func fields(list any, name string) (texts []string) {
	elements, _ := list.([]any)
	for _, element := range elements {
		object, _ := element.(map[string]any)
		text, ok := object[name].(string)
		if !ok && object[name] != nil {
			text = odd
		}
		texts = append(texts, text)
	}
	return texts
}

var wholeSeconds = regexp.MustCompile(`^[1-9][0-9]{0,5}s$`)

// plainStatus reads a google.rpc.Status as the services send it, with a code, a message and maybe a status.
func plainStatus(body []byte) (code codes.Code, message string, ok bool) {
	var answer, status map[string]json.RawMessage // which does not fold names
	if json.Unmarshal(body, &answer) != nil || json.Unmarshal(answer["error"], &status) != nil {
		return 0, "", false
	}
	var number int
	if json.Unmarshal(status["code"], &number) != nil || json.Unmarshal(status["message"], &message) != nil || message == "" {
		return 0, "", false
	}
	if name := status["status"]; len(name) > 0 && name[0] == '"' { // gRPC takes numbers, too
		ok = json.Unmarshal(name, &code) == nil
	} else if name == nil {
		code, ok = codes.Code(number), number < 100
	}
	return code, message, ok && code != codes.OK && code != codes.Unknown && code <= codes.Unauthenticated
}

// TestPlainStatusReadsTheRecorded, so that FuzzFault compares something.
func TestPlainStatusReadsTheRecorded(t *testing.T) {
	body, err := os.ReadFile("../../cluster/testdata/payloads/response-error-quota.json")
	if err != nil {
		t.Fatal(err)
	}
	if code, message, ok := plainStatus(body); !ok || code != codes.ResourceExhausted || !strings.Contains(message, "Quota exceeded") {
		t.Error(code, message, ok)
	}
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

// TestRepliesOfAnySize are read whole, whether or not their size is announced, or announced wrongly.
func TestRepliesOfAnySize(t *testing.T) {
	for _, size := range []int{2, 100, 32<<10 - 1, 32 << 10, 32<<10 + 1, 64 << 10, 1<<20 + 3} {
		want := `"` + strings.Repeat("x", size-2) + `"`
		for _, announced := range []int{-1, 0, size, size - 1, size + 1} {
			c, _ := play(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: int64(announced),
					Body: io.NopCloser(strings.NewReader(want))}, nil
			})
			reply, err := c.Do(t.Context(), &Call{URL: "https://a.example/"})
			if err != nil || string(reply.Body) != want || reply.Object.Raw != nil {
				t.Errorf("%d bytes, announced as %d: %v", size, announced, err)
			}
		}
	}
}

// TestRepliesAreTakenApart where they are checked.
func TestRepliesAreTakenApart(t *testing.T) {
	c, _ := play(answer(200, ` {"a":1,"b":[2]} `))
	reply, err := c.Do(t.Context(), &Call{URL: "https://a.example/"})
	if err != nil || string(reply.Object.Member("b")) != "[2]" {
		t.Errorf("%v, %v", reply, err)
	}
}

// TestOddTransports: what http.Client makes of them is kept where it is passed by.
func TestOddTransports(t *testing.T) {
	for _, hc := range []*http.Client{{}, {Timeout: time.Hour}} {
		for want, odd := range map[string]func(*http.Request) (*http.Response, error){
			"INTERNAL: the answer is empty": func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{}}, nil
			},
			"UNKNOWN: " + http.ErrSchemeMismatch.Error():   fail(tls.RecordHeaderError{RecordHeader: [5]byte([]byte("HTTP/"))}),
			`UNAVAILABLE: Post "https://b.example": reset`: fail(&url.Error{Op: "Post", URL: "https://b.example", Err: errors.New("reset")}),
		} {
			hc.Transport = &script{answers: []func(*http.Request) (*http.Response, error){odd}}
			if _, err := NewClient(hc).Do(t.Context(), &Call{URL: "https://a.example/"}); err == nil || err.Error() != want {
				t.Errorf("%v: got %v, want %s", hc.Timeout, err, want)
			}
		}
	}
}

// TestTLSBrokenAfterTheRequest, by something on the way: the call may have been carried out.
func TestTLSBrokenAfterTheRequest(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = conn.(*tls.Conn).NetConn().Write([]byte("\x17\x03\x03\xff\xff")) // a record of more than there may be
	}))
	server.StartTLS()
	defer server.Close()
	_, err := NewClient(server.Client()).Do(t.Context(), &Call{Method: "POST", URL: server.URL, Body: []byte(`{}`)})
	var record tls.RecordHeaderError
	var fault *Fault
	if !errors.As(err, &fault) || !errors.As(err, &record) || fault.Unprocessed || !fault.Transient {
		t.Errorf("%v: %+v", err, fault)
	}
}
