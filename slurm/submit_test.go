package slurm_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// The verdict of a submit goes by the job's number alone.
func TestSubmitVerdicts(t *testing.T) {
	const flag = `{"job_id":99,"errors":[{"error_number":9207,"error":"Data parser unable to parse invalid flag",` +
		`"description":"Unknown flag \"WHATEVER\"","source":"#/job/flags[0]/"}],"warnings":[]}`
	tests := []struct {
		why    string
		answer answer
		id     slurm.JobID
		is     []error
		not    []error
		says   string
	}{
		{"500 with a job: it runs", answer{status: 500, body: flag}, "99",
			[]error{slurm.ErrPartial}, []error{slurm.ErrUncertain}, "job 99 exists all the same"},
		{"200 without a job, without a reason", answer{status: 200, body: `{"errors":[],"warnings":[{"description":"Expected OpenAPI type=integer","source":"#/job/minimum_nodes/"}]}`}, "",
			nil, []error{slurm.ErrUncertain, slurm.ErrPartial}, "Expected OpenAPI type=integer"},
		{"200 with job 0", answer{status: 200, body: `{"job_id":0,"errors":[],"warnings":[]}`}, "",
			nil, []error{slurm.ErrUncertain}, "accepted no job"},
		{"a number in quotes from a proto Struct", answer{status: 200, body: `{"job_id":"1234","errors":[],"warnings":[]}`}, "1234", nil, nil, ""},
		{"a number that went through a double", answer{status: 200, body: `{"job_id":1.234e+03,"errors":null}`}, "1234", nil, nil, ""},
		{"refused", answer{status: 500, body: `{"errors":[{"error_number":2000,"error":"Invalid partition name specified"}]}`}, "",
			[]error{slurm.ErrInvalid}, []error{slurm.ErrUncertain}, "Invalid partition name"},
		{"the newer status for the same", answer{status: 422, body: `{"errors":[{"error_number":2000,"error":"Invalid partition name specified"}]}`}, "",
			[]error{slurm.ErrInvalid}, []error{slurm.ErrUncertain}, "Invalid partition name"},
		{"controller refused the connection", answer{status: 502, body: `{"errors":[{"error_number":1800,"error":"Unable to contact slurm controller (connect failure)"}]}`}, "",
			[]error{slurm.ErrUnavailable}, []error{slurm.ErrUncertain}, "1800"},
		{"controller's answer lost", answer{status: 500, body: `{"errors":[{"error_number":5004,"error":"Socket timed out on send/recv operation"}]}`}, "",
			[]error{slurm.ErrUncertain}, nil, "Recover finds it by the submit token tc-"},
		{"wrong version: Slurm's plain 404", answer{status: 404, body: "Unable find requested URL. Please view /openapi/v3 for API reference."}, "",
			[]error{slurm.ErrUnknownPath}, []error{slurm.ErrUncertain, slurm.ErrNotFound}, "API version"},
		{"cut JSON", answer{status: 200, body: `{"job_id":12`}, "", []error{slurm.ErrUncertain}, nil, "Recover finds it by the submit token tc-"},
		{"a proxy's page", answer{status: 502, body: "<html><title>502</title></html>"}, "", []error{slurm.ErrUncertain}, nil, "web page"},
		{"an empty answer", answer{status: 200}, "", []error{slurm.ErrUncertain}, nil, "empty"},
		{"a job number that is none", answer{status: 200, body: `{"job_id":{"a":[1]}}`}, "", nil, []error{slurm.ErrPartial}, "accepted no job"},
		{"Slurm's mark for no number", answer{status: 200, body: `{"job_id":4294967294,"errors":[]}`}, "", nil, []error{slurm.ErrUncertain}, "accepted no job"},
		{"a number that no job has", answer{status: 200, body: `{"job_id":-7}`}, "", []error{slurm.ErrUncertain}, nil, "job_id: want the number of a job, got -7"},
		{"versions before v0.0.42 say it twice", answer{status: 200, body: `{"result":{"job_id":98,"step_id":"batch"},"job_id":99}`}, "99", nil, nil, ""},
		{"or only in result", answer{status: 500, body: `{"result":{"job_id":98},"errors":[{"error_number":9207}]}`}, "98",
			[]error{slurm.ErrPartial}, []error{slurm.ErrUncertain}, "job 98 exists all the same"},
		{"a refusal without a number's meaning", answer{status: 500, body: `{"errors":[{"error_number":-1,"error":"Unspecified error"}]}`}, "",
			nil, []error{slurm.ErrUncertain, slurm.ErrInvalid}, "a plugin of the cluster"},
		{"Slurm's plain 400", answer{status: 400, body: "Unable to parse query."}, "",
			[]error{slurm.ErrInvalid}, []error{slurm.ErrUncertain}, "Unable to parse query. [HTTP 400]"},
		{"a foreign failure of the Caller", answer{err: errors.New("broken pipe")}, "", []error{slurm.ErrUncertain}, nil, "broken pipe"},
		{"the platform's 5xx", answer{err: &cluster.Error{Op: "call Slurm", HTTPStatus: 502, Message: "bad gateway"}}, "",
			[]error{slurm.ErrUncertain}, nil, "bad gateway"},
		{"the platform refused it", answer{err: &cluster.Error{Op: "call Slurm", HTTPStatus: 403, Unprocessed: true, Message: "denied"}}, "",
			nil, []error{slurm.ErrUncertain}, "denied"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := newScripted(t, tt.answer)
				id, err := c.Submit(t.Context(), validSpec())
				if id != tt.id || (err == nil) != (tt.says == "") {
					t.Fatalf("got %q, %v", id, err)
				}
				for _, target := range tt.is {
					if !errors.Is(err, target) {
						t.Errorf("%v does not match %v", err, target)
					}
				}
				for _, target := range tt.not {
					if errors.Is(err, target) {
						t.Errorf("%v matches %v", err, target)
					}
				}
				if err != nil && (!strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "\n")) {
					t.Errorf("%q lacks %q", err, tt.says)
				}
				submits := 0
				for _, r := range s.requests {
					if r.Method == http.MethodPost {
						submits++
					}
				}
				if submits != 1 || s.requests[0].Repeat != cluster.RepeatDefault {
					t.Errorf("%d submits, repeat %v", submits, s.requests[0].Repeat)
				}
			})
		})
	}
}

func TestSubmitErrorCarriesItsJob(t *testing.T) {
	c, _ := newScripted(t, answer{status: 500, body: `{"job_id":99,"errors":[{"error_number":9207}]}`})
	submission, err := c.SubmitJob(t.Context(), validSpec())
	var failure *slurm.Error
	if !errors.As(err, &failure) || failure.JobID != "99" || !failure.Partial || submission.JobID != "99" {
		t.Errorf("got %+v, %v", submission, err)
	}
}

func TestSubmitWarnings(t *testing.T) {
	b := newBed(t)
	spec := validSpec()
	spec.Script = "#!/bin/bash\n#SBATCH --time=7\ntrue\n"
	spec.Extra = map[string]any{"timelimit": 5}
	submission, err := b.SubmitJob(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if len(submission.Warnings) != 2 || !strings.Contains(submission.Warnings[0].Description, `"timelimit"`) ||
		!strings.Contains(submission.Warnings[1].Description, "#SBATCH") {
		t.Errorf("got %q", submission.Warnings)
	}
	if fmt.Sprint(b.warnings) != fmt.Sprint(submission.Warnings) {
		t.Errorf("OnWarning got %q", b.warnings)
	}
}

func TestSubmitRefusals(t *testing.T) {
	b := newBed(t, slurmtest.WithMaxSubmitJobs(1))
	spec := validSpec()
	spec.Partition = "nope"
	if _, err := b.Submit(t.Context(), spec); !errors.Is(err, slurm.ErrInvalid) || !strings.Contains(err.Error(), "2000 Invalid partition name specified") {
		t.Errorf("got %v", err)
	}
	b.submit(t, "sleep 60")
	if _, err := b.Submit(t.Context(), validSpec()); !errors.Is(err, slurm.ErrLimit) {
		t.Errorf("got %v, want ErrLimit", err)
	}
}

func TestSubmitHet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		first, second := validSpec(), &slurm.JobSpec{WorkingDirectory: "/home/alice", Partition: "a4", GPUsPerNode: 1}
		submission, err := b.SubmitHet(t.Context(), []*slurm.JobSpec{first, second})
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := b.GetAll(t.Context(), submission.JobID)
		if err != nil || len(jobs) != 2 || jobs[1].HetOffset != 1 || jobs[1].HetJobID != submission.JobID {
			t.Errorf("got %v, %v", jobs, err)
		}
		b.srv.ResetRequests()
		for _, tt := range []struct {
			components []*slurm.JobSpec
			field      string
		}{
			{nil, "components"},
			{[]*slurm.JobSpec{first, {WorkingDirectory: "/x", Script: "#!/bin/sh\n"}}, "[1].Script"},
			{[]*slurm.JobSpec{first, {}}, "[1].WorkingDirectory"},
			{[]*slurm.JobSpec{second}, "[0].Script"},
			{[]*slurm.JobSpec{first, {WorkingDirectory: "/x", Array: "0-1"}}, "[1].Array"},
		} {
			_, err := b.SubmitHet(t.Context(), tt.components)
			if found := inputProblems(t, err); len(found) != 1 || found[tt.field] == "" {
				t.Errorf("got %v, want %s", err, tt.field)
			}
		}
		b.wantPaths(t)
	})
}
