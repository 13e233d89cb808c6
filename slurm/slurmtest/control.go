package slurmtest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Request is one request that the server has answered.
type Request struct {
	Method string
	Path   string // with the query
	Body   []byte
	Status int
}

// Job is a copy of one record: a job, a task of an array, or the rest of an
// array that has not started.
type Job struct {
	ID          int64
	ArrayID     int64   // 0 outside arrays
	Task        int64   // -1 unless it is a started task
	PendingTask []int64 // of an array's rest
	HetID       int64   // the leader's id, 0 outside het jobs
	Name        string
	User        string
	Partition   string
	State       string   // the base state
	Flags       []string // COMPLETING and its like
	Reason      string
	ExitCode    int
	Signal      int // that ended it, 0 if none
	Signals     []int
	Restarts    int
	Nodes       string // "g[1-2]"
	TimeLimit   time.Duration
	Script      string
	Environment []string
	Comment     string
	Submit      time.Time
	Start       time.Time
	End         time.Time
	InQueue     bool // false once it is in accounting only
}

// Jobs gives a copy of every record, oldest first, also of those that have
// left the live queue. Attempts before a requeue are not among them.
func (s *Server) Jobs() []Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.advance(time.Now())
	var list []Job
	for _, j := range s.accounting {
		if !j.wasRequeued {
			list = append(list, j.snapshot())
		}
	}
	return list
}

// Job gives a copy of the record with that id, and false if there is none.
func (s *Server) Job(id int64) (Job, bool) {
	for _, j := range s.Jobs() {
		if j.ID == id {
			return j, true
		}
	}
	return Job{}, false
}

// WriteFile puts an executable file on the storage that the nodes share, for
// scripts that start later: one that runs it by its path then does what the
// file says. There are no files otherwise, and "[ -f path ]" knows it.
func (s *Server) WriteFile(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := maps.Clone(s.files)
	if files == nil {
		files = map[string]string{}
	}
	files[path] = text
	s.files = files
}

func (j *job) snapshot() Job {
	limit, _ := j.spec.limit()
	snap := Job{
		ID: j.id, Task: j.task, PendingTask: slices.Clone(j.tasks), HetID: j.hetID(), Name: j.name, User: j.user,
		Partition: j.partitionName(), State: j.state, Flags: j.states()[1:], Reason: j.reason,
		ExitCode: j.exit.code, Signal: j.exit.signal, Signals: slices.Clone(j.signals), Restarts: j.restarts,
		Nodes: joinHosts(j.nodeNames()), TimeLimit: limit, Script: j.script,
		Environment: slices.Clone(j.environment), Comment: j.comment,
		Submit: j.submit, Start: j.start, End: j.end, InQueue: !j.gone,
	}
	if j.array != nil {
		snap.ArrayID = j.array.id
	}
	return snap
}

// Requests gives the log of all requests so far, which keeps their bodies until
// [Server.ResetRequests]. Bodies must not be changed.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ResetRequests empties the log.
func (s *Server) ResetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// SetControllerDown stops slurmctld, or starts it again. While it is down
// pings say so and everything else about the live queue fails, each call in
// its own way. History is read as before, but nothing new gets there: jobs that
// end meanwhile are RUNNING until the restart and end with it. The answers come
// at once, where a real one waits nine seconds and more.
func (s *Server) SetControllerDown(down bool) { s.control(func(time.Time) { s.controllerDown = down }) }

// SetDatabaseDown stops slurmdbd, or starts it again. History then fails with
// 502 and error 7000; the live queue is not touched.
func (s *Server) SetDatabaseDown(down bool) { s.control(func(time.Time) { s.databaseDown = down }) }

// Finish ends a running or pending job now, in any terminal state that Slurm
// knows ("COMPLETED", "FAILED", "OUT_OF_MEMORY", "PREEMPTED", …). It fails if
// there is no such job in the queue or it has ended.
func (s *Server) Finish(id int64, state string, exitCode int) error {
	return s.withJob(id, func(j *job, now time.Time) error {
		if j.terminal() || j.completing {
			return fmt.Errorf("slurmtest: finish job %d: it is %s", id, j.state)
		}
		e := ending{state: state, reason: endReason(state, exitCode), exit: exit{code: exitCode}}
		if j.state == statePending {
			s.stop(j, e, now)
			return nil
		}
		if state == statePreempted {
			e.exit, j.killedBy = exit{signal: sigTERM}, admin
		}
		s.finish(j, e, now)
		return nil
	})
}

// endReason is the reason that goes with a terminal state.
func endReason(state string, exitCode int) string {
	switch state {
	case stateFailed:
		if exitCode != 0 {
			return "NonZeroExitCode"
		}
		return "JobLaunchFailure"
	case stateTimeout:
		return "TimeLimit"
	case stateDeadline:
		return "DeadLine"
	case stateNodeFail:
		return "NodeDown"
	case "OUT_OF_MEMORY":
		return "OutOfMemory"
	}
	return "None"
}

// Requeue sends a running job back to the queue, as scontrol requeue does:
// its id stays, restart_cnt grows, it waits about two minutes (BeginTime), and
// accounting has one record more. All of a het job goes back at once.
func (s *Server) Requeue(id int64) error {
	return s.withJob(id, func(j *job, now time.Time) error {
		if j.state != stateRunning {
			return fmt.Errorf("slurmtest: requeue job %d: it is %s", id, j.state)
		}
		members := []*job{j}
		if j.het != nil {
			members = j.het.components
		}
		for _, m := range members {
			if m.state == stateRunning {
				s.requeue(m, ending{state: statePending, reason: "None"}, now)
			}
		}
		return nil
	})
}

// FailNode takes a node down. The jobs on it go back to the queue, or end in
// NODE_FAIL if they were submitted with "requeue": false.
func (s *Server) FailNode(name string) error {
	return s.withNode(name, func(n *node, now time.Time) {
		n.down, n.reason, n.changed = true, "Not responding", now
		for _, j := range slices.Clone(s.queue) {
			if j.state != stateRunning || !slices.Contains(j.nodeNames(), name) {
				continue
			}
			j.lostNode, j.lostTres, j.lost = true, j.tresAllocated(), j.allocation
			failed := ending{state: stateNodeFail, reason: "NodeDown", exit: exit{signal: sigHUP}}
			if j.spec.requeue {
				s.requeue(j, failed, now)
			} else {
				s.finish(j, failed, now)
			}
		}
	})
}

// DrainNode lets no more jobs start on a node. Those on it go on.
func (s *Server) DrainNode(name, reason string) error {
	return s.withNode(name, func(n *node, now time.Time) { n.drained, n.reason, n.changed = true, reason, now })
}

// RestoreNode brings a failed or drained node back.
func (s *Server) RestoreNode(name string) error {
	return s.withNode(name, func(n *node, now time.Time) {
		n.down, n.drained, n.reason, n.changed = false, false, "", now
	})
}

// Purge takes an ended job out of the live queue now, before its time. Given
// an array's id it takes every ended record of the array.
func (s *Server) Purge(id int64) error {
	return s.withJob(id, func(_ *job, now time.Time) error {
		purged := false
		for _, j := range s.find(id) {
			if j.ended() {
				j.purge, purged = now, true
			}
		}
		if !purged {
			return fmt.Errorf("slurmtest: purge job %d: it has not ended", id)
		}
		return nil
	})
}

// AddJob submits a job for another user: request is the body of a submit, as
// JSON. It gives the new job's id.
func (s *Server) AddJob(user string, request []byte) (int64, error) {
	body, err := parseJSON(bytes.TrimSpace(request))
	if err != nil {
		return 0, fmt.Errorf("slurmtest: add job: %w", err)
	}
	var r *reply
	s.control(func(now time.Time) {
		s.uid(user)
		r = s.submit(&call{body: body, sent: true, user: user, now: now})
	})
	for _, m := range r.payload {
		if id, ok := m.value.(int64); ok && m.name == "job_id" {
			return id, nil
		}
	}
	return 0, fmt.Errorf("slurmtest: add job: refused: %s", r.body(s.set.cluster))
}

// control plays what is due, makes a change, and plays what follows from it.
func (s *Server) control(change func(now time.Time)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.advance(now)
	change(now)
	s.step(now)
}

func (s *Server) withJob(id int64, change func(*job, time.Time) error) (err error) {
	s.control(func(now time.Time) {
		jobs := s.find(id)
		if len(jobs) == 0 {
			err = fmt.Errorf("slurmtest: no job %d in the queue", id)
			return
		}
		err = change(jobs[0], now)
	})
	return err
}

func (s *Server) withNode(name string, change func(*node, time.Time)) (err error) {
	s.control(func(now time.Time) {
		n := s.node(name)
		if n == nil {
			err = fmt.Errorf("slurmtest: no node %q", name)
			return
		}
		change(n, now)
	})
	return err
}
