package cluster

import (
	"maps"
	"strings"
)

// SlurmConfig holds parameters of slurm.conf by name. Values are strings, exactly as slurm.conf has them, numbers
// included: "1000".
//
// Slurm ignores case in names and the service ignores underscores too: DefMemPerCPU, defmempercpu and
// def_mem_per_cpu are one parameter. The methods find a parameter in any of these spellings, so that a change
// never adds a second one beside the first; plain map access sees only the spelling at hand.
//
// An update replaces the whole map and drops every parameter left out. To change one, read the cluster, use
// [SlurmConfig.Set] and send the map whole.
type SlurmConfig map[string]string

// Get returns the value of a parameter.
func (c SlurmConfig) Get(name string) (value string, ok bool) {
	value, ok = c[c.spelling(name)]
	return value, ok
}

// Set sets a parameter and keeps the others, in a map that it makes if there is none:
//
//	spec.Config.Set("PreemptMode", "REQUEUE")
//
// A parameter that is there in another spelling keeps that spelling.
func (c *SlurmConfig) Set(name, value string) {
	if *c == nil {
		*c = SlurmConfig{}
	}
	(*c)[c.spelling(name)] = value
}

// Delete removes a parameter, so that Slurm's default holds again.
func (c SlurmConfig) Delete(name string) { delete(c, c.spelling(name)) }

// Merge returns a new map of c's parameters overlaid with those of over. Neither is changed.
func (c SlurmConfig) Merge(over SlurmConfig) SlurmConfig {
	merged := maps.Clone(c)
	for name, value := range over {
		merged.Set(name, value)
	}
	return merged
}

// spelling is how the map spells name, or name itself if the parameter is not there.
func (c SlurmConfig) spelling(name string) string {
	if _, ok := c[name]; ok {
		return name
	}
	want := parameterKey(name)
	for spelled := range c {
		if parameterKey(spelled) == want {
			return spelled
		}
	}
	return name
}

// parameterKey is equal for all spellings of a parameter.
func parameterKey(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}
