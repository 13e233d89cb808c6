package slurm

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/alteration"
)

// painValues are what has stood in place of a member of a job, somewhere: each has cost somebody a whole list.
var painValues = []string{
	`4294901757`, `3000000123`, `"4294901757"`, `"9007199254740993"`, `1760000000.0`, `1.76e+09`, `"Infinity"`, `"NaN"`,
	`null`, alteration.Missing, alteration.Renamed, `"RUNNING"`, `[]`, `{}`, `{"quantum":[1]}`, oddShape,
}

const oddShape = `[[{}],7]` // no member has this one

// strangeValues have not been seen yet, and stand in one place of the list only: texts for numbers, a number in the wrapper
// where it is plain and plain where it is wrapped, one thing for a list of them, and what is nested deeply.
var strangeValues = []string{
	`""`, `"N/A"`, `"UNLIMITED"`, `"2026-10-05T08:09:00Z"`, `-5`, `0.5`, `true`, `7`, `{"set":true,"infinite":false,"number":7}`, `{"set":true,"number":null}`,
	`[null]`, `["x",null]`, strings.Repeat(`[`, 500) + strings.Repeat(`]`, 500), alteration.Twice,
}

// isNothing reports whether the value of a member is as good as none: unset objects were {} and became null.
func isNothing(value string) bool {
	return value == "null" || value == "[]" || value == "{}" || value == alteration.Renamed
}

// painMatrix is a sound record of one source, all of whose members say something, and the lists that it may stand in.
type painMatrix struct {
	record map[string]any
	list   map[string]func(t *testing.T, body []byte) ([]*Job, error)
}

// What no recorded job has, or not together with the rest: a failed task of an array, killed by a signal.
const (
	painLive = `{"job_state":["FAILED"],"excluded_nodes":"n3","features":"b200","failed_node":"n2","extra":"x","nice":5,"command":"/x/y",
		"memory_per_node":{"set":true,"infinite":false,"number":2048},"system_comment":"s","admin_comment":"a","mcs_label":"tc-submit:12345678",
		"time_minimum":{"set":true,"infinite":false,"number":5},"tres_per_task":"gres/gpu:1","tres_per_job":"gres/gpu:2","mail_type":["END"],
		"wckey":"k","state_description":"why","scheduled_nodes":"n4","exit_code":` + painKilled + `,"derived_exit_code":` + painKilled + `}`
	painHistory = `{"array":{"job_id":177,"task_id":{"set":true,"infinite":false,"number":2},"task":"0x380",
			"limits":{"max":{"running":{"tasks":3}}}},
		"time":{"submission":1789999990,"eligible":1790000000,"start":1790000001,"end":1790000061,"elapsed":60,"suspended":0,
			"limit":{"set":true,"infinite":false,"number":30},"total":{"seconds":3,"microseconds":5},
			"user":{"seconds":1,"microseconds":2},"system":{"seconds":2,"microseconds":3}},
		"reservation":{"id":1,"name":"r"},"restart_cnt":1,"stdin_expanded":"/x/in","stdout_expanded":"/x/out","stderr_expanded":"/x/err",
		"submit_line":"sbatch x","constraints":"b200","wckey":{"wckey":"k","flags":[]},"hold":true,"licenses":"l:1","extra":"x","mcs":{"label":"tc-submit:12345678"},
		"required":{"CPUs":1,"memory_per_node":{"set":true,"infinite":false,"number":2048},"memory_per_cpu":{"set":true,"infinite":false,"number":512}},
		"state":{"current":["FAILED"],"reason":"NonZeroExitCode"},"exit_code":` + painKilled + `,"derived_exit_code":` + painKilled + `}`
	painKilled = `{"status":["SIGNALED"],"return_code":{"set":true,"infinite":false,"number":1},
		"signal":{"id":{"set":true,"infinite":false,"number":9},"name":"KILL"}}`
)

// TestPainFaultMatrix: one odd member of one job has cost people their list of jobs. Here each member that is read, at every
// depth, is replaced by each odd value in the first, second and third of three jobs. The other two are as without it, the
// altered job keeps what its other members say, and what is lost of it is told in Job.Odd.
func TestPainFaultMatrix(t *testing.T) {
	for source, m := range map[string]painMatrix{
		"queue": {
			record: richRecord(t, painLive, liveMembers(), "jobs-2000", "job_gpu_running", "job_array_mixed_parent",
				"job_het_component", "job_with_steps", "job_node_fail_requeued", "job_pending_dependency", "job_pending_licenses", "job_reservation",
				"job_completed", "job_deadline", "job_cloud_running_configuring_power_up_node", "jobs_few"),
			list: map[string]func(*testing.T, []byte) ([]*Job, error){"Jobs": painJobs, "List": painList},
		},
		"accounting": {
			record: richRecord(t, painHistory, historyMembers(), "slurmdb-jobs-2000", "slurmdb_job_with_steps", "slurmdb_job_array_mixed_parent",
				"slurmdb_job_het", "slurmdb_job_node_fail", "slurmdb_job_cancelled_running", "slurmdb_job_requeued"),
			list: map[string]func(*testing.T, []byte) ([]*Job, error){"HistoryJobs": painHistoryJobs, "ListHistory": painListHistory},
		},
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			m.test(t)
		})
	}
}

func painJobs(t *testing.T, body []byte) ([]*Job, error) {
	return collect(painClient(t, &chunks{status: 200, body: body, size: 4096}).Jobs(t.Context(), nil))
}

func painList(t *testing.T, body []byte) ([]*Job, error) {
	return painClient(t, replay{recording{Status: 200, Body: body}.response()}).List(t.Context(), nil)
}

// painHour is the stretch in which the recorded job could start: it is one window.
func painHour() *HistoryOptions {
	return &HistoryOptions{Start: time.Unix(painTime-600, 0), End: time.Unix(painTime+600, 0), Steps: true}
}

const painTime = 1_790_000_000

func painHistoryJobs(t *testing.T, body []byte) ([]*Job, error) {
	return collect(painClient(t, &chunks{status: 200, body: body, size: 4096}).HistoryJobs(t.Context(), painHour()))
}

func painListHistory(t *testing.T, body []byte) ([]*Job, error) {
	return painClient(t, replay{recording{Status: 200, Body: body}.response()}).ListHistory(t.Context(), painHour())
}

func painClient(t *testing.T, caller Caller) *Client {
	t.Helper()
	c, err := NewClient(caller, "training")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func collect(seq func(func(*Job, error) bool)) (jobs []*Job, err error) {
	for job, e := range seq {
		if e != nil {
			return jobs, e
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

func (m painMatrix) test(t *testing.T) {
	const firstID = 1001 // of the three
	var sound [3][]byte
	for i := range sound {
		sound[i] = m.encode(t, firstID+i)
	}
	want := m.lists(t, "sound", sound)
	alterations := 0
	for _, path := range alteration.Paths(m.record) {
		removed := m.altered(t, want, sound, path, alteration.Missing, painPlaces)
		wrapper := m.altered(t, want, sound, unit(m.record, path), alteration.Missing, painPlaces)
		read := changes(want[1], removed)
		says := changes(want[1], wrapper)
		maps.Copy(says, read)
		for _, value := range painValues {
			alterations++
			job := m.altered(t, want, sound, path, value, painPlaces)
			if value == oddShape && len(read) > 0 && len(job.Odd) == 0 {
				t.Errorf("%v = %s: nothing tells that it was not read", path, value)
			}
			if isNothing(value) && path[len(path)-1] != "0" && !reflect.DeepEqual(job, removed) {
				t.Errorf("%v = %s: %+v, and without it %+v", path, value, job, removed)
			}
			m.check(t, path, value, want[1], job, says)
		}
		for _, value := range strangeValues {
			alterations++
			m.check(t, path, value, want[1], m.altered(t, want, sound, path, value, 1), says)
		}
	}
	if alterations < 1000 {
		t.Errorf("%d alterations are too few", alterations)
	}
}

// altered reads the three jobs with the altered one in each of the first places. It returns that one, which is the same
// everywhere.
func (m painMatrix) altered(t *testing.T, want []*Job, sound [3][]byte, path []string, value string, places int) *Job {
	t.Helper()
	what := strings.Join(path, ".") + " = " + value
	var first *Job
	for place := range places {
		records := sound
		id := 1001 + place
		records[place] = m.alteredRecord(t, id, path, value)
		for i, job := range m.lists(t, what, records) {
			switch {
			case i != place:
				if !reflect.DeepEqual(job, want[i]) {
					t.Errorf("%s in job %d: job %d is %v, want %v", what, place, i, job, want[i])
				}
			case first == nil:
				first = asJob(job, id)
			case !reflect.DeepEqual(asJob(job, id), first):
				t.Errorf("%s: job %d is\n%+v, and at first\n%+v", what, place, job, first)
			}
		}
	}
	return first
}

// asJob makes a job comparable with the second sound one: they differ by their number alone.
func asJob(job *Job, id int) *Job {
	same := *job
	if job.RawID == int64(id) {
		same.RawID = 1002
	}
	if job.ID == JobID(strconv.Itoa(id)) {
		same.ID = "1002"
	}
	return &same
}

// lists reads the list in each way, which must agree, and returns its jobs in the order of the records.
func (m painMatrix) lists(t *testing.T, what string, records [3][]byte) []*Job {
	t.Helper()
	body := fmt.Appendf(nil, `{"jobs":[%s,%s,%s],"errors":[],"warnings":[]}`, records[0], records[1], records[2])
	var first []*Job
	for verb, list := range m.list {
		jobs, err := list(t, body)
		if err != nil || len(jobs) != 3 {
			t.Fatalf("%s: %s gives %d jobs, %v", what, verb, len(jobs), err)
		}
		jobs = inPlace(jobs)
		if first == nil {
			first = jobs
		} else if !reflect.DeepEqual(jobs, first) {
			t.Errorf("%s: %s gives %v, want %v", what, verb, jobs, first)
		}
	}
	return first
}

// inPlace undoes the sorting of HistoryJobs: the sound jobs are where their number says, the odd one is in what is left.
func inPlace(jobs []*Job) []*Job {
	placed := make([]*Job, 3)
	var odd *Job
	for _, job := range jobs {
		if i := job.RawID - 1001; i >= 0 && i < 3 {
			placed[i] = job
		} else {
			odd = job
		}
	}
	if i := slices.Index(placed, nil); i >= 0 {
		placed[i] = odd
	}
	return placed
}

// check compares an altered job with the sound one. says is what the altered member says of a job.
func (m painMatrix) check(t *testing.T, path []string, value string, sound, job *Job, says map[string]bool) {
	t.Helper()
	what := strings.Join(path, ".") + " = " + value
	if reflect.DeepEqual(sound, job) {
		return
	}
	if value == alteration.Twice && len(job.Odd) == 0 {
		t.Errorf("%s: the last one is sound, and yet the job is %+v", what, job)
	}
	before, after := flat(sound), flat(job)
	for field := range changes(sound, job) {
		if !says[field] && !isZero(before[field]) {
			t.Errorf("%s: %s is %q, was %q", what, field, after[field], before[field])
		}
	}
	for _, odd := range job.Odd {
		name := strings.Join(path, ".")
		named := strings.HasPrefix(name, odd.Member) || strings.HasPrefix(odd.Member, name) || odd.Member == "job_id" && job.RawID == 0
		if !named || odd.Problem == "" || strings.Contains(odd.Problem, "\n") {
			t.Errorf("%s: reported as %+v", what, odd)
		}
	}
}

// unit is the member that a value belongs to: the parts of a number in its wrapper are one value, and so are those of an
// exit code. What a resource is called and its amount belong to the list.
func unit(v any, path []string) []string {
	for i, name := range path {
		if o, ok := v.(map[string]any); ok {
			_, number := o["number"]
			_, status := o["return_code"]
			_, seconds := o["seconds"]
			_, resource := o["count"]
			switch {
			case number || status || seconds:
				return path[:i]
			case resource && i > 0 && path[i-1] == "0":
				return path[:i-1]
			}
		}
		v = inside(v, name)
	}
	return path
}

func (m painMatrix) encode(t *testing.T, id int) []byte {
	t.Helper()
	record := maps.Clone(m.record)
	record["job_id"] = id
	data, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (m painMatrix) alteredRecord(t *testing.T, id int, path []string, value string) []byte {
	t.Helper()
	record := maps.Clone(m.record)
	record["job_id"] = id
	data, err := json.Marshal(alteration.Replace(record, path, value))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func inside(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		return v[name]
	case []any:
		i, _ := strconv.Atoi(name)
		return v[i]
	}
	return nil
}

// flat are the fields of a job, those of its steps one by one, as text.
func flat(job *Job) map[string]string {
	fields := map[string]string{}
	add := func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			fields[prefix+v.Type().Field(i).Name] = fmt.Sprint(v.Field(i))
		}
	}
	add("", reflect.ValueOf(*job))
	for i, step := range job.Steps {
		add(fmt.Sprintf("Steps[%d].", i), reflect.ValueOf(step))
	}
	delete(fields, "Steps")
	delete(fields, "Odd")
	return fields
}

// changes are the fields that differ.
func changes(a, b *Job) map[string]bool {
	x, y, differ := flat(a), flat(b), map[string]bool{}
	for field := range x {
		if x[field] != y[field] {
			differ[field] = true
		}
	}
	return differ
}

func isZero(text string) bool {
	return slices.Contains([]string{"", "0", "0s", "false", "[]", fmt.Sprint(time.Time{}), fmt.Sprint(ExitCode{}), fmt.Sprint(TaskUsage{})}, text)
}

// richRecord is the first recorded job in which each member that is read says something: its value is from whichever
// recording has one that sets a field.
func richRecord(t *testing.T, fixed string, all table[Job], list string, names ...string) map[string]any {
	t.Helper()
	bodies := [][]byte{}
	for _, name := range names {
		bodies = append(bodies, recorded(t, name).Body)
	}
	bodies = append(bodies, unzip(t, list+".json.gz"))
	rich := map[string]any{}
	says := map[string]bool{}
	for _, body := range bodies {
		var answer struct{ Jobs []map[string]any }
		if err := json.Unmarshal(body, &answer); err != nil {
			t.Fatal(err)
		}
		for _, record := range answer.Jobs[:min(len(answer.Jobs), 50)] {
			for name, value := range record {
				if !says[name] && all[name].read != nil || name == "billable_tres" {
					rich[name], says[name] = value, setsSomething(t, all[name], value)
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(fixed), &rich); err != nil {
		t.Fatal(err)
	}
	for name := range rich {
		if all[name].read == nil && name != "billable_tres" { // which stands for all that are not read
			delete(rich, name)
		}
	}
	for name, m := range all {
		if !setsSomething(t, m, rich[name]) {
			t.Errorf("no recorded job has a %s that says something", name)
		}
	}
	if steps, ok := rich["steps"].([]any); ok {
		rich["steps"] = steps[:1]
		inside(inside(rich["tres"], "allocated"), "0").(map[string]any)["count"] = 3
		steps[0].(map[string]any)["exit_code"] = rich["exit_code"]
		steps[0].(map[string]any)["state"] = []any{"FAILED"}
	}
	return rich
}

func setsSomething(t *testing.T, m member[Job], value any) bool {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var job Job
	if m.read != nil {
		_ = m.read(new(decoder), &job, raw)
	}
	return !reflect.DeepEqual(job, Job{})
}
