//go:build realslurm

package conformance

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/internal/realslurm"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func init() {
	targets = append(targets, target{name: "real", run: func(t *testing.T, alone bool, test func(*testing.T, controls)) {
		if !alone {
			t.Parallel()
		}
		test(t, real{realslurm.Connect(t)})
	}})
}

// TestMain lets many cases run at once, however few processors there are: all they do is wait for Slurm.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "24"); err != nil {
		panic(err)
	}
	code := m.Run()
	if *update && code == 0 {
		writeGolden()
	}
	os.Exit(code)
}

var update = flag.Bool("update", false, "write "+goldenFile+" anew, from a run of all cases of scripts")

var (
	keeping sync.Mutex
	kept    = map[string]golden{}
)

// writeGolden writes a line for each script.
func writeGolden() {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		key, err1 := json.Marshal(name)
		value, err2 := json.Marshal(kept[name])
		if err1 != nil || err2 != nil {
			panic(fmt.Sprint(name, err1, err2))
		}
		lines = append(lines, string(key)+": "+string(value))
	}
	if err := os.WriteFile(goldenFile, []byte("{\n"+strings.Join(lines, ",\n")+"\n}\n"), 0o644); err != nil {
		panic(err)
	}
}

type real struct{ bed *realslurm.Bed }

// sbatch reads the script from its standard input.
func (r real) sbatch(script string) (slurm.JobID, string, bool) {
	out := r.bed.Exec("runuser", "-u", "alice", "--", "env", "-i", "HOME=/home/alice", "USER=alice", "PATH=/usr/bin:/bin",
		"bash", "-c", `cd && printf %s "$0" | sbatch --hold --parsable 2>&1; true`, script)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	last, _, _ := strings.Cut(lines[len(lines)-1], ";") // the cluster follows, if the script names it
	id, err := slurm.ParseJobID(last)
	if err != nil {
		return "", strings.TrimPrefix(lines[0], "sbatch: "), true
	}
	return id, "", true
}

// wrote looks for a process of the job that has the file open as its output.
func (r real) wrote(id slurm.JobID, path string) (yes, ok bool) {
	const find = `for p in /proc/[0-9]*; do
		tr '\0' '\n' 2>/dev/null <$p/environ | grep -qx "SLURM_JOB_ID=$0" && [ "$(readlink $p/fd/1)" = "$1" ] && echo yes
	done; true`
	job := string(id)
	if _, task := id.Task(); task {
		job = strconv.FormatInt(id.Number(), 10) // the array of one task has its number
	}
	return r.bed.Exec("bash", "-c", find, job, path) != "", true
}

func (r real) keep(name string, g golden) bool {
	keeping.Lock()
	defer keeping.Unlock()
	kept[name] = g
	return *update
}

var daemons = map[daemon]realslurm.Daemon{
	controller: realslurm.Controller, database: realslurm.Database, rest: realslurm.REST,
}

func (r real) handler(user string) http.Handler { return r.bed.Handler(user) }
func (r real) stop(d daemon)                    { r.bed.Stop(daemons[d]) }
func (r real) start(d daemon)                   { r.bed.Start(daemons[d]) }
func (r real) nodeDown(name string)             { r.bed.NodeDown(name) }
func (r real) nodeUp(name string)               { r.bed.NodeResume(name) }
func (r real) requeue(id slurm.JobID)           { r.bed.Requeue(string(id)) }
func (r real) share(path, text string)          { r.bed.WriteFile(path, []byte(text)) }
func (r real) configure(name, value string)     { r.bed.Configure(name, value) }

func (r real) sleeping(id slurm.JobID) bool {
	const find = `for p in /proc/[0-9]*; do
		[ "$(cat $p/comm 2>/dev/null)" = sleep ] && tr '\0' '\n' 2>/dev/null <$p/environ | grep -x "SLURM_JOB_ID=$0"
	done; true`
	return r.bed.Exec("bash", "-c", find, string(id)) != ""
}
