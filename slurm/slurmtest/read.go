package slurmtest

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// kind is the JSON type of a value, with whole and broken numbers apart as
// Slurm keeps them apart.
type kind int

const (
	kindNull kind = iota
	kindBool
	kindInt
	kindFloat
	kindString
	kindList
	kindObject
)

// value is one JSON value of a request. Members keep their order and their
// duplicates: warnings come in that order and the last duplicate wins.
type value struct {
	kind    kind
	text    string // of a string, or a number's own spelling
	yes     bool
	list    []value
	members []pair
}

type pair struct {
	name  string
	value value
}

// member is the last member of that name: slurmrestd lets the later of two
// equal keys win.
func (v value) member(name string) (value, bool) {
	for i := len(v.members) - 1; i >= 0; i-- {
		if v.members[i].name == name {
			return v.members[i].value, true
		}
	}
	return value{}, false
}

var errSyntax = errors.New("not JSON")

const maxDepth = 200

// parseJSON reads a document as leniently as slurmrestd does: trailing
// commas, single quotes and text after the document are all taken.
func parseJSON(data []byte) (value, error) {
	p := parser{data: data}
	v, err := p.value(0)
	if err != nil {
		return value{}, err
	}
	return v, nil
}

type parser struct {
	data []byte
	pos  int
}

func (p *parser) space() {
	for p.pos < len(p.data) && strings.IndexByte(" \t\r\n", p.data[p.pos]) >= 0 {
		p.pos++
	}
}

// peek skips blanks and gives the next byte, or 0 at the end.
func (p *parser) peek() byte {
	p.space()
	if p.pos == len(p.data) {
		return 0
	}
	return p.data[p.pos]
}

func (p *parser) value(depth int) (value, error) {
	if depth > maxDepth {
		return value{}, errSyntax
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"' || c == '\'':
		text, err := p.str()
		return value{kind: kindString, text: text}, err
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	default:
		return p.word()
	}
}

func (p *parser) object(depth int) (value, error) {
	v := value{kind: kindObject}
	p.pos++
	for {
		switch c := p.peek(); c {
		case '}':
			p.pos++
			return v, nil
		case '"', '\'':
			name, err := p.str()
			if err != nil {
				return v, err
			}
			if p.peek() != ':' {
				return v, errSyntax
			}
			p.pos++
			member, err := p.value(depth + 1)
			if err != nil {
				return v, err
			}
			v.members = append(v.members, pair{name, member})
			if err := p.separator('}'); err != nil {
				return v, err
			}
		default:
			return v, errSyntax
		}
	}
}

func (p *parser) array(depth int) (value, error) {
	v := value{kind: kindList}
	p.pos++
	for {
		if p.peek() == ']' {
			p.pos++
			return v, nil
		}
		element, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.list = append(v.list, element)
		if err := p.separator(']'); err != nil {
			return v, err
		}
	}
}

// separator eats a comma, or leaves the closing bracket to the caller.
func (p *parser) separator(end byte) error {
	switch p.peek() {
	case ',':
		p.pos++
		return nil
	case end:
		return nil
	}
	return errSyntax
}

func (p *parser) number() (value, error) {
	start := p.pos
	for p.pos < len(p.data) && strings.IndexByte("+-.eE0123456789", p.data[p.pos]) >= 0 {
		p.pos++
	}
	text := string(p.data[start:p.pos])
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return value{kind: kindInt, text: text}, nil
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return value{}, errSyntax
	}
	return value{kind: kindFloat, text: text}, nil
}

func (p *parser) word() (value, error) {
	for text, v := range map[string]value{
		"true":  {kind: kindBool, yes: true, text: "true"},
		"false": {kind: kindBool, text: "false"},
		"null":  {},
	} {
		if strings.HasPrefix(string(p.data[p.pos:min(p.pos+5, len(p.data))]), text) {
			p.pos += len(text)
			return v, nil
		}
	}
	return value{}, errSyntax
}

func (p *parser) str() (string, error) {
	quote := p.data[p.pos]
	p.pos++
	var b strings.Builder
	for p.pos < len(p.data) {
		c := p.data[p.pos]
		p.pos++
		switch c {
		case quote:
			// Slurm's strings are C strings: a NUL silently cuts the rest off.
			text, _, _ := strings.Cut(b.String(), "\x00")
			return text, nil
		case '\\':
			if err := p.escape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", errSyntax
}

func (p *parser) escape(b *strings.Builder) error {
	if p.pos == len(p.data) {
		return errSyntax
	}
	c := p.data[p.pos]
	p.pos++
	if i := strings.IndexByte("bfnrt", c); i >= 0 {
		b.WriteByte("\b\f\n\r\t"[i])
		return nil
	}
	if c != 'u' {
		b.WriteByte(c)
		return nil
	}
	r, err := p.hex()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) && strings.HasPrefix(string(p.data[p.pos:min(p.pos+2, len(p.data))]), `\u`) {
		p.pos += 2
		low, err := p.hex()
		if err != nil {
			return err
		}
		r = utf16.DecodeRune(r, low)
	}
	b.WriteString(string(utf8.AppendRune(nil, r)))
	return nil
}

func (p *parser) hex() (rune, error) {
	if p.pos+4 > len(p.data) {
		return 0, errSyntax
	}
	n, err := strconv.ParseUint(string(p.data[p.pos:p.pos+4]), 16, 32)
	p.pos += 4
	return rune(n), err
}
