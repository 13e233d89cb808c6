package notebook

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/trainingclusters/trainingclusters-go/"

// TestRules: the cells keep to what the kernel's interpreter can do, which is less than the compiler.
func TestRules(t *testing.T) {
	var sources []string
	for _, c := range read(t).code() {
		sources = append(sources, string(c.Source))
	}
	found, err := check(t, sources...)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range found {
		t.Error(problem)
	}
}

func TestRulesFindWhatBreaksThem(t *testing.T) {
	const imports = "import (\n\"context\"\n\"github.com/trainingclusters/trainingclusters-go/slurm\"\n)\nvar ctx context.Context\nvar c *slurm.Client\n"
	for cell, want := range map[string]string{
		"for i := range 3 { _ = i }":                                         "ranges over",
		"for job, err := range c.Jobs(ctx, nil) { _, _ = job, err }":         "ranges over",
		"func id[T any](v T) T { return v }":                                 "type parameters",
		"import \"slices\"\nslices.Max([]int{1})":                            "generic",
		"var job slurm.Job\njob.State == \"FAILED\"":                         `literal "FAILED"`,
		"job := slurm.Job{State: \"FAILED\"}":                                `literal "FAILED"`,
		"c.Get(ctx, \"42\")":                                                 `literal "42"`,
		"go c.Ping(ctx)":                                                     "goroutine",
		"c.Ping(context.Background())":                                       "without a bound",
		"import \"google.golang.org/api/option\"\noption.WithEndpoint(\"\")": "imports google.golang.org/api/option",
		"c.Ping(ctx)": "",
	} {
		found, err := check(t, imports+cell)
		if err != nil {
			t.Errorf("%s: %v", cell, err)
		} else if got := strings.Join(found, "; "); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: found %q, want %q", cell, got, want)
		}
	}
}

// check returns where cells do what the interpreter cannot.
func check(t *testing.T, sources ...string) (problems []string, err error) {
	t.Helper()
	text, err := program(sources)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "cells.go", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	helpers, err := parser.ParseFile(set, "kernel.go", "package cells\nfunc mark(int) {}\nfunc result(...any) {}\n", 0)
	if err != nil {
		return nil, err
	}
	c := &checker{set: set, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
	}}
	config := types.Config{Importer: exports(t, set, file)}
	if _, err := config.Check("cells", set, []*ast.File{file, helpers}, c.info); err != nil {
		return nil, err
	}
	ast.Inspect(file, c.look)
	return c.problems, nil
}

// exports imports what file does from the compiler's export data.
func exports(t *testing.T, set *token.FileSet, file *ast.File) types.Importer {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, spec := range file.Imports {
		args = append(args, strings.Trim(spec.Path.Value, `"`))
	}
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	paths := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, export, _ := strings.Cut(strings.TrimSpace(line), " ")
		paths[name] = export
	}
	return importer.ForCompiler(set, "gc", func(name string) (io.ReadCloser, error) { return os.Open(paths[name]) })
}

type checker struct {
	set      *token.FileSet
	info     *types.Info
	bounded  map[ast.Node]bool // calls of context.Background that are given a bound
	problems []string
}

func (c *checker) report(n ast.Node, format string, args ...any) {
	at := c.set.Position(n.Pos())
	c.problems = append(c.problems, fmt.Sprintf("%s:%d: %s", at.Filename, at.Line, fmt.Sprintf(format, args...)))
}

func (c *checker) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		name := strings.Trim(n.Path.Value, `"`)
		ours := strings.HasPrefix(name, module) && !strings.Contains(name, "/internal/")
		if strings.Contains(strings.Split(name, "/")[0], ".") && !ours {
			c.report(n, "imports %s, neither of this module nor of the standard library", name)
		}
	case *ast.RangeStmt:
		switch typ := c.info.TypeOf(n.X).Underlying().(type) {
		case *types.Signature:
			c.report(n, "ranges over a function; Next has the same elements")
		case *types.Basic:
			if typ.Info()&types.IsInteger != 0 {
				c.report(n, "ranges over a number")
			}
		}
	case *ast.FuncType:
		if n.TypeParams != nil {
			c.report(n, "a function with type parameters")
		}
	case *ast.TypeSpec:
		if n.TypeParams != nil {
			c.report(n, "a type with type parameters")
		}
	case *ast.Ident:
		if _, ok := c.info.Instances[n]; ok {
			c.report(n, "%s is generic", n.Name)
		}
	case *ast.BasicLit:
		if named, ok := c.info.TypeOf(n).(*types.Named); ok && n.Kind == token.STRING {
			c.report(n, "the literal %s becomes a %s; the interpreter takes it for a string", n.Value, named)
		}
	case *ast.GoStmt:
		c.report(n, "a goroutine, whose panic would end the kernel")
	case *ast.CallExpr:
		c.call(n)
	}
	return true
}

// call wants a bound of what may wait, as an interrupt ends the kernel.
func (c *checker) call(n *ast.CallExpr) {
	switch c.function(n) {
	case "context.WithTimeout", "context.WithDeadline":
		if c.bounded == nil {
			c.bounded = map[ast.Node]bool{}
		}
		c.bounded[n.Args[0]] = true
	case "context.Background":
		if !c.bounded[n] {
			c.report(n, "a context without a bound")
		}
	}
}

// function is the full name of what n calls, if that is a function of a package.
func (c *checker) function(n *ast.CallExpr) string {
	if selector, ok := n.Fun.(*ast.SelectorExpr); ok {
		if f, ok := c.info.Uses[selector.Sel].(*types.Func); ok {
			return f.FullName()
		}
	}
	return ""
}
