package style

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNotebooksCanUseThePackages: gophernotes imports them, and what they export can be called there. The rules were
// tried with the kernel itself; see notebookRules.
func TestNotebooksCanUseThePackages(t *testing.T) {
	excepted := map[string]bool{}
	for _, found := range checkNotebook(publicSources(t)...) {
		if name := found.pkg + "." + found.symbol; found.rule == "predicate" && chosen[name] != "" {
			excepted[name] = true
		} else {
			t.Error(found)
		}
	}
	for name := range chosen {
		if !excepted[name] {
			t.Errorf("%s needs no exception", name)
		}
	}
}

func publicSources(t *testing.T) (sources []source) {
	t.Helper()
	parsed := map[string][]*ast.File{}
	for _, f := range files(t) {
		if !f.isTest() {
			dir := filepath.ToSlash(filepath.Dir(f.path))
			parsed[dir] = append(parsed[dir], f.ast)
		}
	}
	for _, path := range public {
		sources = append(sources, source{publicPackage(t, path), parsed[path]})
	}
	return sources
}

// TestNotebookRules breaks each rule in a small package, which says in its first line what has to be found.
func TestNotebookRules(t *testing.T) {
	samples, err := filepath.Glob("testdata/notebook/*.go")
	if err != nil || len(samples) < 10 {
		t.Fatalf("%d samples: %v", len(samples), err)
	}
	broken := map[string]bool{}
	for _, sample := range samples {
		text, err := os.ReadFile(sample)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range checkNotebook(samplePackage(t, sample)) {
			got = append(got, f.rule+" "+f.symbol)
			broken[f.rule] = true
		}
		var want []string
		for _, m := range regexp.MustCompile(`(?m)^// want: (.*)$`).FindAllSubmatch(text, -1) {
			want = append(want, strings.TrimSpace(string(m[1])))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: found %q, want %q", sample, got, want)
		}
	}
	twice := samplePackage(t, "testdata/notebook/good.go")
	for _, f := range checkNotebook(twice, twice) {
		broken[f.rule] = true
	}
	for rule := range notebookRules {
		if !broken[rule] {
			t.Errorf("no sample breaks the rule %q", rule)
		}
	}
}

// TestExceptionsExist keeps the lists of exceptions short.
func TestExceptionsExist(t *testing.T) {
	exists := func(name string) {
		pkg, symbol, _ := strings.Cut(name, ".")
		i := slices.IndexFunc(public, func(path string) bool { return filepath.Base(path) == pkg })
		if i < 0 || publicPackage(t, public[i]).Scope().Lookup(symbol) == nil {
			t.Errorf("%s is listed and does not exist", name)
		}
	}
	for name, twin := range spared {
		pkg, _, _ := strings.Cut(name, ".")
		exists(name)
		exists(pkg + "." + twin)
	}
}
