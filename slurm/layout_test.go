package slurm

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// sequence decodes records one after the other, as those of a list, and each by itself. Sketches of them are made too.
func sequence(t *testing.T, decode decodeJob, records ...[]byte) {
	t.Helper()
	var d decoder
	o := jsonx.Object{Repeats: true}
	var list []*Job
	var alone []Job
	var sketch Job // one for all, as a list has it
	for _, raw := range records {
		if o.Parse(raw) != nil {
			continue
		}
		list = append(list, decode(&d, &o))
		j, err := oneRecord(decode)(raw)
		if err != nil {
			t.Fatalf("%s: %v, but not after others", raw, err)
		}
		alone = append(alone, *j)
		var one Job
		d.liveSketch(&sketch, &o)
		new(decoder).liveSketch(&one, &o)
		if !reflect.DeepEqual(sketch, one) {
			t.Fatalf("the sketch of %.300q is\n%#v, by itself\n%#v", raw, sketch, one)
		}
	}
	for i := range list {
		if !reflect.DeepEqual(list[i], &alone[i]) {
			t.Fatalf("record %d of %.300q is\n%+v, by itself\n%+v", i, records, list[i], &alone[i])
		}
	}
	// What one job holds is not that of another.
	for _, j := range list {
		scribble(reflect.ValueOf(j).Elem())
	}
	for _, raw := range records {
		if o.Parse(raw) != nil {
			continue
		}
		j, _ := oneRecord(decode)(raw)
		if got := decode(&d, &o); !reflect.DeepEqual(got, j) {
			t.Fatalf("%.300q, after others were written to, is\n%+v, by itself\n%+v", raw, got, j)
		}
	}
}

// scribble writes into every slice below v, apart from the raw record, which is the caller's.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "Raw" {
				scribble(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			scribble(v.Index(i))
		}
	case reflect.String:
		v.SetString("overwritten")
	case reflect.Int64, reflect.Int:
		v.SetInt(-7)
	}
}

// TestSequence: records that are alike, that lack members, that have them in another order, twice, in another spelling,
// or in another form.
func TestSequence(t *testing.T) {
	live := []string{
		`{"job_id":1,"name":"a","job_state":["RUNNING","STOPPED"],"mail_type":["END"],"comment":"c","extra":"e","nodes":"n1","tres_req_str":"cpu=1,mem=1G"}`,
		`{"job_id":2,"name":"a","job_state":["RUNNING","STOPPED"],"mail_type":["END"],"comment":"c","extra":"e","nodes":"n1","tres_req_str":"cpu=1,mem=1G"}`,
		`{"job_id":3,"name":"a","job_state":["PENDING"],"mail_type":[],"comment":{"job":"d"},"extra":"tc-submit:12345678","nodes":"None assigned","tres_req_str":""}`,
		`{"job_id":4,"name":"a","job_state":["PENDING"],"mail_type":[],"comment":{"system":"s"},"extra":null,"nodes":"None assigned","tres_req_str":""}`,
		`{"job_id":5}`,
		`{"name":"b","job_id":5}`,
		`{"name":"b","job_id":5,"name":"c"}`,
		`{"name":"d","job_id":5,"name":"c"}`,
		`{"name":"d","job_id":5,"n\u0061me":"c"}`,
		`{"name":"e","job_id":5,"n\u0061me":"c"}`,
		`{"name":["odd"],"job_id":"odd","comment":[5]}`,
		`{"name":["odd"],"job_id":7,"comment":[5]}`,
		`{"name":"f","job_id":7,"comment":"g"}`,
		`{}`,
		`{"job_id":1,"array_job_id":7,"array_task_id":{"set":true,"infinite":false,"number":3}}`,
		`{"job_id":1,"array_job_id":7,"array_task_id":{"set":false,"infinite":false,"number":3}}`,
	}
	for _, pair := range []string{`"comment":{"administrator":"a","system":"s"}`, `"comment":"c"`} {
		live = append(live, `{"job_id":6,`+pair+`,"admin_comment":"b","system_comment":5}`, `{"job_id":6,"admin_comment":"b","system_comment":[5],`+pair+`}`)
	}
	many := make([]string, maxMembers)
	for i := range many {
		many[i] = fmt.Sprintf(`"m%d":0`, i)
	}
	live = append(live, `{"job_id":9,`+strings.Join(many, ",")+`}`, `{"job_id":10,`+strings.Join(many, ",")+`}`)
	history := []string{
		`{"job_id":1,"array":{"job_id":7,"task_id":{"set":true,"infinite":false,"number":3}},"state":{"current":["FAILED"],"reason":"x"},"time":{"start":5,"end":9,"elapsed":4},"tres":{"allocated":[{"type":"cpu","count":2}]},"steps":[{"step":{"id":"1.batch","name":"batch"},"nodes":{"list":["n1"]},"tres":{"allocated":[{"type":"cpu","count":2}],"requested":{"max":[{"type":"mem","count":5,"node":"n1"}]}}}]}`,
		`{"job_id":2,"array":{"job_id":7,"task_id":{"set":true,"infinite":false,"number":3}},"state":{"current":["FAILED"],"reason":"x"},"time":{"start":5,"end":9,"elapsed":4},"tres":{"allocated":[{"type":"cpu","count":2}]},"steps":[{"step":{"id":"2.batch","name":"batch"},"nodes":{"list":["n1"]},"tres":{"allocated":[{"type":"cpu","count":2}],"requested":{"max":[{"type":"mem","count":5,"node":"n1"}]}}},{"step":{"id":"2.0"}}]}`,
		`{"job_id":3,"array":{},"state":{"current":["FAILED"]},"time":{"start":5},"tres":{"requested":[{"type":"cpu","count":2}]},"steps":[{"step":{"name":"batch"},"nodes":{},"tres":{}}]}`,
		`{"job_id":3,"array":null,"state":["FAILED"],"time":null,"tres":null,"steps":[5,{"step":null,"nodes":null,"tres":null,"time":{"total":{"seconds":1}}}]}`,
		`{"job_id":3,"steps":[{"time":{"user":{"seconds":1}}}]}`,
		`{"job_id":3,"steps":null}`,
		`{"job_id":"odd","steps":[5,{"tasks":{"count":"x"}},null],"name":[5]}`,
		`{"job_id":4,"steps":[{}],"steps":[5]}`,
		`{}`,
	}
	// More than is remembered.
	large := strings.Repeat("x", 70<<10)
	live = append(live, `{"job_id":8,"mail_type":["END"],"name":"`+large+`"}`)
	history = append(history, `{"job_id":8,"user":"u","state":{"current":["FAILED","STOPPED"]},"steps":[{"step":{"id":"`+large+`"}},{}],"name":"`+large+`"}`)
	for _, tt := range []struct {
		decode  decodeJob
		records []string
	}{{(*decoder).liveJob, live}, {(*decoder).historyJob, history}} {
		for i := range tt.records {
			for k := range tt.records {
				a, b := []byte(tt.records[i]), []byte(tt.records[k])
				sequence(t, tt.decode, a, b, b, a)
			}
		}
	}
}

// FuzzSequence: what a job becomes does not depend on those before it.
func FuzzSequence(f *testing.F) {
	for _, pair := range [][2]string{{"job_gpu_running", "job_array_mixed_parent"}, {"slurmdb_job_gpu_running", "slurmdb_job_array_mixed_parent"}} {
		f.Add([]byte(firstRecord(f, pair[0])), []byte(firstRecord(f, pair[1])), []byte(firstRecord(f, pair[0])))
	}
	f.Add([]byte(`{"job_id":1,"nodes":"a"}`), []byte(`{"job_id":1,"nodes":"None assigned"}`), []byte(`{"nodes":"a"}`))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		sequence(t, (*decoder).liveJob, a, b, c, a)
		sequence(t, (*decoder).historyJob, a, b, c, a)
	})
}

// TestTextsAreNotKept: what a list holds of its texts does not grow with their length.
func TestTextsAreNotKept(t *testing.T) {
	var d decoder
	for i := range 2 * maxTexts {
		for _, raw := range []string{fmt.Sprintf(`"%d"`, i), fmt.Sprintf(`"%0*d"`, maxText, i)} {
			if got, err := d.text([]byte(raw)); err != nil || `"`+got+`"` != raw {
				t.Fatalf("%.40s: %.40s, %v", raw, got, err)
			}
		}
	}
	for raw := range d.texts {
		if len(raw) > maxText || len(d.texts) > maxTexts {
			t.Fatalf("%d texts, one of %d bytes", len(d.texts), len(raw))
		}
	}
}

// TestRawIsOfOneJob: what a caller appends to the record of a job does not show in the next.
func TestRawIsOfOneJob(t *testing.T) {
	for _, decode := range []decodeJob{(*decoder).liveJob, (*decoder).historyJob} {
		jobs := held(200, []byte(`{"jobs":[{},{"job_id":1},{"job_id":2}]}`), decode).jobs
		whole := held(200, []byte(`{"jobs":[{},{"job_id":1},{"job_id":2}]}`), decode).jobs
		for i, j := range jobs {
			if _ = append(j.Raw, "overwritten"...); string(whole[i].Raw) != string(j.Raw) {
				t.Errorf("job %d is %s", i, j.Raw)
			}
		}
	}
}

// TestSketch: a filter sees in the sketch of a record what it would see in the job.
func TestSketch(t *testing.T) {
	for name := range liveMembers() {
		for i, raw := range oddValues {
			var o jsonx.Object
			if err := o.Parse([]byte(fmt.Sprintf(`{"%s":%s,"partition":%s}`, name, raw, oddValues[len(oddValues)-1-i]))); err != nil {
				t.Fatal(err)
			}
			var sketch Job
			new(decoder).liveSketch(&sketch, &o)
			job := new(decoder).liveJob(&o)
			for _, f := range []*jobFilter{
				{names: []string{job.Name}}, {users: []string{job.User}}, {accounts: []string{job.Account}}, {partitions: []string{job.Partition}},
				{states: []State{job.State}}, {since: job.SubmitTime}, {names: []string{"x"}}, {since: time.Unix(5, 0)}, {states: []State{StateRunning}},
			} {
				if f.match(&sketch) != f.match(job) {
					t.Errorf("%s: %s matches %+v as a sketch: %v, as a job: %v", name, raw, f, f.match(&sketch), f.match(job))
				}
			}
		}
	}
}
