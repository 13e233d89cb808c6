package slurm

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxQuery bounds the length of a query. Slurm 24.11's REST daemon drops the connection, without a word, once the first
// line of a request reaches 48 KiB.
const maxQuery = 40_000

const opListHistory = "list history"

// window is a stretch of time to ask the accounting for.
type window struct {
	start, end time.Time
	skew       time.Duration // by which Slurm is told a later end
}

// window is the time that the options choose. Jobs asked for by id are few, so that nothing else needs to bound them.
func (o *HistoryOptions) window(now time.Time) (window, error) {
	w := window{start: o.Start, end: o.End}
	if w.end.IsZero() {
		// Slurm's end is exclusive and its clock is another: a job that starts this second belongs to the window.
		w.end, w.skew = now, clockSkew
	}
	switch {
	case !w.start.IsZero():
	case len(nonEmpty(o.JobIDs)) > 0:
		w.start = time.Unix(0, 0)
	default:
		w.start = w.end.Add(-DefaultHistoryWindow)
	}
	if !w.start.Before(w.end) {
		c := &checker{}
		c.add("Start", "%s is not before End, %s", w.start.Format(time.RFC3339), w.end.Format(time.RFC3339))
		return w, c.err(opListHistory)
	}
	return w, nil
}

// query is what Slurm can filter itself. Names are repeated for several values, since it takes no commas; times
// are always there, both of them, since without both it ignores a filter for states.
func (o *HistoryOptions) query(w window) (string, error) {
	c := &checker{}
	var q queryString
	q.add("step", o.queryIDs(c)...)
	q.add("users", split(o.Users)...)
	q.add("account", split(o.Accounts)...)
	q.add("partition", split(o.Partitions)...)
	q.add("wckey", split(o.WCKeys)...)
	q.add("cluster", split(o.Clusters)...)
	q.add("node", o.queryNodes(c)...)
	if names := nonEmpty(o.Names); !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, ",") }) {
		q.add("job_name", names...)
	}
	q.add("state", o.queryStates()...)
	q.add("start_time", unixTime(w.start))
	q.add("end_time", unixTime(w.end.Add(w.skew)))
	if !o.Steps {
		q.add("skip_steps", "true")
	}
	// These two are Slurm's defaults, but only as long as no other such word is in the query. Without the first, all runs
	// of a requeued job but the last are left out; without the second, jobs start, end and last as if the window were
	// all there is, and one that runs has an end.
	q.add("show_duplicates", "true")
	q.add("disable_truncate_usage_time", "true")
	query := strings.Join(q, "&")
	if len(query) > maxQuery {
		c.add("HistoryOptions", "the filters make a query of %d bytes: Slurm takes no more than %d; ask for fewer jobs or names at a time",
			len(query), maxQuery)
	}
	return query, c.err(opListHistory)
}

func (o *HistoryOptions) queryIDs(c *checker) []string {
	var names []string
	for i, id := range o.JobIDs {
		if id == "" {
			continue
		}
		id, err := parseJobID(string(id))
		if err != nil {
			c.add(fmt.Sprintf("JobIDs[%d]", i), "%v", err)
		}
		names = append(names, string(id))
	}
	return names
}

// queryNodes is one list of nodes: of this filter, Slurm takes no second value.
func (o *HistoryOptions) queryNodes(c *checker) []string {
	nodes := nonEmpty(o.Nodes)
	for i, list := range nodes {
		if _, err := ExpandHosts(list); err != nil {
			c.add(fmt.Sprintf("Nodes[%d]", i), "%v", err)
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	return []string{strings.Join(nodes, ",")}
}

// unixTime is an instant in the one form that all versions of the API read: before v0.0.42 they refuse bare seconds in a
// query. Slurm takes no less than a million of them, the 12th of January 1970, which is as good as any earlier time.
func unixTime(t time.Time) string { return fmt.Sprintf("uts%d", max(t.Unix(), 1_000_000)) }

// queryStates leaves out all states if one is among them that Slurm does not filter by: a filter for the others
// would lose its jobs. To PENDING it answers with all jobs, to an unknown name with all jobs and a failure.
func (o *HistoryOptions) queryStates() []string {
	var states []string
	for _, s := range nonEmpty(o.States) {
		s = State(strings.ToUpper(string(s)))
		if s == StatePending || !s.known() {
			return nil
		}
		states = append(states, string(s))
	}
	return states
}

// ends reports whether only jobs that have ended are wanted.
func (o *HistoryOptions) ends() bool {
	states := nonEmpty(o.States)
	return len(states) > 0 && !slices.ContainsFunc(states, func(s State) bool {
		return !State(strings.ToUpper(string(s))).Terminal()
	})
}

func (o *HistoryOptions) match(j *Job) bool {
	users := split(o.Users)
	// Records have the user's name only, so that numbers must be left to Slurm.
	numbered := slices.ContainsFunc(users, func(u string) bool { _, err := strconv.Atoi(u); return err == nil })
	return (numbered || anyOf(users, j.User)) && anyOf(split(o.Accounts), j.Account) && anyOf(nonEmpty(o.Names), j.Name) &&
		anyOf(nonEmpty(o.Groups), j.Group) && anyOf(split(o.QOS), j.QOS) &&
		// An asterisk marks a key that the user has not chosen.
		anyOf(split(o.WCKeys), j.WCKey, strings.TrimPrefix(j.WCKey, "*")) && anyOf(split(o.Clusters), j.Cluster) &&
		(len(o.Partitions) == 0 || anyOf(split(o.Partitions), split([]string{j.Partition})...)) && anyState(o.States, j.State) &&
		!(o.Fresh && o.mark(j).Before(o.Start.Truncate(time.Second)))
}

// mark is the moment that says to which window of several a job belongs: Slurm goes by its end where it filters for
// states, and otherwise by when the job could start.
func (o *HistoryOptions) mark(j *Job) time.Time {
	if o.ends() {
		return j.EndTime
	}
	return j.EligibleTime
}

// queryString is a query in the order it was made, so that equal options give equal requests.
type queryString []string

func (q *queryString) add(name string, values ...string) {
	for _, value := range values {
		// A plus sign means a space in some readers of queries and a plus sign in others.
		*q = append(*q, fmt.Sprintf("%s=%s", name, strings.ReplaceAll(url.QueryEscape(value), "+", "%20")))
	}
}
