package clustertest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

func TestFaultAnswers(t *testing.T) {
	tests := []struct {
		why         string
		fault       clustertest.Fault
		status      int
		code        string // "" if the body is no error
		contentType string
		retryAfter  string
		body        string // part of it
	}{
		{"the zero fault", clustertest.Fault{}, 503, "UNAVAILABLE", "application/json; charset=UTF-8", "", "injected by the test"},
		{"with a wish in seconds, rounded up", clustertest.Fault{Status: "RESOURCE_EXHAUSTED", RetryAfter: 6500 * time.Millisecond}, 429, "RESOURCE_EXHAUSTED", "application/json; charset=UTF-8", "7", ""},
		{"with a date", clustertest.Fault{Status: "RESOURCE_EXHAUSTED", RetryAfterDate: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)}, 429, "RESOURCE_EXHAUSTED", "application/json; charset=UTF-8", "Mon, 30 Nov 2026 08:00:00 GMT", ""},
		{"with RetryInfo", clustertest.Fault{RetryInfo: 1500 * time.Millisecond, Message: "later"}, 503, "UNAVAILABLE", "application/json; charset=UTF-8", "", `"retryDelay": "1.5s"`},
		{"another HTTP status for a code", clustertest.Fault{Status: "INTERNAL", HTTPStatus: 502}, 502, "INTERNAL", "application/json; charset=UTF-8", "", ""},
		{"with details", clustertest.Fault{Status: "ABORTED", Details: []any{map[string]any{"@type": "x", "reason": "BUSY"}}}, 409, "ABORTED", "application/json; charset=UTF-8", "", `"BUSY"`},
		{"a proxy's page", clustertest.Fault{Kind: clustertest.FaultReply}, 502, "", "text/html; charset=UTF-8", "", "<!DOCTYPE html>"},
		{"a page of one's own", clustertest.Fault{Kind: clustertest.FaultReply, HTTPStatus: 404, ContentType: "text/plain", Body: "not here", RetryAfter: time.Second}, 404, "", "text/plain", "1", "not here"},
		{"the right answer under the wrong name", clustertest.Fault{Kind: clustertest.FaultContentType}, 200, "", "text/html; charset=UTF-8", "", `"nodePools"`},
		{"a good answer with a wish", clustertest.Fault{Kind: clustertest.FaultDelay, RetryAfter: time.Minute}, 200, "", "application/json; charset=UTF-8", "60", `"nodePools"`},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s := seeded(t, "", clustertest.WithTB(t))
			s.Inject(tt.fault)
			r := send(t, s, "GET", one, "")
			if r.status != tt.status || r.header.Get("Content-Type") != tt.contentType || r.header.Get("Retry-After") != tt.retryAfter || !strings.Contains(r.body, tt.body) {
				t.Errorf("got %d %v\n%s", r.status, r.header, r.body)
			}
			if tt.code != "" {
				r.fails(t, tt.status, tt.code, tt.fault.Message)
			}
			send(t, s, "GET", one, "").ok(t) // once only
			if n := s.PendingFaults(); n != 0 {
				t.Errorf("%d faults pending", n)
			}
		})
	}
}

// Both ways to reach the server, each kind of broken connection, and whether the work was done.
func TestFaultConnections(t *testing.T) {
	refused, reset := syscall.ECONNREFUSED, syscall.ECONNRESET
	tests := []struct {
		why    string
		kind   clustertest.FaultKind
		memory error
		socket error
		done   bool
	}{
		{"refused", clustertest.FaultRefused, refused, io.EOF, false},
		{"dropped before", clustertest.FaultDropBefore, reset, io.EOF, false},
		{"dropped after", clustertest.FaultDropAfter, reset, io.EOF, true},
		{"dropped after the second time", clustertest.FaultDropTwice, reset, io.EOF, true},
		{"cut short", clustertest.FaultCut, io.ErrUnexpectedEOF, io.ErrUnexpectedEOF, true},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s := clustertest.NewServer(clustertest.WithTB(t))
			web := httptest.NewServer(s)
			defer web.Close()
			for i, client := range []*http.Client{s.HTTPClient(), web.Client()} {
				url, want := all, tt.memory
				if i == 1 {
					url, want = strings.Replace(all, host, web.URL, 1), tt.socket
				}
				s.Inject(clustertest.Fault{Verb: clustertest.VerbCreate, Kind: tt.kind})
				id := string(rune('a' + i))
				_, err := try(t, client, "POST", url+"?model_development_cluster_id="+id, payload(t, "cpu-only.json"))
				if !errors.Is(err, want) {
					t.Errorf("%s: error %v, want %v", url, err, want)
				}
				if done := s.Cluster(id) != nil; done != tt.done {
					t.Errorf("%s: carried out %v, want %v", url, done, tt.done)
				}
			}
			if n := len(s.RequestsFor(clustertest.VerbCreate)); n != 2 || s.PendingFaults() != 0 {
				t.Errorf("%d requests logged, %d faults pending", n, s.PendingFaults())
			}
		})
	}
}

// A request that something on the way sends again, or holds up, is carried out behind the client's back.
func TestFaultsBesides(t *testing.T) {
	tests := []struct {
		fault     clustertest.Fault
		now, then int // requests that Slurm gets: by the time the connection has gone, and after the delay
	}{
		{clustertest.Fault{Kind: clustertest.FaultDropAfter, Delay: time.Minute}, 1, 1},
		{clustertest.Fault{Kind: clustertest.FaultDropTwice}, 2, 2},
		{clustertest.Fault{Kind: clustertest.FaultDropLate, Delay: time.Minute}, 0, 1},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var bodies []string
			s := seeded(t, "", clustertest.WithSlurm(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				mu.Lock()
				defer mu.Unlock()
				if r.Context().Err() == nil {
					bodies = append(bodies, string(body))
				}
			})))
			tt.fault.Verb = clustertest.VerbCallSlurm
			s.Inject(tt.fault)
			ctx, cancel := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, "POST", one+":callSlurmRestApi",
				strings.NewReader(`{"method":"HTTP_METHOD_POST","path":"/slurm/v0.0.42/job/submit","body":{"a":1}}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			if _, err := s.HTTPClient().Do(r); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("%+v: error %v", tt.fault, err)
			}
			cancel()
			mu.Lock()
			now := len(bodies)
			mu.Unlock()
			time.Sleep(2 * time.Minute)
			mu.Lock()
			defer mu.Unlock()
			if now != tt.now || len(bodies) != tt.then {
				t.Errorf("%+v: Slurm got %d requests, then %d", tt.fault, now, len(bodies))
			}
			for _, body := range bodies {
				if body != `{"a":1}` {
					t.Errorf("%+v: Slurm got %s", tt.fault, body)
				}
			}
		})
	}
}

func TestFaultSchedule(t *testing.T) {
	tests := []struct {
		why    string
		faults []clustertest.Fault
		want   string // statuses of six gets
		left   int
	}{
		{"the third and the fourth", []clustertest.Fault{{Nth: 3, Times: 2}}, "200 200 503 503 200 200", 0},
		{"from the second on for ever", []clustertest.Fault{{Nth: 2, Times: -1}}, "200 503 503 503 503 503", 0},
		{"one after the other", []clustertest.Fault{{Times: 2}, {Status: "INTERNAL", Nth: 2, Times: 2}}, "503 503 500 500 200 200", 0},
		{"another method", []clustertest.Fault{{Verb: clustertest.VerbDelete}}, "200 200 200 200 200 200", 1},
		{"not reached", []clustertest.Fault{{Nth: 7}}, "200 200 200 200 200 200", 1},
		{"by content", []clustertest.Fault{{When: func(r clustertest.Request) bool { return strings.Contains(r.URL, "n=4") }}}, "200 200 200 503 200 200", 0},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s := seeded(t, "")
			s.Inject(tt.faults...)
			var got []string
			for n := range 6 {
				r := send(t, s, "GET", one+"?quotaUser=n="+string(rune('1'+n)), "")
				got = append(got, http.StatusText(r.status))
			}
			want := strings.NewReplacer("200", "OK", "503", "Service Unavailable", "500", "Internal Server Error").Replace(strings.ReplaceAll(tt.want, " ", "|"))
			if strings.Join(got, "|") != want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
			if n := s.PendingFaults(); n != tt.left {
				t.Errorf("%d faults pending, want %d", n, tt.left)
			}
			s.ClearFaults()
			send(t, s, "GET", one, "").ok(t)
		})
	}
}

func TestFaultDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := seeded(t, "")
		s.Inject(clustertest.Fault{Kind: clustertest.FaultDelay, Delay: time.Minute, Times: 2})
		start := time.Now()
		send(t, s, "GET", one, "").ok(t)
		if d := time.Since(start); d != time.Minute {
			t.Errorf("took %v", d)
		}
		// The caller's patience ends first: the work is not done, and the call returns at once.
		cause := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, cause)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "DELETE", one, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.HTTPClient().Do(req)
		if d := time.Since(start); !errors.Is(err, cause) || d != 61*time.Second {
			t.Errorf("after %v: %v", d, err)
		}
		if state := at(send(t, s, "GET", one, "").ok(t), "clusterStatus", "state"); state != "RUNNING" {
			t.Errorf("state %v: the delete took place", state)
		}
	})
}

func TestSlurmFault(t *testing.T) {
	s := seeded(t, "", clustertest.WithSlurm(&slurmd{200, "application/json", "{}", ""}))
	s.Inject(clustertest.Fault{When: func(r clustertest.Request) bool {
		method, path, _ := r.SlurmCall()
		return method == "POST" && strings.HasSuffix(path, "/job/submit")
	}})
	send(t, s, "POST", callSlurm, payload(t, "slurm-list-jobs.json")).ok(t)
	send(t, s, "GET", one, "").ok(t)
	send(t, s, "POST", callSlurm, payload(t, "slurm-submit-job.json")).fails(t, 503, "UNAVAILABLE", "")
}
