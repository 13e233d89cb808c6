package slurm

import "time"

// The functions in this file make table entries for the kinds of members there are.

// as makes an entry of a field and of what reads its value.
//
//go:noinline
func as[T, F any](field func(*T) *F, read func(*decoder, []byte) (F, error)) member[T] {
	return plain(func(d *decoder, v *T, raw []byte) (err error) {
		*field(v), err = read(d, raw)
		return err
	})
}

// asOwn is as for fields that are slices.
//
//go:noinline
func asOwn[T any, S ~[]E, E any](field func(*T) *S, read func(*decoder, []byte) (S, error)) member[T] {
	m := as(field, read)
	m.own = func(v *T) { own(field(v)) }
	return m
}

// own gives lists memory of their own, all in one piece.
func own[S ~[]E, E any](lists ...*S) {
	n := 0
	for _, list := range lists {
		n += len(*list)
	}
	all := make(S, 0, n)
	for _, list := range lists {
		if *list != nil {
			all = append(all, *list...)
			*list = all[len(all)-len(*list) : len(all) : len(all)] // no append to it reaches the next
		}
	}
}

func asText[T any](field func(*T) *string) member[T] { return as(field, (*decoder).text) }

// asPath reads a text that differs from job to job.
func asPath[T any](field func(*T) *string) member[T] { return as(field, (*decoder).unshared) }

// asNodes reads text in which an accounting record without nodes has a phrase.
func asNodes[T any](field func(*T) *string) member[T] {
	return as(field, func(d *decoder, raw []byte) (string, error) {
		s, err := d.text(raw)
		if s == noNodes {
			s = ""
		}
		return s, err
	})
}

func asWords[T any](field func(*T) *[]string) member[T] { return asOwn(field, (*decoder).words) }

func asBool[T any](field func(*T) *bool) member[T] {
	return as(field, func(_ *decoder, raw []byte) (bool, error) { return readBool(raw) })
}

// asExact reads a number of which every value counts, Slurm's marks included.
func asExact[T any](field func(*T) *int64) member[T] {
	return as(field, func(_ *decoder, raw []byte) (int64, error) {
		n, err := readNumber(raw)
		return n.value, err
	})
}

// asCount reads a number of things.
func asCount[T any](field func(*T) *int) member[T] {
	return as(field, func(_ *decoder, raw []byte) (int, error) { return readCount(raw) })
}

// asIndex reads the index of a task, which may be missing, and says whether it was there.
func asIndex(field func(*Job) (*int64, *bool)) member[Job] {
	return plain(func(_ *decoder, j *Job, raw []byte) error {
		n, err := readUpTo(raw, maxJobID, "the index of a task")
		value, present := field(j)
		*value, *present = n.value, n.set
		return err
	})
}

func asJobID(field func(*Job) *JobID) member[Job] {
	return as(field, func(_ *decoder, raw []byte) (JobID, error) {
		n, err := readJobNumber(raw)
		return NewJobID(n), err
	})
}

func asJobNumber(field func(*Job) *int64) member[Job] {
	return as(field, func(_ *decoder, raw []byte) (int64, error) { return readJobNumber(raw) })
}

// asOffset reads the place of a component.
func asOffset(field func(*Job) *int64) member[Job] {
	return as(field, func(_ *decoder, raw []byte) (int64, error) {
		n, err := readUpTo(raw, maxJobID, "the place of a component")
		return n.value, err
	})
}

func asTime[T any](field func(*T) *time.Time) member[T] {
	return as(field, func(_ *decoder, raw []byte) (time.Time, error) { return readTime(raw) })
}

func asSpan[T any](unit time.Duration, field func(*T) *time.Duration) member[T] {
	return as(field, func(_ *decoder, raw []byte) (time.Duration, error) {
		span, _, err := readSpan(raw, unit)
		return span, err
	})
}

func asCPUTime[T any](field func(*T) *time.Duration) member[T] {
	return as(field, func(_ *decoder, raw []byte) (time.Duration, error) { return readCPUTime(raw) })
}

// asMemory reads MiB as bytes.
func asMemory[T any](field func(*T) *int64) member[T] {
	return as(field, func(_ *decoder, raw []byte) (int64, error) { return readMemory(raw) })
}

func asResources[T any](field func(*T) *Resources) member[T] {
	return asOwn(field, (*decoder).resources)
}

func asExitCode[T any](field func(*T) *ExitCode) member[T] {
	return as(field, func(_ *decoder, raw []byte) (ExitCode, error) { return readExitCode(raw) })
}

// asObject reads the members of an inner object.
func asObject[T any](in inner[T]) member[T] {
	m := member[T]{read: in.read}
	if in.shares() {
		m.own = in.own
	}
	return m
}

// asTimeLimit reads minutes, or none at all. Both sources have it.
func asTimeLimit() member[Job] {
	return plain(func(_ *decoder, j *Job, raw []byte) (err error) {
		j.TimeLimit, j.Unlimited, err = readSpan(raw, time.Minute)
		return err
	})
}
