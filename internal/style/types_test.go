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
	"strings"
	"sync"
	"testing"
)

// public are the packages that users import, those below first.
var public = []string{"auth", "lro", "cluster", "slurm", "cluster/clustertest", "slurm/slurmtest"}

// loader gives packages with the types that the compiler found in them.
type loader struct {
	exports map[string]string // files of export data by import path
	from    types.Importer
}

// load makes the loader once for all tests. Packages that only testdata needs are asked for by name.
var load = sync.OnceValues(func() (*loader, error) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Export", "iter", "context"}
	for _, path := range public {
		args = append(args, "./"+path)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, complaint.String())
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

// samplePackage type-checks the one file in a folder, as a package of somebody else's module.
func samplePackage(t *testing.T, file string) *types.Package {
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
	return pkg
}

func isInternal(path string) bool { return strings.Contains("/"+path+"/", "/internal/") }
