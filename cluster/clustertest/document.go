package clustertest

import "slices"

// document is a message of the service after decoding: fields by their snake_case names. The values are string,
// int64, bool, document, map[string]string, []any (of string or document) or json.RawMessage. Documents are
// never changed once they are stored; an update makes a new one.
type document map[string]any

func (d document) text(name string) string {
	s, _ := d[name].(string)
	return s
}

func (d document) int(name string) int64 {
	n, _ := d[name].(int64)
	return n
}

// child returns an empty document where there is none: reading a nil map is fine.
func (d document) child(names ...string) document {
	for _, name := range names {
		d, _ = d[name].(document)
	}
	return d
}

func (d document) children(name string) []document {
	list, _ := d[name].([]any)
	out := make([]document, 0, len(list))
	for _, v := range list {
		if m, ok := v.(document); ok {
			out = append(out, m)
		}
	}
	return out
}

func (d document) texts(name string) []string {
	list, _ := d[name].([]any)
	out := make([]string, 0, len(list))
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func (d document) dict(name string) map[string]string {
	m, _ := d[name].(map[string]string)
	return m
}

func (d document) slurm() document { return d.child("orchestrator_spec", "slurm_spec") }

// with returns a copy of d in which the field at path is value, or absent if value is nil.
func (d document) with(path []string, value any) document {
	out := make(document, len(d)+1)
	for k, v := range d {
		out[k] = v
	}
	switch {
	case len(path) > 1:
		out[path[0]] = d.child(path[0]).with(path[1:], value)
	case value == nil:
		delete(out, path[0])
	default:
		out[path[0]] = value
	}
	return out
}

// at returns the value at path, or nil.
func (d document) at(path []string) any {
	last := len(path) - 1
	return d.child(path[:last]...)[path[last]]
}

// pool returns the node pool called id, or nil.
func (d document) pool(id string) document {
	pools := d.children("node_pools")
	if i := slices.IndexFunc(pools, func(p document) bool { return p.text("id") == id }); i >= 0 {
		return pools[i]
	}
	return nil
}
