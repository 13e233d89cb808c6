package slurm

import (
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DefaultPath is the PATH of a job whose environment has none. Slurm's REST API sets none itself, and bash's
// built-in fallback is not exported to the programs that a script starts.
const DefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// variable is one of the job's environment.
type variable struct{ name, value string }

// variables returns the job's environment, sorted so that equal specs give equal requests. It is never empty: Slurm
// refuses a job without one.
func (s *JobSpec) variables() []variable {
	all := make([]variable, 0, len(s.Environment)+4)
	for name, value := range s.Environment {
		all = append(all, variable{name, value})
	}
	byDefault := func(name, value string) {
		if _, set := s.Environment[name]; !set {
			all = append(all, variable{name, value})
		}
	}
	if s.LoginEnvironment {
		byDefault("SLURM_GET_USER_ENV", "1") // to slurmd, which then asks a login shell
		s.sbatchVariables(byDefault)
	} else {
		byDefault("PATH", DefaultPath)
	}
	sort.Sort(byText(all))
	return all
}

// sbatchVariables are those that sbatch sets and Slurm's REST API does not. Without them, "cd $SLURM_SUBMIT_DIR" leads
// nowhere, OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK is empty, and slurmd sets no SLURM_NTASKS if the tasks are given by node.
func (s *JobSpec) sbatchVariables(set func(name, value string)) {
	if s.WorkingDirectory != "" {
		set("SLURM_SUBMIT_DIR", s.WorkingDirectory)
	}
	if s.CPUsPerTask > 0 {
		set("SLURM_CPUS_PER_TASK", strconv.Itoa(s.CPUsPerTask))
	}
	if s.TasksPerNode > 0 {
		set("SLURM_NTASKS_PER_NODE", strconv.Itoa(s.TasksPerNode))
	}
}

// byText is the order of the texts NAME=VALUE. Names differ. It is no function for slices.SortFunc, as that would be
// compiled for the type anew: 10 kB in every program.
type byText []variable

func (v byText) Len() int      { return len(v) }
func (v byText) Swap(i, j int) { v[i], v[j] = v[j], v[i] }

func (v byText) Less(i, j int) bool {
	a, b := v[i].name, v[j].name
	common := min(len(a), len(b))
	switch {
	case a[:common] != b[:common]:
		return a[:common] < b[:common]
	case len(a) < len(b):
		return '=' < b[common]
	}
	return len(a) > len(b) && a[common] < '='
}

// appendVariables writes them in the form that Slurm wants.
func appendVariables(b []byte, all []variable) []byte {
	open := byte('[')
	for _, v := range all {
		b = append(b, open, '"')
		b = appendInside(append(appendInside(b, v.name), '='), v.value)
		b, open = append(b, '"'), ','
	}
	return append(b, ']')
}

func (c *checker) checkEnvironment(field string, env map[string]string) {
	for name, value := range env {
		if problem := variableProblem(name, value); problem != "" {
			c.addVariables(field, env) // in their order
			return
		}
	}
}

// addVariables adds the problems of all variables.
func (c *checker) addVariables(field string, env map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		where := field
		if name != "" {
			// A name with "=" may well be a whole NAME=SECRET: only what stands before it is shown.
			shown, _, _ := strings.Cut(name, "=")
			where += "[" + strconv.Quote(abbreviate(shown)) + "]"
		}
		if problem := variableProblem(name, env[name]); problem != "" {
			c.add(where, "%s", problem)
		}
	}
}

// variableProblem says what is wrong with a variable, "" if nothing is.
func variableProblem(name, value string) string {
	switch {
	case name == "":
		return "a variable has no name"
	case strings.Contains(name, "="):
		return `the name holds "=": give name and value apart`
	case strings.ContainsAny(name, "\x00\n") || !utf8.ValidString(name):
		return "the name must be one line of UTF-8 without a NUL byte"
	case strings.ContainsRune(value, 0):
		return "the value must not hold a NUL byte"
	case !utf8.ValidString(value):
		return "the value is not UTF-8"
	}
	return ""
}
