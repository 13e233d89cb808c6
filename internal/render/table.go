package render

import (
	"fmt"
	"strconv"
)

// Table is a table of text.
type Table struct {
	Caption string
	Columns []Column
	Rows    [][]Cell
	More    int    // rows beyond MaxRows, which are counted and need not be made
	Noun    string // of what the rows are, for the count: "jobs"
}

// Column is the head of a column.
type Column struct {
	Title  string
	Number bool // its cells stand at the right
	Wide   bool // its cells are sentences
}

// Cell is a text with the color of what it says.
type Cell struct {
	Text string
	Tone Tone
}

// Columns makes columns of text.
func Columns(titles ...string) []Column {
	columns := make([]Column, len(titles))
	for i, title := range titles {
		columns[i].Title = title
	}
	return columns
}

// Texts makes plain cells.
func Texts(texts ...string) []Cell {
	cells := make([]Cell, len(texts))
	for i, text := range texts {
		cells[i].Text = text
	}
	return cells
}

// Count is a number in a cell: nothing for 0, which would only be noise.
func Count[N int | int64](n N) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(int64(n), 10)
}

// Shown is how many of n rows are shown, and how many are only counted.
func Shown(n int) (shown, more int) {
	shown = min(n, MaxRows)
	return shown, n - shown
}

// HTML is the table alone.
func (t *Table) HTML() string {
	w := &Writer{}
	t.Write(w)
	return w.String()
}

// Write writes the table. Columns that are empty in every row are left out.
func (t *Table) Write(w *Writer) {
	rows, more := t.Rows, t.More
	if shown, rest := Shown(len(rows)); rest > 0 {
		rows, more = rows[:shown], more+rest
	}
	kept := t.kept(rows)
	w.Open("table")
	if t.Caption != "" {
		w.Leaf("caption", Line(t.Caption), "style", "text-align:left")
	}
	if len(rows) > 0 {
		w.Open("thead")
		w.Open("tr")
		for _, i := range kept {
			w.Leaf("th", t.Columns[i].Title, "style", t.Columns[i].align())
		}
		w.Close()
		w.Close()
	}
	w.Open("tbody")
	for _, row := range rows {
		w.Newline()
		w.Open("tr")
		for _, i := range kept {
			t.cell(w, row, i)
		}
		w.Close()
	}
	if more > 0 {
		w.Newline()
		w.Open("tr")
		w.Leaf("td", fmt.Sprintf("and %d more %s", more, t.Noun), "colspan", strconv.Itoa(max(1, len(kept))), "style", "text-align:left")
		w.Close()
	}
	w.Close()
	w.Close()
	w.Newline()
}

// kept are the columns that have something to show.
func (t *Table) kept(rows [][]Cell) (kept []int) {
	for i := range t.Columns {
		for _, row := range rows {
			if i < len(row) && row[i].Text != "" {
				kept = append(kept, i)
				break
			}
		}
	}
	return kept
}

func (t *Table) cell(w *Writer, row []Cell, i int) {
	w.Open("td", "style", t.Columns[i].align())
	if i < len(row) && row[i].Text != "" {
		most := maxText
		if t.Columns[i].Wide {
			most = maxLine
		}
		row[i].write(w, most)
	}
	w.Close()
}

func (c Cell) write(w *Writer, most int) {
	text := cut(c.Text, most)
	if style := c.Tone.style(); style != "" {
		w.Leaf("span", text, "style", style+";padding:0 0.4em;border-radius:0.3em")
		return
	}
	w.Text(text)
}

func (c Column) align() string {
	if c.Number {
		return "text-align:right"
	}
	return "text-align:left"
}

// Facts is a table of two columns, for one object.
type Facts struct {
	Title string
	rows  [][]Cell
}

// Add adds a fact, unless it is empty.
func (f *Facts) Add(name, value string) { f.AddTone(name, value, Plain) }

// AddTone is Add with a color.
func (f *Facts) AddTone(name, value string, tone Tone) {
	if value != "" {
		f.rows = append(f.rows, []Cell{{Text: name}, {Text: value, Tone: tone}})
	}
}

// AddAll adds n facts of one name, MaxRows of them at most, and counts the others as nouns.
func (f *Facts) AddAll(name, nouns string, n int, value func(i int) (string, Tone)) {
	shown, more := Shown(n)
	for i := range shown {
		text, tone := value(i)
		f.AddTone(name, text, tone)
	}
	if more > 0 {
		f.Add(name, fmt.Sprintf("and %d more %s", more, nouns))
	}
}

// Write writes the facts.
func (f *Facts) Write(w *Writer) {
	w.Open("table")
	if f.Title != "" {
		w.Leaf("caption", Line(f.Title), "style", "text-align:left")
	}
	w.Open("tbody")
	for _, row := range f.rows {
		w.Newline()
		w.Open("tr")
		w.Leaf("th", row[0].Text, "style", "text-align:left")
		w.Open("td", "style", "text-align:left")
		row[1].write(w, maxLine)
		w.Close()
		w.Close()
	}
	w.Close()
	w.Close()
	w.Newline()
}

// HTML is the facts alone.
func (f *Facts) HTML() string {
	w := &Writer{}
	f.Write(w)
	return w.String()
}

// Para writes a paragraph of one line.
func Para(w *Writer, text string) {
	w.Leaf("p", Line(text))
	w.Newline()
}
