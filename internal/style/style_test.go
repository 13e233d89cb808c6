// Package style holds the project's own rules, as tests over its source. CONTRIBUTING.md states them.
package style

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/trainingclusters/trainingclusters-go"
)

// file is one parsed Go file of the module; path is relative to the root.
type file struct {
	path string
	text string
	ast  *ast.File
	set  *token.FileSet
}

func (f file) isTest() bool     { return strings.HasSuffix(f.path, "_test.go") }
func (f file) isInternal() bool { return strings.Contains(f.path, "internal/") }
func (f file) isProgram() bool  { return f.ast.Name.Name == "main" }
func (f file) lines(n ast.Node) int {
	return f.set.Position(n.End()).Line - f.set.Position(n.Pos()).Line + 1
}

func files(t *testing.T) (found []file) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "testdata" || name != ".." && strings.HasPrefix(name, ".") && path != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		found = append(found, file{path: filepath.ToSlash(relative), text: string(text), ast: parsed, set: set})
		return err
	})
	if err != nil || len(found) < 50 {
		t.Fatalf("found %d files: %v", len(found), err)
	}
	return found
}

func TestTopLevel(t *testing.T) {
	allowed := []string{"cluster", "slurm", "lro", "auth", "internal", "examples", "go.mod", "go.sum", "README.md", "doc.go",
		"LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile"}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, ".") && !slices.Contains(allowed, name) {
			t.Errorf("%s does not belong at the top level", name)
		}
	}
	for _, f := range files(t) {
		if f.path == "doc.go" && len(f.ast.Decls) > 0 {
			t.Error("the root has code; it belongs into a package")
		}
	}
}

func TestSizes(t *testing.T) {
	const maxFile, maxFunction = 500, 60
	for _, f := range files(t) {
		if f.isTest() {
			continue // a table of cases is as long as it is
		}
		if n := strings.Count(f.text, "\n"); n > maxFile {
			t.Errorf("%s has %d lines, more than %d", f.path, n, maxFile)
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.lines(fn) > maxFunction {
				t.Errorf("%s: %s has %d lines, more than %d", f.path, fn.Name.Name, f.lines(fn), maxFunction)
			}
		}
	}
}

// TestExportedSymbolsAreDocumented, in every package that users import. Marshaling methods speak for themselves.
func TestExportedSymbolsAreDocumented(t *testing.T) {
	obvious := []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "Error", "String", "Unwrap"}
	for _, f := range files(t) {
		if f.isTest() || f.isInternal() || f.isProgram() {
			continue
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil && !slices.Contains(obvious, d.Name.Name) {
					t.Errorf("%s: %s is not documented", f.path, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, name := range undocumented(d) {
					t.Errorf("%s: %s is not documented", f.path, name)
				}
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	return d.Recv == nil || ast.IsExported(receiver(d))
}

// undocumented lists exported names of d without a comment. The comment of a group serves its members; constants of
// a named type are explained by the type.
func undocumented(d *ast.GenDecl) (names []string) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil {
				names = append(names, spec.Name.Name)
			}
		case *ast.ValueSpec:
			explained := d.Doc != nil || spec.Doc != nil || spec.Comment != nil || spec.Type != nil
			for _, name := range spec.Names {
				if name.IsExported() && !explained {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

func receiver(fn *ast.FuncDecl) string {
	typ := fn.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	id, _ := typ.(*ast.Ident)
	if id == nil {
		return ""
	}
	return id.Name
}

// allowedImports are the packages outside the standard library that each package may import, beside those of the
// module that may be below it. Whoever adds one weighs what it costs every user.
var allowedImports = map[string][]string{
	"auth": {"golang.org/x/oauth2", "golang.org/x/oauth2/google", "google.golang.org/api/googleapi", "google.golang.org/api/impersonate",
		"google.golang.org/api/option", "google.golang.org/api/option/internaloption", "google.golang.org/api/transport/http",
		"github.com/googleapis/gax-go/v2/apierror", "google.golang.org/grpc/codes", "internal/foreign", "internal/jsonx", "internal/rpcstatus"},
	"lro": {"github.com/googleapis/gax-go/v2", "google.golang.org/grpc/codes", "internal/foreign", "internal/jsonx", "internal/names", "internal/poll", "internal/render", "internal/rpcstatus"},
	"cluster": {"auth", "lro", "internal/foreign", "internal/jsonx", "internal/names", "internal/render", "internal/rest", "internal/rpcstatus", "internal/version",
		"github.com/googleapis/gax-go/v2", "github.com/googleapis/gax-go/v2/apierror", "github.com/googleapis/gax-go/v2/callctx",
		"google.golang.org/api/googleapi", "google.golang.org/api/iterator", "google.golang.org/api/option",
		"google.golang.org/api/option/internaloption", "google.golang.org/grpc/codes", "google.golang.org/grpc/status",
		"github.com/tailscale/hujson", "go.yaml.in/yaml/v3"},
	"slurm": {"cluster", "lro", "internal/foreign", "internal/jsonx", "internal/names", "internal/poll", "internal/render", "github.com/googleapis/gax-go/v2",
		"google.golang.org/api/iterator", "google.golang.org/api/option", "google.golang.org/grpc/codes"},
	"cluster/clustertest": {"google.golang.org/api/option"},
	"slurm/slurmtest":     {},
	"internal/foreign":    {},
	"internal/jsonx":      {},
	"internal/names":      {"internal/foreign"},
	"internal/poll":       {},
	"internal/golden":     {},
	"internal/render":     {"internal/foreign"},
	"internal/version":    {},
	"internal/rpcstatus":  {"google.golang.org/grpc/codes", "internal/jsonx"},
	"internal/rest":       {"google.golang.org/grpc/codes", "internal/foreign", "internal/jsonx", "internal/rpcstatus"},
}

func TestImports(t *testing.T) {
	for _, path := range public {
		if _, ruled := allowedImports[path]; !ruled {
			t.Errorf("what package %s may import is not said in allowedImports", path)
		}
	}
	for _, f := range files(t) {
		dir := filepath.ToSlash(filepath.Dir(f.path))
		allowed, ruled := allowedImports[dir]
		if f.isTest() || !ruled {
			continue
		}
		for _, spec := range f.ast.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			outside := strings.Contains(strings.Split(path, "/")[0], ".")
			if outside && !slices.Contains(allowed, strings.TrimPrefix(path, module+"/")) {
				t.Errorf("%s imports %s, which package %s is not meant to need", f.path, path, dir)
			}
			if (path == "testing" || path == "net/http/httptest") && !strings.HasSuffix(dir, "test") {
				t.Errorf("%s links %s into users' programs", f.path, path)
			}
		}
	}
}

// TestTestsDoNotSleep: a pause outside of a bubble is slow where it is long enough, and flaky where it is not. The
// bubble may be made by a helper elsewhere in the package.
func TestTestsDoNotSleep(t *testing.T) {
	bubbles := map[string]bool{}
	all := files(t)
	for _, f := range all {
		if f.isTest() && strings.Contains(f.text, "synctest.Test(") {
			bubbles[filepath.Dir(f.path)] = true
		}
	}
	for _, f := range all {
		if f.isTest() && strings.Contains(f.text, "time.Sleep(") && !bubbles[filepath.Dir(f.path)] {
			t.Errorf("%s sleeps, and its package has no synctest bubble", f.path)
		}
	}
}

func TestNothingIsLeftForLater(t *testing.T) {
	later := regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b|\.Skip(f|Now)?\(`)
	for _, f := range files(t) {
		if strings.HasPrefix(f.path, "internal/style/") {
			continue // the rule itself
		}
		for i, line := range strings.Split(f.text, "\n") {
			if found := later.FindString(line); found != "" {
				t.Errorf("%s:%d: %s", f.path, i+1, found)
			}
		}
	}
}

func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(readme), "\n"); n < 120 || n > 180 {
		t.Errorf("README.md has %d lines, not 120 to 180", n)
	}
	ci, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"go test ./...", "go run ./examples/quickstart"} {
		if !strings.Contains(string(readme), "    "+command+"\n") {
			t.Errorf("README.md lacks the command %q", command)
		}
	}
	if !strings.Contains(string(ci), "\ngo test ./...\n") {
		t.Error(".ci/run does not call the README's test command")
	}
}

// TestReadmeProgramsCompile, as they stand.
func TestReadmeProgramsCompile(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?s)```go\n(package main\n.*?)```").FindAllSubmatch(readme, -1)
	if len(programs) == 0 {
		t.Fatal("README.md has no program")
	}
	for i, program := range programs {
		// The folder must be inside the module for its imports to resolve.
		dir, err := os.MkdirTemp(".", "readme-*.tmp")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		path := filepath.Join(dir, fmt.Sprintf("program%d.go", i))
		if err := os.WriteFile(path, program[1], 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "vet", "./"+path).CombinedOutput(); err != nil {
			t.Errorf("program %d of README.md: %v\n%s", i, err, out)
		}
	}
}
