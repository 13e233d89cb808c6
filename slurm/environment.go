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

// environmentList returns the job's variables in the form Slurm wants, sorted so that equal specs give equal requests.
// It is never empty: Slurm refuses a job without an environment.
func (s *JobSpec) environmentList() []string {
	env := s.defaultEnvironment()
	maps.Copy(env, s.Environment)
	list := make([]string, 0, len(env))
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// defaultEnvironment is what the job gets unless Environment says otherwise.
func (s *JobSpec) defaultEnvironment() map[string]string {
	if !s.LoginEnvironment {
		return map[string]string{"PATH": DefaultPath}
	}
	env := s.sbatchEnvironment()
	env["SLURM_GET_USER_ENV"] = "1" // to slurmd, which then asks a login shell
	return env
}

// sbatchEnvironment has the variables that sbatch sets and Slurm's REST API does not. Without them, "cd
// $SLURM_SUBMIT_DIR" leads nowhere, OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK is empty, and slurmd sets no SLURM_NTASKS if
// the tasks are given by node.
func (s *JobSpec) sbatchEnvironment() map[string]string {
	env := map[string]string{}
	if s.WorkingDirectory != "" {
		env["SLURM_SUBMIT_DIR"] = s.WorkingDirectory
	}
	if s.CPUsPerTask > 0 {
		env["SLURM_CPUS_PER_TASK"] = strconv.Itoa(s.CPUsPerTask)
	}
	if s.TasksPerNode > 0 {
		env["SLURM_NTASKS_PER_NODE"] = strconv.Itoa(s.TasksPerNode)
	}
	return env
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
