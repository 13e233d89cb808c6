package lro_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDependencies keeps the package apart from transports, credentials and clusters: a Service is all it needs of
// them. gax is there for one struct, which says how pauses grow in the words that Google's libraries use.
func TestDependencies(t *testing.T) {
	const module = "github.com/trainingclusters/trainingclusters-go/"
	allowed := []string{
		"github.com/googleapis/gax-go/v2",
		"google.golang.org/grpc/codes",
		module + "internal/foreign",
		module + "internal/jsonx",
		module + "internal/names",
		module + "internal/poll",
		module + "internal/render",
		module + "internal/rpcstatus",
	}
	// Part of the standard library, but of no business in a program that is no test, or not the business of a
	// package that leaves all I/O to its Service.
	refused := []string{"testing", "net/http/httptest", "net/http", "net", "os", "log", "log/slog"}
	for path, file := range imports(t, ".") {
		standard := !strings.Contains(strings.Split(path, "/")[0], ".")
		switch {
		case slices.Contains(refused, path):
			t.Errorf("%s imports %s", file, path)
		case !standard && !slices.Contains(allowed, path):
			t.Errorf("%s imports %s; allowed beside the standard library: %q", file, path, allowed)
		}
	}
	for path, file := range imports(t, "../internal/poll") {
		if strings.Contains(path, ".") || path == "testing" || strings.HasPrefix(path, "net/http") {
			t.Errorf("%s imports %s; internal/poll needs only the standard library, without HTTP", file, path)
		}
	}
}

// imports returns what the package in dir imports, outside its tests, and a file that does so.
func imports(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			found[path] = name
		}
	}
	if len(found) == 0 {
		t.Fatalf("no imports found in %s: the test looks in the wrong place", dir)
	}
	return found
}
