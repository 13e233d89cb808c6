package conformance

import (
	"net/http"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// refusal is a job that Slurm does not take, described by a JobSpec.
type refusal struct {
	name   string
	number int // Slurm's
	kind   error
	change change
	record bool // a failed job is left behind
}

var refusals = []refusal{
	{"partition", 2000, slurm.ErrInvalid, on("nope"), false},
	{"administrator's comment", 2002, slurm.ErrPermission, extra("admin_comment", "mine"), false},
	{"no nodes", 2006, slurm.ErrInvalid, extra("minimum_nodes", 0), true},
	{"long name", 2012, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.Name += strings.Repeat("x", 2000) }, false},
	{"too many nodes", 2014, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.MinNodes = 3 }, true},
	{"too many tasks", 2014, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.Tasks = 1000 }, true},
	{"too many GPUs", 2014, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.Partition, s.GPUsPerNode = "a4", 9 }, true},
	{"GPU of another type", 2014, slurm.ErrInvalid, func(s *slurm.JobSpec) {
		s.Partition, s.GPUsPerNode, s.GPUType = "a4", 1, "h100"
	}, true},
	{"GPU where there is none", 2014, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.GPUsPerNode = 1 }, true},
	{"too much memory", 2014, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.MemoryPerNode = 1 << 40 }, true},
	{"required node", 2018, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.RequiredNodes = []string{"nope"} }, false},
	{"constraint", 2029, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.Constraints = "nope" }, false},
	{"dependency on an unknown job", 2038, slurm.ErrInvalid, func(s *slurm.JobSpec) {
		s.Dependency = slurm.AfterOK("4000000")
	}, false},
	{"account", 2045, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.Account = "nope" }, false},
	{"unknown license", 2048, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.Licenses = "nope:1" }, false},
	{"too many licenses", 2048, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.Licenses = "matlab:5" }, false},
	{"deadline before the limit", 2051, slurm.ErrInvalid, func(s *slurm.JobSpec) {
		s.TimeLimit, s.Deadline = time.Hour, time.Now().Add(time.Minute)
	}, false},
	{"reservation", 2053, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.Reservation = "nope" }, false},
	{"QOS", 2066, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.QOS = "nope" }, false},
	{"resource", 2072, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.TRESPerNode = "gres/tpu:1" }, false},
	{"array beyond the highest index", 2081, slurm.ErrInvalid, array("10001"), false},
	{"negative nice", 2123, slurm.ErrInvalid, func(s *slurm.JobSpec) { s.Nice = -5 }, false},
}

// rawRefusal is a request that the client does not make, but other programs do: see bed.raw.
type rawRefusal struct {
	name   string
	number int
	status int
	change map[string]any
}

var rawRefusals = []rawRefusal{
	{"no script", 9000, 422, map[string]any{"/script": nil}},
	{"empty script", 9000, 422, map[string]any{"/script": ""}},
	{"no job", 9000, 422, map[string]any{"/job": nil}},
	{"job as list", 9209, 500, map[string]any{"/job": []string{}}},
	{"no environment", 2019, 500, map[string]any{"environment": nil}},
	{"empty environment", 2019, 500, map[string]any{"environment": []string{}}},
	{"environment as text", 9208, 500, map[string]any{"environment": "A=B"}},
	{"no directory", 2063, 500, map[string]any{"current_working_directory": nil}},
	{"other user", 2010, 500, map[string]any{"user_id": "bob"}},
	{"other group", 2113, 500, map[string]any{"group_id": "2002"}}, // a real slurmrestd dies of a name
	{"time limit as text", 9202, 500, map[string]any{"time_limit": "02:00:00"}},
	{"begin with zone", 9202, 500, map[string]any{"begin_time": "2030-01-02T03:04:05Z"}},
	{"array of words", 2081, 500, map[string]any{"array": "abc"}},
	{"bare GPU", 2115, 500, map[string]any{"tres_per_node": "gpu:2"}},
	{"dependency of no kind", 2038, 500, map[string]any{"dependency": "sometime:1"}},
}

func refusalCases() (cases []testCase) {
	for _, r := range refusals {
		cases = append(cases, testCase{name: "submit/refused/" + r.name, test: func(b *bed) { b.refuses(r) }})
	}
	for _, r := range rawRefusals {
		cases = append(cases, testCase{name: "submit/refused/" + r.name, test: func(b *bed) {
			err := b.raw(r.change)
			equal(b, "status", err.Status, r.status)
			b.refused("submit", err, kindOf[r.number], r.number)
			b.noJob()
		}})
	}
	return append(cases,
		testCase{name: "submit/refused/body without members", test: func(b *bed) {
			err := b.alice.Do(b.ctx, http.MethodPost, "/slurm/v0.0.42/job/submit", map[string]any{}, nil)
			b.refused("submit", err, slurm.ErrInvalid, 9000)
		}},
	)
}

var kindOf = map[int]error{
	2010: slurm.ErrPermission, 2019: slurm.ErrInvalid, 2038: slurm.ErrInvalid, 2063: slurm.ErrInvalid,
	2081: slurm.ErrInvalid, 2113: slurm.ErrInvalid, 2115: slurm.ErrInvalid, 9000: slurm.ErrInvalid,
	9202: slurm.ErrInvalid, 9208: slurm.ErrInvalid, 9209: slurm.ErrInvalid,
}

func (b *bed) refuses(r refusal) {
	spec := b.spec("true", r.change)
	id, err := b.alice.Submit(b.ctx, spec)
	b.refused("Submit", err, r.kind, r.number)
	equal(b, "job", id, "")
	if !r.record {
		b.noJob()
		return
	}
	jobs, err := b.alice.List(b.ctx, &slurm.ListOptions{Names: []string{b.name}})
	b.must("List", err)
	b.count("jobs that are left behind", len(jobs), 1)
	equal(b, "state", jobs[0].State, slurm.StateFailed)
	equal(b, "reason", jobs[0].Reason, "BadConstraints")
	equal(b, "exit code", jobs[0].ExitCode.String(), "signal 1 (HUP)")
	record := b.recorded(jobs[0].ID, 1)[0]
	equal(b, "recorded state", record.State, slurm.StateFailed)
	equal(b, "recorded exit code", record.ExitCode.String(), "exit code 1")
}
