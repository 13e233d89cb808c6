package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/trainingclusters/trainingclusters-go/internal/slurmproxy"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func submitOnceCases() []testCase {
	cases := []testCase{
		{name: "submit once/token/without store flags", test: tokenWithoutStoreFlags, alone: true},
		{name: "submit once/token/labels with a meaning", test: tokenWithoutLabels, alone: true},
		{name: "submit once/token/texts of the user's", test: tokenAndTexts},
		{name: "submit once/token/changes of the job", test: tokenOfChangedJob},
		{name: "submit once/token/one's own", test: tokenOfOnesOwn},
		{name: "submit once/token/array", test: tokenOfArray},
		{name: "submit once/token/heterogeneous job", test: tokenOfHet},
		{name: "submit once/bad line", test: submitOverBadLine},
		{name: "submit once/second job", test: submitTwiceOnTheWay},
	}
	for _, version := range []string{"v0.0.40", "v0.0.41", "v0.0.42"} {
		cases = append(cases, testCase{name: "submit once/token/" + version, test: func(b *bed) {
			client := b.client("alice", slurm.WithVersion(version))
			b.findsByToken(client, func(s *slurm.JobSpec) {})
		}})
	}
	for name, change := range map[string]change{
		"failed":               func(s *slurm.JobSpec) { s.Script = "#!/bin/bash\nexit 1\n" },
		"missing directory":    func(s *slurm.JobSpec) { s.WorkingDirectory = "/nope" },
		"hung up":              func(s *slurm.JobSpec) { s.Script = "#!/bin/bash\nkill -HUP $$\n" },
		"cancelled while held": hold,
	} {
		cases = append(cases, testCase{name: "submit once/ended/" + name, test: func(b *bed) { b.findsByToken(b.alice, change) }})
	}
	for _, r := range refusals {
		if r.record {
			cases = append(cases, testCase{name: "submit once/refused/" + r.name, test: func(b *bed) { b.refusedWithoutAnswer(r) }})
		}
	}
	return append(cases, testCase{name: "submit once/refused/array", test: func(b *bed) {
		b.refusedWithoutAnswer(refusal{number: 2014, change: func(s *slurm.JobSpec) { s.MinNodes, s.Array = 3, "0-3" }})
	}}, testCase{name: "submit once/refused/heterogeneous job", test: hetRefusedWithoutAnswer})
}

// forgetAnswers loses the answers to the first n submits, after passing each on so many times.
func forgetAnswers(h http.Handler, n int32, times int) http.Handler {
	var left atomic.Int32
	left.Store(n)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/job/submit") || left.Add(-1) < 0 {
			h.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(err)
		}
		for range times {
			again := r.Clone(r.Context())
			again.Body = io.NopCloser(bytes.NewReader(body))
			h.ServeHTTP(httptest.NewRecorder(), again)
		}
		panic(http.ErrAbortHandler)
	})
}

// findsByToken submits a job, and recovers it from the queue, and from the accounting when it has left that.
func (b *bed) findsByToken(client *slurm.Client, change change) {
	b.t.Helper()
	spec := b.spec("sleep 1", change)
	spec.SubmitToken = slurm.NewSubmitToken()
	id, err := client.Submit(b.ctx, spec)
	b.must("Submit", err)
	b.cancelAfter(b.alice, id)
	recovers := func(where string) {
		b.t.Helper()
		got, err := client.Recover(b.ctx, spec.SubmitToken)
		b.must("Recover from the "+where, err)
		equal(b, "recovered job", got, id)
	}
	recovers("queue")
	if spec.Hold {
		b.recordedAtAll(id)
		b.must("Cancel", b.alice.Cancel(b.ctx, id))
		recovers("queue")
	}
	b.gone(id)
	recovers("accounting")
	_, err = client.Recover(b.ctx, slurm.NewSubmitToken())
	b.refused("Recover of another token", err, slurm.ErrNotFound, 0)
}

// tokenWithoutStoreFlags: the accounting keeps the token as Slurm comes, where it keeps no comment.
func tokenWithoutStoreFlags(b *bed) {
	b.configure("AccountingStoreFlags", "job_env") // Slurm does not take an empty list
	for _, version := range []string{"v0.0.40", "v0.0.41", "v0.0.42"} {
		client := b.client("alice", slurm.WithVersion(version))
		spec := b.spec("sleep 1")
		spec.SubmitToken, spec.Comment = slurm.NewSubmitToken(), "a comment"
		id, err := client.Submit(b.ctx, spec)
		b.must("Submit", err)
		job, err := client.Get(b.ctx, id)
		b.must("Get", err)
		equal(b, "comment in the queue", job.Comment, "a comment")
		equal(b, "token in the queue", job.SubmitToken, spec.SubmitToken)
		b.gone(id)
		jobs, err := client.History(b.ctx, id)
		b.must("History", err)
		equal(b, "comment in the accounting", jobs[0].Comment, "")
		equal(b, "token in the accounting", jobs[0].SubmitToken, spec.SubmitToken)
		got, err := client.Recover(b.ctx, spec.SubmitToken)
		b.must("Recover", err)
		equal(b, "recovered job", got, id)
	}
}

// tokenWithoutLabels: where labels have a meaning, the token goes elsewhere, and where that has one, too, nowhere.
func tokenWithoutLabels(b *bed) {
	b.configure("MCSPlugin", "mcs/user")
	b.findsByToken(b.alice, func(s *slurm.JobSpec) { s.Comment = "a comment" })
	b.configure("SchedulerParameters", "batch_sched_delay=1,bf_interval=2,sched_interval=2,extra_constraints")
	id := b.submit("true", hold)
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "token", job.SubmitToken, "")
	equal(b, "extra", job.Extra, "")
	spec := b.spec("true", hold)
	spec.SubmitToken = slurm.NewSubmitToken()
	_, err = b.alice.Submit(b.ctx, spec)
	b.refused("Submit with a token of one's own", err, slurm.ErrInvalid, 0)
}

// tokenAndTexts: what a user writes reads back as written, from both places.
func tokenAndTexts(b *bed) {
	id := b.submit("sleep 1", func(s *slurm.JobSpec) {
		s.Comment, s.WCKey = "tc-submit:a \"comment\", with ünicode", "key"
		s.Extra = map[string]any{"extra": "some=text"}
	})
	check := func(job *slurm.Job) {
		equal(b, "comment", job.Comment, "tc-submit:a \"comment\", with ünicode")
		equal(b, "key", job.WCKey, "key")
		equal(b, "extra", job.Extra, "some=text")
		equal(b, "has a token", job.SubmitToken != "", true)
	}
	check(b.see(id, "there", func(*slurm.Job) bool { return true }))
	check(b.recorded(id, 1)[0])
	// A label of the user's own stays as well; the token goes into the other member.
	labelled := b.submit("sleep 1", extra("mcs_label", "mine"))
	job := b.see(labelled, "there", func(*slurm.Job) bool { return true })
	equal(b, "has a token", job.SubmitToken != "", true)
	equal(b, "extra", job.Extra, "")
	equal(b, "label", strings.Contains(string(job.Raw), `"mcs_label":"mine"`), true)
}

// tokenOfChangedJob: what is changed about a job, and each of its runs, leaves the token alone, also where nodes are shared.
func tokenOfChangedJob(b *bed) {
	for _, sharing := range []string{"user", "oversubscribe", "topo"} {
		id := b.submit("sleep 300", hold, extra("shared", []string{sharing}))
		token := ""
		check := func(what string) {
			b.t.Helper()
			job, err := b.alice.Get(b.ctx, id)
			b.must("Get", err)
			if token == "" {
				token = job.SubmitToken
			}
			equal(b, "token after "+what, job.SubmitToken, token)
			equal(b, "label after "+what, strings.Contains(string(job.Raw), `"mcs_label":"tc-submit:`+token+`"`), true)
		}
		check("the submit")
		b.must("Update", b.alice.Update(b.ctx, id, &slurm.JobUpdate{Comment: "changed", Extra: map[string]any{"extra": "mine"}}))
		check("an update")
		b.must("Release", b.alice.Release(b.ctx, id))
		check("the release")
		b.see(id, "running", (*slurm.Job).Running)
		b.requeue(id)
		check("a requeue")
		b.waitsAgain(id) // one that is cancelled before has no second run in the accounting
		b.must("Hold", b.alice.Hold(b.ctx, id))
		check("a hold")
		b.must("Cancel", b.alice.Cancel(b.ctx, id))
		b.gone(id)
		runs, err := b.alice.History(b.ctx, id)
		b.must("History", err)
		equal(b, "runs", len(runs), 2)
		for _, run := range runs {
			equal(b, "token of a run in the accounting", run.SubmitToken, token)
		}
		got, err := b.alice.Recover(b.ctx, token)
		b.must("Recover", err)
		equal(b, "recovered job", got, id)
	}
}

func tokenOfOnesOwn(b *bed) {
	spec := b.spec("sleep 1")
	spec.SubmitToken = b.name
	if len(spec.SubmitToken) > 64 {
		spec.SubmitToken = spec.SubmitToken[len(spec.SubmitToken)-64:]
	}
	id, err := b.alice.Submit(b.ctx, spec)
	b.must("Submit", err)
	b.cancelAfter(b.alice, id)
	again := func() {
		submission, err := b.client("alice").SubmitJob(b.ctx, spec)
		b.must("SubmitJob", err)
		equal(b, "job", submission.JobID, id)
		b.count("warnings", len(submission.Warnings), 1)
	}
	again()
	b.gone(id)
	again()
}

func tokenOfArray(b *bed) {
	b.findsByToken(b.alice, array("0-3%2"))
}

func tokenOfHet(b *bed) {
	first, second := b.spec("sleep 100"), b.spec("", on("a4"))
	second.Script = ""
	client := b.clientOf(forgetAnswers(b.handler("alice"), 1, 1))
	submission, err := client.SubmitHet(b.ctx, []*slurm.JobSpec{first, second})
	b.must("SubmitHet", err)
	b.cancelAfter(b.alice, submission.JobID)
	jobs, err := b.alice.GetAll(b.ctx, submission.JobID)
	b.must("GetAll", err)
	b.count("components", len(jobs), 2)
	token := jobs[0].SubmitToken
	equal(b, "offset of the one with a token", jobs[0].HetOffset, 0)
	got, err := b.alice.Recover(b.ctx, token)
	b.must("Recover", err)
	equal(b, "recovered job", got, submission.JobID)
	b.must("Cancel", b.alice.Cancel(b.ctx, submission.JobID))
	b.gone(submission.JobID)
	got, err = b.alice.Recover(b.ctx, token)
	b.must("Recover from the accounting", err)
	equal(b, "recovered job", got, submission.JobID)
}

// refusedWithoutAnswer: what Slurm leaves of a refused submit is not taken for the job.
func (b *bed) refusedWithoutAnswer(r refusal) {
	spec := b.spec("true", r.change)
	spec.SubmitToken = slurm.NewSubmitToken()
	id, err := b.clientOf(forgetAnswers(b.handler("alice"), 1, 1)).Submit(b.ctx, spec)
	equal(b, "job", id, "")
	b.refused("Submit", err, slurm.ErrInvalid, r.number)
	b.leftBehind(spec.SubmitToken)
}

// leftBehind checks that a token leads to no job, but to refusals, of which the queue and then the accounting tell.
func (b *bed) leftBehind(token string) {
	jobs, err := b.alice.List(b.ctx, nil)
	b.must("List", err)
	_, err = b.alice.Recover(b.ctx, token)
	b.refused("Recover from the queue", err, slurm.ErrInvalid, 0)
	for _, j := range jobs {
		if j.SubmitToken == token {
			b.gone(j.ID)
		}
	}
	_, err = b.alice.Recover(b.ctx, token)
	b.refused("Recover from the accounting", err, slurm.ErrInvalid, 0)
}

func hetRefusedWithoutAnswer(b *bed) {
	first, second := b.spec("sleep 1"), b.spec("", on("nope"))
	second.Script, first.SubmitToken = "", slurm.NewSubmitToken()
	client := b.clientOf(forgetAnswers(b.handler("alice"), 1, 1))
	submission, err := client.SubmitHet(b.ctx, []*slurm.JobSpec{first, second})
	equal(b, "submission", submission, nil)
	b.refused("SubmitHet", err, slurm.ErrInvalid, 2000)
	b.leftBehind(first.SubmitToken)
}

// submitTwiceOnTheWay: of two jobs, one stays.
func submitTwiceOnTheWay(b *bed) {
	submission, err := b.clientOf(forgetAnswers(b.handler("alice"), 1, 2)).SubmitJob(b.ctx, b.spec("true", hold))
	b.must("SubmitJob", err)
	b.cancelAfter(b.alice, submission.JobID)
	b.count("warnings", len(submission.Warnings), 2)
	jobs, err := b.alice.List(b.ctx, &slurm.ListOptions{Names: []string{b.name}, States: []slurm.State{slurm.StatePending}})
	b.must("List", err)
	b.count("jobs", len(jobs), 1)
	equal(b, "job", jobs[0].ID, submission.JobID)
}

// submitOverBadLine: of a hundred jobs, each is there once, or its caller held an ErrUncertain.
func submitOverBadLine(b *bed) {
	const jobs, atOnce = 100, 50
	line := slurmproxy.Cut(b.handler("alice"), 1)
	client := b.clientOf(line)
	results := make([]error, jobs)
	ids := make([]slurm.JobID, jobs)
	var group sync.WaitGroup
	for first := range atOnce {
		group.Go(func() {
			for i := first; i < jobs; i += atOnce {
				spec := b.spec("true", hold)
				spec.Name = fmt.Sprint(b.name, "-", i)
				ids[i], results[i] = client.Submit(b.ctx, spec)
			}
		})
	}
	group.Wait()
	line.Settle()
	missing, unknown := 0, 0
	holds := map[string]slurm.JobID{}
	for i, err := range results {
		if lost, ok := errors.AsType[*slurm.UncertainError](err); ok {
			unknown++
			ids[i], err = b.alice.Recover(b.ctx, lost.Token)
			if errors.Is(err, slurm.ErrNotFound) {
				missing++
				continue
			}
		}
		b.must(fmt.Sprint("Submit ", i), err)
		b.cancelAfter(b.alice, ids[i])
		holds[fmt.Sprint(b.name, "-", i)] = ids[i]
	}
	all, err := b.alice.List(b.ctx, &slurm.ListOptions{States: []slurm.State{slurm.StatePending}})
	b.must("List", err)
	there := 0
	for _, j := range all {
		if !strings.HasPrefix(j.Name, b.name+"-") {
			continue
		}
		there++
		equal(b, "holder of "+j.Name, holds[j.Name], j.ID)
	}
	equal(b, "jobs there and missing", there+missing, jobs)
	equal(b, "bad enough", unknown > 0 && line.Cuts() > jobs/4, true)
}
