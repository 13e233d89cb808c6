package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/internal/alteration"
)

// newerValues are what a later Slurm may put in place of a member, besides what [painValues] has.
var newerValues = append(slices.Clone(painValues), `"QUANTUM"`, `["QUANTUM","UP"]`, `18446744073709551615`, `-5`, `0.5`, `true`, `[null]`, `[7]`, `{"set":true,"infinite":false,"number":7}`)

// painLists are the lists besides those of jobs: how they are read, and what is seen of each element.
var painLists = []struct {
	list, recording string
	read            func(t *testing.T, c *Client) ([]any, error)
}{
	{"nodes", "slurm_nodes", func(t *testing.T, c *Client) ([]any, error) { l, err := c.Nodes(t.Context()); return anyList(l), err }},
	{"partitions", "slurm_partitions", func(t *testing.T, c *Client) ([]any, error) {
		l, err := c.Partitions(t.Context())
		return anyList(l), err
	}},
	{"licenses", "slurm_licenses", func(t *testing.T, c *Client) ([]any, error) {
		l, err := c.Licenses(t.Context())
		return anyList(l), err
	}},
	{"pings", "slurm_ping", func(t *testing.T, c *Client) ([]any, error) { l, err := c.Ping(t.Context()); return anyList(l), err }},
}

func anyList[T any](list []*T) (all []any) {
	for _, one := range list {
		all = append(all, *one)
	}
	return all
}

// TestPainAlteredLists: members that a later Slurm adds, leaves out, renames in case, or writes in another way. Each member
// of a recorded node, partition, license and controller is altered, at every depth. The others of the list stay as they
// are, and so do the other members; what cannot be read is named, in Odd or in the error.
func TestPainAlteredLists(t *testing.T) {
	for _, tt := range painLists {
		t.Run(tt.list, func(t *testing.T) {
			var body map[string]any
			if err := json.Unmarshal(recorded(t, tt.recording).Body, &body); err != nil {
				t.Fatal(err)
			}
			record := body[tt.list].([]any)[0]
			read := func(records ...any) ([]any, error) {
				data, err := json.Marshal(map[string]any{tt.list: records, "errors": []any{}})
				if err != nil {
					t.Fatal(err)
				}
				return tt.read(t, painClient(t, replay{recording{Status: 200, Body: data}.response()}))
			}
			sound, err := read(record, record)
			if err != nil || len(sound) != 2 {
				t.Fatal(sound, err)
			}
			for _, path := range append(alteration.Paths(record), []string{"quantum"}) {
				removed, _ := read(alteration.Replace(record, path, alteration.Missing), record)
				without, _ := read(alteration.Replace(record, unit(record, path), alteration.Missing), record)
				says, unsays := differing(sound[0], removed[0]), differing(sound[0], without[0])
				for _, value := range append(newerValues, strangeValues...) {
					what := tt.list + "[0]." + strings.Join(path, ".") + " = " + value
					got, err := read(alteration.Replace(record, path, value), record)
					if len(got) != 2 || !reflect.DeepEqual(got[1], sound[1]) || err != nil && !strings.Contains(err.Error(), path[0]) {
						t.Errorf("%s: %+v, %v", what, got, err)
						continue
					}
					odd := fmt.Sprint(reflect.ValueOf(got[0]).FieldByName("Odd"), err)
					if value == oddShape && len(says) > 0 && !strings.Contains(odd, path[0]) {
						t.Errorf("%s: nothing tells that it was not read: %s", what, odd)
					}
					if isNothing(value) && path[len(path)-1] != "0" && !reflect.DeepEqual(got[0], removed[0]) {
						t.Errorf("%s: %+v, and without it %+v", what, got[0], removed[0])
					}
					for field := range differing(sound[0], got[0]) {
						if before := reflect.ValueOf(sound[0]).FieldByName(field); !says[field] && !unsays[field] && !before.IsZero() {
							t.Errorf("%s: lost %s", what, field)
						}
					}
				}
			}
			// An element in another shape costs itself alone, and is named.
			for _, element := range []any{nil, 5, "x", []any{}} {
				got, err := read(element, record)
				if len(got) != 1 || !reflect.DeepEqual(got[0], sound[1]) || !errors.Is(err, ErrPartial) || !strings.Contains(err.Error(), tt.list+"[0]") {
					t.Errorf("%v in %s: %v, %v", element, tt.list, got, err)
				}
			}
			// So is the list itself.
			for value, want := range map[string]string{`5`: tt.list + ": want a list, got 5", `"x"`: tt.list + ": want a list", `{"1":{}}`: tt.list + ": want a list", alteration.Missing: `lacks "` + tt.list + `"`} {
				data, _ := json.Marshal(alteration.Replace(map[string]any{tt.list: nil, "errors": []any{}}, []string{tt.list}, value))
				got, err := tt.read(t, painClient(t, replay{recording{Status: 200, Body: data}.response()}))
				if len(got) != 0 || err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s = %s: %v, %v", tt.list, value, got, err)
				}
			}
		})
	}
}

// differing are the fields of two values of one type that differ.
func differing(a, b any) map[string]bool {
	x, y, fields := reflect.ValueOf(a), reflect.ValueOf(b), map[string]bool{}
	for i := range x.NumField() {
		if name := x.Type().Field(i).Name; name != "Odd" && !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			fields[name] = true
		}
	}
	return fields
}

// TestPainPingNotUnderstood: a controller of which neither word can be read counts as down, and the error says why that is.
func TestPainPingNotUnderstood(t *testing.T) {
	for body, want := range map[string]string{
		`{"hostname":"ctl","pinged":["UP"],"responding":[1]}`:                "unexpected answer: pings[0].pinged: want a string, got a list; 1800 Unable",
		`{"hostname":["ctl"],"pinged":"DOWN","responding":[1]}`:              "unexpected answer: pings[0].responding: want true or false, got a list; 1800 Unable",
		`{"hostname":["ctl"],"pinged":"DOWN","responding":false,"mode":[1]}`: "slurm: ping: 1800 Unable to contact slurm controller",
		`{"hostname":"ctl","state":"UP"}`:                                    "slurm: ping: 1800 Unable to contact slurm controller",
		`{"hostname":"ctl","responding":true}`:                               "",
		`{"hostname":"ctl","pinged":"UP"}`:                                   "",
		`{"hostname":"ctl","pinged":["UP"],"responding":1}`:                  "",
	} {
		c := painClient(t, replay{recording{Status: 200, Body: json.RawMessage(`{"pings":[` + body + `],"errors":[]}`)}.response()})
		controllers, err := c.Ping(t.Context())
		if len(controllers) != 1 || controllers[0].Up != (want == "") || (err == nil) != (want == "") {
			t.Errorf("%s: %v, %v", body, controllers, err)
		}
		if err != nil && (!errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestPainAlteredAnswers: each member of an answer around its list is altered. What says nothing about the jobs costs
// nothing; of an odd "errors" the jobs stay, and that there is a failure; and an odd list is named.
func TestPainAlteredAnswers(t *testing.T) {
	var answer map[string]any
	if err := json.Unmarshal(recorded(t, "job_running").Body, &answer); err != nil {
		t.Fatal(err)
	}
	read := func(altered any) ([]*Job, error) {
		body, err := json.Marshal(altered)
		if err != nil {
			t.Fatal(err)
		}
		return painTwice(t, 200, body)
	}
	sound, err := read(answer)
	if err != nil || len(sound) != 1 {
		t.Fatal(sound, err)
	}
	members := alteration.Paths(answer)
	for _, path := range members {
		if path[0] == "jobs" && len(path) > 1 { // those have tests of their own
			continue
		}
		for _, value := range slices.Concat(painValues, strangeValues) {
			what := strings.Join(path, ".") + " = " + value
			jobs, err := read(alteration.Replace(answer, path, value))
			nothing := isNothing(value) || value == alteration.Missing
			switch {
			case path[0] == "jobs" && nothing && value != alteration.Missing && value != alteration.Renamed:
				if len(jobs) != 0 || err != nil {
					t.Errorf("%s: %v, %v", what, jobs, err)
				}
			case path[0] == "jobs":
				if len(jobs) != 0 && value != alteration.Twice || err == nil || !strings.Contains(err.Error(), "jobs") || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: %v, %v", what, jobs, err)
				}
			case path[0] == "errors" && len(path) == 1 && !nothing && value != `[null]` && value != alteration.Twice:
				if !reflect.DeepEqual(jobs, sound) || !errors.Is(err, ErrPartial) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: %v, %v", what, jobs, err)
				}
			case !reflect.DeepEqual(jobs, sound) || err != nil:
				t.Errorf("%s: %v, %v", what, jobs, err)
			}
		}
	}
	if len(members) < 20 {
		t.Errorf("%d members", len(members))
	}
}
