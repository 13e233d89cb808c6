package style

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// others is what somebody else may have called a job: it clears a screen, in two ways, runs backwards, and breaks lines.
const others = "a\x1b[2J\u009b2J\u202eb\r\nc\x00d\u2028e\x7ff\ag"

// texts are a value of each type that says itself, by String or Error.
var texts = []any{
	&auth.Error{}, &cluster.Error{}, &cluster.ModelDevelopmentCluster{}, &cluster.NodePool{}, &cluster.Plan{}, &cluster.PlanError{},
	&cluster.Validation{}, cluster.ClusterList{}, cluster.Position{},
	&lro.OperationError{}, &lro.WaitError{}, lro.State{},
	&slurm.Controller{}, &slurm.Error{}, &slurm.HistoryError{}, &slurm.InputError{}, &slurm.Job{}, &slurm.JobError{}, &slurm.JobEvent{},
	&slurm.JobSummary{}, &slurm.License{}, &slurm.Node{}, &slurm.Partition{}, &slurm.ReadyError{}, &slurm.Step{}, &slurm.Submission{},
	&slurm.UncertainError{}, &slurm.Usage{}, slurm.ArraySpec{}, slurm.ControllerList{}, slurm.ExitCode{}, slurm.FailureCount{}, slurm.JobList{},
	slurm.LicenseList{}, slurm.NodeList{}, slurm.PartitionList{}, slurm.Problem{}, slurm.Resources{}, slurm.ScriptOption{}, slurm.Tally{}, slurm.Warning{},
}

// withoutTexts are the types left out.
var withoutTexts = map[string]string{
	"cluster.FieldMask": "the value itself", "cluster.Name": "the value itself", "cluster.ParameterList": "the value itself", "slurm.Flag": "the value itself",
	"clustertest.Request": "is what the test itself has sent", "slurm.JobID": "the value itself", "slurm.NodeState": "the value itself", "slurm.State": "the value itself",
	"cluster.Iterator": "has nothing of others in it", "cluster.Operation": "is lro's", "lro.Operation": "is made of an lro.State",
	"lro.Panic": "has the stack, in many lines", "slurm.Timeline": "is made of a slurm.JobList, which the test does",
}

// severalLines are the types whose texts have them.
var severalLines = map[string]bool{"cluster.Plan": true, "cluster.Validation": true, "slurm.JobSummary": true, "slurm.Usage": true, "lro.Panic": true}

// TestTexts: what others wrote moves no cursor and breaks no line, wherever it stands in a value that says itself.
func TestTexts(t *testing.T) {
	said := map[string]bool{}
	for _, v := range texts {
		name := strings.TrimPrefix(fmt.Sprintf("%T", v), "*")
		said[name] = true
		filled := reflect.New(reflect.TypeOf(v))
		fill(filled.Elem(), 0)
		for _, text := range saying(filled.Elem().Interface()) {
			lines := []string{text}
			if severalLines[name] {
				lines = strings.Split(text, "\n")
			}
			for _, line := range lines {
				if at := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); at >= 0 {
					t.Errorf("%s says %q, which has %q", name, line, line[at:])
					break
				}
			}
		}
	}
	for _, name := range sayers(t) {
		if said[name] == (withoutTexts[name] != "") {
			t.Errorf("%s says itself; it has to be either in texts or in withoutTexts", name)
		}
	}
}

func saying(v any) (all []string) {
	if s, ok := v.(fmt.Stringer); ok {
		all = append(all, s.String())
	}
	if e, ok := v.(error); ok {
		all = append(all, e.Error())
	}
	if list, ok := v.(slurm.JobList); ok {
		all = append(all, list.Timeline().String())
	}
	return all
}

var sayer = regexp.MustCompile(`(?m)^method \(\*?(\w+)\) (?:String|Error)\(\) string$`)

// sayers are the types that say themselves, by the written down public face.
func sayers(t *testing.T) (names []string) {
	files, err := filepath.Glob("testdata/api/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pkg := strings.TrimSuffix(filepath.Base(file), ".txt")
		pkg = pkg[strings.LastIndex(pkg, "_")+1:]
		for _, m := range sayer.FindAllStringSubmatch(string(data), -1) {
			names = append(names, pkg+"."+m[1])
		}
	}
	return names
}

// fill puts a text of others wherever one can stand, and one element in each list.
func fill(v reflect.Value, depth int) {
	const deepest = 6
	switch v.Kind() {
	case reflect.String:
		v.SetString(others)
	case reflect.Pointer:
		if depth < deepest {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if depth < deepest {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), depth+1)
		}
	case reflect.Map:
		if depth < deepest {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, depth+1)
			fill(value, depth+1)
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(key, value)
		}
	case reflect.Interface:
		if v.Type() == reflect.TypeFor[error]() {
			v.Set(reflect.ValueOf(errors.New(others)))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), depth+1)
			}
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	}
}
