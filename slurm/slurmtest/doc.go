// Package slurmtest is a Slurm cluster in memory: the REST daemon slurmrestd
// 24.11 (OpenAPI v0.0.40 to v0.0.42) with a queue, a scheduler and accounting
// behind it, for tests of programs that submit and watch jobs.
//
// It answers as a real slurmrestd was recorded to answer: the statuses, the
// error numbers and texts, the warnings, all 128 members of a job record in
// their order, and the traps. A cancel of an unknown job is a 200, an unknown
// job in accounting is an empty list, a misspelled member is a warning, and a
// job without an environment is refused.
//
// # A server
//
// [NewServer] gives an [http.Handler]. Behind a real socket:
//
//	slurm := slurmtest.NewServer(slurmtest.WithUser("alice"))
//	web := httptest.NewServer(slurm)
//	defer web.Close()
//	// web.URL + "/slurm/v0.0.42/jobs/"
//
// Behind the simulated cluster service, where package slurm finds it without
// any socket:
//
//	service := clustertest.NewServer(clustertest.WithSlurm(slurm))
//	client, err := cluster.NewClient(ctx, parent, service.ClientOptions()...)
//	jobs, err := slurm.NewClient(client, "my-cluster")
//
// # Time
//
// The server has no goroutine and no timer. It looks at [time.Now] when it is
// asked and catches up with what has happened since. Within a bubble of
// testing/synctest a day of queueing takes no time at all:
//
//	synctest.Test(t, func(t *testing.T) {
//		s := slurmtest.NewServer()
//		// … submit a script that says "sleep 24h" …
//		time.Sleep(25 * time.Hour)
//		// … it is COMPLETED …
//	})
//
// # The life of a job
//
// A job is PENDING for a second ([WithScheduleDelay]) and longer if its
// partition is full, it is held, it waits for another job or for a time.
// Nodes are counted by CPUs, memory and GPUs ([WithPartitions]); the first job
// that does not fit holds back the later ones of its partition. It is then
// RUNNING, or CONFIGURING first ([WithBootTime]), COMPLETING for a moment
// ([WithCompletingTime]) and ended. Five minutes later ([WithMinJobAge]) it
// leaves the live queue, and only accounting knows it.
//
// Scripts are read and not run. The times of their sleep commands add up, exit
// sets the exit code and "kill -SEGV $$" the signal, a trap that ignores TERM
// makes a cancel take [WithKillWait], and "[ $SLURM_ARRAY_TASK_ID = 2 ] && exit 5"
// is understood, too. A signal ends a script or runs its trap. A script
// without a sleep takes [WithRunTime]; one without "#!" fails with exit code 8,
// as it would. [WithRun] replaces all of this by a function.
//
// # Arrays, het jobs, requeues
//
// Arrays have one record for the tasks that have not started and one for each
// that has; the last task takes the array's own id. The components of a het
// job start together under consecutive ids. [Server.Requeue] and
// [Server.FailNode] send a running job back to the queue under its id;
// accounting then has several records of it, the oldest first.
//
// # Controls
//
// [Server.Finish], [Server.Requeue], [Server.RequeueHeld], [Server.Suspend],
// [Server.FailNode], [Server.DrainNode] and [Server.Purge] make things happen
// at once, [Server.AddJob] queues a job of somebody else,
// [Server.SetControllerDown] and [Server.SetDatabaseDown] break things, and
// [Server.Configure] changes what a cluster's slurm.conf may say.
// [Server.Jobs] shows the records and [Server.Requests] what was asked.
//
// # Users
//
// Every request is the user's of [WithUser], as behind a front end that knows
// its caller. A request may name another one in the header X-SLURM-USER-NAME;
// there are no tokens. "root" is the administrator, who may cancel and hold
// everybody's jobs.
//
// # What is not simulated
//
// Other API versions than v0.0.40, v0.0.41 and v0.0.42 are the text/plain 404 of
// an unknown URL. The older two are told apart by their members; that their
// parsers word a few warnings in another way is left out.
// There is no job/allocate, no limit of a QOS, no preemption but by
// [Server.Finish], no step but the batch step, no backfill with its forecasts of
// a start, and no priority beyond the order of submission. Limits are looked at
// exactly when they are reached, where a real controller takes up to half a
// minute.
package slurmtest
