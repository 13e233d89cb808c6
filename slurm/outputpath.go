package slurm

import (
	"fmt"
	"path"
	"strings"
)

// noTask is what Slurm 24.11 writes for the task of a job that is no array's.
const noTask = 4294967294

// ExpandPath returns the file that a batch script's input or output goes to: pattern as in [JobSpec].Stdout, with what
// Slurm replaces in it, below the job's working directory unless it is absolute. An empty pattern is the default,
// "slurm-%j.out", or "slurm-%A_%a.out" for an array. It asks no server; [Job].StandardOutput is the same as far as
// Slurm itself tells.
//
//	%%  a percent sign           %n  0, the number of the node in the job
//	%A  the array's number       %N  the node that runs the script
//	%a  the task's number        %s  "batch"
//	%b  its last digit           %t  0, the number of the task in the job
//	%j  the job's own number     %u  the user
//	%J  the same                 %x  the job's name, "(null)" without one
//
// A number between the sign and the letter pads numbers with zeros to that width, at most 10. A pattern with a
// backslash is taken as it is, without its backslashes. A pattern that is only a number is no file, but 0.
//
// What is not known yet stays: %N until the job starts, and %a, %b and %j in the record of array tasks that have not
// started, which have no numbers of their own. Where a node's host name is not its name in Slurm, %N is the host's.
func ExpandPath(pattern string, job *Job) string {
	switch {
	case pattern == "" && job.ArrayJobID != "":
		pattern = "slurm-%A_%a.out"
	case pattern == "":
		pattern = "slurm-%j.out"
	}
	if n, rest, ok := leadingInt(pattern); ok && rest == "" && n != 0 {
		return "/dev/null" // the output of one task of a step, which a script is not
	}
	if strings.Contains(pattern, `\`) {
		return below(job.WorkDir, unescape(pattern), "")
	}
	return below(job.WorkDir, expandPattern(pattern, job), "/")
}

// below makes file absolute. Slurm forgets the slash before a name with backslashes.
func below(directory, file, slash string) string {
	if path.IsAbs(file) {
		return file
	}
	if strings.HasSuffix(directory, "/") {
		slash = ""
	}
	return directory + slash + file
}

// unescape leaves out the backslashes, but for the second of two.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			if !strings.HasPrefix(text[i+1:], `\`) {
				continue
			}
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func expandPattern(pattern string, job *Job) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		letter := strings.TrimLeft(rest, "0123456789")
		digits := rest[:len(rest)-len(letter)]
		switch value, ok := expandLetter(letter, width(digits), job); {
		case ok:
			b.WriteString(value)
			pattern = letter[1:]
		case digits != "":
			b.WriteString(digits[len(digits)-1:]) // all that Slurm leaves of what it does not know
			pattern = letter
		case strings.HasPrefix(rest, "%"):
			b.WriteByte('%')
			pattern = rest[1:]
		default:
			b.WriteByte('%')
			pattern = rest
		}
	}
}

// width is that of a number: at most 10.
func width(digits string) int {
	n, _, ok := leadingInt(digits)
	if !ok {
		return 0
	}
	return int(min(n, 10))
}

// expandLetter returns what text's first letter stands for. It reports false for one that stands for nothing.
func expandLetter(text string, width int, job *Job) (string, bool) {
	if text == "" {
		return "", false
	}
	number := func(n int64) (string, bool) { return fmt.Sprintf("%0*d", width, n), true }
	unstarted := job.ArrayJobID != "" && !job.IsArrayTask
	task := int64(noTask)
	if job.IsArrayTask {
		task = job.ArrayTaskID
	}
	switch letter := text[0]; letter {
	case 'A':
		if job.ArrayJobID != "" {
			return number(job.ArrayJobID.Number())
		}
		return number(job.RawID)
	case 'a', 'b', 'j', 'J':
		switch {
		case unstarted && width > 0:
			return fmt.Sprintf("%%%d%c", width, letter), true
		case unstarted:
			return "%" + text[:1], true
		case letter == 'a':
			return number(task)
		case letter == 'b':
			return number(task % 10)
		}
		return number(job.RawID)
	case 'n', 't':
		return number(0)
	case 'N':
		if job.BatchHost == "" {
			return firstNode(job), true
		}
		return job.BatchHost, true
	case 's':
		return "batch", true
	case 'u':
		return job.User, true
	case 'x':
		if job.Name == "" {
			return "(null)", true
		}
		return job.Name, true
	}
	return "", false
}

// firstNode is where the script runs, as far as the accounting tells.
func firstNode(job *Job) string {
	if names, err := job.NodeNames(); err == nil && len(names) > 0 {
		return names[0]
	}
	return "%N"
}
