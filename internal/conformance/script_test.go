package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// scriptFiles has batch scripts, and what the real sbatch and slurm.ParseScript make of them. The second file is
// written by a run with the real Slurm: go test -tags realslurm -run TestConformance/real/script -update.
const (
	scriptFile = "testdata/scripts.txt"
	goldenFile = "testdata/scripts.json"
)

// golden is what becomes of one script.
type golden struct {
	Refused     string         `json:"refused,omitempty"`     // what sbatch says against it
	Error       string         `json:"error,omitempty"`       // what ParseScript says against it
	Unsupported []string       `json:"unsupported,omitempty"` // what ParseScript leaves out
	Sent        map[string]any `json:"sent,omitempty"`        // the job description without environment and directory
	Environment []string       `json:"environment,omitempty"` // beyond that of the bare script
	Job         map[string]any `json:"job,omitempty"`         // members of the job that are others than the bare script's
	Differs     []string       `json:"differs,omitempty"`     // members of sbatch's job that are others, for what is left out
}

// bareScript is the first one, without any option.
const bareScript = "bare"

// loadScripts reads the scripts in the order of the file.
func loadScripts() (names []string, scripts map[string]string) {
	data, err := os.ReadFile(scriptFile)
	if err != nil {
		panic(err)
	}
	scripts = map[string]string{}
	for _, part := range strings.Split("\n"+string(data), "\n-- ")[1:] {
		name, script, _ := strings.Cut(part, " --\n")
		if !strings.HasPrefix(script, "#!") {
			script = "#!/bin/bash\n" + script
		}
		names, scripts[name] = append(names, name), script+"\ntrue\n"
	}
	return names, scripts
}

func loadGolden() map[string]golden {
	data, err := os.ReadFile(goldenFile)
	all := map[string]golden{}
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		panic(err)
	}
	return all
}

func scriptCases() (cases []testCase) {
	names, scripts := loadScripts()
	known := loadGolden()
	for _, name := range names {
		cases = append(cases, testCase{name: "script/" + name, test: func(b *bed) {
			want := known[name]
			got := b.readScript(scripts[name], scripts[bareScript], want)
			if !b.keep(name, got) && asJSON(got) != asJSON(want) {
				b.t.Errorf("%s\ngot  %s\nwant %s", scripts[name], asJSON(got), asJSON(want))
			}
		}})
	}
	return cases
}

// readScript lets sbatch and ParseScript read a script, and compares the jobs. Where there is no sbatch, known tells
// what it says.
func (b *bed) readScript(script, bare string, known golden) golden {
	b.t.Helper()
	var g golden
	parent := b.submit("true", hold)
	script = strings.ReplaceAll(script, "PARENT", string(parent))
	parsed, err := slurm.ParseScript(script)
	if err != nil {
		g.Error = err.Error()
	}
	reference, refused, ok := b.sbatch(script)
	if g.Refused = refused; !ok {
		g.Refused = known.Refused
	}
	if (g.Refused != "") != (err != nil) {
		b.t.Errorf("%s\nsbatch says %q, ParseScript %v", script, g.Refused, err)
	}
	if g.Refused != "" || err != nil {
		return g
	}
	for _, option := range parsed.Unsupported {
		g.Unsupported = append(g.Unsupported, option.String())
	}
	g.Sent, g.Environment = b.sent(*parsed.Spec, strings.Contains(script, "=now"))
	job := b.held(parsed.Spec)
	bareSpec, err := slurm.ParseScript(bare)
	b.must("ParseScript", err)
	g.Job = differing(job, b.held(bareSpec.Spec))
	for _, member := range times {
		delete(g.Job, member) // on another day they are others
	}
	for _, members := range []map[string]any{g.Sent, g.Job} {
		if text, ok := members["dependency"].(string); ok {
			members["dependency"] = strings.ReplaceAll(text, string(parent), "PARENT")
		}
	}
	if g.Differs = known.Differs; !ok {
		return g
	}
	b.cancelAfter(b.alice, reference)
	differences := differing(b.rawJob(reference), job)
	g.Differs = slices.Sorted(maps.Keys(differences))
	if len(differences) > 0 && len(parsed.Unsupported) == 0 {
		b.t.Errorf("%s\ngives %s, sbatch's job is %s", script, asJSON(differing(job, b.rawJob(reference))), asJSON(differences))
	}
	return g
}

// times are forecasts from the time to begin at, which may be counted from now.
var times = []string{"eligible_time", "start_time", "end_time"}

// held submits a job as sbatch --hold would, from alice's home directory, and returns its record.
func (b *bed) held(spec *slurm.JobSpec) map[string]any {
	b.t.Helper()
	spec.Hold, spec.Priority = true, 0
	if spec.WorkingDirectory == "" {
		spec.WorkingDirectory = "/home/alice"
	}
	id, err := b.alice.Submit(b.ctx, spec)
	b.must("Submit", err)
	b.cancelAfter(b.alice, id)
	return b.rawJob(id)
}

// rawJob is the record of a job with all that Slurm says, as far as two jobs from the same description have it alike.
func (b *bed) rawJob(id slurm.JobID) map[string]any {
	b.t.Helper()
	var answer struct{ Jobs []map[string]any }
	b.must("read record", b.alice.Do(b.ctx, http.MethodGet, "/slurm/v0.0.42/job/"+string(id), nil, &answer))
	b.count("records", len(answer.Jobs), 1)
	return alike(answer.Jobs[0], string(id))
}

// alike leaves out of a record what differs from job to job or comes when the scheduler looks, and what sbatch adds
// that has no effect: flags for numbers that it was given or has counted itself, and the CPUs of a task once more.
func alike(job map[string]any, id string) map[string]any {
	for _, member := range []string{"job_id", "array_job_id", "command", "submit_time", "last_sched_evaluation",
		"allocating_node", "priority_by_partition"} {
		delete(job, member)
	}
	for _, carrier := range []string{"mcs_label", "extra"} {
		if label, _ := job[carrier].(string); strings.HasPrefix(label, "tc-submit:") {
			job[carrier] = "" // the token of a submit
		}
	}
	for _, member := range []string{"standard_output", "standard_error"} {
		job[member] = regexp.MustCompile(`(\D)`+id+`(\D|$)`).ReplaceAllString(job[member].(string), "${1}JOB$2")
	}
	flags, _ := job["flags"].([]any)
	job["flags"] = slices.DeleteFunc(flags, func(flag any) bool {
		return slices.Contains([]any{"EXACT_CPU_COUNT_REQUESTED", "EXACT_TASK_COUNT_REQUESTED", "DEPENDENT",
			"PARTITION_ASSIGNED", "BACKFILL_ATTEMPTED", "SCHEDULING_ATTEMPTED"}, flag)
	})
	tasks := strings.Split(job["tres_per_task"].(string), ",")
	tasks = slices.DeleteFunc(tasks, func(one string) bool { return strings.HasPrefix(one, "cpu=") })
	job["tres_per_task"] = strings.Join(tasks, ",")
	return job
}

// sent is the job description that a submit of spec would send.
func (b *bed) sent(spec slurm.JobSpec, relative bool) (job map[string]any, environment []string) {
	b.t.Helper()
	var sender sentBody
	c, err := slurm.NewClient(&sender, "training", slurm.WithoutSubmitToken())
	b.must("NewClient", err)
	if spec.WorkingDirectory == "" {
		spec.WorkingDirectory = "/unset"
	}
	_, err = c.Submit(b.ctx, &spec)
	b.must("Submit", err)
	var body struct{ Job map[string]any }
	b.must("read what was sent", json.Unmarshal(sender, &body))
	for _, one := range body.Job["environment"].([]any) {
		name, _, _ := strings.Cut(one.(string), "=")
		if name != "SLURM_GET_USER_ENV" && name != "SLURM_SUBMIT_DIR" {
			environment = append(environment, one.(string))
		}
	}
	delete(body.Job, "environment")
	if body.Job["current_working_directory"] == "/unset" {
		delete(body.Job, "current_working_directory")
	}
	if begin, ok := body.Job["begin_time"].(map[string]any); ok && relative {
		begin["number"] = "in " + time.Until(time.Unix(int64(begin["number"].(float64)), 0)).Round(time.Minute).String()
	}
	return body.Job, environment
}

// sentBody is a cluster that keeps the body of the last request.
type sentBody []byte

func (s *sentBody) CallSlurm(_ context.Context, _ string, req *cluster.SlurmRequest, _ ...gax.CallOption) (*cluster.SlurmResponse, error) {
	*s = req.Body
	return &cluster.SlurmResponse{Status: 200, Body: []byte(`{"job_id":1}`)}, nil
}

func asJSON(v any) string {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// differing are the members of one that differ from another's.
func differing(one, other map[string]any) map[string]any {
	some := maps.Clone(one)
	maps.DeleteFunc(some, func(member string, value any) bool {
		return reflect.DeepEqual(value, other[member]) || slices.Contains(times, member) && sameTime(value, other[member])
	})
	return some
}

// sameTime lets two clocks read a few seconds apart.
func sameTime(one, other any) bool {
	number := func(v any) float64 { n, _ := v.(map[string]any)["number"].(float64); return n }
	return math.Abs(number(one)-number(other)) < 10
}
