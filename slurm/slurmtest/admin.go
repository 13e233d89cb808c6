package slurmtest

import (
	"fmt"
	"time"
)

// admin is the user who may do anything, as Slurm's root may.
const admin = "root"

// Suspend stops a running job and keeps its nodes. Neither its script nor its
// time limit goes on until [Server.Resume].
func (s *Server) Suspend(id int64) error {
	return s.withJob(id, func(j *job, now time.Time) error {
		if j.state != stateRunning || j.configuring {
			return fmt.Errorf("slurmtest: suspend job %d: it is %s", id, j.state)
		}
		// Slurm sets the priority to 0, which is a hold.
		j.state, j.suspended, j.held, j.plannedEnd = stateSuspended, now, true, time.Time{}
		s.touch(now)
		return nil
	})
}

// Resume lets a suspended job go on.
func (s *Server) Resume(id int64) error {
	return s.withJob(id, func(j *job, now time.Time) error {
		if j.state != stateSuspended {
			return fmt.Errorf("slurmtest: resume job %d: it is %s", id, j.state)
		}
		pause := now.Sub(j.suspended)
		j.state, j.held = stateRunning, false
		j.paused, j.idle = j.paused+pause, j.idle+pause
		s.foresee(j)
		s.touch(now)
		return nil
	})
}

// RequeueHeld is [Server.Requeue] and holds the job, as scontrol requeuehold
// does. With special, its state has the flag SPECIAL_EXIT beside PENDING.
func (s *Server) RequeueHeld(id int64, special bool) error {
	if err := s.Requeue(id); err != nil {
		return err
	}
	return s.withJob(id, func(j *job, now time.Time) error {
		j.held, j.special = true, special
		if !j.requeuing {
			j.description = "job requeued in held state"
		}
		s.touch(now)
		return nil
	})
}
