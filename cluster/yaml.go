package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// readYAML turns YAML into JSON, and keeps the place of everything.
func readYAML(data []byte) (source, *flaw) {
	root, f := parseYAML(data)
	if f != nil {
		return source{}, f
	}
	c := &yamlConverter{budget: maxExpanded, expanding: map[*yaml.Node]bool{}}
	if f := c.value(root, codec.Shape(new(ModelDevelopmentCluster)), 0); f != nil {
		return source{}, f
	}
	return source{c.json, c.locate}, nil
}

// parseYAML returns the root of the one document in data.
func parseYAML(data []byte) (*yaml.Node, *flaw) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	switch err := decoder.Decode(&first); {
	case errors.Is(err, io.EOF):
		return nil, &flaw{1, 1, errEmpty}
	case err != nil:
		return nil, yamlSyntax(data, err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, flawAt(&second, errors.New("the file holds another document; want one"))
	case !errors.Is(err, io.EOF):
		return nil, yamlSyntax(data, err)
	}
	return first.Content[0], nil
}

func flawAt(n *yaml.Node, err error) *flaw { return &flaw{n.Line, n.Column, err} }

// within puts path in front of the path in the error.
func (f *flaw) within(path string) *flaw {
	if f != nil {
		f.err = jsonx.At(path, f.err)
	}
	return f
}

// maxExpanded bounds what aliases can make of a document: bytes, of which each node costs some.
const (
	maxExpanded = 32 << 20
	nodeCost    = 64
)

var errExpanded = fmt.Errorf("with its aliases resolved, the document takes more than %d MiB", maxExpanded>>20)

// yamlConverter writes JSON for a tree of YAML nodes.
type yamlConverter struct {
	json      []byte
	marks     []yamlMark // in the order of their offsets
	budget    int
	expanding map[*yaml.Node]bool // the anchors that we are in, by way of an alias
}

// yamlMark says that what is at an offset of the JSON comes from a node.
type yamlMark struct {
	offset       int
	line, column int
}

func (c *yamlConverter) mark(n *yaml.Node) {
	c.marks = append(c.marks, yamlMark{len(c.json), n.Line, n.Column})
}

func (c *yamlConverter) locate(offset int) (line, column int) {
	i, _ := slices.BinarySearchFunc(c.marks, offset, func(m yamlMark, offset int) int { return m.offset - offset })
	m := c.marks[min(i, len(c.marks)-1)]
	return m.line, m.column
}

// value writes one node, of which the cluster expects the shape.
func (c *yamlConverter) value(n *yaml.Node, s jsonx.Shape, depth int) *flaw {
	c.mark(n)
	return c.resolved(n, func(n *yaml.Node) *flaw {
		if err := checkTag(n); err != nil {
			return flawAt(n, err)
		}
		if depth > maxDepth {
			return flawAt(n, errTooDeep)
		}
		switch n.Kind {
		case yaml.MappingNode:
			return c.mapping(n, s, depth)
		case yaml.SequenceNode:
			return c.sequence(n, s, depth)
		}
		text, err := scalarJSON(n, s)
		if err != nil {
			return flawAt(n, err)
		}
		c.json = append(c.json, text...)
		return nil
	})
}

// resolved calls use with n, or with what it stands for if it is an alias.
func (c *yamlConverter) resolved(n *yaml.Node, use func(*yaml.Node) *flaw) *flaw {
	target := n
	if n.Kind == yaml.AliasNode {
		target = n.Alias
		if c.expanding[target] {
			return flawAt(n, fmt.Errorf("the alias *%s is within what it stands for", n.Value))
		}
		c.expanding[target] = true
		defer delete(c.expanding, target)
	}
	if c.budget -= nodeCost + len(target.Value); c.budget < 0 {
		return flawAt(n, errExpanded)
	}
	return use(target)
}

func (c *yamlConverter) sequence(n *yaml.Node, s jsonx.Shape, depth int) *flaw {
	c.json = append(c.json, '[')
	for i, element := range n.Content {
		if i > 0 {
			c.json = append(c.json, ',')
		}
		if f := c.value(element, s.Element(), depth+1); f != nil {
			return f.within(fmt.Sprintf("[%d]", i))
		}
	}
	c.json = append(c.json, ']')
	return nil
}

func (c *yamlConverter) mapping(n *yaml.Node, s jsonx.Shape, depth int) *flaw {
	c.json = append(c.json, '{')
	m := members{converter: c, shape: s, depth: depth, start: len(c.json), seen: map[string]bool{}}
	if f := m.add(n, false); f != nil {
		return f
	}
	c.json = append(c.json, '}')
	return nil
}

// members writes the members of one JSON object, which merge keys can bring together from several mappings.
type members struct {
	converter *yamlConverter
	shape     jsonx.Shape
	depth     int
	start     int             // the offset of the first member
	seen      map[string]bool // by the name that paths have
}

// add writes the members of n and then those that it merges, of which the ones that are there already give way. A
// name that n itself has twice is written twice: that is found, and refused, in JSON as well.
func (m *members) add(n *yaml.Node, merged bool) *flaw {
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" {
			merges = append(merges, value)
			continue
		}
		if f := m.member(key, value, merged); f != nil {
			return f
		}
	}
	for _, value := range merges {
		if f := m.merge(value, true); f != nil {
			return f
		}
	}
	return nil
}

func (m *members) member(key, value *yaml.Node, merged bool) *flaw {
	c := m.converter
	var name string
	f := c.resolved(key, func(n *yaml.Node) *flaw {
		if n.Kind != yaml.ScalarNode {
			return flawAt(key, errors.New("a list or an object stands for a name; want a scalar"))
		}
		name = n.Value
		return nil
	})
	canonical, shape := m.shape.Member(name)
	if f != nil || merged && m.seen[canonical] {
		return f
	}
	m.seen[canonical] = true
	if len(c.json) > m.start {
		c.json = append(c.json, ',')
	}
	c.mark(key)
	c.json = append(jsonx.AppendString(c.json, name), ':')
	return c.value(value, shape, m.depth+1).within(canonical)
}

// merge adds what stands behind a merge key: a mapping, or a list of mappings of which earlier ones win.
func (m *members) merge(n *yaml.Node, listed bool) *flaw {
	return m.converter.resolved(n, func(target *yaml.Node) *flaw {
		switch {
		case target.Kind == yaml.MappingNode:
			return m.add(target, true)
		case target.Kind == yaml.SequenceNode && listed:
			for _, element := range target.Content {
				if f := m.merge(element, false); f != nil {
					return f
				}
			}
			return nil
		}
		return flawAt(n, errors.New("the merge key << wants an object, or a list of objects"))
	})
}
