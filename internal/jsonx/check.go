package jsonx

import (
	"fmt"
	"reflect"
)

// Check returns the error that Marshal would have for the struct that v points to. Only messages and unknown members
// can be wrong.
func (c *Codec) Check(v any) error {
	value := reflect.ValueOf(v).Elem()
	return c.check(c.plan(value.Type()), value)
}

func (c *Codec) check(p *plan, v reflect.Value) error {
	for i := range p.fields {
		if f := &p.fields[i]; f.message != nil || f.kind == kindOther {
			if err := c.checkField(f, v.Field(f.index)); err != nil {
				return At(f.snake, err)
			}
		}
	}
	return c.checkMembers(p, v)
}

func (c *Codec) checkField(f *field, v reflect.Value) error {
	switch {
	case f.kind == kindOther && !f.isZero(v):
		return noRule(f.typ)
	case f.kind == kindMessage && !v.IsNil():
		return c.check(f.message, v.Elem())
	case f.kind == kindMessages:
		for i := range v.Len() {
			if err := c.checkElement(f, v.Index(i)); err != nil {
				return At(element("", i), err)
			}
		}
	}
	return nil
}

func (c *Codec) checkElement(f *field, v reflect.Value) error {
	if v.IsNil() {
		return errNilElement
	}
	return c.check(f.message, v.Elem())
}

var errNilElement = &Error{Want: "an element", Got: "nil"}

func (c *Codec) checkMembers(p *plan, v reflect.Value) error {
	if m := c.membersOf(p, v); m != nil {
		for i := range m.unknown {
			if err := p.checkUnknown(&m.unknown[i], v); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkUnknown finds an unknown member of v that cannot be sent.
func (p *plan) checkUnknown(x *member, v reflect.Value) error {
	if n, known := p.byName[x.name]; known && !(p.fields[n].guess && v.Field(p.fields[n].index).IsZero()) {
		return fmt.Errorf("unknown member %q has a field of its own: set the field", x.name)
	}
	if x.valid {
		return nil
	}
	if err := Valid(x.raw); err != nil {
		return fmt.Errorf("unknown member %q: %w", x.name, err)
	}
	return nil
}
