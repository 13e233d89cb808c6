package cluster

import (
	"slices"
	"strings"
)

// PreemptMode is one word of the parameter PreemptMode, which says what becomes of a job that gives way to another.
// Values that this version does not know are passed on as they are.
type PreemptMode string

const (
	PreemptModeOff      PreemptMode = "OFF"      // nothing: jobs do not give way
	PreemptModeCancel   PreemptMode = "CANCEL"   // it is cancelled
	PreemptModeGang     PreemptMode = "GANG"     // jobs take turns, also without preemption
	PreemptModeRequeue  PreemptMode = "REQUEUE"  // it goes back to the queue, or is cancelled if it cannot
	PreemptModeSuspend  PreemptMode = "SUSPEND"  // it waits in memory; goes together with GANG
	PreemptModePriority PreemptMode = "PRIORITY" // only if its priority is lower
	PreemptModeWithin   PreemptMode = "WITHIN"   // with preempt/qos, also to jobs of its own QoS
)

// PreemptModes is the value of PreemptMode, word by word and in capitals; nil if it is not set.
func (c SlurmConfig) PreemptModes() []PreemptMode {
	var modes []PreemptMode
	for _, word := range c.List("PreemptMode") {
		modes = append(modes, PreemptMode(strings.ToUpper(word)))
	}
	return modes
}

// HasPreemptMode reports whether mode is one of [SlurmConfig.PreemptModes]. None is if PreemptMode is not set.
func (c SlurmConfig) HasPreemptMode(mode PreemptMode) bool {
	return slices.Contains(c.PreemptModes(), mode)
}

// SetPreemptModes sets PreemptMode; without modes it removes the parameter, so that Slurm's default holds, OFF.
//
//	spec.Config.Set("PreemptType", "preempt/partition_prio")
//	spec.Config.SetPreemptModes(cluster.PreemptModeSuspend, cluster.PreemptModeGang)
//
// Set PreemptType along with it: without one, or with preempt/none, Slurm's controller does not start with a mode
// other than OFF and GANG, although the service takes the update.
func (c *SlurmConfig) SetPreemptModes(modes ...PreemptMode) {
	if len(modes) == 0 {
		c.Delete("PreemptMode")
		return
	}
	c.Set("PreemptMode", listOf(modes))
}

func listOf(modes []PreemptMode) string {
	words := make([]string, len(modes))
	for i, m := range modes {
		words[i] = string(m)
	}
	return strings.Join(words, ",")
}

// ParameterList is a value of slurm.conf that is a list of options in order, each a bare flag or OPTION=VALUE:
// "bf_continue,bf_window=1440" of SchedulerParameters, "limits,qos" of AccountingStorageEnforce, "cpu=100,mem=150" of
// PriorityWeightTRES. It is a copy: [SlurmConfig.SetList] writes it back.
//
//	options := spec.Config.SchedulerParameters()
//	options.Set("bf_window", "2880")
//	spec.Config.SetSchedulerParameters(options)
//
// Options are compared without case, as Slurm does; underscores count in them. There is no way to write a comma
// inside an option or a value: one given to Set is written as it is, and read back as the end of the option. Nor may
// there be a line break: that is an error of [ModelDevelopmentCluster.Validate].
type ParameterList []string

// Get returns the value of an option; it is "" for a bare flag. Of an option that is there twice the first counts.
func (l ParameterList) Get(option string) (value string, ok bool) {
	for _, element := range l {
		if name, value := splitOption(element); strings.EqualFold(name, option) {
			return value, true
		}
	}
	return "", false
}

// Set sets an option, where it is or else at the end; the value "" makes it a bare flag. If the option is there
// several times, only the first place stays.
func (l *ParameterList) Set(option, value string) {
	element := option
	if value != "" {
		element += "=" + value
	}
	at := l.index(option)
	if at < 0 {
		*l = append(slices.Clip(*l), element)
		return
	}
	rest := slices.Clone((*l)[at+1:])
	rest.Delete(option)
	*l = slices.Concat((*l)[:at], ParameterList{element}, rest)
}

// Delete removes an option wherever it is.
func (l *ParameterList) Delete(option string) {
	*l = slices.DeleteFunc(slices.Clone(*l), func(element string) bool { return isOption(element, option) })
}

// String is the value as slurm.conf has it.
func (l ParameterList) String() string { return strings.Join(l, ",") }

func (l ParameterList) index(option string) int {
	return slices.IndexFunc(l, func(element string) bool { return isOption(element, option) })
}

func isOption(element, option string) bool {
	name, _ := splitOption(element)
	return strings.EqualFold(name, option)
}

func splitOption(element string) (name, value string) {
	name, value, _ = strings.Cut(element, "=")
	return strings.TrimSpace(name), strings.TrimSpace(value)
}

// List returns the parameter called name as a list; nil if it is not set. Spaces around options, and options of
// nothing at all, as in "a,,b", are left out.
func (c SlurmConfig) List(name string) ParameterList {
	value, _ := c.Get(name)
	var list ParameterList
	for option := range strings.SplitSeq(value, ",") {
		if option = strings.TrimSpace(option); option != "" {
			list = append(list, option)
		}
	}
	return list
}

// SetList sets the parameter called name to a list. An empty list removes the parameter, so that Slurm's default holds.
func (c *SlurmConfig) SetList(name string, list ParameterList) {
	if len(list) == 0 {
		c.Delete(name)
		return
	}
	c.Set(name, list.String())
}

// SchedulerParameters is List("SchedulerParameters").
func (c SlurmConfig) SchedulerParameters() ParameterList { return c.List("SchedulerParameters") }

// SetSchedulerParameters is SetList("SchedulerParameters", list).
func (c *SlurmConfig) SetSchedulerParameters(list ParameterList) {
	c.SetList("SchedulerParameters", list)
}
