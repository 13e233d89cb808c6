package slurm

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// oddValues are some that a member might have. Each table is tested with all of them, and with those of the recordings.
var oddValues = []string{
	`null`, `true`, `false`, `5`, `-1`, `1.5`, `1e30`, `""`, `"x"`, `"5"`, `"0x3"`, `"cpu=1,mem=2G"`, `"cpu"`, `"None assigned"`, `"tc-submit:12345678"`,
	`[]`, `{}`, `[null]`, `[5]`, `[[]]`, `[{}]`, `["RUNNING","STOPPED"]`, `["COMPLETED",5]`, `[{"type":"cpu","count":2},5]`, `[{"state":["FAILED"]},5]`,
	`{"a":1}`, `{"set":true,"infinite":false,"number":3}`, `{"set":false,"infinite":true,"number":0}`, `{"set":true,"number":"x"}`,
	`{"current":["RUNNING"],"reason":"r"}`, `{"current":5,"reason":[6]}`, `{"job_id":7,"task_id":3,"task":"0x3","limits":{"max":{"running":{"tasks":2}}}}`,
	`{"job_id":"x","task_id":"x","task":[5],"limits":[5]}`, `{"limits":{"max":5}}`, `{"job_id":7,"job_offset":1}`, `{"name":"n"}`, `{"name":[5]}`,
	`{"start":5,"end":6,"elapsed":1,"limit":2,"total":{"seconds":1},"user":1,"system":"x","submission":4,"eligible":4}`, `{"start":"x"}`, `{"limit":"x","end":7}`,
	`{"memory_per_node":5,"memory_per_cpu":"x"}`, `{"requested":[{"type":"cpu","count":2}],"allocated":[5]}`, `{"requested":{"max":[{"type":"mem","count":5,"node":[6]}]}}`,
	`{"consumed":{"total":[{"type":"mem","count":5}],"min":5}}`, `{"wckey":"k","flags":[]}`, `{"job":"c","administrator":"d","system":"e"}`, `{"administrator":[5]}`,
	`{"id":"1.0","name":"n"}`, `{"id":{"job_id":1,"step_id":"0"}}`, `{"id":[5]}`, `{"list":["n1"],"count":3}`, `{"list":5,"count":"x"}`, `{"energy":{"consumed":7}}`,
	`{"energy":{"consumed":"x"}}`, `{"status":["SUCCESS"],"return_code":3,"signal":{"id":9}}`, `{"status":5}`, `{"label":"tc-submit:12345678"}`,
}

// used fills every field of v with something in it that depends on n.
func used(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(int64(n), 0)))
			return
		}
		for i := range v.NumField() {
			used(fieldAt(v, i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		used(v.Index(0), n)
	case reflect.String:
		v.SetString(strings.Repeat("used", n))
	case reflect.Bool:
		v.SetBool(n%2 == 1)
	case reflect.Int64, reflect.Int:
		v.SetInt(int64(1000 + n))
	case reflect.Uint8:
		v.SetUint(uint64(n))
	}
}

// fieldAt is the i-th one, exported or not.
func fieldAt(v reflect.Value, i int) reflect.Value {
	f := v.Field(i)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

// testTable holds the members of a table to what layout relies on.
func testTable[T any](t *testing.T, all table[T], recorded map[string][]string) {
	t.Helper()
	writers := map[int][]string{} // of each field
	for name, m := range all {
		touched := map[int]bool{}
		for range 2 { // after the first time, all that it ever sets is known
			for _, raw := range append(recorded[name], oddValues...) {
				touches(t, name, m, raw, touched)
			}
		}
		if len(touched) == 0 {
			t.Errorf("%s sets no field whatever it is", name)
		}
		for i := range touched {
			writers[i] = append(writers[i], name)
		}
	}
	for i, names := range writers {
		if len(names) > 1 && slices.ContainsFunc(names, func(name string) bool { return !all[name].anew }) {
			t.Errorf("%v all set %s, and not all are read anew: their order would not count", names, reflect.TypeFor[T]().Field(i).Name)
		}
	}
}

// touches reads a value over other ones, and adds the fields that the member sets to those touched. It has to set them
// for whatever came before.
func touches[T any](t *testing.T, name string, m member[T], raw string, touched map[int]bool) {
	t.Helper()
	var after [3]T // the first one zero before
	var before [3]T
	for n := range after {
		if n > 0 {
			used(reflect.ValueOf(&after[n]).Elem(), n)
			used(reflect.ValueOf(&before[n]).Elem(), n)
		}
		_ = m.read(new(decoder), &after[n], []byte(raw))
	}
	for i := range reflect.TypeFor[T]().NumField() {
		at := func(v *T) any { return fieldAt(reflect.ValueOf(v).Elem(), i).Interface() }
		changed := false
		for n := range after {
			changed = changed || !reflect.DeepEqual(at(&after[n]), at(&before[n]))
		}
		if changed {
			touched[i] = true
		}
		set := reflect.DeepEqual(at(&after[0]), at(&after[1])) && reflect.DeepEqual(at(&after[0]), at(&after[2]))
		if touched[i] && !set && !m.anew {
			t.Errorf("%s: %s leaves %s as it was, which another value sets", name, raw, reflect.TypeFor[T]().Field(i).Name)
		}
	}
	// What a copy shares with what it was copied from, own takes from it.
	one := after[0]
	if m.own != nil {
		m.own(&one)
	}
	if want := after[0]; !m.anew && !reflect.DeepEqual(one, want) {
		t.Errorf("%s: %s is %+v, and a copy of its own %+v", name, raw, want, one)
	}
	for i := range touched {
		a, b := fieldAt(reflect.ValueOf(&after[0]).Elem(), i), fieldAt(reflect.ValueOf(&one).Elem(), i)
		if !m.anew && shares(a, b) {
			t.Errorf("%s: %s gives two copies one %s", name, raw, reflect.TypeFor[T]().Field(i).Name)
		}
	}
}

// shares reports whether two values have the memory of a slice in common.
func shares(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Slice:
		return a.Len() > 0 && a.Pointer() == b.Pointer()
	case reflect.Struct:
		if a.Type() == reflect.TypeFor[time.Time]() {
			return false
		}
		for i := range a.NumField() {
			if shares(fieldAt(a, i), fieldAt(b, i)) {
				return true
			}
		}
	}
	return false
}

// TestTables: a member sets the same fields whatever it is, no other member sets them, and copies are copies.
func TestTables(t *testing.T) {
	members := func(raw json.RawMessage) map[string][]string {
		var one map[string]json.RawMessage
		if err := json.Unmarshal(raw, &one); err != nil {
			t.Fatal(err)
		}
		values := map[string][]string{}
		for name, value := range one {
			values[name] = append(values[name], string(value))
		}
		return values
	}
	history := members(firstRecord(t, "slurmdb_job_gpu_running"))
	var steps []json.RawMessage
	if err := json.Unmarshal([]byte(history["steps"][0]), &steps); err != nil || len(steps) == 0 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	testTable(t, liveMembers(), members(firstRecord(t, "job_gpu_running")))
	testTable(t, historyMembers(), history)
	testTable(t, stepMembers(), members(steps[0]))
}

// TestLastOfTwo: of members with one name the last counts, as for encoding/json. Those that are read anew may share fields,
// but the steps do not.
func TestLastOfTwo(t *testing.T) {
	for _, tt := range []struct {
		decode decodeJob
		all    table[Job]
	}{{(*decoder).liveJob, liveMembers()}, {(*decoder).historyJob, historyMembers()}} {
		for name, m := range tt.all {
			if m.anew && name != "steps" {
				continue
			}
			for i, second := range oddValues {
				first := oddValues[(i+len(oddValues)/2)%len(oddValues)]
				text := func(values ...string) []byte {
					return []byte(`{"` + name + `":` + strings.Join(values, `,"`+name+`":`) + `}`)
				}
				both, err := oneRecord(tt.decode)(text(first, second))
				if err != nil {
					t.Fatal(err)
				}
				last, _ := oneRecord(tt.decode)(text(second))
				both.Raw, both.Odd, last.Raw, last.Odd = nil, nil, nil, nil
				if !reflect.DeepEqual(both, last) {
					t.Errorf("%s: %s after %s is\n%#v, by itself\n%#v", name, second, first, both, last)
				}
			}
		}
	}
}
