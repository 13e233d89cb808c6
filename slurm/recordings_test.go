package slurm

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// recording is an exchange with a real slurmrestd 24.11.5: see testdata/pack.go.
type recording struct {
	Name, Method, Path, Type string
	Status                   int
	Body                     json.RawMessage
}

func (r recording) request() *cluster.SlurmRequest {
	return &cluster.SlurmRequest{Method: r.Method, Path: r.Path}
}

// get is a request that reads path.
func get(path string) *cluster.SlurmRequest { return &cluster.SlurmRequest{Method: "GET", Path: path} }

// response is the answer as the service in front of Slurm hands it on.
func (r recording) response() *cluster.SlurmResponse {
	body := []byte(r.Body)
	var text string
	// A list of megabytes is not read once more only to see that it is no text. Null is an empty body.
	if !bytes.HasPrefix(body, []byte("{")) && json.Unmarshal(body, &text) == nil {
		body = []byte(text)
	}
	return &cluster.SlurmResponse{Status: r.Status, Body: body}
}

func (r recording) reply(t testing.TB) *reply {
	t.Helper()
	answer, err := readReply("test", r.request(), r.response())
	if err != nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
	return answer
}

func unzip(t testing.TB, name string) []byte {
	t.Helper()
	data, err := readZip(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readZip(name string) ([]byte, error) {
	file, err := os.Open("testdata/" + name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	zip, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zip)
}

// readRecordings reads them once for all tests, none of which writes to them.
var readRecordings = sync.OnceValues(func() ([]recording, error) {
	data, err := readZip("recordings.jsonl.gz")
	var all []recording
	for line := range bytes.Lines(data) {
		var r recording
		err = errors.Join(err, json.Unmarshal(line, &r))
		all = append(all, r)
	}
	return all, err
})

func recordings(t testing.TB) []recording {
	t.Helper()
	all, err := readRecordings()
	if err != nil || len(all) != 656 {
		t.Fatalf("got %d recordings, want 656: %v", len(all), err)
	}
	return all
}

func recorded(t testing.TB, name string) recording {
	t.Helper()
	for _, r := range recordings(t) {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no recording %q", name)
	return recording{}
}

// kinds of requests, by method and path, and what must hold for an answer to them beyond what holds for all.
var kinds = []struct {
	name  string
	match *regexp.Regexp
	check func(t *testing.T, rec recording, r *reply)
	atMin int // how many answers there are to check, so that a wrong pattern shows
}{
	{"job submit", regexp.MustCompile(`^POST /slurm/[^/]*/job/submit$`), checkSubmit, 110},
	{"signal or cancel", regexp.MustCompile(`^DELETE /slurm/[^/]*/jobs?/`), checkSignal, 30},
	{"live jobs", regexp.MustCompile(`^GET /slurm/[^/]*/job(s/?(\?.*)?|/.*)$`), checkLive, 100},
	{"history", regexp.MustCompile(`^GET /slurmdb/[^/]*/jobs?\b`), checkHistory, 100},
	{"nodes", regexp.MustCompile(`^GET /slurm/[^/]*/nodes?/`), checkNodes, 8},
	{"partitions", regexp.MustCompile(`^GET /slurm/[^/]*/partitions?/`), checkPartitions, 5},
	{"ping", regexp.MustCompile(`^GET /+slurm/[^/]*/+ping`), checkPing, 15},
	{"licenses", regexp.MustCompile(`^GET /slurm/[^/]*/licenses/`), checkLicenses, 1},
}

func TestRecordings(t *testing.T) {
	checked := map[string]int{}
	for _, rec := range recordings(t) {
		if rec.Status == 0 {
			continue // the connection broke: there is no answer to read
		}
		if !strings.HasPrefix(string(rec.Body), "{") {
			checkNoReply(t, rec)
			continue
		}
		r := rec.reply(t)
		checkEnvelope(t, rec, r)
		for _, kind := range kinds {
			if kind.match.MatchString(rec.Method + " " + rec.Path) {
				kind.check(t, rec, r)
				checked[kind.name]++
			}
		}
	}
	for _, kind := range kinds {
		if checked[kind.name] < kind.atMin {
			t.Errorf("%s: checked %d answers, want at least %d", kind.name, checked[kind.name], kind.atMin)
		}
	}
}

// checkNoReply: an answer that is no JSON object is an error whose text shows what came.
func checkNoReply(t *testing.T, rec recording) {
	r, err := readReply("get job", rec.request(), rec.response())
	var e *Error
	if r != nil || !errors.As(err, &e) {
		t.Errorf("%s: got %v, %v; want an *Error", rec.Name, r, err)
		return
	}
	checkErrorText(t, rec.Name, err)
	start, _, _ := strings.Cut(string(rec.response().Body), "\n")
	if start == "" {
		start = "the answer is empty"
	}
	if !strings.Contains(err.Error(), start) {
		t.Errorf("%s: error %q does not show %q", rec.Name, err, start)
	}
	if got, want := errors.Is(err, ErrUnknownPath), rec.Status == 404; got != want {
		t.Errorf("%s: unknown path = %v, want %v", rec.Name, got, want)
	}
	if got, want := errors.Is(err, ErrPermission), rec.Status == 401; got != want {
		t.Errorf("%s: permission = %v, want %v", rec.Name, got, want)
	}
}

func checkErrorText(t *testing.T, name string, err error) {
	t.Helper()
	text := err.Error()
	if strings.ContainsAny(text, "\n\r\t") || !strings.HasPrefix(text, "slurm: ") ||
		strings.Count(text, "slurm: ") != 1 || strings.Contains(text, "(0x") {
		t.Errorf("%s: want one line, one prefix, and no addresses of the server, got %q", name, text)
	}
}

// checkEnvelope compares problems and warnings with an independent reading.
func checkEnvelope(t *testing.T, rec recording, r *reply) {
	want := object(t, rec.Body)
	checkProblems(t, rec, r, want.list("errors"))
	if len(r.warnings) != len(want.list("warnings")) {
		t.Errorf("%s: %d warnings, want %d", rec.Name, len(r.warnings), len(want.list("warnings")))
		return
	}
	for i, w := range want.list("warnings") {
		got := r.warnings[i]
		if got.Description != withoutAddress(w.text("description")) || got.Source != withoutAddress(w.text("source")) {
			t.Errorf("%s: warning %+v, want %v", rec.Name, got, w)
		}
	}
}

func checkProblems(t *testing.T, rec recording, r *reply, want []record) {
	if failed := rec.Status >= 300 || len(want) > 0; (r.err() != nil) != failed {
		t.Errorf("%s: error %v, want one: %v", rec.Name, r.err(), failed)
	}
	if len(r.problems) != len(want) {
		t.Errorf("%s: %d problems, want %d", rec.Name, len(r.problems), len(want))
		return
	}
	for i, p := range want {
		number, message := p.integer("error_number"), p.text("error")
		wantProblem := Problem{int(number), message, withoutAddress(p.text("description")), withoutAddress(p.text("source"))}
		if r.problems[i] != wantProblem {
			t.Errorf("%s: problem %+v, want %+v", rec.Name, r.problems[i], wantProblem)
		}
		text := r.err().Error()
		checkErrorText(t, rec.Name, r.err())
		shown := []string{wantProblem.Description, wantProblem.Source}
		if number != 0 {
			shown = append(shown, message, "[HTTP ")
		}
		for _, part := range shown {
			if !strings.Contains(text, part) {
				t.Errorf("%s: error %q lacks %q", rec.Name, text, part)
			}
		}
	}
}

var hexAddress = regexp.MustCompile(`\(0x[0-9a-f]+\)`)

func withoutAddress(s string) string { return hexAddress.ReplaceAllString(s, "") }

func checkSubmit(t *testing.T, rec recording, r *reply) {
	n, err := readNumber(r.member("job_id"))
	if want := object(t, rec.Body).integer("job_id"); err != nil || n.value != want {
		t.Errorf("%s: job_id %d, %v; want %d", rec.Name, n.value, err, want)
	}
}

func checkSignal(t *testing.T, rec recording, r *reply) {
	got, err := decodeSignalStatus(r)
	want := object(t, rec.Body).list("status")
	if err != nil || len(got) != len(want) {
		t.Errorf("%s: %d outcomes, %v; want %d", rec.Name, len(got), err, len(want))
		return
	}
	for i, w := range want {
		outcome := signalStatus{int(w.record("error").integer("code")), w.record("error").text("message"),
			w.text("step_id"), w.record("job_id").integer("number")}
		if got[i] != outcome {
			t.Errorf("%s: outcome %+v, want %+v", rec.Name, got[i], outcome)
		}
	}
}

func checkLive(t *testing.T, rec recording, r *reply) {
	checkJobs(t, rec, r, decodeLiveJobs, liveFields)
}

func checkHistory(t *testing.T, rec recording, r *reply) {
	checkJobs(t, rec, r, decodeHistoryJobs, historyFields)
}

// checkJobs: an answer has jobs that agree with an independent reading, or it has a problem.
func checkJobs(t *testing.T, rec recording, r *reply, decode func(*reply) ([]*Job, error), fields func(*Job, record) []field) {
	jobs, err := decode(r)
	if r.member("jobs") == nil {
		if err == nil || jobs != nil {
			t.Errorf("%s: no list of jobs, yet got %v, %v", rec.Name, jobs, err)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", rec.Name, err)
	}
	var body struct{ Jobs []json.RawMessage }
	if err := json.Unmarshal(rec.Body, &body); err != nil {
		t.Fatal(err)
	}
	compareJobs(t, rec.Name, jobs, body.Jobs, 1, fields)
}

// compareJobs compares every n-th job with an independent reading of its record.
func compareJobs(t *testing.T, name string, jobs []*Job, raw []json.RawMessage, n int, fields func(*Job, record) []field) {
	if len(jobs) != len(raw) {
		t.Errorf("%s: %d jobs, want %d", name, len(jobs), len(raw))
		return
	}
	for i := 0; i < len(jobs); i += n {
		job := jobs[i]
		if len(job.Odd) > 0 {
			t.Errorf("%s: jobs[%d]: odd members %v", name, i, job.Odd)
		}
		if !bytes.Equal(job.Raw, raw[i]) {
			t.Errorf("%s: jobs[%d]: Raw is not the record", name, i)
		}
		for _, f := range fields(job, object(t, raw[i])) {
			if f.got != f.want {
				t.Errorf("%s: jobs[%d] (%s): %s = %v, want %v", name, i, job.ID, f.name, f.got, f.want)
			}
		}
	}
}

// TestLists reads the recorded lists of 2,000 and 3,995 jobs.
func TestLists(t *testing.T) {
	tests := []struct {
		file    string
		decode  func(*reply) ([]*Job, error)
		fields  func(*Job, record) []field
		jobs, n int // of which every n-th is compared: encoding/json is slow
	}{
		{"jobs-2000", decodeLiveJobs, liveFields, 2000, 7},
		{"jobs-2000-nodetail", decodeLiveJobs, liveFields, 2000, 31},
		{"jobs-2000-pretty", decodeLiveJobs, liveFields, 2000, 31},
		{"jobs-2000-finished", decodeLiveJobs, liveFields, 3995, 31},
		{"slurmdb-jobs-2000", decodeHistoryJobs, historyFields, 2000, 7},
		{"slurmdb-jobs-2000-nosteps", decodeHistoryJobs, historyFields, 2000, 31},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			body := unzip(t, tt.file+".json.gz")
			r := recording{Name: tt.file, Status: 200, Body: body}.reply(t)
			jobs, err := tt.decode(r)
			if err != nil || len(jobs) != tt.jobs {
				t.Fatalf("%d jobs, %v; want %d", len(jobs), err, tt.jobs)
			}
			raw := make([]json.RawMessage, len(jobs)) // that Raw is the record is tested above
			for i, job := range jobs {
				raw[i] = job.Raw
			}
			compareJobs(t, tt.file, jobs, raw, tt.n, tt.fields)
		})
	}
}
