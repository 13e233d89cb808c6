package clustertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// decode reads a request body into a document, strictly. root is the name of the message in the request, with
// which paths in errors begin; it is empty if the body is the request itself. An empty body is an empty message.
func decode(s *schema, root string, body []byte) (document, *apiError) {
	if len(bytes.TrimSpace(body)) == 0 {
		return document{}, nil
	}
	value, err := parseJSON(body)
	if err != nil {
		return nil, failf("INVALID_ARGUMENT", "Invalid JSON payload received. %s", upperFirst(err.Error()))
	}
	members, ok := value.(jsonObject)
	if !ok {
		return nil, failf("INVALID_ARGUMENT", "Invalid JSON payload received. Root element must be a message.")
	}
	var d decoder
	doc := d.object(s, root, members)
	if len(d.found) > 0 {
		return nil, payloadErrors(d.found)
	}
	return doc, nil
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

type decoder struct{ found []violation }

func (d *decoder) fail(path, description string) {
	d.found = append(d.found, violation{path, description})
}

// unknown reports a member that cannot be bound.
func (d *decoder) unknown(path, name, why string) {
	at := ""
	if path != "" {
		at = fmt.Sprintf(" at '%s'", path)
	}
	d.fail(path, fmt.Sprintf("Invalid JSON payload received. Unknown name %q%s: %s", name, at, why))
}

// mistyped reports a value of the wrong kind, or one that its type cannot hold.
func (d *decoder) mistyped(path, typ string, value any) any {
	raw, err := json.Marshal(value)
	if err != nil {
		raw = []byte("?")
	}
	d.fail(path, fmt.Sprintf("Invalid value at '%s' (%s), %s", path, typ, raw))
	return nil
}

func (d *decoder) object(s *schema, path string, members jsonObject) document {
	doc := document{}
	seen := map[*field]bool{}
	for _, m := range members {
		f := s.find(m.name)
		switch {
		case f == nil:
			d.unknown(path, m.name, "Cannot find field.")
			continue
		case seen[f]:
			// Both spellings of one field, or one twice: which would win is not defined.
			d.unknown(path, m.name, "Field is already set.")
			continue
		}
		seen[f] = true
		if m.value == nil {
			continue // null means absent
		}
		if v := d.field(f, path, join(path, f.name), m); v != nil {
			doc[f.name] = v
		}
	}
	return doc
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (d *decoder) field(f *field, parent, path string, m jsonMember) any {
	list, isList := m.value.([]any)
	switch {
	case !f.repeated && isList && f.kind != kindAny:
		d.unknown(parent, m.name, "Proto field is not repeating, cannot start list.")
		return nil
	case !f.repeated:
		return d.value(f, path, m.value)
	case !isList:
		return d.mistyped(path, "repeated "+f.typeName(), m.value)
	}
	out := make([]any, 0, len(list))
	for i, v := range list {
		at := path + "[" + strconv.Itoa(i) + "]"
		if v == nil {
			d.mistyped(at, f.typeName(), nil)
			continue
		}
		if v = d.value(f, at, v); v != nil {
			out = append(out, v)
		}
	}
	return out
}

func (f *field) typeName() string {
	switch f.kind {
	case kindInt:
		return "TYPE_INT32"
	case kindBool:
		return "TYPE_BOOL"
	case kindEnum:
		return apiType + f.enum
	case kindDuration:
		return "type.googleapis.com/google.protobuf.Duration"
	case kindStruct:
		return "type.googleapis.com/google.protobuf.Struct"
	case kindMessage:
		return apiType + f.message.name
	case kindMap:
		return "map"
	}
	return "TYPE_STRING"
}

func (d *decoder) value(f *field, path string, value any) any {
	members, isObject := value.(jsonObject)
	switch {
	case f.kind == kindMessage && isObject:
		return d.object(f.message, path, members)
	case f.kind == kindMap && isObject:
		return d.dict(path, members)
	case f.kind == kindStruct && isObject, f.kind == kindAny:
		raw, err := json.Marshal(value)
		if err != nil {
			return d.mistyped(path, f.typeName(), value)
		}
		return json.RawMessage(raw)
	}
	if v := scalar(f, value); v != nil {
		return v
	}
	return d.mistyped(path, f.typeName(), value)
}

func (d *decoder) dict(path string, members jsonObject) any {
	out := map[string]string{}
	for i, m := range members {
		s, ok := m.value.(string)
		if !ok {
			d.mistyped(fmt.Sprintf("%s[%d].value", path, i), "TYPE_STRING", m.value)
			continue
		}
		out[m.name] = s
	}
	return out
}

// scalar returns nil for a value that is not one of f's type.
func scalar(f *field, value any) any {
	s, isString := value.(string)
	switch f.kind {
	case kindString:
		if isString {
			return s
		}
	case kindBool:
		// Google's documents send "true" in quotes, and the service takes it.
		if b, ok := value.(bool); ok {
			return b
		} else if s == "true" || s == "false" {
			return s == "true"
		}
	case kindInt:
		if n, ok := wholeNumber(value); ok {
			return n
		}
	case kindEnum:
		if isString && slices.Contains(f.values, s) {
			return s
		}
	case kindDuration:
		if _, ok := parseSeconds(s); isString && ok {
			return s
		}
	}
	return nil
}

// wholeNumber takes what proto JSON takes for an int32: 5, 5.0, 5e0, and each in quotes.
func wholeNumber(value any) (int64, bool) {
	var text string
	switch v := value.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	default:
		return 0, false
	}
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		return n, true
	}
	x, err := strconv.ParseFloat(text, 64)
	if n := int64(x); err == nil && float64(n) == x && int64(int32(n)) == n {
		return n, true
	}
	return 0, false
}

// parseSeconds reads a google.protobuf.Duration such as "604800s" or "3.5s".
func parseSeconds(s string) (time.Duration, bool) {
	number, ok := strings.CutSuffix(s, "s")
	if !ok || strings.Trim(number, "0123456789.-") != "" {
		return 0, false
	}
	d, err := time.ParseDuration(s)
	return d, err == nil
}
