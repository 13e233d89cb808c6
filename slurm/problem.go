package slurm

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// Problem is an entry of errors[] in a Slurm answer.
type Problem struct {
	Number      int    // Slurm's error number, such as 2017; 0 and -1 ("Unspecified error") occur too
	Message     string // the text that belongs to the number: "Invalid job id specified"
	Description string // what was being done: "Unable to query JobId=42"; for numbers from 9000 on, the real reason
	Source      string // a function of Slurm, or the offending member of the request: "#/job/time_limit/"
}

// String returns the problem in one line: number, message, description and source.
func (p Problem) String() string {
	var text []string
	if p.Number != 0 {
		text = append(text, strconv.Itoa(p.Number))
	}
	// "No error" is Slurm's text for number 0. The entry is a failure all the same, and the text misleads.
	if p.Message != "" && p.Number != 0 {
		text = append(text, p.Message)
	}
	line := strings.Join(text, " ")
	if p.Description != "" && !strings.Contains(line, p.Description) {
		if line != "" {
			line += ": "
		}
		line += p.Description
	}
	if line == "" {
		line = "no reason given"
	}
	return withSource(line, p.Source)
}

// Warning is an entry of warnings[] in a Slurm answer: the request was carried out, though perhaps not as it
// was meant. A misspelled member of a request ends as a warning.
type Warning struct {
	Description string
	Source      string // as in Problem
}

// String returns the warning in one line.
func (w Warning) String() string { return withSource(w.Description, w.Source) }

func withSource(line, source string) string {
	if source != "" {
		line += " (" + source + ")"
	}
	return foreign.OneLine(line)
}

// address is a pointer of the server's process. Slurm prints them into some texts; they tell nobody anything
// and make each text differ from the last.
var address = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(0x[0-9a-fA-F]+\)`) })

func tidy(text string) string {
	if !strings.Contains(text, "(0x") {
		return text
	}
	return address().ReplaceAllString(text, "")
}

// readProblems reads errors[]. It is as tolerant as it can be: a failure whose shape is odd is still one.
func readProblems(raw []byte) []Problem {
	var all []Problem
	eachEntry(raw, func(entry []byte) {
		var p Problem
		if jsonx.KindOf(entry) != jsonx.KindObject {
			p.Description = tidy(jsonx.Text(entry))
			all = append(all, p)
			return
		}
		_ = jsonx.EachMember(entry, func(name, value []byte) error {
			switch string(name) {
			case "error_number":
				n, _ := readNumber(value)
				p.Number = int(n.value)
			case "error":
				p.Message = displayText(value)
			case "description":
				p.Description = displayText(value)
			case "source":
				p.Source = displayText(value)
			}
			return nil
		})
		all = append(all, p)
	})
	return all
}

func readWarnings(raw []byte) []Warning {
	var all []Warning
	eachEntry(raw, func(entry []byte) {
		if jsonx.KindOf(entry) != jsonx.KindObject {
			all = append(all, Warning{Description: tidy(jsonx.Text(entry))})
			return
		}
		all = append(all, Warning{
			Description: displayText(jsonx.Member(entry, "description")),
			Source:      displayText(jsonx.Member(entry, "source")),
		})
	})
	return all
}

// eachEntry calls entry for each element of a list, or once for what should have been a list. Null and {}
// are empty lists.
func eachEntry(raw []byte, entry func([]byte)) {
	switch {
	case emptyValue(raw):
	case jsonx.KindOf(raw) == jsonx.KindArray:
		_ = jsonx.EachElement(raw, func(_ int, value []byte) error {
			if jsonx.KindOf(value) != jsonx.KindNull {
				entry(value)
			}
			return nil
		})
	default:
		entry(raw)
	}
}

func displayText(raw []byte) string {
	if kind := jsonx.KindOf(raw); kind == jsonx.KindInvalid || kind == jsonx.KindNull {
		return ""
	}
	return tidy(jsonx.Text(raw))
}
