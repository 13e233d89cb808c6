package style

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/trainingclusters/trainingclusters-go/internal/offline" // no test leaves this machine
)

// TestTestsStayOnThisMachine: each test that could reach another one has the package that keeps it from that.
func TestTestsStayOnThisMachine(t *testing.T) {
	const guard = module + "/internal/offline"
	out, err := goList(root, "-test", "-f", `{{if .ForTest}}{{.ForTest}} {{range .Deps}}{{.}} {{end}}{{end}}`, "./...")
	if err != nil {
		t.Fatal(err)
	}
	guarded, open := map[string]bool{}, map[string]bool{} // a package has several variants for its test
	for line := range strings.Lines(string(out)) {
		deps := strings.Fields(line)
		if len(deps) == 0 {
			continue
		}
		guarded[deps[0]] = guarded[deps[0]] || deps[0] == guard || slices.Contains(deps, guard)
		open[deps[0]] = open[deps[0]] || slices.Contains(deps, "net")
	}
	if len(open) < 20 {
		t.Fatalf("only %d packages have tests", len(open))
	}
	for path := range open {
		if open[path] && !guarded[path] {
			t.Errorf("the tests of %s could reach another machine: import %s there", path, guard)
		}
	}
}

// dialing are the ways to connect that know nothing of package offline, as long as the address is a number.
var dialing = regexp.MustCompile(`\b(net\.Dial\w*\(|net\.Dialer\b|tls\.Dial\w*\(|tls\.Dialer\b|http\.Transport\{|new\(http\.Transport\))`)

// TestNothingDialsByItself, so that package offline has a say in each connection.
func TestNothingDialsByItself(t *testing.T) {
	allowed := []string{
		"internal/offline/",              // keeps watch
		"internal/slurmproxy/proxy.go",   // to a Slurm of the caller's
		"internal/style/offline_test.go", // this file
		"internal/bench/",                // a module of its own
	}
	for _, f := range files(t) {
		if slices.ContainsFunc(allowed, func(path string) bool { return strings.HasPrefix(f.path, path) }) {
			continue
		}
		if found := dialing.FindString(f.text); found != "" {
			t.Errorf("%s has %s: let http.DefaultTransport, or a copy of it, connect", f.path, found)
		}
	}
}
