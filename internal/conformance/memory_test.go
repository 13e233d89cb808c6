package conformance

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// inMemory is slurmtest: a new server for each case, in a bubble with a clock of its own.
var inMemory = target{name: "slurmtest", run: func(t *testing.T, _ bool, test func(*testing.T, controls)) {
	synctest.Test(t, func(t *testing.T) {
		test(t, &memory{t: t, server: slurmtest.NewServer(
			slurmtest.WithUsers("bob"),
			slurmtest.WithClusterName("realslurm"),
			slurmtest.WithQOS("normal"),
			slurmtest.WithMinJobAge(20*time.Second),
			slurmtest.WithKillWait(2*time.Second),
			slurmtest.WithLicense("matlab", 4),
			slurmtest.WithDirectories("/home/alice", "/home/bob", "/tmp", "/dev"),
			slurmtest.WithRunTime(10*time.Millisecond),
			slurmtest.WithSampling(5*time.Second),
		)})
	})
}}

type memory struct {
	t        *testing.T
	server   *slurmtest.Server
	restDown atomic.Bool
}

func (m *memory) handler(user string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m.restDown.Load() {
			panic(http.ErrAbortHandler) // as a proxy without a connection does
		}
		r = r.Clone(r.Context())
		r.Header.Set("X-SLURM-USER-NAME", user)
		m.server.ServeHTTP(w, r)
	})
}

func (m *memory) stop(d daemon)  { m.set(d, true) }
func (m *memory) start(d daemon) { m.set(d, false) }

func (m *memory) set(d daemon, down bool) {
	switch d {
	case controller:
		m.server.SetControllerDown(down)
	case database:
		m.server.SetDatabaseDown(down)
	case rest:
		m.restDown.Store(down)
	}
}

func (m *memory) nodeDown(name string)   { m.must(m.server.FailNode(name)) }
func (m *memory) nodeUp(name string)     { m.must(m.server.RestoreNode(name)) }
func (m *memory) requeue(id slurm.JobID) { m.must(m.server.Requeue(id.Number())) }

func (m *memory) share(path, text string)      { m.server.WriteFile(path, text) }
func (m *memory) configure(name, value string) { m.must(m.server.Configure(name, value)) }

// sleeping: a script that runs is at its sleep, since all else takes no time.
func (m *memory) sleeping(slurm.JobID) bool { return true }

func (m *memory) sbatch(string) (slurm.JobID, string, bool) { return "", "", false }
func (m *memory) wrote(slurm.JobID, string) (bool, bool)    { return false, false }
func (m *memory) keep(string, golden) bool                  { return false }

func (m *memory) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}
