package cluster

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SlurmConfig holds parameters of slurm.conf by name. Values are strings, exactly as slurm.conf has them, numbers
// included: "1000".
//
// Slurm ignores case in names and the service ignores underscores too: DefMemPerCPU, defmempercpu and
// def_mem_per_cpu are one parameter. The methods find a parameter in any of these spellings, so that a change
// never adds a second one beside the first; plain map access sees only the spelling at hand. A map that has a
// parameter twice is an error of [ModelDevelopmentCluster.Validate]. There the methods read the spelling they were
// asked for, or else the first in alphabetical order, and a change leaves one.
//
// An update replaces the whole map and drops every parameter left out. To change one, read the cluster, use
// [SlurmConfig.Set] and send the map whole.
//
// A value must be one line. The methods write what they are given; what is wrong with it, Validate and the service
// say. A map is not safe for concurrent use while it is changed.
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
	kept := c.spelling(name)
	c.Delete(name)
	(*c)[kept] = value
}

// Delete removes a parameter, in all its spellings, so that Slurm's default holds again.
func (c SlurmConfig) Delete(name string) {
	for _, spelled := range c.spellings(name) {
		delete(c, spelled)
	}
}

// Overlay sets all parameters of over and keeps the others, as [SlurmConfig.Set] does for each. over is not changed.
func (c *SlurmConfig) Overlay(over SlurmConfig) {
	for _, name := range over.names() {
		c.Set(name, over[name])
	}
}

// Merge returns a new map of c's parameters overlaid with those of over. Neither is changed.
func (c SlurmConfig) Merge(over SlurmConfig) SlurmConfig {
	merged := maps.Clone(c)
	merged.Overlay(over)
	return merged
}

// Equal reports whether both have the same parameters with the same values. How names are spelled makes no difference,
// nor does nil or empty; how values are written does.
func (c SlurmConfig) Equal(other SlurmConfig) bool { return maps.Equal(c.byKey(), other.byKey()) }

// byKey holds the values under names that are equal for all spellings. Of a parameter that is there twice nobody knows
// the value, so that it equals none but the same two.
func (c SlurmConfig) byKey() map[string]string {
	values := map[string]string{}
	for _, name := range c.names() {
		key, value := parameterKey(name), c[name]
		if earlier, twice := values[key]; twice && earlier != value {
			value = earlier + "\n" + value
		}
		values[key] = value
	}
	return values
}

// names are the names in the map, in order.
func (c SlurmConfig) names() []string {
	names := slices.AppendSeq(make([]string, 0, len(c)), maps.Keys(c))
	slices.Sort(names)
	return names
}

// spelling is how the map spells name, or name itself if the parameter is not there.
func (c SlurmConfig) spelling(name string) string {
	if _, ok := c[name]; ok {
		return name
	}
	if spelled := c.spellings(name); len(spelled) > 0 {
		return spelled[0]
	}
	return name
}

// spellings are all names in the map that mean the parameter, in order.
func (c SlurmConfig) spellings(name string) (found []string) {
	for spelled := range c {
		if sameParameter(spelled, name) {
			found = append(found, spelled)
		}
	}
	slices.Sort(found)
	return found
}

// parameterKey is equal for all spellings of a parameter.
func parameterKey(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// sameParameter reports whether both have one parameterKey, which it does not make for names of slurm.conf.
func sameParameter(a, b string) bool {
	for x, y := a, b; ; x, y = x[1:], y[1:] {
		x, y = strings.TrimLeft(x, "_"), strings.TrimLeft(y, "_")
		switch {
		case x == "" || y == "":
			return x == y
		case x[0]|y[0] >= utf8.RuneSelf:
			return parameterKey(a) == parameterKey(b)
		case unicode.ToLower(rune(x[0])) != unicode.ToLower(rune(y[0])):
			return false
		}
	}
}
