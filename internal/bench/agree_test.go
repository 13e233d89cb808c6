package bench

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// facts are what all contenders must have read of a job alike, so that they have done the same work.
type facts struct {
	ID, CPUs            int64
	User, State, Output string
	Submit, Start, End  int64
	Minutes, Steps      int64
}

func unix(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.Unix()
}

func ourFacts(jobs []*slurm.Job) (all []facts) {
	for _, j := range jobs {
		all = append(all, facts{ID: j.RawID, CPUs: int64(j.CPUs), User: j.User, State: string(j.State), Output: j.StandardOutput,
			Submit: unix(j.SubmitTime), Start: unix(j.StartTime), End: unix(j.EndTime),
			Minutes: int64(j.TimeLimit / time.Minute), Steps: int64(len(j.Steps))})
	}
	return all
}

func liveFacts(l *liveList) (all []facts) {
	for _, j := range l.Jobs {
		all = append(all, facts{ID: j.JobID, CPUs: j.CPUs.Number, User: j.UserName, State: j.JobState[0], Output: j.StandardOutput,
			Submit: j.SubmitTime.Number, Start: j.StartTime.Number, End: j.EndTime.Number, Minutes: j.TimeLimit.Number})
	}
	return all
}

func historyFacts(l *historyList) (all []facts) {
	for _, j := range l.Jobs {
		f := facts{ID: j.JobID, User: j.User, State: j.State.Current[0], Output: j.StdoutExpanded, Submit: j.Time.Submission,
			Start: j.Time.Start, End: j.Time.End, Minutes: j.Time.Limit.Number, Steps: int64(len(j.Steps))}
		for _, one := range append(j.TRES.Requested, j.TRES.Allocated...) {
			if one.Type == "cpu" {
				f.CPUs = one.Count
			}
		}
		all = append(all, f)
	}
	return all
}

// again reads a list out of a value of another type, by way of JSON.
func again[T any](t *testing.T, v any) (list T) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func decoded[T any](t *testing.T, data []byte, unmarshal func([]byte, any) error) (list T) {
	t.Helper()
	if err := unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestLiveListsAgree(t *testing.T) {
	data := recorded(t, "jobs-2000.json.gz")
	jobs, err := slurmClient(t, data).List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := ourFacts(jobs)
	whole := decoded[liveList](t, data, json.Unmarshal)
	same(t, ours, want, liveFacts(&whole))
	for _, u := range unmarshalers {
		list := decoded[liveList](t, data, u.unmarshal)
		if !reflect.DeepEqual(list, whole) {
			t.Errorf("%s has read something else than encoding/json", u.name)
		}
	}
	for name, v := range map[string]any{
		plainMap:  decoded[map[string]any](t, data, json.Unmarshal),
		generated: decoded[V0042OpenapiJobInfoResp](t, data, json.Unmarshal),
	} {
		list := again[liveList](t, v)
		same(t, name, want, liveFacts(&list))
	}
}

func TestHistoryListsAgree(t *testing.T) {
	data := recorded(t, "slurmdb-jobs-2000.json.gz")
	jobs, err := slurmClient(t, data).ListHistory(t.Context(), everything)
	if err != nil {
		t.Fatal(err)
	}
	want := ourFacts(jobs)
	whole := decoded[historyList](t, data, json.Unmarshal)
	same(t, ours, want, historyFacts(&whole))
	for _, u := range unmarshalers {
		list := decoded[historyList](t, data, u.unmarshal)
		if !reflect.DeepEqual(list, whole) {
			t.Errorf("%s has read something else than encoding/json", u.name)
		}
	}
	for name, v := range map[string]any{
		plainMap:  decoded[map[string]any](t, data, json.Unmarshal),
		generated: decoded[V0042OpenapiSlurmdbdJobsResp](t, data, json.Unmarshal),
	} {
		list := again[historyList](t, v)
		same(t, name, want, historyFacts(&list))
	}
}

// same compares what two contenders have read, and that there is something to compare.
func same(t *testing.T, name string, want, got []facts) {
	t.Helper()
	if len(want) != listed || len(got) != listed {
		t.Fatalf("%s: %d and %d jobs", name, len(want), len(got))
	}
	for i := range want {
		if want[i] != got[i] {
			t.Fatalf("%s: job %d is\n%+v and not\n%+v", name, i, got[i], want[i])
		}
	}
}

// TestGeneratedTypesAreWhole: they have a field for every member of the recorded lists, as those of real clients do.
func TestGeneratedTypesAreWhole(t *testing.T) {
	for name, list := range map[string]any{
		"jobs-2000.json.gz":          new(V0042OpenapiJobInfoResp),
		"jobs-2000-nodetail.json.gz": new(V0042OpenapiJobInfoResp),
		"jobs-2000-finished.json.gz": new(V0042OpenapiJobInfoResp),
		"slurmdb-jobs-2000.json.gz":  new(V0042OpenapiSlurmdbdJobsResp),
	} {
		d := json.NewDecoder(bytes.NewReader(recorded(t, name)))
		d.DisallowUnknownFields()
		if err := d.Decode(list); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
