package clustertest

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// encoder writes documents as the service does: camelCase, fields in the order of the schema, defaults left out,
// enums as names.
type encoder struct {
	quoteInts bool
	out       bytes.Buffer
}

// encode returns doc as JSON. members come first, raw: that is how an Any shows its @type.
func (s *Server) encode(sc *schema, doc document, members ...jsonMember) json.RawMessage {
	e := encoder{quoteInts: s.quoteInts}
	e.document(sc, doc, members)
	return e.out.Bytes()
}

func (e *encoder) document(sc *schema, doc document, members []jsonMember) {
	e.out.WriteByte('{')
	first := true
	name := func(n string) {
		if !first {
			e.out.WriteByte(',')
		}
		first = false
		e.json(n)
		e.out.WriteByte(':')
	}
	for _, m := range members {
		name(m.name)
		e.json(m.value)
	}
	for _, f := range sc.fields {
		if v, ok := doc[f.name]; ok && !isDefault(f, v) {
			name(camel(f.name))
			e.value(f, v)
		}
	}
	e.out.WriteByte('}')
}

// isDefault tells what proto JSON leaves out. A message that is present but empty is printed.
func isDefault(f *field, v any) bool {
	switch v := v.(type) {
	case string:
		return v == "" || f.kind == kindEnum && v == f.values[0]
	case int64:
		return v == 0
	case bool:
		return !v
	case []any:
		return len(v) == 0
	case map[string]string:
		return len(v) == 0
	}
	return v == nil
}

func (e *encoder) value(f *field, v any) {
	switch v := v.(type) {
	case document:
		e.document(f.message, v, nil)
	case []any:
		e.out.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				e.out.WriteByte(',')
			}
			e.value(f, item)
		}
		e.out.WriteByte(']')
	case int64:
		if e.quoteInts {
			e.json(strconv.FormatInt(v, 10))
			return
		}
		e.json(v)
	default:
		e.json(v)
	}
}

// json writes v, which is a string, number, bool or raw JSON: none of them can fail.
func (e *encoder) json(v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("clustertest: stored value is not JSON: " + err.Error())
	}
	e.out.Write(raw)
}
