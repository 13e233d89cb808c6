package slurm

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DefaultPath is the PATH of a job whose environment has none. Slurm's REST API sets none itself, and bash's
// built-in fallback is not exported to the programs that a script starts.
const DefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// environmentList returns env in the form Slurm wants, sorted so that equal specs give equal requests. It is
// never empty: Slurm refuses a job without an environment.
func environmentList(env map[string]string) []string {
	list := make([]string, 0, len(env)+1)
	if _, ok := env["PATH"]; !ok {
		list = append(list, "PATH="+DefaultPath)
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	slices.Sort(list)
	return list
}

func (c *checker) checkEnvironment(field string, env map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		// A name with "=" may well be a whole NAME=SECRET: only what stands before it is shown.
		shown, _, assigned := strings.Cut(name, "=")
		where := field + "[" + strconv.Quote(abbreviate(shown)) + "]"
		value := env[name]
		switch {
		case name == "":
			c.add(field, "a variable has no name")
		case assigned:
			c.add(where, `the name holds "=": give name and value apart`)
		case strings.ContainsAny(name, "\x00\n") || !utf8.ValidString(name):
			c.add(where, "the name must be one line of UTF-8 without a NUL byte")
		case strings.ContainsRune(value, 0):
			c.add(where, "the value must not hold a NUL byte")
		case !utf8.ValidString(value):
			c.add(where, "the value is not UTF-8")
		}
	}
}
