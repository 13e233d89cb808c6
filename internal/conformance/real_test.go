//go:build realslurm

package conformance

import (
	"flag"
	"net/http"
	"os"
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
	os.Exit(m.Run())
}

type real struct{ bed *realslurm.Bed }

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
