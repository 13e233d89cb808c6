package slurm

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// sameText reports whether got is the text that encoding/json reads; it makes broken UTF-8 valid, and so may we.
func sameText(got, want string) bool { return got == want || !utf8.ValidString(got) }

// FuzzLiveJob: decoding fails for what is no object only, and agrees with encoding/json on id, name and reason.
func FuzzLiveJob(f *testing.F) {
	f.Add([]byte(firstRecord(f, "job_gpu_running")))
	f.Add([]byte(firstRecord(f, "job_array_mixed_parent")))
	f.Add([]byte(`{"job_id":1,"name":"a","name":"b","job_state":["RUNNING",null]}`))
	f.Add([]byte(`{"job_id":-1,"":[]}`))
	for _, fault := range liveFaults {
		f.Add([]byte(alter(f, json.RawMessage(`{"job_id":1}`), fault.path, fault.value)))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		checkFuzzedJob(t, raw, oneRecord((*decoder).liveJob), "state_reason", func(j *Job) string { return j.Reason })
	})
}

// FuzzHistoryJob is the same for the accounting.
func FuzzHistoryJob(f *testing.F) {
	f.Add([]byte(firstRecord(f, "slurmdb_job_gpu_running")))
	f.Add([]byte(firstRecord(f, "slurmdb_job_array_mixed_parent")))
	for _, fault := range historyFaults {
		f.Add([]byte(alter(f, json.RawMessage(`{"job_id":1}`), fault.path, fault.value)))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		checkFuzzedJob(t, raw, oneRecord((*decoder).historyJob), "account", func(j *Job) string { return j.Account })
	})
}

// oneRecord decodes a record by itself.
func oneRecord(decode decodeJob) func([]byte) (*Job, error) {
	return func(raw []byte) (*Job, error) {
		var o jsonx.Object
		if err := o.Parse(raw); err != nil {
			return nil, err
		}
		return decode(new(decoder), &o), nil
	}
}

func checkFuzzedJob(t *testing.T, raw []byte, decode func([]byte) (*Job, error), other string, field func(*Job) string) {
	if !json.Valid(raw) {
		return // readReply lets nothing invalid through
	}
	var members map[string]json.RawMessage
	isObject := json.Unmarshal(raw, &members) == nil && members != nil
	job, err := decode(raw)
	if (err == nil) != isObject || (job == nil) != (err != nil) {
		t.Fatalf("%s: got %v, %v", raw, job, err)
	}
	if job == nil {
		return
	}
	var name, second string
	if json.Unmarshal(members["name"], &name) == nil && !sameText(job.Name, name) {
		t.Errorf("%s: name %q, want %q", raw, job.Name, name)
	}
	if json.Unmarshal(members[other], &second) == nil && !sameText(field(job), second) {
		t.Errorf("%s: %s %q, want %q", raw, other, field(job), second)
	}
	var id int64
	if json.Unmarshal(members["job_id"], &id) == nil {
		possible := id >= 0 && id <= maxJobID
		if possible && job.RawID != id || !possible && (job.RawID != 0 || !oddly(job, "job_id")) {
			t.Errorf("%s: job_id %d, want %d or a remark: %+v", raw, job.RawID, id, job.Odd)
		}
	}
	if job.Ended() && !job.State.Terminal() || job.Err() != nil && job.Succeeded() || job.Elapsed() < 0 {
		t.Errorf("%s: contradictory: %v, elapsed %v", raw, job, job.Elapsed())
	}
	if err := job.Err(); err != nil && strings.ContainsAny(err.Error()+job.String(), "\n\r") {
		t.Errorf("%s: the text has several lines: %q", raw, err)
	}
	if _, err := job.NodeNames(); err != nil && !strings.HasPrefix(err.Error(), "slurm: ") {
		t.Errorf("%s: %v", raw, err)
	}
}

// oddly reports whether a member is named among the odd ones.
func oddly(job *Job, member string) bool {
	return slices.ContainsFunc(job.Odd, func(odd OddMember) bool { return odd.Member == member })
}

// FuzzReply: an answer is taken apart exactly if it is a JSON object, and otherwise is an error of one line.
func FuzzReply(f *testing.F) {
	for _, name := range []string{"submit_flags_bad", "delete_unknown", "auth_none", "slurmdb_wckeys", "job_running"} {
		rec := recorded(f, name)
		f.Add(rec.Status, rec.response().Body)
	}
	for _, body := range []string{"", "null", "[]", "<html>", `"{}"`, `{"errors":5,"warnings":[[]]}`, `{"errors":{"error_number":1e99}}`, "{\"\xff\":1}"} {
		f.Add(200, []byte(body))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		var members map[string]json.RawMessage
		isObject := json.Unmarshal(body, &members) == nil && members != nil
		r, err := readReply("list jobs", get("/x"), &cluster.SlurmResponse{Status: status, Body: body})
		if (err == nil) != isObject || (r == nil) != (err != nil) {
			t.Fatalf("%q: got %v, %v", body, r, err)
		}
		if err == nil {
			checkFuzzedReply(t, r, members)
			if err = r.err(); err == nil {
				return
			}
		}
		var e *Error
		if !errors.As(err, &e) || strings.ContainsAny(err.Error(), "\n\r\x00\x1b") {
			t.Errorf("%q: error %q", body, err)
		}
		e.Transient()
	})
}

func checkFuzzedReply(t *testing.T, r *reply, members map[string]json.RawMessage) {
	var list []any
	if json.Unmarshal(members["errors"], &list) == nil {
		n := 0
		for _, one := range list {
			if one != nil {
				n++
			}
		}
		if len(r.problems) != n {
			t.Errorf("%s: %d problems, want %d", r.answer.Raw, len(r.problems), n)
		}
	}
	for name, want := range members {
		if strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) {
			continue // nobody asks for such a one
		}
		var got, value any
		if json.Unmarshal(want, &value) == nil && (r.member(name) == nil || json.Unmarshal(r.member(name), &got) != nil) {
			t.Errorf("%s: member %q is lost", r.answer.Raw, name)
		}
	}
	if _, err := decodeSignalStatus(r); err != nil && errors.Is(err, ErrPartial) {
		t.Errorf("%s: %v", r.answer.Raw, err)
	}
}

// FuzzHosts: a list is refused or gives a bounded number of names, none of which is a list again.
func FuzzHosts(f *testing.F) {
	for _, list := range []string{"g[1-2],n7", "n[1-999999999]", "r[1-2]n[01-10]", "None assigned", "n[", "a,b", "n[0-9][0-9][0-9][0-9][0-9][0-9]"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		names, err := ExpandHosts(list)
		if len(names) > maxHosts || err != nil && names != nil {
			t.Fatalf("%q: %d names, %v", list, len(names), err)
		}
		for _, name := range names {
			if name == "" || strings.ContainsAny(name, "[],") {
				t.Fatalf("%q: name %q", list, name)
			}
			if len(names) == 1 {
				if again, err := ExpandHosts(name); err != nil || len(again) != 1 || again[0] != name {
					t.Fatalf("%q: %q expands to %q, %v", list, name, again, err)
				}
			}
		}
	})
}

// FuzzResources: what is read is written, and read again, alike.
func FuzzResources(f *testing.F) {
	for _, text := range []string{"cpu=1,mem=62.50G,node=1", "gres/gpu:b200=8", "mem=256", "energy=-2", "mem=1.5P", "a/b/c=1K"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, err := parseResources(text)
		if err != nil {
			return
		}
		for _, one := range first {
			if one.Count < 0 {
				t.Fatalf("%q: negative %v", text, one)
			}
			if one.Type == "mem" && one.Count%mebibyte != 0 {
				return // Slurm writes no such amounts; "mem=1" reads back as MiB
			}
		}
		again, err := parseResources(first.String())
		if err != nil || again.String() != first.String() {
			t.Fatalf("%q: %q, then %q, %v", text, first, again, err)
		}
	})
}
