package realslurm

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/slurmproxy"
)

// Daemon is a part of Slurm that tests may stop and start.
type Daemon string

// The daemons. REST and Nodes are several processes, which stop and start together.
const (
	Controller Daemon = "slurmctld"
	Database   Daemon = "slurmdbd"
	REST       Daemon = "slurmrestd" // one for each user
	Nodes      Daemon = "slurmd"     // one for each node; jobs go on without it
)

// patience is for a single command. The slowest is a daemon that has to be killed, after 20 seconds.
const patience = time.Minute

// Bed is a running Slurm. Its methods end the test if they fail, and must therefore be called by the test's own
// goroutine; a [Bed.Handler] may be used by any.
type Bed struct {
	t      testing.TB
	script string
	root   string // where this machine sees the bed's files
}

// Connect returns the bed that realslurm.sh has brought up, for one test. It fails the test if there is none.
func Connect(t testing.TB) *Bed {
	t.Helper()
	script, err := findScript()
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, script)
}

func connect(t testing.TB, script string) *Bed {
	t.Helper()
	b := &Bed{t: t, script: script}
	b.root = strings.TrimSpace(b.must("root"))
	return b
}

// findScript looks for it from the working directory, which is the package's in tests, up to the module's root: the
// path compiled into the binary is of no use under -trimpath.
func findScript() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		script := filepath.Join(dir, "internal", "realslurm", "realslurm.sh")
		if _, err := os.Stat(script); err == nil {
			return script, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("realslurm: internal/realslurm/realslurm.sh is not above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}

// Handler is Slurm's REST API for one user, "alice" or "bob": see package slurmproxy.
func (b *Bed) Handler(user string) http.Handler {
	b.t.Helper()
	h, err := slurmproxy.New("unix:"+filepath.Join(b.root, "run", "slurmrestd", user+".sock"), "")
	if err != nil {
		b.t.Fatal(err)
	}
	return h
}

// Stop ends a daemon, and waits until it has ended. If the test does not start it again, its end does.
func (b *Bed) Stop(d Daemon) {
	b.t.Helper()
	b.t.Cleanup(func() { b.must("start", string(d)) })
	b.must("stop", string(d))
}

// Start starts a daemon that does not run, and waits until it serves and Slurm has got over its absence: the nodes
// answer, and the accounting knows what happened meanwhile.
func (b *Bed) Start(d Daemon) {
	b.t.Helper()
	b.must("start", string(d))
}

// Restart is Stop and Start in one.
func (b *Bed) Restart(d Daemon) {
	b.t.Helper()
	b.must("restart", string(d))
}

// Configure sets a parameter of slurm.conf, such as MinJobAge, until the end of the test. It must be one that the
// file sets.
func (b *Bed) Configure(name, value string) {
	b.t.Helper()
	before := b.parameter(name)
	b.t.Cleanup(func() { b.must("configure", name, before) })
	b.must("configure", name, value)
}

func (b *Bed) parameter(name string) string {
	b.t.Helper()
	for line := range strings.Lines(string(b.ReadFile("/etc/slurm/slurm.conf"))) {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return strings.TrimSpace(value)
		}
	}
	b.t.Fatalf("realslurm: slurm.conf does not set %s", name)
	return ""
}

// NodeDown takes a node away, which ends or requeues the jobs on it, until NodeResume or the end of the test.
func (b *Bed) NodeDown(node string) {
	b.t.Helper()
	b.t.Cleanup(func() { _, _ = b.run("exec", "scontrol", "update", "NodeName="+node, "State=RESUME") }) // fails if up
	b.must("exec", "scontrol", "update", "NodeName="+node, "State=DOWN", "Reason=test")
}

// NodeResume brings a node back that NodeDown took away.
func (b *Bed) NodeResume(node string) {
	b.t.Helper()
	b.must("exec", "scontrol", "update", "NodeName="+node, "State=RESUME")
}

// Requeue puts a running job back into the queue, which the REST API cannot.
func (b *Bed) Requeue(id string) {
	b.t.Helper()
	b.must("exec", "scontrol", "requeue", id)
}

// Exec runs a command beside the daemons, as root, and returns what it prints.
func (b *Bed) Exec(command ...string) string {
	b.t.Helper()
	return b.must(append([]string{"exec"}, command...)...)
}

// ReadFile reads a file that a job wrote, by the path that the job used.
func (b *Bed) ReadFile(path string) []byte {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.root, path))
	if err != nil {
		b.t.Fatal(err)
	}
	return data
}

// WriteFile writes a file that all users may read, and none may execute, by the path that jobs use.
func (b *Bed) WriteFile(path string, data []byte) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.root, path), data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *Bed) must(args ...string) string {
	b.t.Helper()
	out, err := b.run(args...)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// run does not use the test's context, which has ended when cleanups run.
func (b *Bed) run(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.script, args...)
	cmd.WaitDelay = time.Second // a child of the script may hold the pipes
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("realslurm.sh %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}
