package jsonx

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// plan is what the codec knows of one struct type. It is made once, so that nothing is looked up while documents pass.
type plan struct {
	typ     reflect.Type
	fields  []field
	byName  map[string]int // both spellings
	names   []string       // in snake_case
	members int            // index of the field that keeps unknown members, or -1
	zero    reflect.Value  // a message of zeros, addressable; only read
}

type field struct {
	index        int
	camel, snake string
	quoted       string // the name as it is encoded, with quotes and colon
	guess        bool   // what does not decode is kept as unknown
	kind         kind
	typ          reflect.Type
	message      *plan // of a message, or of the elements of a list of them
}

// kind is how a field is read and written.
type kind byte

const (
	kindOther kind = iota // no type of a field: see [Codec]
	kindText
	kindEnum
	kindInt
	kindBool
	kindDuration
	kindTime
	kindMessage
	kindMessages
	kindTexts
	kindMap
)

var (
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
	stringType   = reflect.TypeFor[string]()
	textsType    = reflect.TypeFor[[]string]()
	mapType      = reflect.TypeFor[map[string]string]()

	mapPointerType = reflect.PointerTo(mapType)
)

func kindFor(t reflect.Type) kind {
	switch {
	case t == durationType:
		return kindDuration
	case t == timeType:
		return kindTime
	case t == stringType:
		return kindText
	case t == textsType:
		return kindTexts
	case t.ConvertibleTo(mapType):
		return kindMap
	case isMessage(t):
		return kindMessage
	case t.Kind() == reflect.Slice && isMessage(t.Elem()):
		return kindMessages
	}
	switch t.Kind() {
	case reflect.String:
		return kindEnum
	case reflect.Int64:
		return kindInt
	case reflect.Bool:
		return kindBool
	}
	return kindOther
}

func noRule(t reflect.Type) error { return fmt.Errorf("jsonx: no rule for %s", t) }

func isMessage(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct
}

// plan returns that of a type, made when it is first needed.
func (c *Codec) plan(t reflect.Type) *plan {
	if p, ok := c.plans.Load(t); ok {
		return p.(*plan)
	}
	made := map[reflect.Type]*plan{}
	p := c.makePlan(t, made)
	for t, p := range made {
		c.plans.LoadOrStore(t, p)
	}
	return p
}

// makePlan makes those of the messages below as well. made has those that are done or under way: a message may have
// one of its own kind in it.
func (c *Codec) makePlan(t reflect.Type, made map[reflect.Type]*plan) *plan {
	if p := made[t]; p != nil {
		return p
	}
	p := &plan{typ: t, byName: map[string]int{}, members: -1, zero: reflect.New(t).Elem()}
	made[t] = p
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == c.kept {
			p.members = i
			continue
		}
		camel, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if camel == "" || camel == "-" {
			continue
		}
		snake := Snake(camel)
		p.byName[camel], p.byName[snake] = len(p.fields), len(p.fields)
		p.names = append(p.names, snake)
		encoded := camel
		if c.snake {
			encoded = snake
		}
		p.fields = append(p.fields, field{
			index: i, camel: camel, snake: snake, quoted: `"` + encoded + `":`, guess: f.Tag.Get("wire") == "guess",
			kind: kindFor(f.Type), typ: f.Type, message: c.messageBelow(f.Type, made),
		})
	}
	return p
}

// messageBelow is the plan of the message that a field, or an element of it, leads to; nil if there is none.
func (c *Codec) messageBelow(t reflect.Type, made map[reflect.Type]*plan) *plan {
	switch kindFor(t) {
	case kindMessage:
		return c.makePlan(t.Elem(), made)
	case kindMessages:
		return c.makePlan(t.Elem().Elem(), made)
	}
	return nil
}

// find returns the number of a field, by either name. Documents mostly have the names in camelCase and in the order of
// the fields, so that the one after that of the last member is looked at first; next says where.
func (p *plan) find(name []byte, next int) (n int, known bool) {
	for i := next; i < len(p.fields); i++ {
		if p.fields[i].camel == string(name) {
			return i, true
		}
	}
	n, known = p.byName[string(name)]
	return n, known
}

// membersOf reaches into the field of v that keeps unknown members, nil if there is none. v must be addressable.
func (c *Codec) membersOf(p *plan, v reflect.Value) *Members {
	if p.members < 0 {
		return nil
	}
	return c.members(v.Field(p.members).Addr().Interface())
}

// isZero is reflect's, without a detour for what fields mostly are.
func (f *field) isZero(v reflect.Value) bool {
	switch f.kind {
	case kindText, kindEnum:
		return v.Len() == 0
	case kindInt, kindDuration:
		return v.Int() == 0
	case kindBool:
		return !v.Bool()
	case kindMessage, kindMessages, kindTexts, kindMap:
		return v.IsNil()
	}
	return v.IsZero()
}

// What follows reaches into fields without a copy. Their values must be addressable.

func timeOf(v reflect.Value) *time.Time { return v.Addr().Interface().(*time.Time) }
func textsOf(v reflect.Value) *[]string { return v.Addr().Interface().(*[]string) }

// mapOf is the map in a field, whatever its type is called.
func mapOf(v reflect.Value) map[string]string {
	return *v.Addr().Convert(mapPointerType).Interface().(*map[string]string)
}

// setMap is the reverse.
func (f *field) setMap(v reflect.Value, m map[string]string) {
	value := reflect.ValueOf(m)
	if f.typ != mapType {
		value = value.Convert(f.typ)
	}
	v.Set(value)
}
