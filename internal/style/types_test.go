package style

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// public are the packages that users import, by their folders: all that there are.
var public = func() []string {
	found, err := importable(root, module)
	if err != nil {
		panic(err)
	}
	return found
}()

// importable lists the packages of the module in dir that other modules are meant to import. Its root holds no code.
func importable(dir, module string) (found []string, err error) {
	out, err := goList(dir, "-f", "{{.Name}} {{.ImportPath}}", "./...")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		name, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		folder, inside := strings.CutPrefix(path, module+"/")
		if inside && name != "main" && !isInternal(folder) && !strings.HasPrefix(folder, "examples/") {
			found = append(found, folder)
		}
	}
	return found, nil
}

func goList(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = dir
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, complaint.String())
	}
	return out, nil
}

// TestNewPackagesArePublic: a package need not be written into a list to be checked.
func TestNewPackagesArePublic(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{
		"go.mod": "module example.com/m\n", "doc.go": "package m", "old/old.go": "package old", "old/new/new.go": "package new",
		"internal/x/x.go": "package x", "old/internal/y/y.go": "package y", "examples/z/z.go": "package z", "command/main.go": "package main",
		"testdata/t/t.go": "package t",
	} {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := importable(dir, "example.com/m"); err != nil || !slices.Equal(got, []string{"old", "old/new"}) {
		t.Errorf("got %q, %v", got, err)
	}
	if len(public) < 6 || !slices.Contains(public, "slurm/slurmtest") {
		t.Errorf("of this module the public packages are %q", public)
	}
}

// loader gives packages with the types that the compiler found in them.
type loader struct {
	exports map[string]string // files of export data by import path
	from    types.Importer
}

// load makes the loader once for all tests. Packages that only testdata needs are asked for by name.
var load = sync.OnceValues(func() (*loader, error) {
	args := []string{"-export", "-deps", "-json=ImportPath,Export", "iter", "context", "sync/atomic"}
	for _, path := range public {
		args = append(args, "./"+path)
	}
	out, err := goList(root, args...)
	if err != nil {
		return nil, err
	}
	l := &loader{exports: map[string]string{}}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		l.exports[p.ImportPath] = p.Export
	}
	l.from = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if file := l.exports[path]; file != "" {
			return os.Open(file)
		}
		return nil, fmt.Errorf("no export data for %s", path)
	})
	return l, nil
})

// publicPackage is one of public with its types.
func publicPackage(t *testing.T, path string) *types.Package {
	t.Helper()
	l, err := load()
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := l.from.Import(module + "/" + path)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// samplePackage type-checks one file, as a package of somebody else's module.
func samplePackage(t *testing.T, file string) source {
	t.Helper()
	l, err := load()
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".go")
	pkg, err := (&types.Config{Importer: l.from}).Check("example.com/"+name, set, []*ast.File{parsed}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return source{pkg, []*ast.File{parsed}}
}

func isInternal(path string) bool { return strings.Contains("/"+path+"/", "/internal/") }
