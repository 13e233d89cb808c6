package slurm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// hostile are texts that lead elsewhere, or end what they stand in, if they become part of a path.
var hostile = []string{
	"..", ".", "../..", "1/../../diag", "/", "//", "1/2", `..\..`, `1\2`, "?", "1?x=y", "#", "1#2", "&", "a&users=root", "a=b", ";", "..;/", "1;2",
	"@", "a@b", ":", "%", "%2f", "1%2f2", "%2F..%2F", "%2e%2e", "%252e%252e", "%5c", "%00", "%0a", "%zz", "+", "1+1/..", "1_1/..", "1_[1]/..",
	"\n", "1\n2", "\r\n", "\x00", "1\x00", "\x1b[2J", "\x7f", "\t", " ", " 1", "\u0085", "\u2028", "\u202e", "\xff", "\xc0\xae\xc0\xae",
	"․․", "．．", "∕", "／", "１", "٣", "1\u200b", "-1", "0", "1e9", "0x1", "99999999999999999999999",
	strings.Repeat("1", 100_000), strings.Repeat("../", 50_000), strings.Repeat("\n", 70_000),
}

// calls are the methods of the client and the functions that take one or more texts, by their lines in the file that has
// the package's face; nil is for what sends nothing.
var calls = map[string]func(c *slurm.Client, text string) []error{
	"After": nil, "AfterAny": nil, "AfterCorresponding": nil, "AfterNotOK": nil, "AfterOK": nil, "ArrayOf": nil, "ExpandHosts": nil,
	"ExpandPath": nil, "GPUs": nil, "GiveUpAfter": nil, "NewJobID": nil, "NewSubmitToken": nil, "OnTally": nil, "OnWarning": nil,
	"ParseArraySpec": nil, "ParseJobID": nil, "ParseScript": nil, "ScriptOnly": nil, "SettleFor": nil, "ShowProgress": nil, "Singleton": nil,
	"Summary": nil, "SummaryAt": nil, "WithoutSubmitToken": nil, "Wrapper": nil, "Client.Cluster": nil, "Client.UntilReady": nil,

	"WithVersion": func(_ *slurm.Client, text string) []error {
		_, err := slurm.NewClient(&scripted{}, "training", slurm.WithVersion(text))
		return []error{err}
	},
	"NewClient": func(_ *slurm.Client, text string) []error { // the name is for the Caller to check
		_, err := slurm.NewClient(&scripted{}, text)
		return []error{err}
	},
	"Open": func(_ *slurm.Client, text string) []error {
		_, err := slurm.Open(context.Background(), text)
		_, within := slurm.Open(context.Background(), "projects/p/locations/"+text+"/modelDevelopmentClusters/"+text)
		return []error{err, within}
	},
	"DetectVersion": func(_ *slurm.Client, text string) []error {
		_, err := slurm.DetectVersion(context.Background(), &scripted{answers: []answer{{status: 404}}}, text)
		return []error{err}
	},
	"Client.ArrayTasks": byID(func(c *slurm.Client, id slurm.JobID) error {
		_, err := c.ArrayTasks(context.Background(), id)
		return err
	}),
	"Client.Cancel":  byID(func(c *slurm.Client, id slurm.JobID) error { return c.Cancel(context.Background(), id) }),
	"Client.Get":     byID(func(c *slurm.Client, id slurm.JobID) error { _, err := c.Get(context.Background(), id); return err }),
	"Client.GetAll":  byID(func(c *slurm.Client, id slurm.JobID) error { _, err := c.GetAll(context.Background(), id); return err }),
	"Client.History": byID(func(c *slurm.Client, id slurm.JobID) error { _, err := c.History(context.Background(), id); return err }),
	"Client.Hold":    byID(func(c *slurm.Client, id slurm.JobID) error { return c.Hold(context.Background(), id) }),
	"Client.Release": byID(func(c *slurm.Client, id slurm.JobID) error { return c.Release(context.Background(), id) }),
	"Client.Update": byID(func(c *slurm.Client, id slurm.JobID) error {
		return errors.Join(c.Update(context.Background(), id, &slurm.JobUpdate{Name: "x"}),
			c.Update(context.Background(), "1", &slurm.JobUpdate{Name: string(id), Partition: string(id), Dependency: string(id)}))
	}),
	"Client.Wait": byID(func(c *slurm.Client, id slurm.JobID) error { _, err := c.Wait(soon(), id); return err }),
	"Client.WaitAll": byID(func(c *slurm.Client, id slurm.JobID) error {
		_, err := c.WaitAll(soon(), []slurm.JobID{"1", id})
		return err
	}),
	"Client.Watch": byID(func(c *slurm.Client, id slurm.JobID) error {
		for _, err := range c.Watch(soon(), []slurm.JobID{id}) {
			if err != nil {
				return err
			}
		}
		return nil
	}),
	"Client.Watcher": byID(func(c *slurm.Client, id slurm.JobID) error {
		w := c.Watcher(soon(), []slurm.JobID{id})
		defer w.Stop()
		_, err := w.Next()
		return err
	}),
	"Client.Signal": func(c *slurm.Client, text string) []error {
		return []error{c.Signal(context.Background(), slurm.JobID(text), "TERM"), c.Signal(context.Background(), "1", text, slurm.ScriptOnly())}
	},
	"Client.Do": doAny,
	"Client.HistoryIterator": func(c *slurm.Client, text string) []error {
		_, err := c.HistoryIterator(context.Background(), historyOf(text)).Next()
		return []error{err}
	},
	"Client.HistoryJobs": func(c *slurm.Client, text string) (errs []error) {
		for _, err := range c.HistoryJobs(context.Background(), historyOf(text)) {
			errs = append(errs, err)
		}
		return errs
	},
	"Client.ListHistory": func(c *slurm.Client, text string) []error {
		_, err := c.ListHistory(context.Background(), historyOf(text))
		_, byName := c.ListHistory(context.Background(), &slurm.HistoryOptions{Names: []string{text}, WCKeys: []string{text}})
		_, byNode := c.ListHistory(context.Background(), &slurm.HistoryOptions{Nodes: []string{text}})
		_, byJob := c.ListHistory(context.Background(), &slurm.HistoryOptions{JobIDs: []slurm.JobID{slurm.JobID(text)}})
		return []error{err, byName, byNode, byJob}
	},
	"Client.List": func(c *slurm.Client, text string) []error {
		_, err := c.List(context.Background(), listOf(text))
		return []error{err}
	},
	"Client.Jobs": func(c *slurm.Client, text string) (errs []error) {
		for _, err := range c.Jobs(context.Background(), listOf(text)) {
			errs = append(errs, err)
		}
		return errs
	},
	"Client.JobIterator": func(c *slurm.Client, text string) []error {
		_, err := c.JobIterator(context.Background(), listOf(text)).Next()
		return []error{err}
	},
	"Client.QueueWatcher": func(c *slurm.Client, text string) []error {
		w := c.QueueWatcher(soon(), &slurm.WatchOptions{Users: []string{text}})
		defer w.Stop()
		_, err := w.Next()
		return []error{err}
	},
	"Client.WatchQueue": func(c *slurm.Client, text string) (errs []error) {
		for _, err := range c.WatchQueue(soon(), &slurm.WatchOptions{Users: []string{text}}) {
			errs = append(errs, err)
			break
		}
		return errs
	},
	"Client.Recover": func(c *slurm.Client, text string) []error {
		_, err := c.Recover(soon(), text)
		return []error{err}
	},
	"Client.Submit": func(c *slurm.Client, text string) []error {
		_, err := c.Submit(soon(), jobOf(text))
		return []error{err}
	},
	"Client.SubmitJob": func(c *slurm.Client, text string) []error {
		_, err := c.SubmitJob(soon(), jobOf(text))
		return []error{err}
	},
	"Client.SubmitHet": func(c *slurm.Client, text string) []error {
		_, err := c.SubmitHet(soon(), []*slurm.JobSpec{jobOf(text), jobOf(text)})
		return []error{err}
	},
	"Client.Licenses": nil, "Client.Nodes": nil, "Client.Partitions": nil, "Client.Ping": nil, "Client.WaitReady": nil, // constant paths
}

// doAny calls paths that are for package cluster to check.
func doAny(c *slurm.Client, text string) []error {
	do := func(method, path string) error { return c.Do(context.Background(), method, path, nil, nil) }
	return []error{do("GET", text), do("GET", "/slurm/v0.0.42/"+text), do("DELETE", "/slurm/v0.0.42/job/"+text+"/x"), do(text, "/slurm/v0.0.42/diag/")}
}

func byID(call func(*slurm.Client, slurm.JobID) error) func(*slurm.Client, string) []error {
	return func(c *slurm.Client, text string) []error { return []error{call(c, slurm.JobID(text))} }
}

// soon is over: what waits asks once at most.
func soon() context.Context {
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	cancel()
	return ctx
}

func historyOf(text string) *slurm.HistoryOptions {
	one := []string{text}
	return &slurm.HistoryOptions{Users: one, Accounts: one, Partitions: one, Names: one, WCKeys: one, Clusters: one, Groups: one, QOS: one,
		States: []slurm.State{slurm.State(text)}}
}

func listOf(text string) *slurm.ListOptions {
	one := []string{text}
	return &slurm.ListOptions{Users: one, Accounts: one, Partitions: one, Names: one, States: []slurm.State{slurm.State(text)}}
}

func jobOf(text string) *slurm.JobSpec {
	return &slurm.JobSpec{Name: text, Partition: text, Account: text, WorkingDirectory: text, Script: "#!/bin/sh\n", SubmitToken: text,
		Stdout: text, Environment: map[string]string{text: text}}
}

// TestPathsStayInTheirPlace, whatever the texts are that they are made of, or the text is refused in one line.
func TestPathsStayInTheirPlace(t *testing.T) {
	for _, name := range faceOfSlurm(t) {
		if _, known := calls[name]; !known {
			t.Errorf("%s is not among calls: say how it sends what it takes, or that it sends nothing", name)
		}
	}
	for name, call := range calls {
		if call == nil {
			continue
		}
		for _, text := range hostile {
			c, s := newScripted(t, answer{status: 200, body: `{"jobs":[],"job_id":1,"status":[],"errors":[],"warnings":[]}`})
			if name == "Client.Do" {
				c = viaService(t, s)
			}
			errs := call(c, text)
			for _, r := range s.requests {
				if flaw := strays(&r); flaw != "" && !(name == "Client.Do" && strings.HasPrefix(flaw, "the query has ")) { // which it may
					t.Errorf("%s with %.60q: %s: %s %.200q", name, text, flaw, r.Method, r.Path)
				}
			}
			for _, err := range errs {
				if err == nil || errors.Is(err, slurm.Done) {
					continue
				}
				all := []error{err}
				if joined, ok := err.(interface{ Unwrap() []error }); ok && name == "Client.Update" {
					all = joined.Unwrap()
				}
				for _, err := range all {
					if shown := err.Error(); len(shown) > 8000 || strings.ContainsFunc(shown, unfitToShow) || !utf8.ValidString(shown) {
						t.Errorf("%s with %.60q: the error has %d bytes: %.300q", name, text, len(shown), shown)
					}
				}
			}
		}
	}
}

// viaService is a client of a whole service, whose Slurm tells s what arrives.
func viaService(t *testing.T, s *scripted) *slurm.Client {
	t.Helper()
	platform := clustertest.NewServer(clustertest.WithSlurm(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests = append(s.requests, cluster.SlurmRequest{Method: r.Method, Path: r.RequestURI})
		fmt.Fprint(w, `{"errors":[]}`)
	})))
	if err := platform.AddCluster("training", nil); err != nil {
		t.Fatal(err)
	}
	c, err := slurm.Open(t.Context(), clusterName, platform.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func unfitToShow(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// ownPath is one of Slurm's API, below the two roots that it has.
var ownPath = regexp.MustCompile(`^/slurm(db)?/v0\.0\.\d+/([\w.+;=%:@&-]*/)*[\w.+%:@&;=-]*$`)

// strays says in what a request has left its place.
func strays(r *cluster.SlurmRequest) string {
	bare, query, _ := strings.Cut(r.Path, "?")
	plain, err := url.PathUnescape(bare)
	values, queryErr := url.ParseQuery(query)
	switch {
	case !slices.Contains([]string{"GET", "POST", "DELETE"}, r.Method):
		return "the method is another"
	case len(r.Body) > 0 && !json.Valid(r.Body):
		return "the body is no JSON"
	case err != nil || queryErr != nil || !ownPath.MatchString(bare):
		return "the path is another"
	case strings.ContainsFunc(plain, unicode.IsControl):
		return "the path hides a control character"
	case slices.ContainsFunc(strings.FieldsFunc(plain, func(r rune) bool { return strings.ContainsRune(`/\;`, r) }),
		func(segment string) bool { return segment == ".." }):
		return "the path leads upwards"
	case len(query) > 0 && strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' }):
		return "the query has a character that ends it"
	}
	for key := range values {
		if !slices.Contains(ownQuery, key) {
			return "the query has " + key
		}
	}
	return ""
}

var ownQuery = []string{
	"step", "users", "account", "partition", "wckey", "cluster", "node", "job_name", "state", "start_time", "end_time", "skip_steps",
	"show_duplicates", "disable_truncate_usage_time", "signal", "flags", "update_time",
}

// faceOfSlurm are the functions of the package and the methods of its Client.
func faceOfSlurm(t *testing.T) (names []string) {
	t.Helper()
	face := string(readFile(t, "../internal/style/testdata/api/slurm.txt"))
	for _, m := range regexp.MustCompile(`(?m)^(?:func|method \(\*(Client)\)) (\w+)\(`).FindAllStringSubmatch(face, -1) {
		names = append(names, strings.TrimPrefix(m[1]+"."+m[2], "."))
	}
	if len(names) < 50 {
		t.Fatalf("the face has %q", names)
	}
	return names
}
