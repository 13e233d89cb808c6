package style

import (
	"go/types"
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
	var packages []*types.Package
	for _, path := range public {
		packages = append(packages, publicPackage(t, path))
	}
	for _, found := range checkNotebook(packages) {
		t.Error(found)
	}
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
		for _, f := range checkNotebook([]*types.Package{samplePackage(t, sample)}) {
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
	for _, f := range checkNotebook([]*types.Package{twice, twice}) {
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
	for name := range chosen {
		exists(name)
	}
	for name, twin := range spared {
		pkg, _, _ := strings.Cut(name, ".")
		exists(name)
		exists(pkg + "." + twin)
	}
}
