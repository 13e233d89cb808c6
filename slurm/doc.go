// Package slurm runs jobs on the Slurm of a training cluster: it submits, follows, changes and cancels them, and looks
// back at those that have ended. It talks to Slurm's REST API through the cluster's callSlurmRestApi method, so that
// neither SSH nor a VPN is needed.
//
// # Creating a client
//
// [Open] makes a client for one cluster with the credentials that other Google Cloud clients would use:
//
//	client, err := slurm.Open(ctx, "projects/my-project/locations/us-central1/modelDevelopmentClusters/training")
//
// [NewClient] puts one on top of a cluster.Client that exists already. A client is safe for concurrent use. Jobs run as
// the Linux account that the cluster keeps for whoever calls; nobody else can be chosen.
//
// # Submitting a job
//
// A [JobSpec] describes a job in Go's units: spans are durations, memory is bytes. The script and the directory to
// run it in are all that is required.
//
//	id, err := client.Submit(ctx, &slurm.JobSpec{
//		Name:             "train",
//		Partition:        "a4",
//		WorkingDirectory: "/home/alice_example_com",
//		MinNodes:         2,
//		GPUsPerNode:      8,
//		TimeLimit:        4 * time.Hour,
//		Script:           "#!/bin/bash\nsrun python train.py\n",
//	})
//
// What Slurm would refuse, or accept and then run as something else, is reported before anything is sent, as an
// [*InputError] with all that is wrong. Differences to sbatch that surprise people: #SBATCH lines in the script have no
// effect, and the script gets no environment but what [JobSpec].Environment says. [ParseScript] reads such lines, as
// sbatch does, and sets [JobSpec].LoginEnvironment.
//
// Each job carries a token, so that a submit whose answer is lost finds its job instead of making a second one: see
// [Client.Submit]. A request has to stay below 1 MB; [Wrapper] makes the short script that runs a large one from shared
// storage.
//
// # Waiting
//
// [Client.Wait] blocks until a job has ended, and returns an error if it did not succeed:
//
//	job, err := client.Wait(ctx, id)
//	var failed *slurm.JobError
//	var stopped *lro.WaitError
//	switch {
//	case errors.As(err, &failed): // the job failed: failed.Job says how
//	case errors.As(err, &stopped): // only the watching ended, the job goes on
//	}
//
// How long to wait is up to ctx. A [JobID] is a string: kept anywhere, it is all that another process needs to wait for
// the same job. [Client.WaitAll] waits for any number of jobs with one read of the queue each time, which all waits of a
// client share, and [ShowProgress] draws how they stand. [Client.Watch] tells of each change of state as it is seen, and
// [Client.WatchQueue] of those of a whole queue.
//
// After an update of the cluster, [Client.WaitReady] waits until Slurm's controller answers.
//
// # Two places to look
//
// Slurm keeps jobs in two places. The live queue, read by [Client.Get] and [Client.List], has what waits or runs, and
// what ended some minutes ago. The accounting, read by [Client.History] and [Client.ListHistory], keeps all jobs for
// long, and lags behind a little. Both give a [Job]; Job.Source tells which of them it is from. Wait looks at both.
//
// Both can be long. [Client.Jobs] streams a queue of any length through the same memory, and [Client.HistoryJobs] reads a
// history window by window. [Job.Usage] is what a job used, and [Summary] what a set of jobs comes to: states, queue
// times, GPU hours.
//
// A job's state is a base state, such as [StateRunning], and flags, such as [FlagCompleting]. A job has ended when
// [Job.Ended] says so. New states of a newer Slurm are kept as they come, and make no predicate true.
//
// Arrays and heterogeneous jobs are several records: [Client.GetAll] and Client.History give all of them, and "42_3"
// and "42+1" name one task and one component.
//
// # Errors
//
// Slurm's verdict is an [*Error], with what Slurm says; a failure to reach Slurm is a *cluster.Error. The Err variables
// are what programs ask for, with errors.Is. Slurm's numbers decide, and [Error.Hint] says more:
//
//	variable         Slurm's numbers       what it means, and what to do
//	ErrNotFound      2017                  not in the live queue: ask History
//	ErrPermission    1007 2002 2010 2052   not the caller's to do, or Slurm does not know the caller
//	ErrInvalid       most others           the request is wrong: it fails again as it is
//	ErrLimit         2050                  a limit is reached: wait until jobs have ended, or ask for less
//	ErrUnavailable   1800 7000             a daemon of Slurm does not answer: try later
//	ErrAlreadyDone   2021 2084             the job has ended: nothing to do
//	ErrUnknownPath   -                     Slurm speaks another version of the API: see WithVersion
//	ErrPartial       -                     the result beside the error counts
//	ErrUncertain     -                     a submit may have arrived: Recover finds the job, or says that there is none
//	ErrJobLost       -                     a job that existed is nowhere: look at what it wrote
//
// None of them matches a failure to reach Slurm; the variables of package cluster do. So a program that tries again
// later asks for both ErrUnavailable and cluster.ErrUnavailable.
//
// Slurm's HTTP status proves nothing: it reports failures for jobs that it runs, and success for jobs that it does not.
// This package goes by what does prove the outcome. Where both a result and an error come back, both are valid, and the
// error matches [ErrPartial].
//
// Warnings tell that part of a request was ignored or changed. [Client.SubmitJob] returns them, and [OnWarning] gets
// those of all requests that change something.
//
// # Repetition
//
// Calls are repeated after transient failures on the way to Slurm if that can do no harm:
//
//	Get, List, History, Ping and other reads    after any such failure
//	Cancel                                      likewise: cancelling twice is cancelling
//	Submit, Signal, Update, Hold, Release       only if the request surely did not arrive
//	Do                                          a GET like a read, anything else like Submit
//
// What Slurm itself answers is never asked for again: where its controller is down, its REST daemon has already tried
// for 9 seconds or more, and the error matches [ErrUnavailable]. Wait and WaitAll bear such answers; see [Client.Wait].
//
// A submit that may have arrived is not sent again but looked for, by the token of its job. If it cannot be found, it
// fails with an [*UncertainError], which matches [ErrUncertain]: [Client.Recover] finds the job later. A list that breaks
// off is read again by List, and not by Jobs, of which some are out already. A call without a deadline has one of two
// minutes, its repetitions included, which does not bound a wait as a whole; a stream is bounded by how long nothing
// comes.
//
// # Watching
//
// [Open] takes the option cluster.WithTracer, with cluster.LogTracer for a log, and the options auth.WithLogger and
// auth.WithoutTelemetry. [OnWarning] gets Slurm's warnings, and lro.OnProgress and [OnTally] the progress of waits.
//
// # Notebooks
//
// Gophernotes interprets programs with these packages. What differs there: range over functions fails, so use the Next
// of [Client.JobIterator], [Client.HistoryIterator], [Client.Watcher] and [Client.QueueWatcher]; a state that is compared
// with a literal is silently another one, so ask its methods, or take the constants; an id is NewJobID(42), or what
// ParseJobID makes of "42_3", as a literal is no JobID there; options come from package auth, such
// as auth.WithToken; and to interrupt a cell kills the kernel, so a wait had better have a context.WithTimeout.
//
// # What is not modelled
//
// [JobSpec].Extra and [JobUpdate].Extra pass on members of Slurm's job description that have no field. [Client.Do] calls
// any other path of the API.
//
// # Testing
//
// Package slurmtest is a Slurm in memory, and package clustertest the service in front of it; together they serve a real
// client without a socket, also in a bubble of testing/synctest, where a wait of a day takes a moment. Code that needs
// less takes a [Caller].
package slurm
