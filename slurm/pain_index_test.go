package slurm

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pains are the numbers of the complaints about such clients for which there is an input to test with. A number that is
// missing in between was given up when the list was made.
const pains = `
	01 02 03 05 06 08 09 11 12 13 15 16 17 18 19 20 21 23 24 25
	26 27 29 30 31 32 33 35 36 37 38 39 41 42 43 44 45
	47 48 49 50 51 53 54 55 56 57 59 60 61 62 63 65
	66 67 68 69 71 72 73 74 75 77 78 79 80 82`

// painless are those without a test, and why.
var painless = map[string]string{
	"07": "conversions of anonymous generated types: nothing is generated here, and nothing is converted by assertion",
	"14": "a missing header X-SLURM-USER-NAME: the platform signs the requests to Slurm, not the client",
	"81": "a wish for a wait with options: that there is one is what all tests of lro are about",
}

// otherwise are those that a test pins to something else than the list of complaints asks for, and why.
var otherwise = map[string]string{
	"01": "no hint about user ids at other errors: the SDK never sends one",
	"13": "lists have no pages: they stream",
	"15": "a bare NaN is no JSON, and is named by its byte",
	"18": "recordings end with v0.0.42, the version that the platform speaks",
	"23": "exact integers of any spelling are read; what a server has rounded before cannot be told",
	"32": "Client.Do sends what it is given: it is for what the SDK does not know",
	"35": "an environment without PATH gets one, which is more than a warning",
	"38": "--wrap in a script has no effect with sbatch either",
	"39": "the reason is shown as Slurm gives it: a held job has many causes",
	"43": "a submit is repeated only if it surely was not sent; everything else is the caller's to decide, and the error says so",
	"45": "nothing is submitted again by itself; examples/testing/retry shows how",
	"60": "a wait says that the accounting does not answer where it matters: in its error, and in OnProgress",
	"68": "a pool is sent whole, and false is what the service takes for one that is left out; lists and maps are sent empty",
	"78": "a 401 ends the watching, which resumes by name: no source of Google's library renews a token before its time",
	"79": "UntilReady waits for Slurm, and PlanUpdate with what was read afterwards lists what is lacking",
}

var painName = regexp.MustCompile(`^TestPainU(\d\d)[A-Z]`)

// TestPainIndex: each of those complaints has one test in the packages that it may concern, and says what it was.
func TestPainIndex(t *testing.T) {
	tests := map[string]string{}
	for _, pattern := range []string{"pain_*_test.go", "../cluster/pain_*_test.go", "../lro/pain_*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range parsed.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok || !strings.HasPrefix(f.Name.Name, "TestPainU") {
					continue
				}
				name := painName.FindStringSubmatch(f.Name.Name)
				switch {
				case name == nil:
					t.Errorf("%s: %s has no number and words", file, f.Name.Name)
				case tests[name[1]] != "":
					t.Errorf("%s: %s is also in %s", file, f.Name.Name, tests[name[1]])
				case strings.TrimSpace(f.Doc.Text()) == "":
					t.Errorf("%s: %s does not say what people suffered from", file, f.Name.Name)
				default:
					tests[name[1]] = file
				}
			}
		}
	}
	for _, number := range strings.Fields(pains) {
		if tests[number] == "" || painless[number] != "" {
			t.Errorf("U%s: test in %q, left out for %q", number, tests[number], painless[number])
		}
		delete(tests, number)
	}
	for number := range otherwise {
		if !strings.Contains(pains, number) {
			t.Errorf("U%s is done otherwise, and is not in the list", number)
		}
	}
	for number, file := range tests {
		t.Errorf("%s: U%s is not in the list", file, number)
	}
}
