package style

import (
	"flag"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/internal/golden"
)

var update = flag.Bool("update", false, "write the files of testdata/api")

// TestAPI holds the public face of each package to a file, so that no change of it goes unseen in a review.
func TestAPI(t *testing.T) {
	for _, path := range public {
		file := filepath.Join("testdata", "api", strings.ReplaceAll(path, "/", "_")+".txt")
		got := face(publicPackage(t, path))
		want, err := golden.File(file, got, *update)
		if err != nil {
			t.Fatal(err)
		}
		if diff := changed(want, got); diff != "" {
			t.Errorf("the face of package %s is not that of %s; if that is meant, run go test ./internal/style -run TestAPI -update\n%s",
				path, file, diff)
		}
	}
}

// changed are the lines that went, and those that came.
func changed(was, is string) string {
	var lines []string
	for sign, sides := range map[string][2]string{"-": {was, is}, "+": {is, was}} {
		there := strings.Split(sides[1], "\n")
		for line := range strings.SplitSeq(sides[0], "\n") {
			if !slices.Contains(there, line) {
				lines = append(lines, sign+" "+line)
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	return strings.Join(lines, "\n")
}

// TestFace shows each form of a line.
func TestFace(t *testing.T) {
	got := face(samplePackage(t, "testdata/face.go").Package)
	want, err := os.ReadFile("testdata/face.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// face is all that a package exports, a line each, in order.
func face(pkg *types.Package) string {
	own := types.RelativeTo(pkg)
	name := func(p *types.Package) string {
		if own(p) == "" {
			return ""
		}
		return p.Name()
	}
	f := facePrinter{qualifier: name}
	for _, symbol := range pkg.Scope().Names() {
		if obj := pkg.Scope().Lookup(symbol); obj.Exported() {
			f.object(obj)
		}
	}
	slices.Sort(f.lines)
	return strings.Join(slices.Compact(f.lines), "\n") + "\n"
}

type facePrinter struct {
	lines     []string
	qualifier types.Qualifier
}

func (f *facePrinter) add(format string, args ...any) {
	f.lines = append(f.lines, fmt.Sprintf(format, args...))
}

func (f *facePrinter) text(t types.Type) string { return types.TypeString(t, f.qualifier) }

func (f *facePrinter) signature(m *types.Func) string {
	return strings.TrimPrefix(f.text(m.Signature()), "func")
}

func (f *facePrinter) object(obj types.Object) {
	switch obj := obj.(type) {
	case *types.Const:
		f.add("const %s %s = %s", obj.Name(), f.text(obj.Type()), obj.Val().ExactString())
	case *types.Var:
		f.add("var %s %s", obj.Name(), f.text(obj.Type()))
	case *types.Func:
		f.add("func %s%s", obj.Name(), f.signature(obj))
	case *types.TypeName:
		f.typeName(obj)
	}
}

func (f *facePrinter) typeName(obj *types.TypeName) {
	if obj.IsAlias() {
		f.add("type %s = %s", obj.Name(), f.text(types.Unalias(obj.Type())))
		return
	}
	switch under := obj.Type().Underlying().(type) {
	case *types.Struct:
		f.add("type %s struct", obj.Name())
		for field := range under.Fields() {
			switch {
			case field.Embedded() && field.Exported():
				f.add("type %s struct, embeds %s", obj.Name(), f.text(field.Type()))
			case field.Exported():
				f.add("type %s struct, %s %s", obj.Name(), field.Name(), f.text(field.Type()))
			}
		}
	case *types.Interface:
		f.add("type %s interface", obj.Name())
		for m := range under.Methods() {
			if m.Exported() {
				f.add("type %s interface, %s%s", obj.Name(), m.Name(), f.signature(m))
			} else {
				f.add("type %s interface, unexported methods", obj.Name())
			}
		}
	default:
		f.add("type %s %s", obj.Name(), f.text(under))
	}
	for _, recv := range []types.Type{obj.Type(), types.NewPointer(obj.Type())} {
		f.methods(recv, obj.Type())
	}
}

// methods lists those that are declared on recv itself. Promoted ones are where their type is listed.
func (f *facePrinter) methods(recv, of types.Type) {
	named, ok := of.(*types.Named)
	if !ok || types.IsInterface(of) {
		return
	}
	for m := range named.Methods() {
		if m.Exported() && types.Identical(m.Signature().Recv().Type(), recv) {
			f.add("method (%s) %s%s", f.text(recv), m.Name(), f.signature(m))
		}
	}
}
