package notebook

import (
	"bytes"
	"encoding/json"
	"strings"
)

// notebook is as much of nbformat 4 as is needed here. The order of the members is the one in which Jupyter writes them.
type notebook struct {
	Cells    []*cell         `json:"cells"`
	Metadata json.RawMessage `json:"metadata"`
	Format   int             `json:"nbformat"`
	Minor    int             `json:"nbformat_minor"`
}

type cell struct {
	CellType string
	ID       string
	Metadata json.RawMessage
	Source   lines
	Count    int      // of a code cell
	Outputs  []output // likewise
}

type output struct {
	OutputType string           `json:"output_type"`
	Name       string           `json:"name,omitempty"`            // of a stream
	Text       lines            `json:"text,omitempty"`            // likewise
	Count      int              `json:"execution_count,omitempty"` // of a result
	Data       map[string]lines `json:"data,omitempty"`            // likewise, by media type
	Metadata   json.RawMessage  `json:"metadata,omitempty"`        // likewise
}

// cellJSON are the members of all cells, and codeJSON those of a code cell, which has them also if they are empty.
type cellJSON struct {
	CellType string          `json:"cell_type"`
	ID       string          `json:"id"`
	Metadata json.RawMessage `json:"metadata"`
	Source   lines           `json:"source"`
}

type codeJSON struct {
	CellType string          `json:"cell_type"`
	Count    int             `json:"execution_count"`
	ID       string          `json:"id"`
	Metadata json.RawMessage `json:"metadata"`
	Outputs  []output        `json:"outputs"`
	Source   lines           `json:"source"`
}

// UnmarshalJSON reads a cell of any kind.
func (c *cell) UnmarshalJSON(data []byte) error {
	var all codeJSON
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*c = cell{all.CellType, all.ID, all.Metadata, all.Source, all.Count, all.Outputs}
	return nil
}

// MarshalJSON writes the members that a cell of its kind has.
func (c *cell) MarshalJSON() ([]byte, error) {
	if c.CellType == "code" {
		return marshal(codeJSON{c.CellType, c.Count, c.ID, c.Metadata, append([]output{}, c.Outputs...), c.Source})
	}
	return marshal(cellJSON{c.CellType, c.ID, c.Metadata, c.Source})
}

// marshal leaves <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// code returns the cells with code.
func (n *notebook) code() (cells []*cell) {
	for _, c := range n.Cells {
		if c.CellType == "code" {
			cells = append(cells, c)
		}
	}
	return cells
}

// encode writes the file as Jupyter does.
func (n *notebook) encode() ([]byte, error) {
	text, err := marshal(n)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, bytes.TrimSpace(text), "", " ")
	b.WriteByte('\n')
	return b.Bytes(), err
}

// lines is a text, in the file a list of its lines.
type lines string

// UnmarshalJSON reads one string or a list of them.
func (l *lines) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*l = lines(one)
		return nil
	}
	var list []string
	err := json.Unmarshal(data, &list)
	*l = lines(strings.Join(list, ""))
	return err
}

// MarshalJSON writes a list.
func (l lines) MarshalJSON() ([]byte, error) {
	list := []string{}
	for line := range strings.SplitAfterSeq(string(l), "\n") {
		if line != "" {
			list = append(list, line)
		}
	}
	return marshal(list)
}
