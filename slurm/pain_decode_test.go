package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/alteration"
)

// The tests named TestPain are what users of such clients have suffered from, by the numbers of a list of it: see
// [TestPainIndex]. What is said to have been seen elsewhere is cited by repository and number.

// painTwice reads a list of the queue while it arrives and in memory, which must agree.
func painTwice(t *testing.T, status int, body []byte) (jobs []*Job, err error) {
	t.Helper()
	jobs, err = collect(painClient(t, &chunks{status: status, body: body, size: 512}).Jobs(t.Context(), nil))
	held, heldErr := painClient(t, replay{recording{Status: status, Body: body}.response()}).List(t.Context(), nil)
	if fmt.Sprint(err) != fmt.Sprint(heldErr) || !reflect.DeepEqual(jobs, []*Job(held)) {
		t.Errorf("streamed %v, %v; collected %v, %v", jobs, err, held, heldErr)
	}
	return jobs, err
}

// painAmong puts an altered job between two sound ones, and returns all three.
func painAmong(t *testing.T, path, value string) []*Job {
	t.Helper()
	good := firstRecord(t, "job_running")
	jobs, err := painTwice(t, 200, painBody(t, good, alter(t, good, path, value), good))
	if err != nil || len(jobs) != 3 {
		t.Fatalf("%s = %s: %d jobs, %v", path, value, len(jobs), err)
	}
	if jobs[0].Name != "my-run" || !reflect.DeepEqual(jobs[0], jobs[2]) {
		t.Errorf("%s = %s: the others are %v and %v", path, value, jobs[0], jobs[2])
	}
	return jobs
}

func painBody(t *testing.T, jobs ...json.RawMessage) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jobs": jobs, "errors": []any{}, "warnings": []any{}})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// SchedMD/slurm#214: clients with 32-bit ids could not read the list once one user's id from OS Login was above 2^31, and
// Slurm refuses such an id in a submit.
func TestPainU01LargeUIDs(t *testing.T) {
	for _, member := range []string{"user_id", "group_id"} {
		job := painAmong(t, member, "3000000123")[1]
		if got := map[string]int64{"user_id": job.UserID, "group_id": job.GroupID}[member]; got != 3000000123 || job.Odd != nil {
			t.Errorf("%s = %d, odd %v", member, got, job.Odd)
		}
		spec := &JobSpec{Script: "#!/bin/sh\n", WorkingDirectory: "/x", Extra: map[string]any{member: int64(3000000123)}}
		if err := spec.Validate(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), member) {
			t.Errorf("%s in a submit: %v", member, err)
		}
	}
}

// priority/basic counts down from 0xffff0000, which is more than the 32 bits that the schema promises.
func TestPainU02LargePriority(t *testing.T) {
	if job := painAmong(t, "priority.number", "4294901757")[1]; job.Priority != 4294901757 || job.Odd != nil {
		t.Errorf("priority %d, odd %v", job.Priority, job.Odd)
	}
}

// CLIP-HPC/SlurmCommander#1 and #32: the shape of a part that nobody needs changed, and the whole list was lost.
func TestPainU03ShapeOfResources(t *testing.T) {
	for _, nodes := range []string{`{"count":1,"list":"n1"}`, `"n1"`, `["n1"]`} {
		if job := painAmong(t, "job_resources.nodes", nodes)[1]; !job.Running() || job.Nodes != "n1" || job.Odd != nil {
			t.Errorf("%s: %v, odd %v", nodes, job, job.Odd)
		}
	}
	// The raw record is there for those who do need it.
	rec := recorded(t, "job_running")
	job, err := replayed(t, rec).Get(t.Context(), NewJobID(painAmong(t, "x", "1")[1].RawID))
	if err != nil || !strings.Contains(string(job.Raw), `"job_resources"`) {
		t.Errorf("no raw record: %v", err)
	}
}

// A client that disallows unknown members refuses the whole answer for one that a new Slurm has.
func TestPainU05UnknownMembers(t *testing.T) {
	if job := painAmong(t, "priority_by_partition", `[{"partition":"cpu","priority":1}]`)[1]; job.Odd != nil {
		t.Errorf("in a job: %v", job.Odd)
	}
	for _, path := range []string{"meta.quantum", "quantum"} {
		body := alter(t, recorded(t, "job_running").Body, path, `{"a":[1,{}]}`)
		if jobs, err := painTwice(t, 200, body); err != nil || len(jobs) != 1 || jobs[0].Odd != nil {
			t.Errorf("%s: %v, %v", path, jobs, err)
		}
	}
}

// omnivector-solutions/jobbergate#722 and #739: job_state was a word, then a list, then a list with flags.
func TestPainU06JobState(t *testing.T) {
	for _, tt := range []struct {
		value, state, flags string
		ended               bool
	}{
		{`"RUNNING"`, "RUNNING", "[]", false},
		{`["RUNNING"]`, "RUNNING", "[]", false},
		{`["FAILED","COMPLETING"]`, "FAILED", "[COMPLETING]", false},
		{`["FAILED"]`, "FAILED", "[]", true},
		{`[]`, "", "[]", false},
		{alteration.Missing, "", "[]", false},
		{`["RUNNING","QUANTUM_WAIT"]`, "RUNNING", "[QUANTUM_WAIT]", false},
	} {
		job := painAmong(t, "job_state", tt.value)[1]
		if string(job.State) != tt.state || fmt.Sprint(job.Flags) != tt.flags || job.Ended() != tt.ended || job.Odd != nil {
			t.Errorf("%s: %s %v, ended %v, odd %v", tt.value, job.State, job.Flags, job.Ended(), job.Odd)
		}
	}
}

// jontk/slurm-client#86: only the first state was kept, so that a drained node looked idle; and an empty filter hid
// every job.
func TestPainU08DrainedNode(t *testing.T) {
	c := painClient(t, replay{recording{Status: 200, Body: json.RawMessage(`{"nodes":[{"name":"n1","state":["IDLE","DRAIN"]}]}`)}.response()})
	nodes, err := c.Nodes(t.Context())
	if err != nil || len(nodes) != 1 || nodes[0].State != NodeIdle || !nodes[0].Has(NodeDrain) || nodes[0].Usable() {
		t.Errorf("%v, %v", nodes, err)
	}
	all := replayed(t, recorded(t, "jobs_few"))
	for _, opts := range []*ListOptions{{Users: []string{""}}, {States: []State{""}, Names: []string{""}, Partitions: []string{" "}}} {
		if jobs, err := all.List(t.Context(), opts); err != nil || len(jobs) == 0 {
			t.Errorf("%+v: %d jobs, %v", opts, len(jobs), err)
		}
	}
}

// jontk/slurm-client#115: Slurm answers with status 500, errors and good data, and the data were thrown away.
func TestPainU09DataBesideErrors(t *testing.T) {
	good := firstRecord(t, "job_running")
	body, err := json.Marshal(map[string]any{"jobs": []any{good, good, good},
		"errors": []any{map[string]any{"error_number": 9207, "error": "slurmdb_qos_get"}}})
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := painTwice(t, 500, body)
	e, ok := errors.AsType[*Error](err)
	if len(jobs) != 3 || !errors.Is(err, ErrPartial) || !ok || e.Problems[0].Number != 9207 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
}

// jontk/slurm-client#71: a list that is null was dereferenced.
func TestPainU11NullList(t *testing.T) {
	for _, list := range []string{"null", "[]", "{}"} {
		jobs, err := painTwice(t, 200, []byte(`{"jobs":`+list+`,"errors":[],"warnings":[]}`))
		if len(jobs) != 0 || err != nil {
			t.Errorf("%s: %v, %v", list, jobs, err)
		}
		body := json.RawMessage(strings.ReplaceAll(`{"nodes":?,"partitions":?,"licenses":?,"jobs":?}`, "?", list))
		c := painClient(t, replay{recording{Status: 200, Body: body}.response()})
		for verb, read := range painReads(t) {
			if n, err := read(c); n != 0 || err != nil {
				t.Errorf("%s of %s: %d, %v", verb, list, n, err)
			}
		}
	}
}

// painReads are the lists besides that of the queue, and how many elements come of each.
func painReads(t *testing.T) map[string]func(*Client) (int, error) {
	return map[string]func(*Client) (int, error){
		"Nodes":       func(c *Client) (int, error) { l, err := c.Nodes(t.Context()); return len(l), err },
		"Partitions":  func(c *Client) (int, error) { l, err := c.Partitions(t.Context()); return len(l), err },
		"Licenses":    func(c *Client) (int, error) { l, err := c.Licenses(t.Context()); return len(l), err },
		"ListHistory": func(c *Client) (int, error) { l, err := c.ListHistory(t.Context(), nil); return len(l), err },
	}
}

var painInfinities = []string{`"Infinity"`, `"NaN"`, `"-Infinity"`, `null`, alteration.Missing}

// lcrownover/prometheus-slurm-exporter#17 and #18: it took three releases until all ways to write that there is no number
// were understood. In members that are not read they must not matter at all.
func TestPainU15Infinity(t *testing.T) {
	for _, value := range painInfinities {
		for _, path := range []string{"billable_tres.number", "billable_tres", "fairshare.level"} {
			if job := painAmong(t, path, value)[1]; job.Odd != nil {
				t.Errorf("%s = %s: %v", path, value, job.Odd)
			}
		}
	}
	// A bare NaN is no JSON. The error says so, and where.
	body := strings.Replace(string(painBody(t, firstRecord(t, "job_running"))), `"priority":{`, `"priority":NaN,"x":{`, 1)
	jobs, err := painTwice(t, 200, []byte(body))
	if want := fmt.Sprintf("not JSON at byte %d", strings.Index(body, "NaN")+1); len(jobs) != 0 || err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, %v; want %q", jobs, err, want)
	}
}

// Slurm's changelogs of 24.05.4, 24.11.0 and 25.05: such words and null came in more and more members.
func TestPainU16InfinityInWhatIsRead(t *testing.T) {
	for _, value := range painInfinities {
		for _, path := range []string{"priority", "priority.number", "start_time", "start_time.number", "node_count", "time_limit.number", "exit_code.return_code"} {
			job := painAmong(t, path, value)[1]
			if job.Odd != nil || !job.Running() {
				t.Errorf("%s = %s: %v, odd %v", path, value, job, job.Odd)
			}
			if unlimited := path == "time_limit.number" && value == `"Infinity"`; job.Unlimited != unlimited {
				t.Errorf("%s = %s: unlimited %v", path, value, job.Unlimited)
			}
		}
	}
}

// Slurm 24.05.5 and 24.11.0: objects without content were {}, and became null.
func TestPainU17EmptyObjects(t *testing.T) {
	for _, path := range []string{"job_resources", "power", "exit_code", "time_limit", "start_time", "tres_req_str", "job_state"} {
		for _, value := range []string{"null", "{}", alteration.Missing} {
			if job := painAmong(t, path, value)[1]; job.Odd != nil || job.Name != "my-run" {
				t.Errorf("%s = %s: %v, odd %v", path, value, job, job.Odd)
			}
		}
	}
}

// rivosinc/prometheus-slurm-exporter#113, rackslab/Slurm-web#366: each release of Slurm broke clients that were made for
// one. Here one build reads all versions; those are tested that there are recordings of, v0.0.40 to v0.0.42.
func TestPainU18VersionsOfTheAPI(t *testing.T) {
	ended := map[JobID]string{} // jobs that each version has, as the first one tells of them
	same := 0
	for _, version := range []string{"40", "41", "42"} {
		for _, name := range []string{"version_jobs_v00", "version_job_v00", "version_slurmdb_job_v00"} {
			rec := recorded(t, name+version)
			jobs, err := painOf(t, rec)
			if err != nil || len(jobs) == 0 {
				t.Fatalf("%s: %d jobs, %v", rec.Name, len(jobs), err)
			}
			for _, job := range jobs {
				text := fmt.Sprint(job, job.User, job.Requested, job.TimeLimit, job.SubmitTime, job.EndTime, job.WorkDir, job.ExitCode)
				list := strings.HasPrefix(name, "version_jobs")
				if was, ok := ended[job.ID]; ok && list {
					if same++; text != was {
						t.Errorf("%s: %s, want %s", rec.Name, text, was)
					}
				}
				if list && job.Ended() {
					ended[job.ID] = text
				}
				if job.Odd != nil || job.State == "" || job.Name == "" || job.SubmitTime.IsZero() {
					t.Errorf("%s: %v, odd %v", rec.Name, job, job.Odd)
				}
			}
		}
	}
	if same < 20 {
		t.Errorf("%d comparisons", same)
	}
}

// painOf reads a recorded list with the verb that asks for it.
func painOf(t *testing.T, rec recording) ([]*Job, error) {
	t.Helper()
	if strings.HasPrefix(rec.Path, "/slurmdb/") {
		return replayed(t, rec).ListHistory(t.Context(), nil)
	}
	return painTwice(t, rec.Status, rec.Body)
}

// lcrownover/prometheus-slurm-exporter#21: an empty answer was reported as "unexpected end of JSON input".
func TestPainU19EmptyAnswers(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		want   string
	}{
		{200, "", "the answer is empty [HTTP 200]"},
		{500, "", "the answer is empty [HTTP 500]"},
		{200, `{"jobs":[{"job_id":1,"na`, "the answer is damaged: JSON cut short after 24 bytes"},
	} {
		jobs, err := painTwice(t, tt.status, []byte(tt.body))
		if len(jobs) != 0 || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%d %q: %v, %v", tt.status, tt.body, jobs, err)
		}
	}
}

// SchedMD/slurm#190, omnivector-solutions/snap-slurm#58: the schema and the server disagree, so that clients made from the
// schema fail. Every recorded answer to a read is a list without an odd member, or an error.
func TestPainU21RecordedAnswers(t *testing.T) {
	lists := 0
	for _, rec := range recordings(t) {
		if !strings.HasPrefix(string(rec.Body), `{`) || rec.Method != "GET" || strings.Contains(rec.Path, "/jobs/state") {
			continue
		}
		if !strings.Contains(rec.Path, "/jobs") && !strings.Contains(rec.Path, "/job/") {
			continue
		}
		jobs, err := painOf(t, rec)
		if len(jobs) == 0 && err == nil && !strings.Contains(strings.ReplaceAll(string(rec.Body), " ", ""), `"jobs":[]`) {
			t.Errorf("%s: neither jobs nor an error", rec.Name)
		}
		for _, job := range jobs {
			if lists++; job.Odd != nil {
				t.Errorf("%s: %v", rec.Name, job.Odd)
			}
		}
	}
	if lists < 300 {
		t.Errorf("%d jobs: the choice is wrong", lists)
	}
}

// golang/protobuf#1479 and #1501: a google.protobuf.Struct holds doubles, so that whole numbers come in other spellings.
func TestPainU23DoublesAndQuotedNumbers(t *testing.T) {
	for _, value := range []string{"1760000000.0", "1.76e+09", `"1760000000"`, "1760000000"} {
		for _, path := range []string{"start_time", "start_time.number"} {
			if job := painAmong(t, path, value)[1]; !job.StartTime.Equal(time.Unix(1760000000, 0)) || job.Odd != nil {
				t.Errorf("%s = %s: %v, odd %v", path, value, job.StartTime, job.Odd)
			}
		}
	}
}
