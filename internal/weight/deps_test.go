package main

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// requirements are the modules that go.mod asks for by itself, with the reason. Each is a download and a risk for every
// user; see CONTRIBUTING.md before adding one.
var requirements = map[string]string{
	"google.golang.org/api":           "the options and the transport of all Google Cloud clients",
	"golang.org/x/oauth2":             "token sources of package auth",
	"github.com/googleapis/gax-go/v2": "options of calls, and the errors that Google's libraries unpack",
	"google.golang.org/grpc":          "codes and status of errors",
	"github.com/tailscale/hujson":     "cluster files in JSON with comments",
	"go.yaml.in/yaml/v3":              "cluster files in YAML",
	"github.com/google/go-cmp":        "tests only",
}

func TestRequirements(t *testing.T) {
	watch(t)
	out, err := output(exec.Command("go", "mod", "edit", "-json", "../../go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Require []struct {
			Path     string
			Indirect bool
		}
		Replace, Exclude []any
		Tool             []any
	}
	if err := json.Unmarshal([]byte(out), &file); err != nil {
		t.Fatal(err)
	}
	var direct []string
	for _, r := range file.Require {
		if !r.Indirect {
			direct = append(direct, r.Path)
		}
	}
	slices.Sort(direct)
	if want := slices.Sorted(maps.Keys(requirements)); !slices.Equal(direct, want) {
		t.Errorf("go.mod requires %q, and is meant to require %q", direct, want)
	}
	if len(file.Replace)+len(file.Exclude)+len(file.Tool) > 0 {
		t.Errorf("go.mod replaces %v and excludes %v, which counts for nobody but this module; its tools are %v", file.Replace, file.Exclude, file.Tool)
	}
}

// library is one package that a program links.
type library struct {
	path, module, dir string
	standard          bool
}

// libraries lists what packages link, themselves included.
func libraries(t *testing.T, packages ...string) (all []library) {
	t.Helper()
	watch(t)
	const format = `{{.ImportPath}} {{with .Module}}{{.Path}}{{else}}-{{end}} {{.Standard}} {{.Dir}}`
	out, err := output(exec.Command("go", append([]string{"list", "-deps", "-f", format}, packages...)...))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 4)
		all = append(all, library{path: fields[0], module: fields[1], standard: fields[2] == "true", dir: fields[3]})
	}
	return all
}

// budget is what a public package may link.
type budget struct {
	within []string // whatever these link as well, since the program has it anyway
	beside []string // packages of other modules that it links beside those
	own    int      // packages of this module, itself included
}

var (
	transport = []string{"google.golang.org/api/option", "google.golang.org/api/transport/http"}
	// files are the formats of cluster files.
	files = []string{"github.com/tailscale/hujson", "go.yaml.in/yaml/v3"}
)

// budgets name the packages that no client has without this module.
var budgets = map[string]budget{
	"lro": {within: []string{"github.com/googleapis/gax-go/v2", "google.golang.org/grpc/codes"}, own: 7},
	"auth": {within: transport, own: 4,
		beside: []string{"google.golang.org/api/impersonate", "google.golang.org/api/option/internaloption"}},
	"cluster": {within: transport, own: 11, beside: append([]string{"google.golang.org/api/impersonate",
		"google.golang.org/api/iterator", "google.golang.org/api/option/internaloption"}, files...)},
	"slurm": {within: transport, own: 12, beside: append([]string{"google.golang.org/api/impersonate",
		"google.golang.org/api/iterator", "google.golang.org/api/option/internaloption"}, files...)},
	"cluster/clustertest": {within: []string{"google.golang.org/api/option"}, own: 1},
	"slurm/slurmtest":     {own: 1},
}

func TestBudgets(t *testing.T) {
	for name, b := range budgets {
		free := map[string]bool{}
		if len(b.within) > 0 {
			for _, l := range libraries(t, b.within...) {
				free[l.path] = true
			}
		}
		own, linked := 0, map[string]bool{}
		for _, l := range libraries(t, module+"/"+name) {
			switch {
			case l.module == module:
				own++
			case !l.standard && !free[l.path] && !slices.Contains(b.beside, l.path):
				t.Errorf("%s links %s of %s, which its programs would not have without it", name, l.path, l.module)
			}
			linked[l.path] = true
		}
		for _, path := range b.beside {
			if !linked[path] {
				t.Errorf("%s does not link %s any more: take it out of the budget", name, path)
			}
		}
		if own > b.own {
			t.Errorf("%s links %d packages of this module, more than %d", name, own, b.own)
		}
	}
}

// TestBudgetsAreComplete: a public package has one, and so does each that is added.
func TestBudgetsAreComplete(t *testing.T) {
	watch(t)
	patterns := []string{"list", module + "/lro/...", module + "/auth/...", module + "/cluster/...", module + "/slurm/..."}
	out, err := output(exec.Command("go", patterns...))
	if err != nil {
		t.Fatal(err)
	}
	public := strings.Fields(strings.ReplaceAll(out, module+"/", ""))
	slices.Sort(public)
	if want := slices.Sorted(maps.Keys(budgets)); !slices.Equal(public, want) {
		t.Errorf("the public packages are %q, and there are budgets for %q", public, want)
	}
}

// TestNothingForTestsIsLinked, by whatever way.
func TestNothingForTestsIsLinked(t *testing.T) {
	for _, name := range []string{"lro", "auth", "cluster", "slurm"} {
		for _, l := range libraries(t, module+"/"+name) {
			if l.path == "testing" || l.path == "net/http/httptest" || l.module == module && strings.HasSuffix(l.path, "test") {
				t.Errorf("%s links %s", name, l.path)
			}
		}
	}
}

// TestImports: what costs a lot, keeps the linker from dropping code, or ties the module to a system has no place in
// what users link, on whatever system. Of regexp, which their programs have anyway, the expressions cost: TestInit counts
// them.
func TestImports(t *testing.T) {
	refused := []string{"C", "unsafe", "plugin", "embed", "expvar", "encoding/gob", "html/template", "text/template", "database/sql",
		"testing", "net/http/httptest", "net/http/pprof", "log"}
	for _, l := range libraries(t, module+"/lro", module+"/auth", module+"/cluster", module+"/slurm") {
		if l.module != module {
			continue
		}
		names, err := filepath.Glob(filepath.Join(l.dir, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no files of %s in %s: %v", l.path, l.dir, err)
		}
		for _, name := range names {
			for _, path := range imports(t, name) {
				if slices.Contains(refused, path) && !strings.HasSuffix(name, "_test.go") {
					t.Errorf("%s of %s imports %s", filepath.Base(name), l.path, path)
				}
			}
		}
	}
}

// imports of a file, whichever system it is for.
func imports(t *testing.T, name string) (paths []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}
