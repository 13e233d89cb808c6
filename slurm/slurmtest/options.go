package slurmtest

import (
	"slices"
	"time"
)

// Option changes a setting of [NewServer].
type Option func(*settings)

type settings struct {
	user, cluster   string
	users           []string
	partitions      []Partition
	accounts        []string
	qos             []string
	licenses        []license
	reservations    []Reservation
	directories     []string
	minJobAge       time.Duration
	killWait        time.Duration
	scheduleDelay   time.Duration
	bootTime        time.Duration
	completingTime  time.Duration
	accountingDelay time.Duration
	runTime         time.Duration
	sampling        time.Duration
	maxArraySize    int64
	maxSubmitJobs   int
	firstID         int64
	enforceLimits   bool
	run             func(Run) Outcome
}

func defaults() settings {
	return settings{
		user:           "alice",
		cluster:        "tb",
		partitions:     DefaultPartitions(),
		accounts:       []string{"research"},
		qos:            []string{"normal", "high"},
		minJobAge:      300 * time.Second,
		killWait:       30 * time.Second,
		scheduleDelay:  time.Second,
		completingTime: 100 * time.Millisecond,
		runTime:        time.Second,
		sampling:       30 * time.Second,
		maxArraySize:   10001,
		firstID:        1,
	}
}

// WithUser names the user whose requests arrive, "alice" by default. A managed
// front end fixes that user; a single request may name another one in the
// header X-SLURM-USER-NAME.
func WithUser(name string) Option { return func(s *settings) { s.user = name } }

// WithUsers names further users that exist. Others come to be known when they
// ask for something; until then accounting does not know their names.
func WithUsers(names ...string) Option {
	return func(s *settings) { s.users = append(s.users, names...) }
}

// WithClusterName sets the name in meta and in job records, "tb" by default.
func WithClusterName(name string) Option { return func(s *settings) { s.cluster = name } }

// WithPartitions replaces the partitions of [DefaultPartitions]. Exactly one
// should be the default; without one, a submit must name its partition.
func WithPartitions(partitions ...Partition) Option {
	return func(s *settings) { s.partitions = slices.Clone(partitions) }
}

// WithAccounts names the accounts that jobs may be charged to, the default
// one first; "research" alone by default. Any other account is error 2045, and
// so is every submit if there is none.
func WithAccounts(names ...string) Option {
	return func(s *settings) { s.accounts = slices.Clone(names) }
}

// WithQOS names the qualities of service that jobs may ask for, the default
// one first; "normal" and "high" by default. Any other is error 2066.
func WithQOS(names ...string) Option { return func(s *settings) { s.qos = slices.Clone(names) } }

// WithLicense adds a license with that many seats. There are none by default.
func WithLicense(name string, total int) Option {
	return func(s *settings) { s.licenses = append(s.licenses, license{name: name, total: total}) }
}

// WithDirectories names the directories that exist: a job whose working
// directory or output file lies in none of them fails with signal 53, as on
// a node that cannot open its output. By default every absolute path exists.
func WithDirectories(paths ...string) Option {
	return func(s *settings) { s.directories = slices.Clone(paths) }
}

// WithMinJobAge sets how long an ended job stays in the live queue, 300
// seconds by default as in Slurm. It is in accounting for good.
func WithMinJobAge(d time.Duration) Option { return func(s *settings) { s.minJobAge = d } }

// WithKillWait sets how long a script that ignores SIGTERM survives a cancel
// or its time limit, in state COMPLETING; 30 seconds by default as in Slurm.
func WithKillWait(d time.Duration) Option { return func(s *settings) { s.killWait = d } }

// WithScheduleDelay sets how long after a job becomes eligible the scheduler
// looks at it, one second by default. Until then its reason is "None".
func WithScheduleDelay(d time.Duration) Option { return func(s *settings) { s.scheduleDelay = d } }

// WithBootTime makes every job wait for its nodes to power up: for that long
// it is RUNNING with CONFIGURING and POWER_UP_NODE and its script has not
// started. Zero, the default, has nodes that are up.
func WithBootTime(d time.Duration) Option { return func(s *settings) { s.bootTime = d } }

// WithCompletingTime sets how long an ended job carries COMPLETING and keeps
// its nodes, 100 milliseconds by default. Zero skips the state.
func WithCompletingTime(d time.Duration) Option { return func(s *settings) { s.completingTime = d } }

// WithAccountingDelay lets accounting lag behind the live queue by d, for new
// jobs and for changes alike; none by default. With a lag above
// [WithMinJobAge] a job is for a while in neither.
func WithAccountingDelay(d time.Duration) Option { return func(s *settings) { s.accountingDelay = d } }

// WithRunTime sets how long scripts without a sleep run, one second by default.
func WithRunTime(d time.Duration) Option { return func(s *settings) { s.runTime = d } }

// WithSampling sets how often Slurm looks at what jobs use, 30 seconds by
// default (JobAcctGatherFrequency). Accounting knows the memory of a script
// only if it ran for that long. With 0, nothing is gathered, not even CPU time
// (jobacct_gather/none).
func WithSampling(d time.Duration) Option { return func(s *settings) { s.sampling = d } }

// WithMaxArraySize sets Slurm's MaxArraySize, 10001 by default: an array
// index must be below it.
func WithMaxArraySize(n int) Option { return func(s *settings) { s.maxArraySize = int64(n) } }

// WithFirstJobID sets the id of the first job, 1 by default. Slurm's ids go up
// to 4294967293.
func WithFirstJobID(id int64) Option { return func(s *settings) { s.firstID = id } }

// WithMaxSubmitJobs limits how many unfinished jobs a user may have; one more
// is error 2050. Zero, the default, is no limit.
func WithMaxSubmitJobs(n int) Option { return func(s *settings) { s.maxSubmitJobs = n } }

// WithEnforcedPartitionLimits refuses jobs beyond their partition's limits at
// submit (EnforcePartLimits=ALL) instead of leaving them pending for good.
func WithEnforcedPartitionLimits() Option { return func(s *settings) { s.enforceLimits = true } }

// WithRun replaces the simulation of scripts: f is asked each time a job's
// script starts. It is called with the server locked and must not call it.
// A signal then ends the run, unless the script has a trap for it.
func WithRun(f func(Run) Outcome) Option { return func(s *settings) { s.run = f } }
