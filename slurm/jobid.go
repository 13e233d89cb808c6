package slurm

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// maxJobID is the largest number Slurm gives to a job. The values above it are its marks for "none" and "infinite".
const maxJobID = 4294967293

// JobID names a job in one of the three spellings that Slurm itself prints:
//
//	42      a job, a whole job array, or the leader of a heterogeneous job
//	42_3    task 3 of the job array 42
//	42+1    component 1 of the heterogeneous job 42
//
// The zero value "" names no job, and every verb refuses it before anything is sent. A JobID may be kept
// anywhere a string can: a later process goes on from [ParseJobID] or a plain conversion. Array tasks and
// heterogeneous components usually have a number of their own as well; Slurm accepts either.
type JobID string

// NewJobID returns the id of job number n, and "" for 0, which is how Slurm writes "no job". Numbers that
// no job can have (negative ones, and those above 4294967293) give an id that all verbs refuse.
func NewJobID(n int64) JobID {
	if n == 0 {
		return ""
	}
	return JobID(strconv.FormatInt(n, 10))
}

// ParseJobID reads an id that a person or another program wrote, and returns it in canonical form: no
// surrounding space, no leading zeros. A step such as "42.batch" or "42.0" gives its job, "42". Ranges of
// tasks ("42_[1-3]"), words, zero and numbers above 4294967293 are refused, with an error that matches [ErrInvalid].
func ParseJobID(s string) (JobID, error) {
	id, err := parseJobID(s)
	if err != nil {
		return "", fmt.Errorf("slurm: %w", err)
	}
	return id, nil
}

func parseJobID(s string) (JobID, error) {
	text := strings.TrimSpace(s)
	if text == "" {
		return "", &idError{"the job id is empty; a submit that failed gives none"}
	}
	if job, step, ok := strings.Cut(text, "."); ok && step != "" {
		text = job
	}
	parts, ok := splitJobID(text)
	if !ok {
		return "", &idError{fmt.Sprintf("%s is not a job id: want a number from 1 to %d, an array task such as 42_3, "+
			"or a component such as 42+1", strconv.Quote(abbreviate(s)), int64(maxJobID))}
	}
	return parts.id(), nil
}

// idError refuses a text as a job id.
type idError struct{ text string }

func (e *idError) Error() string { return e.text }

func (e *idError) Is(target error) bool { return target == ErrInvalid }

// Number returns the number before "_" or "+", and 0 if id names no job.
func (id JobID) Number() int64 {
	parts, _ := splitJobID(string(id))
	return parts.number
}

// Task returns the index of an array task, 3 for "42_3". It reports false for every other id.
func (id JobID) Task() (int64, bool) {
	parts, _ := splitJobID(string(id))
	return parts.sub, parts.mark == '_'
}

// HetOffset returns the place of a heterogeneous component, 1 for "42+1". It reports false for every other
// id, and so for the leader's plain "42", whose place is 0.
func (id JobID) HetOffset() (int64, bool) {
	parts, _ := splitJobID(string(id))
	return parts.sub, parts.mark == '+'
}

// WithTask returns the id of task n of the job array id: "42" and 3 give "42_3". A task or component that id
// may already name is replaced. It returns "" if id names no job or no task can have the index n.
func (id JobID) WithTask(n int64) JobID {
	parts, ok := splitJobID(string(id))
	if !ok || n < 0 || n > maxJobID {
		return ""
	}
	return jobIDParts{number: parts.number, mark: '_', sub: n}.id()
}

// String returns the id as Slurm prints it.
func (id JobID) String() string { return string(id) }

// job returns id without its task or component: the array or the leader.
func (id JobID) job() JobID { return NewJobID(id.Number()) }

// check returns the canonical form of id, or an error for an id that must not become part of a path. op is for the error.
func (id JobID) check(op string) (JobID, error) {
	canonical, err := parseJobID(string(id))
	if err != nil {
		return "", fmt.Errorf("slurm: %s: %w", op, err)
	}
	return canonical, nil
}

// jobIDParts is a job id taken apart. The zero value stands for an id that does not parse.
type jobIDParts struct {
	number int64
	mark   byte // '_', '+', or 0 when there is no second part
	sub    int64
}

func (p jobIDParts) id() JobID {
	if p.mark == 0 {
		return NewJobID(p.number)
	}
	var buf [40]byte
	b := append(strconv.AppendInt(buf[:0], p.number, 10), p.mark)
	return JobID(strconv.AppendInt(b, p.sub, 10))
}

func splitJobID[T string | []byte](s T) (jobIDParts, bool) {
	number, end := leadingNumber(s)
	if end == 0 || number == 0 || number > maxJobID {
		return jobIDParts{}, false
	}
	if end == len(s) {
		return jobIDParts{number: number}, true
	}
	mark, rest := s[end], s[end+1:]
	sub, end := leadingNumber(rest)
	if mark != '_' && mark != '+' || end == 0 || end < len(rest) || sub > maxJobID {
		return jobIDParts{}, false
	}
	return jobIDParts{number: number, mark: mark, sub: sub}, true
}

// leadingNumber reads the digits that s begins with. Of what no job can have, it only says that it is more than maxJobID.
func leadingNumber[T string | []byte](s T) (n int64, end int) {
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		n = min(10*n+int64(s[end]-'0'), maxJobID+1)
		end++
	}
	return n, end
}

// parseIDNumber accepts digits only: strconv alone would also take "+3", which makes "42_+3" an id.
func parseIDNumber(s string) (int64, bool) {
	n, end := leadingNumber(s)
	if end == 0 || end < len(s) || n > maxJobID {
		return 0, false
	}
	return n, true
}

// abbreviate keeps foreign text in an error message to a readable length.
func abbreviate(s string) string {
	const limit = 60
	return foreign.Cut(s, limit)
}
