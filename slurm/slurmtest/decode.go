package slurmtest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// values holds what a request said, decoded and coerced.
type values map[string]any

func (v values) has(name string) bool { _, ok := v[name]; return ok }

func (v values) text(name string) string { s, _ := v[name].(string); return s }

func (v values) list(name string) []string { l, _ := v[name].([]string); return l }

func (v values) yes(name string) bool { b, _ := v[name].(bool); return b }

func (v values) time(name string) time.Time { t, _ := v[name].(time.Time); return t }

func (v values) number(name string) wrapped { w, _ := v[name].(wrapped); return w }

// integer is the number, or otherwise. Slurm writes -1 for "not set", too.
func (v values) integer(name string, otherwise int64) int64 {
	if n, ok := v[name].(int64); ok && n != -1 {
		return n
	}
	return otherwise
}

// decoder reads the members of a request as slurmrestd's data parser does:
// it coerces with a warning where it can, ignores with a warning what it does
// not know, and goes on without a flag that it does not know (an error, but
// the request is carried out).
type decoder struct {
	reply   *reply
	now     time.Time
	parser  string // "JOB_DESC_MSG", as warnings about unknown fields name it
	version string
	stopped bool // the request must not be carried out
	quiet   bool // stopped by a type, which brings a warning and no error
}

// wireKinds are the two names a JSON type has in warnings.
var wireKinds = map[kind]string{
	kindNull:   "OpenAPI type= (Slurm type=null)",
	kindBool:   "OpenAPI type=boolean (Slurm type=boolean)",
	kindInt:    "OpenAPI type=integer (Slurm type=64 bit integer)",
	kindFloat:  "OpenAPI type=number (Slurm type=floating point number)",
	kindString: "OpenAPI type=string (Slurm type=string)",
	kindList:   "OpenAPI type=array (Slurm type=list)",
	kindObject: "OpenAPI type=object (Slurm type=dictionary)",
}

// slurmKinds are the names without OpenAPI's.
var slurmKinds = map[kind]string{
	kindNull: "null", kindBool: "boolean", kindInt: "64 bit integer", kindFloat: "floating point number",
	kindString: "string", kindList: "list", kindObject: "dictionary",
}

const (
	wantString = "OpenAPI type=string (Slurm type=string)"
	wantBool   = "OpenAPI type=boolean (Slurm type=boolean)"
	wantInt    = "OpenAPI type=integer format=int32 (Slurm type=64 bit integer)"
	wantInt64  = "OpenAPI type=integer format=int64 (Slurm type=64 bit integer)"
	wantList   = "OpenAPI type=array (Slurm type=list)"
)

// object decodes the known members of v in the order given, then warns about
// the others.
func (d *decoder) object(v value, known map[string]field, path string) values {
	out := values{}
	seen := map[string]bool{}
	for _, m := range v.members {
		f, ok := known[m.name]
		if !ok || seen[m.name] || d.stopped {
			continue
		}
		seen[m.name] = true
		last, _ := v.member(m.name)
		d.member(out, m.name, f, last, path+m.name+"/")
	}
	if d.stopped {
		return out
	}
	for _, m := range v.members {
		if _, ok := known[m.name]; !ok && !seen[m.name] {
			seen[m.name] = true
			d.unknown(m.name, m.value, path+m.name+"/")
		}
	}
	return out
}

// unknown warns about a member. An unknown object is not named itself: its
// own members are.
func (d *decoder) unknown(name string, v value, source string) {
	if v.kind == kindObject {
		for _, m := range v.members {
			d.unknown(m.name, m.value, source+m.name+"/")
		}
		return
	}
	d.reply.warn(fmt.Sprintf("Ignoring unknown field \"%s\" of type %s in DATA_PARSER_%s",
		name, slurmKinds[v.kind], d.parser), source)
}

func (d *decoder) member(out values, name string, f field, v value, source string) {
	switch f.kind {
	case typeString:
		if text, ok := d.text(v, source); ok && v.kind != kindNull {
			out[name] = text
		}
	case typeInt:
		if n, ok := d.integer(v, wantInt, source); ok {
			out[name] = n
		}
	case typeInt64:
		if n, ok := d.integer(v, wantInt64, source); ok {
			out[name] = n
		}
	case typeBool:
		if yes, ok := d.boolean(v, source); ok {
			out[name] = yes
		}
	case typeStrings, typeHosts:
		if list, ok := d.strings(v, f.kind == typeHosts, source); ok {
			out[name] = list
		}
	case typeNumber, typeMemory:
		if n, ok := d.number(v, f.kind == typeMemory, source); ok && n != unset {
			out[name] = n
		}
	case typeTime:
		if t, ok := d.time(v, source); ok && !t.IsZero() {
			out[name] = t
		}
	case typeFlags:
		out[name] = d.flags(v, f.words, source)
	case typeFlagSet:
		known := []string{}
		for i, element := range v.list {
			known = append(known, d.flags(element, f.words, fmt.Sprintf("%s[%d]/", strings.TrimSuffix(source, "/"), i))...)
		}
		out[name] = known
	}
}

// mismatch warns that a value had another type than its field.
func (d *decoder) mismatch(v value, want, source string) {
	d.reply.warn(fmt.Sprintf("Expected %s but got %s: %s", want, wireKinds[v.kind], appendValue(nil, v)), source)
}

// refuse ends the request because of a type that cannot be coerced. Slurm
// says so in a warning only: the status is 200 and nothing happens.
func (d *decoder) refuse(v value, want, source string) {
	d.mismatch(v, want, source)
	d.stopped, d.quiet = true, true
}

func (d *decoder) fail(c code, description, source string) {
	d.reply.fail(c, description, source)
	d.stopped = true
}

func (d *decoder) text(v value, source string) (string, bool) {
	switch v.kind {
	case kindString, kindNull:
		return v.text, true
	case kindList, kindObject:
		d.refuse(v, wantString, source)
		return "", false
	}
	d.mismatch(v, wantString, source)
	return v.text, true
}

// integer rounds fractions to even, as the C library does. A null is 0.
func (d *decoder) integer(v value, want, source string) (int64, bool) {
	switch v.kind {
	case kindNull:
		return 0, true
	case kindInt:
		n, _ := strconv.ParseInt(v.text, 10, 64)
		return n, true
	case kindFloat:
		d.mismatch(v, want, source)
		x, _ := strconv.ParseFloat(v.text, 64)
		return int64(math.RoundToEven(x)), true
	case kindBool:
		d.mismatch(v, want, source)
		if v.yes {
			return 1, true
		}
		return 0, true
	case kindString:
		if n, err := strconv.ParseInt(strings.TrimSpace(v.text), 10, 64); err == nil {
			d.mismatch(v, want, source)
			return n, true
		}
	}
	d.refuse(v, want, source)
	return 0, false
}

func (d *decoder) boolean(v value, source string) (yes, ok bool) {
	switch v.kind {
	case kindBool:
		return v.yes, true
	case kindNull:
		return false, true
	case kindInt, kindFloat:
		d.mismatch(v, wantBool, source)
		return v.text != "0", true
	case kindString:
		d.mismatch(v, wantBool, source)
		switch strings.ToLower(v.text) {
		case "true", "yes", "on", "y", "t", "1":
			return true, true
		}
		return false, true
	}
	d.refuse(v, wantBool, source)
	return false, false
}

func (d *decoder) strings(v value, hosts bool, source string) ([]string, bool) {
	switch v.kind {
	case kindNull:
		return nil, true
	case kindList:
		var list []string
		for _, element := range v.list {
			text, ok := d.text(element, source)
			if !ok {
				return nil, false
			}
			list = append(list, text)
		}
		return list, true
	case kindObject:
		d.mismatch(v, wantList, source)
		var list []string
		for _, m := range v.members {
			list = append(list, m.name+"="+m.value.text)
		}
		return list, true
	case kindString:
		if hosts {
			return splitOutside(v.text), true
		}
	}
	d.fail(codeWantList, fmt.Sprintf("Rejecting %s when list expected", slurmKinds[v.kind]), source)
	return nil, false
}

// flags keeps the words it knows, in any case; each other one is an error
// that does not stop the request.
func (d *decoder) flags(v value, words []string, source string) []string {
	elements := v.list
	if v.kind == kindString {
		elements = []value{v}
	}
	known := []string{}
	for i, element := range elements {
		at := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, element.text) })
		if at < 0 {
			d.reply.fail(codeFlag, fmt.Sprintf("Unknown flag \"%s\"", element.text),
				fmt.Sprintf("%s[%d]/", strings.TrimSuffix(source, "/"), i))
			continue
		}
		known = append(known, words[at])
	}
	return known
}
