package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// yamlSyntax gives an error of the YAML reader its place. The reader itself knows no column, and its line is often
// missing and sometimes the one before; so the place is where the shortest beginning of the document ends that fails
// alike. For a bracket or quote that is never closed this is where it opens.
func yamlSyntax(data []byte, err error) *flaw {
	line, message := yamlMessage(err)
	reason := errors.New(message)
	if advice := yamlAdvice()[message]; advice != "" {
		reason = errors.New(message + "; " + advice)
	}
	const most = 256 << 10 // a search reads the document up to a hundred times
	if len(data) > most {
		return &flaw{max(1, line), 1, reason}
	}
	fails := func(length int) bool {
		_, same := yamlMessage(scanYAML(data[:length]))
		return same == message
	}
	ends := lineEnds(data)
	n := firstFailure(len(ends), func(lines int) bool { return fails(ends[lines-1]) })
	start := 0
	if n > 1 {
		start = ends[n-2]
	}
	length := firstFailure(ends[n-1]-start, func(length int) bool { return fails(start + length) })
	at := start + length - 1
	for data[at]&0xc0 == 0x80 { // within a character
		at--
	}
	line, column := lineColumn(data, at)
	return &flaw{line, column, reason}
}

// yamlAdvice says what would be right, for the messages that come most and help least.
var yamlAdvice = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"mapping values are not allowed in this context":  "a text with a colon in it wants quotes, and a member the indentation of the others",
		"found character that cannot start any token":     "want spaces to indent, not tabs, and quotes around a text that begins with this character",
		"found a tab character that violates indentation": "want spaces to indent",
		"found unexpected end of stream":                  "this quote is never closed",
		"could not find expected ':'":                     "want NAME: VALUE",
		"did not find expected key":                       "want the indentation of the members before, and quotes around the whole of a text or around none",
		"did not find expected '-' indicator":             "want a dash, and the indentation of the elements before",
		"did not find expected <document start>":          "the document has ended before",
	}
})

// firstFailure finds the smallest of 1..n from which on all fail, given that n does. It looks at some beyond each
// that it tries, because a construct of several lines fails as well where it is cut off, and not any more a bit later.
func firstFailure(n int, fails func(int) bool) int {
	good, bad := 0, n
	for bad-good > 1 {
		mid := (good + bad) / 2
		if fails(mid) && fails(min(mid+1, bad)) && fails((mid+bad)/2) {
			bad = mid
		} else {
			good = mid
		}
	}
	return bad
}

// lineEnds lists the offset behind each line.
func lineEnds(data []byte) (ends []int) {
	for end := 0; end < len(data); {
		length := bytes.IndexByte(data[end:], '\n') + 1
		if length == 0 {
			length = len(data) - end
		}
		end += length
		ends = append(ends, end)
	}
	return ends
}

// scanYAML returns the first error in data, nil if it has none.
func scanYAML(data []byte) error {
	for decoder := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var n yaml.Node
		if err := decoder.Decode(&n); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// yamlMessage takes an error of the YAML reader apart.
func yamlMessage(err error) (line int, message string) {
	if err == nil {
		return 0, ""
	}
	message = strings.TrimPrefix(err.Error(), "yaml: ")
	if n, _ := fmt.Sscanf(message, "line %d:", &line); n == 1 {
		_, message, _ = strings.Cut(message, ": ")
	}
	return line, foreign.Line(message, maxText)
}
