// Package lro follows long-running operations: create, update or delete a training cluster, and the service answers
// at once with the name of an operation, which then runs for minutes.
//
// The package knows nothing of clusters. It needs a [Service] and a name. Package cluster brings both: its methods
// that start work return operations, and its Client.Operation makes one of a name.
//
// # Waiting
//
// A method that starts work returns the operation; [Operation.Wait] blocks until it has finished:
//
//	op, err := client.CreateCluster(ctx, "training", spec)
//	if err != nil {
//		return err
//	}
//	err = op.Wait(ctx)
//
// The first read comes at once, then one after each pause: 2 seconds at first, growing by half to 30 seconds, with
// at least half of each pause kept and the rest left to chance. If the service asks for a pause (Retry-After,
// RetryInfo), it gets that instead, up to 5 minutes. [WithPauses] and [WithBackoff] set another pace.
//
// To look for yourself, [Operation.Poll] reads once, and [Operation.State] and [Operation.Done] tell what is known
// without any I/O.
//
// # Three kinds of failure
//
// What to do next depends on what has failed, so each kind has a type of its own.
//
// The work failed: [*OperationError]. The service has carried the operation to a bad end, and says why. To wait
// again changes nothing. Its Hint says what to do, where the Service knows it: see [Adviser].
//
// Only the watching ended: [*WaitError]. The context was over, or reads failed for too long or for good. The work
// goes on; never undo anything because of this error. It names what is pending, and unwraps to the context's error,
// to the context's cause and to the last failed read:
//
//	var watching *lro.WaitError
//	switch {
//	case errors.As(err, &watching):
//		return save(watching.Pending) // and wait again later
//	case err != nil:
//		return err
//	}
//
// The call failed: whatever the Service gave, such as *cluster.Error. [Operation.Poll] and [Operation.Cancel] return
// it as it is; a wait wraps it into the *WaitError, since the work has not been heard to fail.
//
// # Failed reads
//
// An hour of work should not be given up for a second of bad network. A wait bears transient read failures (429,
// 5xx, broken connections, cut answers) for 2 minutes in an unbroken row; [WithTolerance] sets another span. What
// time does not heal (400, 401, 403, 404) ends the wait at once. One 404 is special: an operation that has just
// been started may be unknown for a moment, so that is forgiven for its first 30 seconds. A read without an answer
// after a minute has failed too, however far off the context's deadline is.
//
// # Limits
//
// There is no timeout option and no default limit. Limits come from the context, with a reason if you like one in
// the error:
//
//	ctx, cancel := context.WithTimeoutCause(ctx, time.Hour, errors.New("maintenance window over"))
//	defer cancel()
//	err := op.Wait(ctx)
//
// # Progress
//
// [OnProgress] sets a function that hears of each change and of each failed read that is borne. It runs on the
// waiting goroutine.
//
// # Steps that belong to a wait
//
// The end of an operation is not always the end of the matter. [Then] adds a step that runs after a success, and whose
// error is the wait's:
//
//	err := op.Wait(ctx, lro.Then(func(ctx context.Context) error { return check(ctx) }))
//
// # Resuming
//
// [Operation.Name] is a plain string. Keep it, and any process can go on later; a finished operation is as good as
// a running one:
//
//	op := client.Operation(name) // or lro.New(service, name); no I/O
//	err := op.Wait(ctx)
//
// # Many at once
//
// [WaitAll] waits for any number of operations and reads those that are pending once per round. It waits for all of
// them by default and joins their failures; with [FailFast] it stops at the first.
//
// # Canceling
//
// The end of a context ends the watching, never the work. [Operation.Cancel] asks the service to stop the work.
// Then wait: the operation ends with an *OperationError for which [OperationError.Canceled] holds, or it was too
// late, and it ends as it would have.
//
// # Testing
//
// A fake Service takes a few lines. The package uses time and context as they are, so inside a testing/synctest
// bubble the longest wait takes no time. Let the fake answer from memory: a bubble's clock stands still while
// something waits for a socket.
//
// # Stability
//
// The texts of errors, the exact pauses and the exact list of failures that are borne may change in any release.
package lro
