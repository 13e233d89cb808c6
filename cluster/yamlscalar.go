package cluster

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// quotedStyle is each way to write a scalar that is a string, whatever it says.
const quotedStyle = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// checkTag refuses tags that would change what a value is.
func checkTag(n *yaml.Node) error {
	if n.Style&yaml.TaggedStyle == 0 {
		return nil
	}
	want := map[yaml.Kind]string{yaml.ScalarNode: "!!str", yaml.MappingNode: "!!map", yaml.SequenceNode: "!!seq"}[n.Kind]
	if tag := n.ShortTag(); tag != want {
		return &jsonx.Error{Want: "no tag or " + want, Got: foreign.Line(tag, 40)}
	}
	return nil
}

// scalarJSON writes a scalar as JSON. A plain one is taken as it is written where the shape is that of a string;
// elsewhere it is what YAML reads in it, a number or true or a string.
func scalarJSON(n *yaml.Node, s jsonx.Shape) ([]byte, error) {
	tag := n.ShortTag()
	switch {
	case n.Style&quotedStyle != 0 || n.Style&yaml.TaggedStyle != 0:
	case tag == "!!null":
		return []byte("null"), nil
	case s.Text():
	case tag == "!!bool":
		return []byte(strings.ToLower(n.Value)), nil
	default:
		if number, err := numberJSON(n.Value, tag); number != nil || err != nil {
			return number, err
		}
	}
	return jsonx.AppendString(nil, n.Value), nil
}

// leadingZero is octal to one version of YAML and decimal to the next.
var leadingZero = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-+]?0[0-9_]+$`) })

// numberJSON writes a number of YAML as one of JSON; nil if text is none that JSON has.
func numberJSON(text, tag string) ([]byte, error) {
	if leadingZero().MatchString(text) {
		return nil, &jsonx.Error{Want: "a number without a leading zero, or a string in quotes", Got: foreign.Line(text, 40)}
	}
	if strings.Trim(text[:min(1, len(text))], "-0123456789") == "" && json.Valid([]byte(text)) {
		return []byte(text), nil // also what is too large for any Go type
	}
	bare := strings.ReplaceAll(text, "_", "")
	switch tag {
	case "!!int":
		if n, ok := new(big.Int).SetString(bare, 0); ok {
			return []byte(n.String()), nil
		}
	case "!!float":
		f, err := strconv.ParseFloat(bare, 64)
		if number, failed := json.Marshal(f); err == nil && failed == nil { // it fails at infinity
			return number, nil
		}
	}
	return nil, nil
}
