package slurm

import (
	"context"
	"errors"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// The tables of the package's doc comment are held to what the code does.

// docRows returns the lines of the table that begins with the given one, split where two spaces or more are.
func docRows(t *testing.T, first string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(text), "//\t"+first)
	if at < 0 {
		t.Fatalf("doc.go has no table that begins with %q", first)
	}
	for line := range strings.Lines(string(text[at:])) {
		if !strings.HasPrefix(line, "//\t") {
			break
		}
		rows = append(rows, regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(strings.TrimPrefix(line, "//\t")), -1))
	}
	return rows
}

func TestErrorTable(t *testing.T) {
	byName := map[string]error{
		"ErrNotFound": ErrNotFound, "ErrPermission": ErrPermission, "ErrInvalid": ErrInvalid, "ErrLimit": ErrLimit,
		"ErrUnavailable": ErrUnavailable, "ErrAlreadyDone": ErrAlreadyDone, "ErrUnknownPath": ErrUnknownPath,
		"ErrPartial": ErrPartial, "ErrUncertain": ErrUncertain, "ErrJobLost": ErrJobLost,
	}
	if len(byName) != len(sentinels) {
		t.Errorf("this test knows %d variables of %d", len(byName), len(sentinels))
	}
	numbers := map[error][]string{}
	for number, v := range verdicts() {
		if v.kind != nil && v.kind != ErrInvalid {
			numbers[v.kind] = append(numbers[v.kind], strconv.Itoa(number))
		}
	}
	for _, row := range docRows(t, "variable")[1:] {
		variable := byName[row[0]]
		if len(row) != 3 || variable == nil {
			t.Errorf("%q is no row of a variable", row)
			continue
		}
		delete(byName, row[0])
		want := numbers[variable]
		slices.Sort(want)
		if got := regexp.MustCompile(`\d+`).FindAllString(row[1], -1); !slices.Equal(got, want) {
			t.Errorf("%s: the table has the numbers %q, and the code %q", row[0], got, want)
		}
	}
	for name := range byName {
		t.Errorf("%s is not in the table", name)
	}
}

// asked is a Caller that notes what it is asked for, and fails.
type asked struct{ requests []*cluster.SlurmRequest }

func (a *asked) CallSlurm(_ context.Context, _ string, req *cluster.SlurmRequest, _ ...gax.CallOption) (*cluster.SlurmResponse, error) {
	a.requests = append(a.requests, req)
	return nil, errors.New("no answer")
}

// TestRetryTable: what a verb says of its request decides on repetitions; package cluster has the table of the rest.
func TestRetryTable(t *testing.T) {
	spec := &JobSpec{WorkingDirectory: "/home/a", Script: "#!/bin/sh\n"}
	verbs := map[string]func(context.Context, *Client) error{
		"Get":     func(ctx context.Context, c *Client) error { _, err := c.Get(ctx, "7"); return err },
		"List":    func(ctx context.Context, c *Client) error { _, err := c.List(ctx, nil); return err },
		"History": func(ctx context.Context, c *Client) error { _, err := c.History(ctx, "7"); return err },
		"Ping":    func(ctx context.Context, c *Client) error { _, err := c.Ping(ctx); return err },
		"other reads": func(ctx context.Context, c *Client) error {
			_, nodes := c.Nodes(ctx)
			_, partitions := c.Partitions(ctx)
			_, licenses := c.Licenses(ctx)
			return errors.Join(nodes, partitions, licenses)
		},
		"Cancel":  func(ctx context.Context, c *Client) error { return c.Cancel(ctx, "7") },
		"Submit":  func(ctx context.Context, c *Client) error { _, err := c.Submit(ctx, spec); return err },
		"Signal":  func(ctx context.Context, c *Client) error { return c.Signal(ctx, "7", "USR1") },
		"Update":  func(ctx context.Context, c *Client) error { return c.Update(ctx, "7", &JobUpdate{Comment: "x"}) },
		"Hold":    func(ctx context.Context, c *Client) error { return c.Hold(ctx, "7") },
		"Release": func(ctx context.Context, c *Client) error { return c.Release(ctx, "7") },
		"Do": func(ctx context.Context, c *Client) error {
			return c.Do(ctx, "POST", "/slurm/v0.0.42/x", struct{}{}, nil)
		},
	}
	always := map[string]bool{"after any such failure": true, "likewise: cancelling twice is cancelling": true,
		"only if the request surely did not arrive": false, "a GET like a read, anything else like Submit": false}
	told := 0
	for _, row := range docRows(t, "Get, List") {
		repeated, known := always[row[len(row)-1]]
		if !known || len(row) != 2 {
			t.Errorf("nobody knows what %q means", row)
			continue
		}
		for name := range strings.SplitSeq(strings.ReplaceAll(row[0], " and ", ", "), ", ") {
			verb := verbs[name]
			if verb == nil {
				t.Errorf("nobody knows the verb %q", name)
				continue
			}
			told++
			calls := &asked{}
			c, err := NewClient(calls, "c", WithoutSubmitToken())
			if err != nil {
				t.Fatal(err)
			}
			if err := verb(t.Context(), c); err == nil || len(calls.requests) == 0 {
				t.Fatalf("%s: %d requests: %v", name, len(calls.requests), err)
			}
			for _, req := range calls.requests {
				if (req.Method == http.MethodGet || req.Repeat == cluster.RepeatAlways) != repeated {
					t.Errorf("%s: %s %s with Repeat %d, and the table says %q", name, req.Method, req.Path, req.Repeat, row[1])
				}
			}
		}
	}
	if told != len(verbs) {
		t.Errorf("the table tells of %d verbs of %d", told, len(verbs))
	}
}
