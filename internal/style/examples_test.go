package style

import (
	"go/ast"
	"go/doc"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryVerbHasAnExample that runs and says what it prints.
func TestEveryVerbHasAnExample(t *testing.T) {
	shown := map[string]bool{}
	for dir, tests := range testFiles(t) {
		for _, e := range doc.Examples(tests...) {
			name := dir + "." + e.Name
			if e.Output == "" && !e.EmptyOutput {
				t.Errorf("Example%s in %s has no output, so nothing runs it", e.Name, dir)
				continue
			}
			// What follows the symbol, such as Client_Get_missing, begins with a small letter.
			if at := strings.LastIndex(name, "_"); at > 0 && name[at+1] >= 'a' {
				name = name[:at]
			}
			shown[name] = true
		}
	}
	count := 0
	for _, dir := range public {
		if strings.HasSuffix(dir, "test") {
			continue // the examples there are of whole tests
		}
		for _, verb := range verbs(publicPackage(t, dir)) {
			if count++; !shown[dir+"."+verb] {
				t.Errorf("%s has no Example%s", dir, verb)
			}
		}
	}
	if count < 70 {
		t.Errorf("there are but %d verbs", count)
	}
}

// TestExamplesAreShort enough to be read at once. The two that are left out are about more than one thing.
func TestExamplesAreShort(t *testing.T) {
	programs := 0
	for _, f := range files(t) {
		dir, name := filepath.Split(filepath.ToSlash(f.path))
		if name != "main.go" || !strings.HasPrefix(dir, "examples/") || dir == "examples/quickstart/" || dir == "examples/plan/" {
			continue
		}
		programs++
		if n := strings.Count(f.text, "\n"); n < 40 || n > 80 {
			t.Errorf("%s has %d lines, not 40 to 80", f.path, n)
		}
	}
	if programs < 10 {
		t.Errorf("there are but %d programs", programs)
	}
}

// testFiles are the test files of each folder.
func testFiles(t *testing.T) map[string][]*ast.File {
	found := map[string][]*ast.File{}
	for _, f := range files(t) {
		if f.isTest() {
			dir := filepath.ToSlash(filepath.Dir(f.path))
			found[dir] = append(found[dir], f.ast)
		}
	}
	return found
}

// verbs are what does something, in the form that the names of examples have: functions and methods that take a context
// or can fail, and all methods of a Client that are more than the name of something.
func verbs(pkg *types.Package) (found []string) {
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if f, ok := obj.(*types.Func); ok && obj.Exported() && does(f) {
			found = append(found, name)
		}
		if _, ok := obj.(*types.TypeName); !ok || !obj.Exported() {
			continue
		}
		named, ok := obj.Type().(*types.Named)
		if !ok || types.IsInterface(named) {
			continue
		}
		for m := range named.Methods() {
			if m.Exported() && (does(m) && takesContext(m) || name == "Client" && m.Signature().Params().Len() > 0) {
				found = append(found, name+"_"+m.Name())
			}
		}
	}
	return found
}

func does(f *types.Func) bool {
	results := f.Signature().Results()
	return takesContext(f) || results.Len() > 0 && results.At(results.Len()-1).Type().String() == "error"
}

func takesContext(f *types.Func) bool {
	params := f.Signature().Params()
	return params.Len() > 0 && params.At(0).Type().String() == "context.Context"
}
