package slurmtest

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

const nothingFound = "slurmdb_jobs_get(0x7f4698000f90) found nothing"

// historyFields are the filters of accounting.
var historyFields = makeFields(map[fieldType]string{
	typeStrings: `account association cluster constraints format groups job_name partition qos reason
		reservation reservation_id step users wckey exit_code`,
	typeTime: "start_time end_time",
	typeString: `node scheduler_unset scheduled_on_submit scheduled_by_main scheduled_by_backfill job_started
		show_duplicates skip_steps disable_truncate_usage_time whole_hetjob disable_whole_hetjob
		disable_wait_for_result usage_time_as_submit_time show_batch_script show_job_environment`,
}, map[string]field{"state": {kind: typeFlagSet, words: strings.Fields(stateWords)}})

func (s *Server) databaseReply() *reply { return &reply{database: true} }

// noDatabase is the answer to everything while slurmdbd is down.
func (s *Server) noDatabase() *reply {
	return s.databaseReply().fail(codeNoDatabase, "Failed to open slurmdbd connection", "openapi_get_db_conn")
}

// oneHistory answers GET /slurmdb/.../job/ID. An unknown job is an empty list
// and a warning, never a 404.
func (s *Server) oneHistory(c *call) *reply {
	if s.databaseDown {
		return s.noDatabase()
	}
	r := s.databaseReply()
	t, ok := parseRecord(c.path[3])
	if !ok {
		return r.reject("Rejecting request. Failure parsing query parameters", "op_handler_job")
	}
	// Of a job's steps there is only the batch step here.
	steps := !t.isStep || t.step == "batch"
	return s.dumpHistory(r, s.views(c.now, func(v stored) bool { return t.matches(v.job) }), steps)
}

// recordTarget is an id for accounting, which knows components, too: 191+1.
type recordTarget struct {
	target
	isComponent bool
	offset      int64
}

func parseRecord(text string) (recordTarget, bool) {
	number, offset, isComponent := strings.Cut(text, "+")
	t, ok := parseTarget(number)
	n, err := strconv.ParseInt(offset, 10, 64)
	return recordTarget{t, isComponent, n}, ok && (!isComponent || err == nil && n >= 0)
}

// matches is exact for a task, unlike the live queue's search.
func (t recordTarget) matches(j *job) bool {
	if t.isComponent {
		return j.het != nil && j.hetID() == t.id && j.offset == t.offset
	}
	if t.isTask {
		return j.array != nil && j.array.id == t.id && j.task == t.task
	}
	return j.id == t.id || j.array != nil && j.array.id == t.id || j.het != nil && j.hetID() == t.id
}

// views are the records that accounting has at now, as far as they are wanted.
func (s *Server) views(now time.Time, wanted func(stored) bool) []stored {
	var views []stored
	for _, j := range s.accounting {
		if v, ok := s.asOf(j, now.Add(-s.set.accountingDelay)); ok && wanted(v) {
			views = append(views, v)
		}
	}
	return views
}

func (s *Server) dumpHistory(r *reply, views []stored, steps bool) *reply {
	records := []object{}
	for _, v := range views {
		records = append(records, s.historyRecord(v, steps))
	}
	if len(records) == 0 {
		r.warn(nothingFound, "_dump_jobs")
	}
	r.add("jobs", records)
	return r
}

// history answers GET /slurmdb/.../jobs/.
func (s *Server) history(c *call) *reply {
	if s.databaseDown {
		return s.noDatabase()
	}
	r := s.databaseReply()
	v, ok := s.queryValues(c, r, historyFields, "JOB_CONDITION")
	targets, resolved := s.resolve(r, v)
	if !ok || !resolved {
		return r.reject("Rejecting request. Failure parsing query parameters", "op_handler_jobs")
	}
	for _, qos := range v.list("qos") {
		if strings.Trim(qos, "0123456789") != "" {
			return r.fail(codeUnspecified, "slurmdb_jobs_get(0x7f46c8004160) failed", "_dump_jobs")
		}
	}
	if v.text("show_batch_script") == "true" || v.text("show_job_environment") == "true" {
		return s.dumpHistory(r, nil, true)
	}
	bare := len(c.query) == 0
	views := s.views(c.now, func(job stored) bool {
		return !(bare && job.wasRequeued) && s.selects(v, targets, job, c.now)
	})
	// That all runs are shown, and times as they are, is the default of a query
	// without any such word, and of no other.
	if slices.ContainsFunc(historyFlags, v.on) {
		if !v.on("show_duplicates") {
			views = lastRuns(views)
		}
		if !v.on("disable_truncate_usage_time") {
			cut(views, v.time("start_time").Unix(), v.time("end_time"), c.now)
		}
	}
	return s.dumpHistory(r, views, !v.on("skip_steps"))
}

var historyFlags = []string{"skip_steps", "show_duplicates", "disable_truncate_usage_time", "whole_hetjob",
	"disable_whole_hetjob", "usage_time_as_submit_time"}

// on says that a word of a query is there and not denied.
func (v values) on(name string) bool {
	text := v.text(name)
	return text != "" && text != "false" && text != "0"
}

// lastRuns drops all records of a requeued job but the last of those found.
func lastRuns(views []stored) []stored {
	return slices.DeleteFunc(slices.Clone(views), func(v stored) bool {
		last := slices.IndexFunc(views, func(other stored) bool { return other.id == v.id && other.submit.After(v.submit) })
		return last >= 0
	})
}

// cut makes records look as if the window were all there is.
func cut(views []stored, from int64, end, now time.Time) {
	to := now.Unix()
	if !end.IsZero() {
		to = min(to, end.Unix())
	}
	for i := range views {
		v := &views[i]
		if v.end == 0 || v.end > to {
			v.end = to
		}
		if v.start == 0 {
			v.start = v.end
		}
		if v.start != noVal {
			v.start = max(v.start, from)
			v.elapsed = max(0, v.end-v.start)
		}
	}
}

// resolve checks the filters that name things by id.
func (s *Server) resolve(r *reply, v values) ([]recordTarget, bool) {
	for i, name := range v.list("users") {
		if _, ok := s.userName(name); !ok {
			r.fail(codeUserName, "Unable to resolve user: "+name, "#/users["+itoa(int64(i))+"]/")
			return nil, false
		}
	}
	var targets []recordTarget
	for _, text := range v.list("step") {
		t, ok := parseRecord(text)
		if !ok {
			return nil, false
		}
		targets = append(targets, t)
	}
	return targets, true
}

// selects applies the filters, with their traps: a state needs both times to
// find anything that has ended, and PENDING with both filters nothing.
func (s *Server) selects(v values, targets []recordTarget, job stored, now time.Time) bool {
	if len(targets) > 0 && !slices.ContainsFunc(targets, func(t recordTarget) bool { return t.matches(job.job) }) {
		return false
	}
	is := func(filter, text string) bool {
		list := v.list(filter)
		return len(list) == 0 || slices.Contains(list, text)
	}
	users := v.list("users")
	if len(users) > 0 && !slices.ContainsFunc(users, func(u string) bool { name, _ := s.userName(u); return name == job.user }) {
		return false
	}
	if nodes := v.text("node"); nodes != "" {
		named := func(n string) bool { return slices.Contains(expandHosts(nodes), n) }
		if !job.placedYet() || !slices.ContainsFunc(job.nodeNames(), named) {
			return false
		}
	}
	return is("account", job.account) && is("partition", job.partitionName()) && is("cluster", s.set.cluster) &&
		is("job_name", job.name) && is("constraints", job.constraints) && is("wckey", job.wckey) &&
		(selectsEnd(v, job) || selectsTime(v, job, now) && selectsState(v, job))
}

// selectsEnd goes by the end alone, which it does for the states of ended jobs
// that are named beside both times: a job that was held to its end counts.
func selectsEnd(v values, job stored) bool {
	from, to := v.time("start_time"), v.time("end_time")
	return v.has("start_time") && v.has("end_time") && job.finished && !job.wasRequeued &&
		slices.Contains(v.list("state"), job.state) && job.end >= from.Unix() && job.end <= to.Unix()
}

// selectsTime goes by activity, from eligible to end: a held job has none. The
// window's end is not in it, unless the job still waits.
func selectsTime(v values, job stored, now time.Time) bool {
	from, to := v.time("start_time"), v.time("end_time")
	if from.IsZero() && to.IsZero() {
		return true
	}
	if to.IsZero() {
		to = now.Add(time.Second)
	}
	begin := job.eligible
	if job.state == statePending {
		begin--
	}
	// Asked for by number or by the state of their end, jobs are found that
	// never could start.
	if (v.has("step") || v.has("state") && job.finished) && (begin <= 0 || begin > noVal) {
		return job.submit.Before(to) && (job.end == 0 || job.end >= from.Unix())
	}
	if job.eligible == 0 || job.eligible > noVal || begin >= to.Unix() {
		return false
	}
	return job.end == 0 || job.end >= from.Unix()
}

func selectsState(v values, job stored) bool {
	if !v.has("state") {
		return true
	}
	wanted := v.list("state") // without the words that are no states
	if v.has("start_time") && v.has("end_time") {
		ended := !job.finished || job.end <= v.time("end_time").Unix()
		return len(wanted) == 0 || slices.Contains(wanted, statePending) || slices.Contains(wanted, job.state) && ended
	}
	return job.state == stateRunning && slices.Contains(wanted, stateRunning)
}
