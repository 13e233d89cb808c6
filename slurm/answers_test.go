package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestUnreadableAnswers: each kind of answer that is not Slurm's gets a sentence that a user understands.
func TestUnreadableAnswers(t *testing.T) {
	long := strings.Repeat("x", 5000)
	tests := []struct {
		body      string
		status    int
		want      string
		transient bool
	}{
		{"", 200, "slurm: list jobs: the answer is empty [HTTP 200]", true},
		{" \n", 500, "slurm: list jobs: the answer is empty [HTTP 500]", true},
		{"<html><body>502 Bad Gateway</body></html>", 502, "the answer is a web page, perhaps of a proxy between here and Slurm: <html>", true},
		{`{"jobs":[{"job_id":1`, 200, "the answer is damaged: JSON cut short after 20 bytes", true},
		{`{"jobs":[NaN]}`, 200, "the answer is damaged: not JSON at byte 10", true},
		{" \n{\"jobs\":[NaN]} ", 200, "the answer is damaged: not JSON at byte 12", true},
		{"\v{}", 200, "the answer is damaged: not JSON at byte 1", true},
		{"null", 200, "the answer is null, not an object", true},
		{"[]", 200, "the answer is a list, not an object", true},
		{"true", 200, "the answer is a boolean, not an object", true},
		{`"{\"jobs\":[]}"`, 200, `the answer is a text, not an object: {"jobs":[]}`, true},
		{"Unable to parse query.\r\n", 400, "slurm: list jobs: Unable to parse query. [HTTP 400]", false},
		{"Too many requests", 429, "Too many requests", true},
		{"\x1b[31mred\x00\xff", 400, "[31mred [HTTP 400]", false},
		{long, 400, "xxx…", false},
	}
	for _, tt := range tests {
		r, err := readReply("list jobs", get("/slurm/v0.0.42/jobs/"), &cluster.SlurmResponse{Status: tt.status, Body: []byte(tt.body)})
		var e *Error
		if r != nil || !errors.As(err, &e) {
			t.Errorf("%.40q: got %v, %v; want an *Error", tt.body, r, err)
			continue
		}
		checkErrorText(t, tt.body, err)
		if !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 400 {
			t.Errorf("%.40q: text %q, want %q in it", tt.body, err, tt.want)
		}
		if e.Transient() != tt.transient || e.Status != tt.status || e.Path == "" {
			t.Errorf("%.40q: transient %v, status %d", tt.body, e.Transient(), e.Status)
		}
	}
}

// TestProblemShapes: a failure in an odd shape is still one.
func TestProblemShapes(t *testing.T) {
	tests := []struct{ errors, want string }{
		{`null`, "[]"},
		{`[]`, "[]"},
		{`{}`, "[]"},
		{`["it broke (0x7f00)"]`, "[it broke]"},
		{`"it broke"`, "[it broke]"},
		{`[{"error_number":"2017","error":"gone"}]`, "[2017 gone]"},
		{`{"error_number":2017.0,"error":"gone","source":null}`, "[2017 gone]"},
		{`[null,{}]`, "[no reason given]"},
		{`[{"error_number":0,"error":"No error","description":""}]`, "[no reason given]"},
		{`[{"error_number":9000,"error":"bad\nquery","description":"bad\nquery"}]`, "[9000 bad query]"},
		{`[{"error_number":1,"description":"f(0x7fcd6802ffd0) failed","source":"f()"}]`, "[1: f failed (f())]"},
	}
	for _, tt := range tests {
		r := recording{Name: tt.errors, Status: 200, Body: json.RawMessage(`{"errors":` + tt.errors + `}`)}.reply(t)
		if got := fmt.Sprint(r.problems); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.errors, got, tt.want)
		}
		if (r.err() != nil) != (tt.want != "[]") {
			t.Errorf("%s: error %v", tt.errors, r.err())
		}
	}
}

// TestStatusDecidesNothing: the same answer with another HTTP status is the same kind of failure.
func TestStatusDecidesNothing(t *testing.T) {
	body := `{"errors":[{"error_number":2017,"error":"Invalid job id specified"}]}`
	for _, status := range []int{200, 404, 422, 500, 502} {
		err := recording{Name: "x", Status: status, Body: json.RawMessage(body)}.reply(t).err()
		var e *Error
		if !errors.As(err, &e) || !e.NotFound() || e.Transient() || errors.Is(err, ErrUnknownPath) {
			t.Errorf("%d: %v", status, err)
		}
	}
	if err := (recording{Name: "x", Status: 500, Body: json.RawMessage(`{}`)}).reply(t).err(); err == nil ||
		err.Error() != "slurm: test: no reason given [HTTP 500]" {
		t.Errorf("a bare 500: %v", err)
	}
}

// TestStatusWithoutReason: an answer that is no JSON of Slurm's has nothing but its status to go by.
func TestStatusWithoutReason(t *testing.T) {
	kinds := map[int]error{200: nil, 400: ErrInvalid, 401: ErrPermission, 404: ErrUnknownPath, 406: ErrInvalid, 411: ErrInvalid,
		415: ErrInvalid, 429: nil, 500: nil, 502: ErrUnavailable, 503: ErrUnavailable, 504: ErrUnavailable}
	for status, kind := range kinds {
		for _, body := range []string{"", "<html>", "no"} {
			_, err := readReply("ping", get("/slurm/v0.0.42/ping/"), &cluster.SlurmResponse{Status: status, Body: []byte(body)})
			for _, sentinel := range sentinels {
				if errors.Is(err, sentinel) != (sentinel == kind) {
					t.Errorf("%d %q: errors.Is(%v, %v) is wrong", status, body, err, sentinel)
				}
			}
			var e *Error
			if errors.As(err, &e) && e.Transient() != (status >= 429 || status < 300) {
				t.Errorf("%d %q: transient %v", status, body, e.Transient())
			}
		}
	}
}

// TestSilentController: while its controller does not answer, Slurm's REST daemon has no number for that in most calls
// about a single job. Neither the numbers nor the status alone, nor those of another call, mean as much.
func TestSilentController(t *testing.T) {
	const job, hint = "/slurm/v0.0.40/job/42", "; most likely the Slurm controller does not answer; it may be restarting [HTTP 500]"
	tests := []struct {
		why          string
		method, path string
		status       int
		numbers      []int
		want         bool
	}{
		{"Get", "GET", job, 500, []int{-1}, true},
		{"Cancel", "DELETE", job, 500, []int{1}, true},
		{"Signal to a task", "DELETE", job + "_3?signal=USR1", 500, []int{1}, true},
		{"Hold", "POST", job, 500, []int{1000}, true},
		{"a plugin refuses the update", "POST", job, 500, []int{-1}, false},
		{"a plugin refuses the job", "POST", "/slurm/v0.0.42/job/submit", 500, []int{-1}, false},
		{"the job may have been accepted", "POST", "/slurm/v0.0.42/job/submit", 500, []int{1000}, false},
		{"the name of a QOS among the filters", "GET", "/slurmdb/v0.0.42/jobs/?qos=normal", 500, []int{-1}, false},
		{"the accounting, which has a number for it", "GET", "/slurmdb/v0.0.42/job/42", 500, []int{-1}, false},
		{"one number of two", "GET", job, 500, []int{-1, 2099}, false},
		{"another number", "GET", job, 500, []int{2099}, false},
		{"another status", "GET", job, 422, []int{-1}, false},
		{"the method is unknown", "", job, 500, []int{-1}, false},
		{"a failure without a number", "", job, 500, []int{0}, false},
	}
	for _, tt := range tests {
		e := &Error{Method: tt.method, Path: tt.path, Status: tt.status}
		for _, n := range tt.numbers {
			e.Problems = append(e.Problems, Problem{Number: n, Message: "vague"})
		}
		if got := errors.Is(e, ErrUnavailable); got != tt.want {
			t.Errorf("%s: unavailable %v, want %v", tt.why, got, tt.want)
		}
		if strings.HasSuffix(e.Error(), hint) != tt.want {
			t.Errorf("%s: %v", tt.why, e)
		}
		if tt.status == 500 && !e.Transient() {
			t.Errorf("%s: a wait would not bear it", tt.why)
		}
	}
}

func TestErrorSubject(t *testing.T) {
	gone := []Problem{{Number: 2021, Message: "done"}}
	tests := []struct {
		e    Error
		want string
	}{
		{Error{Op: "cancel job", JobID: "42", Problems: gone, Status: 200}, "slurm: cancel job 42: 2021 done [HTTP 200]"},
		{Error{Op: "cancel job 42", JobID: "42", Problems: gone}, "slurm: cancel job 42: 2021 done"},
		{Error{Op: "submit job", JobID: "42", Partial: true, Problems: gone}, "slurm: submit job: 2021 done; job 42 exists all the same"},
		{Error{Path: "/slurm/v0.0.42/diag/", Problems: gone}, "slurm: call /slurm/v0.0.42/diag/: 2021 done"},
	}
	for _, tt := range tests {
		if got := tt.e.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
