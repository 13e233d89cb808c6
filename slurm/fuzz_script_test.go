package slurm_test

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// FuzzParseScript: a script is refused in one line, or read into specs that only lack what a script cannot say. What
// stands behind the first command changes nothing.
func FuzzParseScript(f *testing.F) {
	data, err := os.ReadFile("../internal/conformance/testdata/scripts.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, part := range strings.Split(string(data), "\n-- ")[1:] {
		_, script, _ := strings.Cut(part, " --\n")
		f.Add("#!/bin/bash\n" + script)
	}
	f.Fuzz(func(t *testing.T, script string) {
		parsed, err := slurm.ParseScript(script)
		var input *slurm.InputError
		switch {
		case (err == nil) != (parsed != nil):
			t.Fatalf("got %+v, %v", parsed, err)
		case err == nil:
		case !errors.As(err, &input) || len(input.Problems) == 0 || !strings.HasPrefix(err.Error(), "slurm: parse script: "):
			t.Fatalf("got %v", err)
		default:
			return
		}
		if parsed.Spec.Script != script || len(parsed.Components) == 1 || len(parsed.Components) > 1 && parsed.Components[0] != parsed.Spec {
			t.Fatalf("got %+v", parsed)
		}
		for _, option := range parsed.Unsupported {
			if option.Line < 2 || option.Line > strings.Count(script, "\n")+1 || option.Option == "" || option.Reason == "" {
				t.Fatalf("unsupported %+v", option)
			}
		}
		if _, err := json.Marshal(parsed.Spec.Extra); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(script, "\n") {
			sameBefore(t, parsed, script)
		}
	})
}

func sameBefore(t *testing.T, parsed *slurm.ParsedScript, script string) {
	again, err := slurm.ParseScript(script + "true\n#SBATCH --nope \"\n")
	if err != nil {
		t.Fatalf("with a line behind the first command: %v", err)
	}
	if strings.Contains(script, "now") {
		return // time has passed
	}
	again.Spec.Script = script
	first, second := reflect.ValueOf(*parsed.Spec), reflect.ValueOf(*again.Spec)
	for i := range first.NumField() {
		if field := first.Type().Field(i); field.IsExported() && !reflect.DeepEqual(first.Field(i).Interface(), second.Field(i).Interface()) {
			t.Fatalf("%s is %v, and then %v", field.Name, first.Field(i), second.Field(i))
		}
	}
}
