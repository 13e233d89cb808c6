package slurm

import "sync"

// Error numbers that the code asks for by name.
const (
	numberNoController = 1800
	numberDenied       = 2002
	numberNoSuchJob    = 2017
	numberTryLater     = 2020
	numberAlreadyDone  = 2021
)

// noReason is for the numbers with which Slurm's REST API also reports what it has no better number for.
const noReason = "Slurm says so, too, while its controller does not answer, or when a plugin of the cluster refuses a job"

// verdicts is what Slurm's error numbers mean (slurm_errno.h of 24.11), as far as they have been seen in its
// REST answers. Numbers without a kind, and those that are missing here, say too little to be classified.
var verdicts = sync.OnceValue(func() map[int]verdict {
	return map[int]verdict{
		1007:               {ErrPermission, "Slurm does not accept the credentials of the request"},
		numberNoController: {ErrUnavailable, "the Slurm controller does not answer; it may be restarting"},
		7000:               {ErrUnavailable, "Slurm's accounting database does not answer; the live queue may work all the same"},

		-1:   {nil, noReason},
		1:    {nil, noReason},
		1000: {nil, noReason},

		2000: {ErrInvalid, "list the partitions to see which there are"},
		2002: {ErrPermission, ""},
		2006: {ErrInvalid, "after a submit, Slurm keeps a FAILED job with the reason BadConstraints for it"},
		2010: {ErrPermission, "jobs run as, and belong to, the user who submits them"},
		2012: {ErrInvalid, "a script may have 4 MiB, names and paths about 1,000 characters"},
		2014: {ErrInvalid, "no node of the partition can ever satisfy the nodes, CPUs, GPUs and memory asked for; after a submit, Slurm keeps a FAILED job for it"},
		2017: {ErrNotFound, "a job leaves the live queue some minutes after its end, and its history stays in the accounting"},
		2018: {ErrInvalid, "list the nodes to see which there are"},
		2019: {ErrInvalid, "the job needs an environment of at least one variable"},
		2021: {ErrAlreadyDone, ""},
		2029: {ErrInvalid, "list the nodes to see which features they have"},
		2038: {ErrInvalid, "a job to depend on must still be in the live queue: submit chained jobs before the first one ages out"},
		2042: {ErrInvalid, "release the job first"},
		2045: {ErrInvalid, "check the account, and that it may use the partition; without an account, the user has no default one"},
		2048: {ErrInvalid, "list the licenses to see which there are"},
		2050: {ErrLimit, "wait until jobs have ended, or ask for less"},
		2051: {ErrInvalid, "check the partition's maximum and the deadline"},
		2052: {ErrPermission, ""},
		2053: {ErrInvalid, ""},
		2063: {ErrInvalid, "set the working directory of the job"},
		2066: {ErrInvalid, "check which QOS the account may use"},
		2072: {ErrInvalid, `generic resources are written "gres/gpu:2" or "gres/gpu:TYPE:2"`},
		2073: {ErrInvalid, "this can be changed only while the job is pending"},
		2081: {ErrInvalid, `array tasks are written "0-9", "1,5" or "0-99%10", and the cluster limits the highest index`},
		2084: {ErrAlreadyDone, ""},
		2113: {ErrInvalid, ""},
		2115: {ErrInvalid, `GPUs are written "gres/gpu:2", not "gpu:2"`},
		2123: {ErrInvalid, "only administrators may use a negative nice value"},
		2137: {ErrInvalid, ""},
		2166: {ErrInvalid, "give users one by one, by name or number"},
		2173: {ErrInvalid, "name at least one job or filter"},

		9000: {ErrInvalid, ""},
		9202: {ErrInvalid, ""},
		9207: {ErrInvalid, "Slurm carries the request out all the same, without the word it does not know"},
		9208: {ErrInvalid, ""},
		9209: {ErrInvalid, ""},
	}
})
