package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// maxDepth bounds how deep objects and lists of a document lie in each other, in either format. Readers of both call
// themselves for each level, and a stack that overflows ends the program.
const maxDepth = 1000

var errTooDeep = fmt.Errorf("objects and lists are nested deeper than %d levels", maxDepth)

// readJSON blanks out comments and trailing commas, which leaves every offset as it is.
func readJSON(data []byte) (source, *flaw) {
	locate := func(offset int) (line, column int) { return lineColumn(data, offset) }
	fail := func(offset int, err error) (source, *flaw) {
		// What is missing at the end is missed behind the last thing there, not on the empty line that follows it.
		line, column := locate(min(offset, len(bytes.TrimRight(data, " \t\r\n"))))
		return source{}, &flaw{line, column, err}
	}
	if at := tooDeep(data); at >= 0 {
		return fail(at, errTooDeep)
	}
	// A copy, because comments are overwritten; a line break, because a comment may end the last line.
	whole := append(bytes.Clone(data), '\n')
	standard, err := hujson.Standardize(whole)
	if err != nil {
		return fail(explainJSON(whole, err))
	}
	return source{standard, locate}, nil
}

// tooDeep returns where the nesting exceeds maxDepth, or -1.
func tooDeep(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch rest := data[i:]; rest[0] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '/':
			if end := commentEnd(rest); end != nil {
				length := bytes.Index(rest[2:], end)
				if length < 0 {
					return -1 // the comment never ends
				}
				i += 2 + length + len(end) - 1
			}
		}
	}
	return -1
}

// commentEnd is what ends the comment that data begins with; nil if it begins with none.
func commentEnd(data []byte) []byte {
	switch {
	case bytes.HasPrefix(data, []byte("//")):
		return []byte("\n")
	case bytes.HasPrefix(data, []byte("/*")):
		return []byte("*/")
	}
	return nil
}

// explainJSON takes position and reason from an error of hujson.
func explainJSON(data []byte, err error) (offset int, reason error) {
	var line, column int
	text := err.Error()
	if _, err := fmt.Sscanf(text, "hujson: line %d, column %d:", &line, &column); err != nil {
		return 0, errors.New(foreign.Line(text, maxText))
	}
	for range line - 1 {
		offset += bytes.IndexByte(data[offset:], '\n') + 1
	}
	offset += column - 1 // in bytes
	_, text, _ = strings.Cut(text, ": ")
	_, text, _ = strings.Cut(text, ": ")
	if _, invalid := strings.CutPrefix(text, "invalid literal: "); invalid {
		return explainLiteral(data, offset) // the text has it whole, and it may be a script
	}
	if doing, ended := strings.CutSuffix(text, ": unexpected EOF"); ended {
		return offset, errors.New("the document ends " + jsonEnds[doing])
	}
	return offset, errors.New(text)
}

// jsonEnds says what is missing, by what hujson was doing when the document ended.
var jsonEnds = map[string]string{
	"parsing value":              "where a name or a value was expected",
	"parsing string":             "within a string; want its closing quote",
	"parsing comment":            "within a comment; want */",
	"parsing object after name":  "after a name; want a colon and a value",
	"parsing object after value": "within an object; want a closing brace",
	"parsing array after value":  "within a list; want a closing bracket",
}

// explainLiteral says what is wrong with the string, number or word that begins at the offset.
func explainLiteral(data []byte, offset int) (int, error) {
	var syntax *json.SyntaxError
	if data[offset] == '"' && errors.As(json.Unmarshal(data[offset:], new(any)), &syntax) {
		return offset + int(syntax.Offset) - 1, errors.New(syntax.Error())
	}
	word := data[offset:]
	if end := bytes.IndexAny(word, " \t\r\n,:]}"); end >= 0 {
		word = word[:end]
	}
	return offset, fmt.Errorf("%q is no JSON value; want a string in quotes, a number, true, false or null",
		foreign.Line(string(word), 40))
}
