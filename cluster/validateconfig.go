package cluster

import (
	"slices"
	"strings"
	"sync"
)

// refusedParameters are those that the service refuses in every map, with the reason. It names some of slurmdbd.conf as
// examples; here are all that slurm.conf does not have as well.
var refusedParameters = sync.OnceValue(func() map[string]string {
	return refusals(map[string][]string{
		"is set by the service; leave it out": {
			"HealthCheckProgram", "HealthCheckInterval", "HealthCheckNodeState", "RequeueExit",
		},
		"is refused; use prolog_bash_scripts": {"Prolog"},
		"is refused; use epilog_bash_scripts": {"Epilog"},
		"belongs to slurmdbd.conf, which is the service's; leave it out": {
			"ArchiveDir", "ArchiveEvents", "ArchiveJobs", "ArchiveResvs", "ArchiveScript", "ArchiveSteps", "ArchiveSuspend",
			"ArchiveTXN", "ArchiveUsage", "DbdAddr", "DbdBackupHost", "DbdHost", "DbdPort", "PurgeEventAfter", "PurgeJobAfter",
			"PurgeResvAfter", "PurgeStepAfter", "PurgeSuspendAfter", "PurgeTXNAfter", "PurgeUsageAfter", "StorageBackupHost",
			"StorageHost", "StorageLoc", "StorageParameters", "StoragePass", "StoragePort", "StorageType", "StorageUser",
		},
	})
})

// refusedInPartition are those that it refuses beside these in a partition's map.
var refusedInPartition = sync.OnceValue(func() map[string]string {
	return refusals(map[string][]string{
		"is refused here; use default_partition_id": {"Default"},
	})
})

// refusals turns a table by reason into one by parameter.
func refusals(byReason map[string][]string) map[string]string {
	table := map[string]string{}
	for reason, names := range byReason {
		for _, name := range names {
			table[parameterKey(name)] = reason
		}
	}
	return table
}

// config checks the cluster-wide parameters. In an update it matters also what stays: see endsWithBothForms.
func (c *checker) config(s *SlurmSpec) {
	if c.scope.whole() && s.hasBothForms() {
		c.errorf(PathConfig, "%s", bothForms)
	}
	c.parameters(s.Config, PathConfig)
	preemptType, _ := s.Config.Get("PreemptType")
	c.preemption(preemptType, s.Config.PreemptModes(), PathConfig+"."+s.Config.spelling("PreemptMode"))
}

// scheduling is the older form of the same.
func (c *checker) scheduling(s *Scheduling) {
	modes := SlurmConfig{"PreemptMode": s.PreemptMode}.PreemptModes()
	c.preemption(s.PreemptType, modes, PathScheduling+".preempt_mode")
}

func (c *checker) partitionConfig(config SlurmConfig, at string) {
	c.parameters(config, at, refusedInPartition())
	qos, ok := config.Get("AllowQos")
	if ok && !strings.EqualFold(strings.TrimSpace(qos), "ALL") {
		c.warnf(at+"."+config.spelling("AllowQos"), "is %s; Slurm's controller does not start if one of these QoS is not "+
			"defined, and the service does not check that: define them before", quote(qos))
	}
}

// parameters checks names and values of one map; refused are tables of names that it refuses beside those that every
// map does. Which others are supported is not published.
func (c *checker) parameters(config SlurmConfig, at string, refused ...map[string]string) {
	seen := map[string]string{}
	for _, name := range config.names() {
		key, field := parameterKey(name), at+"."+name
		reason := refusedParameters()[key]
		for _, table := range refused {
			reason = firstOf(reason, table[key])
		}
		switch first, twice := seen[key]; {
		case key == "":
			c.errorf(at, "has a parameter without a name, %s; want a name of slurm.conf", quote(name))
		case twice:
			c.errorf(field, "%s and %s are one parameter, as case and underscores do not count; keep one",
				quote(first), quote(name))
		case reason != "":
			c.errorf(field, "%s", reason)
		case strings.ContainsAny(name, " \t\r\n=#"):
			c.errorf(field, "is no name of slurm.conf; want it without spaces, = and #")
		case strings.ContainsAny(config[name], "\r\n"):
			c.errorf(field, "has a line break in its value, which would begin another line of slurm.conf; want one line")
		}
		seen[key] = name
	}
}

// preemption warns of values that Slurm takes each by itself, and not together: its controller then does not start.
func (c *checker) preemption(preemptType string, modes []PreemptMode, at string) {
	preempts := slices.ContainsFunc(modes, func(m PreemptMode) bool { return m != PreemptModeOff && m != PreemptModeGang })
	list := quote(listOf(modes))
	switch kind := strings.ToLower(strings.TrimSpace(preemptType)); {
	case kind == "" && preempts:
		c.warnf(at, "is %s, but PreemptType is not set and preempt/none by default, and with both Slurm's controller does not "+
			"start; set PreemptType, or want OFF or GANG here", list)
	case kind == "preempt/none" && preempts:
		c.warnf(at, "is %s, but PreemptType is preempt/none, and with both Slurm's controller does not start; want another "+
			"PreemptType, or OFF or GANG here", list)
	case kind != "" && kind != "preempt/none" && !preempts:
		c.warnf(at, "is %s, but PreemptType is %s, and with both Slurm's controller does not start; want a mode that "+
			"preempts, such as REQUEUE", quoteOrNone(listOf(modes)), quote(preemptType))
	}
}
