package slurm

import (
	"slices"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// table says how the members of a record are read into a T, by their names. The tables are the whole knowledge of Slurm's
// record layouts; a member that no table names is skipped.
type table[T any] map[string]member[T]

// member reads one member of a record. Nothing but the member may decide what becomes of the fields that read sets, and
// it sets them all: a T can then be a copy of the one before, as far as their records are the same.
type member[T any] struct {
	read func(d *decoder, v *T, raw []byte) error
	own  func(v *T) // gives a copy memory of its own; nil if the fields share none
	anew bool       // the above does not hold, as for fields that two members set: read for each record, in its order
}

//go:noinline
func plain[T any](read func(*decoder, *T, []byte) error) member[T] { return member[T]{read: read} }

func anew[T any](read func(*decoder, *T, []byte) error) member[T] {
	return member[T]{read: read, anew: true}
}

// layout reads records of one kind, one after the other. It remembers in which order the last one had its members, which
// spares the looking up of names, and what it said, which spares the reading of what is the same in the next one.
type layout[T any] struct {
	learnt bool // order is that of the last record
	order  []placed[T]
	always []int // those that are read anew or need memory of their own
	all    []int // every one that is read otherwise
	twice  bool  // a name that the table has is there twice

	object *jsonx.Object // where the last record was
	serial int
	last   T    // what is not read anew of it
	sound  bool // last is that, and nothing was odd
}

type placed[T any] struct {
	quoted string // the name as it is written
	member[T]
}

// read reads a record into v. An odd member is reported and costs nothing else.
func (l *layout[T]) read(d *decoder, record *jsonx.Object, t table[T], v *T, odd func(member string, err error)) {
	first := l.object == nil
	next := record == l.object && record.Serial() == l.serial+1 && record.Aligned() && l.learnt // to the last record
	l.object, l.serial = record, record.Serial()
	if first || record.Len() > maxMembers {
		readOnce(d, record, t, v, odd) // most answers have but one record, for which there is nothing to learn
		l.sound, l.learnt = false, false
		return
	}
	if !next {
		l.learn(record, t)
	}
	if l.sound = l.sound && next && !l.twice; !l.sound {
		l.last = *new(T)
	}
	changed := l.all
	if l.sound {
		changed = record.Changed()
	}
	l.sound = true
	var problems []problem // there hardly ever are any
	for _, n := range changed {
		m := &l.order[n]
		if m.read == nil || m.anew {
			continue
		}
		if err := m.read(d, &l.last, record.Value(n)); err != nil {
			problems, l.sound = noted(problems, problem{n, err}), false
		}
	}
	*v = l.last
	for _, n := range l.always {
		m := &l.order[n]
		if m.own != nil {
			m.own(v)
		} else if err := m.read(d, v, record.Value(n)); err != nil {
			problems = noted(problems, problem{n, err})
		}
	}
	for _, p := range problems {
		report(string(record.Name(p.n)), p.err, odd)
	}
}

// problem is that of the n-th member.
type problem struct {
	n   int
	err error
}

// noted adds a problem to those of the record, which are in the order of its members.
func noted(problems []problem, p problem) []problem {
	at := len(problems)
	for at > 0 && problems[at-1].n > p.n {
		at--
	}
	return slices.Insert(problems, at, p)
}

// maxMembers is a multiple of what a record has. The order of more is not remembered.
const maxMembers = 1024

// readOnce reads a record as read does, and remembers nothing.
func readOnce[T any](d *decoder, record *jsonx.Object, t table[T], v *T, odd func(member string, err error)) {
	*v = *new(T)
	for n := range record.Len() {
		if m := t[string(record.Name(n))]; m.read != nil {
			if err := m.read(d, v, record.Value(n)); err != nil {
				report(string(record.Name(n)), err, odd)
			}
		}
	}
}

// learn brings the order up to date.
func (l *layout[T]) learn(record *jsonx.Object, t table[T]) {
	l.learnt = true
	changed := len(l.order) != record.Len()
	for n := range record.Len() {
		quoted := record.Quoted(n)
		if n < len(l.order) && l.order[n].quoted == string(quoted) {
			continue
		}
		changed = true
		p := placed[T]{string(quoted), t[string(record.Name(n))]}
		if n < len(l.order) {
			l.order[n] = p
		} else {
			l.order = append(l.order, p)
		}
	}
	if l.order = l.order[:record.Len()]; changed {
		l.sort(record)
	}
}

// sort finds out what is to be done with the members in their order.
func (l *layout[T]) sort(record *jsonx.Object) {
	l.always, l.all, l.twice = l.always[:0], l.all[:0], false
	seen := make(map[string]bool, len(l.order))
	for n, m := range l.order {
		if m.read == nil {
			continue
		}
		if m.anew || m.own != nil {
			l.always = append(l.always, n)
		}
		if !m.anew {
			l.all = append(l.all, n)
		}
		name := string(record.Name(n)) // which can be written in two ways
		l.twice = l.twice || seen[name]
		seen[name] = true
	}
}

// report hands on what was odd in a member, or below it.
func report(member string, err error, odd func(member string, err error)) {
	below, ok := err.(oddMembers)
	if !ok {
		odd(member, err)
	}
	for _, one := range below {
		if one.name == "" {
			odd(member, one.err)
		} else {
			odd(member+"."+one.name, one.err)
		}
	}
}

// oddMembers is the error of reading an object inside of a record member by member, or a list element by element.
type oddMembers []oddMember

type oddMember struct {
	name string // "" for an element
	err  error  // which names the element
}

func (o oddMembers) Error() string { return inMember([]byte(o[0].name), o[0].err).Error() }

// inner says how the members of an object inside of a record are read. There are few.
type inner[T any] []innerMember[T]

type innerMember[T any] struct {
	name string
	member[T]
}

// read reads such an object. Fields of what it lacks become zero.
func (in inner[T]) read(d *decoder, v *T, raw []byte) error {
	there, err := in.add(d, v, raw)
	for i := range in {
		if there&(1<<i) == 0 {
			_ = in[i].read(d, v, null)
		}
	}
	return err
}

// add reads such an object, and leaves the fields of what it lacks as they are. It returns which members are there, a bit
// for each.
func (in inner[T]) add(d *decoder, v *T, raw []byte) (there uint64, err error) {
	if emptyValue(raw) {
		return 0, nil
	}
	var odd oddMembers
	err = jsonx.EachMember(raw, func(name, value []byte) error {
		for i := range in {
			if in[i].name != string(name) {
				continue
			}
			there |= 1 << i
			if err := in[i].read(d, v, value); err != nil {
				report(string(name), err, func(member string, err error) { odd = append(odd, oddMember{member, err}) })
			}
		}
		return nil
	})
	if err == nil && odd != nil {
		err = odd
	}
	return there, err
}

// own gives a copy memory of its own.
func (in inner[T]) own(v *T) {
	for i := range in {
		if in[i].own != nil {
			in[i].own(v)
		}
	}
}

// shares reports whether a copy has to be given memory of its own.
func (in inner[T]) shares() bool {
	return slices.ContainsFunc(in, func(m innerMember[T]) bool { return m.own != nil })
}

var null = []byte("null")
