package slurm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// chunks is a StreamCaller whose answer comes a few bytes at a time.
type chunks struct {
	replay
	status int
	body   []byte
	size   int
	end    error // in place of io.EOF
	closed int
}

func (c *chunks) StreamSlurm(context.Context, string, *cluster.SlurmRequest, ...gax.CallOption) (*cluster.SlurmStream, error) {
	return cluster.NewSlurmStream(c.status, &chunkReader{c, c.body}), nil
}

type chunkReader struct {
	*chunks
	rest []byte
}

func (r *chunkReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 && r.end != nil {
		return 0, r.end
	}
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.size)], r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *chunkReader) Close() error { r.closed++; return nil }

// listed is what came of a list, comparable: errors by their text and by what matches them.
type listed struct {
	jobs    []*Job
	err     string
	partial bool
}

func outcome(jobs []*Job, err error) listed {
	for _, j := range jobs {
		j.Raw = json.RawMessage(bytes.Clone(j.Raw))
	}
	return listed{jobs, fmt.Sprint(err), errors.Is(err, ErrPartial)}
}

type decodeJob func(*decoder, *jsonx.Object) *Job

// held reads a list of an answer in memory.
func held(status int, body []byte, decode decodeJob) listed {
	r, err := readReply("list jobs", get("/slurm/v0.0.42/jobs/"), &cluster.SlurmResponse{Status: status, Body: body})
	if err != nil {
		return outcome(nil, err)
	}
	return outcome(r.jobs(func(r *reply) ([]*Job, error) { return decodeJobs(r, decode) }))
}

// streamed reads it as it arrives.
func streamed(t testing.TB, caller Caller, decode decodeJob) listed {
	t.Helper()
	c, err := NewClient(caller, "training")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []*Job
	_, err = c.eachRecord(t.Context(), "list jobs", c.live("jobs/"), func(d *decoder, record *jsonx.Object) error {
		job := decode(d, record)
		job.Raw = bytes.Clone(job.Raw)
		jobs = append(jobs, job)
		return nil
	})
	return outcome(jobs, err)
}

// same compares what came of the same answer in memory and of a stream.
func same(t *testing.T, what string, got, want listed) {
	t.Helper()
	if got.err != want.err || got.partial != want.partial || len(got.jobs) != len(want.jobs) {
		t.Errorf("%s: %d jobs, %s (partial %v); want %d, %s (partial %v)", what, len(got.jobs), got.err, got.partial, len(want.jobs), want.err, want.partial)
		return
	}
	for i := range got.jobs {
		if !reflect.DeepEqual(got.jobs[i], want.jobs[i]) {
			t.Errorf("%s: job %d is\n%+v, want\n%+v", what, i, got.jobs[i], want.jobs[i])
			return
		}
	}
}

// TestStreamRecordings: every recorded answer gives the same list, or the same failure, as it arrives and in memory,
// however it is cut into parts.
func TestStreamRecordings(t *testing.T) {
	jobs, failures := 0, 0
	for _, rec := range recordings(t) {
		if rec.Status == 0 {
			continue // there was no answer
		}
		resp := rec.response()
		decode := (*decoder).liveJob
		if strings.HasPrefix(rec.Path, "/slurmdb/") {
			decode = (*decoder).historyJob
		}
		want := held(resp.Status, resp.Body, decode)
		for size := 1; size <= chunkings; size++ {
			same(t, fmt.Sprintf("%s, %d bytes at a time", rec.Name, size), streamed(t, &chunks{status: resp.Status, body: resp.Body, size: size * size}, decode), want)
		}
		same(t, rec.Name+", from a Caller that cannot stream", streamed(t, replay{resp}, decode), want)
		jobs += len(want.jobs)
		if want.err != "<nil>" {
			failures++
		}
	}
	if jobs < 400 || failures < 200 {
		t.Errorf("%d jobs and %d failures: these are not the recordings", jobs, failures)
	}
}

// TestStreamLists is the same for the long lists.
func TestStreamLists(t *testing.T) {
	for file, decode := range map[string]decodeJob{
		"jobs-2000": (*decoder).liveJob, "jobs-2000-pretty": (*decoder).liveJob, "slurmdb-jobs-2000": (*decoder).historyJob,
	} {
		body := unzip(t, file+".json.gz")
		want := held(200, body, decode)
		for _, size := range []int{4096, 11, 1 << 20}[:1+chunkings/12] {
			same(t, fmt.Sprintf("%s, %d bytes at a time", file, size), streamed(t, &chunks{status: 200, body: body, size: size}, decode), want)
		}
		if len(want.jobs) != 2000 {
			t.Errorf("%s has %d jobs", file, len(want.jobs))
		}
	}
}

// TestStreamCutAnywhere: of a list that breaks off, the jobs before that come, and then an error that says so.
func TestStreamCutAnywhere(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	broken := &cluster.Error{Op: "call", Message: "the reply was cut short", Err: io.ErrUnexpectedEOF}
	for _, name := range []string{"job_array_mixed_parent", "job_running", "jobs_flags_NOPE", "job_id_unknown"} {
		rec := recorded(t, name)
		body := rec.response().Body
		whole := held(200, body, (*decoder).liveJob).jobs
		for range 300 {
			n := random.IntN(len(body))
			cut := &chunks{status: 200, body: body[:n], size: 1 + random.IntN(5000)}
			got := streamed(t, cut, (*decoder).liveJob)
			cut.end = broken
			lost := streamed(t, cut, (*decoder).liveJob)
			k := len(got.jobs)
			if k > len(whole) || k != len(lost.jobs) || got.partial != (k > 0) || lost.partial != (k > 0) || cut.closed != 2 {
				t.Fatalf("%s, cut after %d bytes: %d jobs, %v; %d, %v; closed %d times", name, n, k, got.err, len(lost.jobs), lost.err, cut.closed)
			}
			same(t, name, listed{got.jobs, "", false}, listed{whole[:k], "", false})
			if want := fmt.Sprintf("the answer is damaged: JSON cut short after %d bytes", n); n > 0 && !strings.Contains(got.err, want) {
				t.Errorf("%s, cut after %d bytes: %s", name, n, got.err)
			}
			if !strings.Contains(lost.err, "the reply was cut short") || strings.Contains(lost.err, fmt.Sprintf("the list is cut after %d of its jobs: ", k)) != (k > 0) {
				t.Errorf("%s, lost after %d bytes: %s", name, n, lost.err)
			}
		}
	}
}

// TestOddAnswersStream: what is not as Slurm sends it leads to the same as in memory, wherever there is no choice.
func TestOddAnswersStream(t *testing.T) {
	record := `{"job_id":1,"job_state":["RUNNING"],"name":"a"}`
	failed := `"errors":[{"error_number":9207,"error":"bad"}]`
	for _, body := range []string{
		``, ` `, "\v{}", `null`, `[]`, `5`, `"jobs"`, `<html>`, "Unable to parse query.\r\n", `{}`, `{"errors":[]}`, `{` + failed + `}`,
		`{"jobs":null}`, `{"jobs":{}}`, `{"jobs":[]}`, `{"jobs":{"a":1}}`, `{"jobs":"x"}`, `{"jobs":7,` + failed + `}`,
		`{"jobs":[],` + failed + `}`, `{` + failed + `,"jobs":[]}`, `{"jobs":[` + record + `],` + failed + `}`,
		`{` + failed + `,"warnings":["careful"],"jobs":[` + record + `]}`, `{"warnings":[{"description":"w"}],"jobs":null,"meta":[{}]}`,
		`{"meta":{"jobs":[1]},"jobs":[` + record + `,5,null,"x",[]],"x":-1.5}`, `{"errors":[],"jobs":[5],` + failed + `}`,
		`{"jobs" : [ ` + record + ` , ` + record + ` ] }` + "\n\n", `{"j\u006fbs":[` + record + `]}`,
	} {
		for _, status := range []int{200, 404, 500, 502} {
			want := held(status, []byte(body), (*decoder).liveJob)
			for _, size := range []int{1, 7, 1000} {
				same(t, fmt.Sprintf("%d %s", status, body), streamed(t, &chunks{status: status, body: []byte(body), size: size}, (*decoder).liveJob), want)
			}
		}
	}
	for body, want := range map[string]listed{
		`{"jobs":[` + record + `],"jobs":[]}`:                          {make([]*Job, 1), "jobs: want one list, got two", true},
		`{"jobs":[` + record + `,{"job_id":nope}]}`:                    {make([]*Job, 1), "the list is cut after 1 of its jobs: the answer is damaged: not JSON at byte 69", true},
		`{"jobs":[{"job_id":nope}]}`:                                   {nil, "list jobs: the answer is damaged: not JSON at byte 2", false},
		`{"jobs":[` + record + `]}<html>`:                              {make([]*Job, 1), "the answer is damaged: not JSON at byte 59", true},
		`[` + strings.Repeat("0,", 50_000) + `0]`:                      {nil, "the answer is a list, not an object", false},
		`{"jobs":[{"name":"` + strings.Repeat("x", maxRecord) + `"}]}`: {nil, "a value of more than 16777216 bytes at byte 10", false},
	} {
		got := streamed(t, &chunks{status: 200, body: []byte(body), size: 1 << 20}, (*decoder).liveJob)
		if len(got.jobs) != len(want.jobs) || !strings.Contains(got.err, want.err) || got.partial != want.partial {
			t.Errorf("%.60s: %d jobs, %s", body, len(got.jobs), got.err)
		}
	}
}

// TestListsThatAreNoWholeOnes: of a list that lacks jobs, nobody takes those that are missing for gone, or for ones that
// never were: neither a history, which gives none then and says how far it was read, nor a wait.
func TestListsThatAreNoWholeOnes(t *testing.T) {
	record := `{"job_id":1,"job_state":["RUNNING"],"state":{"current":["RUNNING"]}}`
	for _, body := range []string{
		`{"jobs":[` + record + `],"jobs":[]}`, `{"jobs":[],"jobs":[` + record + `]}`, `{"jobs":[` + record + `]`, `{"jobs":[` + record + `,`,
		`{"jobs":[` + record + `]}x`, `{"jobs":[` + record + `],"errors":[}`, `{"jobs":"x"}`, `{"jobs":` + record + `}`, `{}`,
	} {
		c, err := NewClient(&chunks{status: 200, body: []byte(body), size: 10}, "training")
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := c.ListHistory(t.Context(), nil)
		if len(jobs) > 0 || err == nil || errors.Is(err, ErrPartial) {
			t.Errorf("%s: a history of %d jobs, %v", body, len(jobs), err)
		}
		for job, err := range c.HistoryJobs(t.Context(), nil) {
			if _, stopped := errors.AsType[*HistoryError](err); job != nil || !stopped {
				t.Errorf("%s: the history goes on with %v, %v", body, job, err)
			}
		}
		list, err := c.readQueueList(t.Context(), 0, map[int64]bool{1: true}, nil)
		if list != nil || err == nil {
			t.Errorf("%s: the queue is %+v, %v", body, list, err)
		}
	}
}

// FuzzStreamedList: whatever arrives, in whatever parts, leads to jobs or an error of one line, and to the same as in
// memory if it is JSON.
func FuzzStreamedList(f *testing.F) {
	for _, name := range []string{"job_running", "job_id_unknown", "jobs_flags_NOPE", "auth_none"} {
		rec := recorded(f, name)
		f.Add(rec.Status, rec.response().Body, 7)
	}
	f.Add(200, []byte(`{"jobs":[{"job_id":1},5,null],"errors":[{}],"warnings":[],"meta":{}}`), 1)
	f.Add(500, []byte(`{"errors":{"error_number":1},"jobs":{}}`), 3)
	f.Fuzz(func(t *testing.T, status int, body []byte, size int) {
		caller := &chunks{status: status, body: body, size: max(1, size%(len(body)+1))}
		got := streamed(t, caller, (*decoder).liveJob)
		if caller.closed != 1 || got.partial && len(got.jobs) == 0 || strings.ContainsAny(got.err, "\n\r\x00\x1b") {
			t.Errorf("%q: %+v, closed %d times", body, got, caller.closed)
		}
		var lists int
		if !json.Valid(body) || len(bytes.TrimSpace(body)) == 0 || body[0] == '{' && countLists(body, &lists) && lists > 1 {
			return
		}
		same(t, fmt.Sprintf("%d %q", status, body), got, held(status, body, (*decoder).liveJob))
	})
}

// countLists counts the members "jobs" of an object, of which a stream takes the first and everybody else the last.
func countLists(body []byte, n *int) bool {
	dec := json.NewDecoder(bytes.NewReader(body))
	_, _ = dec.Token()
	for dec.More() {
		name, _ := dec.Token()
		if name == jobList {
			*n++
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return false
		}
	}
	return true
}

// TestIteratorKeepsNothing of a list that has ended, in whichever way: not its buffer, and not its texts.
func TestIteratorKeepsNothing(t *testing.T) {
	for _, body := range []string{`{"jobs":[{"job_id":1,"name":"a"},{"job_id":2,"name":"a"}]}`, `{"jobs":[{"job_id":1,"name":"a"},{"job_id":2`, `{}`, ``} {
		for stop := range 3 {
			caller := &chunks{status: 200, body: []byte(body), size: 10}
			c, err := NewClient(caller, "training")
			if err != nil {
				t.Fatal(err)
			}
			it := c.JobIterator(t.Context(), &ListOptions{Names: []string{"a"}})
			for range stop {
				_, _ = it.Next()
			}
			if stop == 2 {
				_, _ = it.all()
			}
			it.Stop()
			if it.records != nil || !reflect.DeepEqual(it.sketch, Job{}) || caller.closed != min(stop, 1) {
				t.Errorf("%s, %d jobs read: %+v is kept, closed %d times", body, stop, it.records, caller.closed)
			}
			_, first := it.Next()
			if _, again := it.Next(); first == nil || again != first {
				t.Errorf("%s, %d jobs read: Next gives %v, then %v", body, stop, first, again)
			}
		}
	}
}

// TestNoStream: a Caller that gives neither a stream nor an error is found out.
func TestNoStream(t *testing.T) {
	c, err := NewClient(nothing{}, "training")
	if err != nil {
		t.Fatal(err)
	}
	if jobs, err := c.List(t.Context(), nil); jobs != nil || err == nil || err.Error() != "slurm: list jobs: the Caller returned neither an answer nor an error" {
		t.Errorf("%v, %v", jobs, err)
	}
}

type nothing struct{ replay }

func (nothing) StreamSlurm(context.Context, string, *cluster.SlurmRequest, ...gax.CallOption) (*cluster.SlurmStream, error) {
	return nil, nil
}

// TestStreamedTextStaysOwn: what a job keeps is not overwritten by the records behind it.
func TestStreamedTextStaysOwn(t *testing.T) {
	var list strings.Builder
	list.WriteString(`{"jobs":[`)
	for i := range 5000 {
		fmt.Fprintf(&list, `{"job_id":%d,"name":"job-%d","standard_output":"/home/%d","tres_req_str":"gres/g%d=1","mail_type":["M%d"]},`, i+1, i, i, i, i)
	}
	list.WriteString(`{"job_id":9999}]}`)
	c, err := NewClient(&chunks{status: 200, body: []byte(list.String()), size: 3000}, "training")
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := c.List(t.Context(), &ListOptions{Raw: true})
	if err != nil || len(jobs) != 5001 {
		t.Fatal(len(jobs), err)
	}
	for i, j := range jobs[:5000] {
		want := fmt.Sprintf("%d job-%d /home/%d gres/g%d=1 [M%d]", i+1, i, i, i, i)
		if got := fmt.Sprintf("%s %s %s %v %v", j.ID, j.Name, j.StandardOutput, j.Requested, j.MailTypes); got != want {
			t.Fatalf("job %d is %s, want %s", i, got, want)
		}
		if again, err := oneRecord((*decoder).liveJob)(j.Raw); err != nil || !reflect.DeepEqual(again, j) {
			t.Fatalf("job %d: Raw is %s, %v", i, j.Raw, err)
		}
	}
}

// TestIteratorsStop: a loop that ends early gives the connection back, and so does Stop.
func TestIteratorsStop(t *testing.T) {
	caller := &chunks{status: 200, body: []byte(`{"jobs":[{"job_id":1},{"job_id":2},{"job_id":3}],"errors":[{"error_number":1}]}`), size: 20}
	c, err := NewClient(caller, "training")
	if err != nil {
		t.Fatal(err)
	}
	for job, err := range c.Jobs(t.Context(), nil) {
		if err != nil || job.ID != "1" || caller.closed != 0 {
			t.Errorf("%v, %v, closed %d times", job, err, caller.closed)
		}
		break
	}
	if caller.closed != 1 {
		t.Errorf("a loop that ended early has closed its stream %d times", caller.closed)
	}
	for name, use := range map[string]func(it *JobIterator) error{
		"after the first job": func(it *JobIterator) error { _, err := it.Next(); return err },
		"before the call":     func(*JobIterator) error { return nil },
	} {
		caller.closed = 0
		it := c.JobIterator(t.Context(), nil)
		if err := use(it); err != nil {
			t.Error(err)
		}
		it.Stop()
		it.Stop()
		if job, err := it.Next(); job != nil || err != Done || caller.closed > 1 || (caller.closed == 1) != strings.HasPrefix(name, "after") {
			t.Errorf("stopped %s: %v, %v, closed %d times", name, job, err, caller.closed)
		}
	}
	caller.closed = 0
	it := c.JobIterator(t.Context(), nil)
	end := error(nil)
	for end == nil {
		_, end = it.Next()
	}
	it.Stop()
	if _, again := it.Next(); again != end || !errors.Is(end, ErrPartial) || caller.closed != 1 {
		t.Errorf("stopped at the end: %v, then %v; closed %d times", end, again, caller.closed)
	}
}

// TestFiltersOfAStream: dropping records before they are decoded drops the same jobs as dropping jobs would.
func TestFiltersOfAStream(t *testing.T) {
	caller := &chunks{status: 200, body: unzip(t, "jobs-2000.json.gz"), size: 1 << 20}
	c, err := NewClient(caller, "training")
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range chunkings {
		var opts ListOptions
		model := all[random.IntN(len(all))]
		wanted := []func(*Job) bool{func(*Job) bool { return true }}
		if random.IntN(2) == 0 {
			opts.Names = []string{model.Name, "none"}
			wanted = append(wanted, func(j *Job) bool { return j.Name == model.Name })
		}
		if random.IntN(2) == 0 {
			opts.Users = []string{"nobody," + model.User}
			wanted = append(wanted, func(j *Job) bool { return j.User == model.User })
		}
		if random.IntN(2) == 0 {
			opts.Accounts = []string{model.Account}
			wanted = append(wanted, func(j *Job) bool { return j.Account == model.Account })
		}
		if random.IntN(2) == 0 {
			opts.Partitions = []string{model.Partition}
			wanted = append(wanted, func(j *Job) bool { return j.Partition == model.Partition })
		}
		if random.IntN(2) == 0 {
			opts.States = []State{model.State}
			wanted = append(wanted, func(j *Job) bool { return j.State == model.State })
		}
		if random.IntN(2) == 0 {
			opts.Since = model.SubmitTime
			wanted = append(wanted, func(j *Job) bool { return !j.SubmitTime.Before(model.SubmitTime) })
		}
		var want []*Job
		for _, j := range all {
			if !slices.ContainsFunc(wanted, func(ok func(*Job) bool) bool { return !ok(j) }) {
				want = append(want, j)
			}
		}
		got, err := c.List(t.Context(), &opts)
		same(t, fmt.Sprintf("%+v", opts), outcome(got, err), outcome(want, nil))
		found += len(got)
	}
	if found == 0 || found == chunkings*len(all) {
		t.Errorf("found %d jobs in all: nothing was tried", found)
	}
}
