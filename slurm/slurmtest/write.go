package slurmtest

import (
	"fmt"
	"strconv"
	"time"
)

// object is a JSON object whose members keep their order, since replies are
// compared with recorded ones member by member.
type object []member

type member struct {
	name  string
	value any
}

// wrapped is Slurm's {set,infinite,number}.
type wrapped struct {
	set, infinite bool
	number        int64
}

// decimal is a number that Slurm always writes with a fraction ("1.0").
type decimal float64

var (
	unset    = wrapped{}
	infinite = wrapped{infinite: true}
)

func number(n int64) wrapped { return wrapped{set: true, number: n} }

// moment is t as Slurm writes times: Unix seconds, 0 for "not known".
func moment(t time.Time) wrapped { return number(unix(t)) }

func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// appendJSON writes v compactly in slurmrestd's manner: "/" is escaped and
// everything outside ASCII is left as it is.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case decimal:
		return strconv.AppendFloat(b, float64(v), 'f', 1, 64)
	case string:
		return appendString(b, v)
	case wrapped:
		return appendObject(b, object{{"set", v.set}, {"infinite", v.infinite}, {"number", v.number}})
	case object:
		return appendObject(b, v)
	case []object:
		return appendList(b, v)
	case []string:
		return appendList(b, v)
	}
	panic(fmt.Sprintf("slurmtest: no JSON form for %T", v))
}

func appendObject(b []byte, o object) []byte {
	b = append(b, '{')
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, m.name), ':')
		b = appendJSON(b, m.value)
	}
	return append(b, '}')
}

func appendList[T any](b []byte, list []T) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, v)
	}
	return append(b, ']')
}

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '/':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c < 0x20:
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// appendValue writes a request's own value back, as warnings quote it.
func appendValue(b []byte, v value) []byte {
	switch v.kind {
	case kindNull:
		return append(b, "null"...)
	case kindString:
		return appendString(b, v.text)
	case kindList:
		b = append(b, '[')
		for i, element := range v.list {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, element)
		}
		return append(b, ']')
	case kindObject:
		b = append(b, '{')
		for i, m := range v.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(append(appendString(b, m.name), ':'), m.value)
		}
		return append(b, '}')
	}
	return append(b, v.text...)
}
