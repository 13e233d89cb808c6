package slurm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// The same token in another process is the same job.
func TestSubmitTokenOfOnesOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		for _, token := range []string{"nightly-2026-11-30", slurm.NewSubmitToken()} {
			b.srv.ResetRequests()
			spec := validSpec()
			spec.SubmitToken = token
			first, err := b.Submit(t.Context(), spec)
			if err != nil {
				t.Fatal(err)
			}
			b.wantReads(t, 1)
			for range 3 {
				again, err := b.SubmitJob(t.Context(), spec)
				if err != nil || again.JobID != first || !strings.Contains(again.Warnings[0].Description, "nothing was sent") {
					t.Errorf("got %+v, %v, want %s", again, err, first)
				}
				time.Sleep(5 * time.Hour)
			}
			if b.submits() != 1 {
				t.Errorf("%d submits", b.submits())
			}
			// Its answer is looked for like that of others.
			spec.SubmitToken += "2"
			b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropAfter}))
			if id, err := b.Submit(t.Context(), spec); err != nil || id == first {
				t.Errorf("got %q, %v", id, err)
			}
		}
		spec := validSpec()
		spec.SubmitToken = "too short"
		if found := inputProblems(t, spec.Validate()); found["SubmitToken"] == "" {
			t.Errorf("got %v", found)
		}
		_, err := b.SubmitHet(t.Context(), []*slurm.JobSpec{validSpec(), {WorkingDirectory: "/x", SubmitToken: "component"}})
		if found := inputProblems(t, err); found["[1].SubmitToken"] == "" {
			t.Errorf("got %v", found)
		}
	})
}

// wantReads checks that each submit so far was preceded by a look at the queue and one at the accounting.
func (b *bed) wantReads(t *testing.T, submits int) {
	t.Helper()
	paths := b.paths()
	if len(paths) != 3*submits || paths[0] != "GET /slurm/v0.0.42/jobs/" || !strings.HasPrefix(paths[1], "GET /slurmdb/v0.0.42/jobs/?") {
		t.Errorf("Slurm was asked %q", paths)
	}
}

func TestWithoutSubmitToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		c := b.another(t, slurm.WithoutSubmitToken())
		b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropAfter}))
		start := time.Now()
		_, err := c.Submit(t.Context(), validSpec())
		lost, ok := errors.AsType[*slurm.UncertainError](err)
		if !ok || lost.Token != "" || !strings.Contains(err.Error(), "look for it in the queue") || time.Since(start) > 0 {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
		b.wantPaths(t, "POST /slurm/v0.0.42/job/submit")
		jobs, err := c.List(t.Context(), &slurm.ListOptions{Raw: true})
		if err != nil || len(jobs) != 1 || jobs[0].SubmitToken != "" || !strings.Contains(string(jobs[0].Raw), `"mcs_label":""`) {
			t.Errorf("got %v, %v", jobs, err)
		}
		spec := validSpec()
		spec.SubmitToken = "nightly-2026-11-30"
		for range 2 {
			if id, err := c.Submit(t.Context(), spec); id != "2" || err != nil {
				t.Errorf("own token: %q, %v", id, err)
			}
		}
	})
}

// The token goes where the cluster, and the spec, have no other use.
func TestSubmitTokenPlaces(t *testing.T) {
	tests := []struct {
		why        string
		labels     string
		parameters string
		extra      map[string]any
		member     string // where it goes; "" is nowhere
		requests   int    // of the first submit; the next one knows
		text       string // Job.Extra
	}{
		{"by default", "mcs/none", "", nil, "mcs_label", 1, ""},
		{"a label of the user's", "mcs/none", "", map[string]any{"mcs_label": "secret"}, "extra", 1, ""},
		{"nodes shared by label", "mcs/none", "", map[string]any{"shared": []string{"mcs"}}, "extra", 1, ""},
		{"nodes shared by label, before v0.0.42", "mcs/none", "", map[string]any{"exclusive": json.RawMessage(`["MCS"]`)}, "extra", 1, ""},
		{"nodes shared otherwise", "mcs/none", "", map[string]any{"shared": []any{"user"}}, "mcs_label", 1, ""},
		{"an extra of the user's", "mcs/none", "", map[string]any{"extra": "mine"}, "mcs_label", 1, "mine"},
		{"both of the user's", "mcs/none", "", map[string]any{"extra": "mine", "mcs_label": "x"}, "", 1, "mine"},
		{"labels have a meaning", "mcs/user", "", nil, "extra", 2, ""},
		{"extra has one", "mcs/none", "extra_constraints", nil, "mcs_label", 1, ""},
		{"both have", "mcs/user", "extra_constraints", nil, "", 3, ""},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t)
				for name, value := range map[string]string{"MCSPlugin": tt.labels, "SchedulerParameters": tt.parameters} {
					if err := b.srv.Configure(name, value); err != nil {
						t.Fatal(err)
					}
				}
				spec := validSpec()
				spec.Comment, spec.WCKey, spec.Extra = "a comment", "key", tt.extra
				for i, want := range []int{tt.requests, tt.requests + 1} {
					id, err := b.Submit(t.Context(), spec)
					if err != nil || b.submits() != want {
						t.Fatalf("submit %d: %q, %v after %d requests", i, id, err, b.submits())
					}
					for read, get := range map[string]func() ([]*slurm.Job, error){
						"queue":      func() ([]*slurm.Job, error) { return b.GetAll(t.Context(), id) },
						"accounting": func() ([]*slurm.Job, error) { return b.History(t.Context(), id) },
					} {
						jobs, err := get()
						if err != nil || len(jobs) != 1 {
							t.Fatalf("%s: %v, %v", read, jobs, err)
						}
						j := jobs[0]
						if j.Comment != "a comment" || j.WCKey != "key" || j.Extra != tt.text || (j.SubmitToken == "") != (tt.member == "") {
							t.Errorf("%s: comment %q, key %q, extra %q, token %q", read, j.Comment, j.WCKey, j.Extra, j.SubmitToken)
						}
					}
				}
				b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropAfter}))
				id, err := b.Submit(t.Context(), spec)
				if (err == nil) != (tt.member != "") || (id == "") != (tt.member == "") {
					t.Errorf("lost answer: %q, %v", id, err)
				}
				spec.SubmitToken = "nightly-2026-11-30"
				b.warnings = nil
				_, err = b.Submit(t.Context(), spec)
				if warned := strings.Contains(fmt.Sprint(b.warnings), "job_extra"); warned != (tt.member == "extra") {
					t.Errorf("own token: warnings %v", b.warnings)
				}
				if tt.member == "" && inputProblems(t, err)["SubmitToken"] == "" || tt.member != "" && err != nil {
					t.Errorf("own token: %v", err)
				}
			})
		})
	}
}

// Where accounting does not keep a member, the queue still leads to the job.
func TestSubmitTokenWithoutStoreFlags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		if err := b.srv.Configure("AccountingStoreFlags", ""); err != nil {
			t.Fatal(err)
		}
		script, err := slurm.ParseScript("#!/bin/sh\n#SBATCH --exclusive=user\ntrue\n")
		if err != nil {
			t.Fatal(err)
		}
		spec := script.Spec
		spec.SubmitToken, spec.Comment, spec.WorkingDirectory = slurm.NewSubmitToken(), "not kept", "/home/alice"
		id, err := b.Submit(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		jobs, err := b.History(t.Context(), id)
		if err != nil || jobs[0].Comment != "" || jobs[0].SubmitToken != spec.SubmitToken {
			t.Errorf("got %+v, %v", jobs, err)
		}
		if got, err := b.Recover(t.Context(), spec.SubmitToken); got != id || err != nil {
			t.Errorf("Recover: %q, %v", got, err)
		}
		if again, err := b.Submit(t.Context(), spec); again != id || err != nil {
			t.Errorf("the same job once more: %q, %v", again, err)
		}
	})
}

func TestNewSubmitToken(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		token := slurm.NewSubmitToken()
		if seen[token] || !strings.HasPrefix(token, "tc-") || len(token) != 29 || strings.Trim(token[3:], "0123456789abcdefghjkmnpqrstvwxyz") != "" {
			t.Fatalf("%q", token)
		}
		seen[token] = true
	}
}
