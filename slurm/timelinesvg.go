package slurm

import (
	"fmt"
	"strconv"

	"github.com/trainingclusters/trainingclusters-go/internal/render"
)

// The columns of the picture: what the job is, its bar, and its state.
const (
	pictureWidth = 1000
	pictureEdge  = 10
	labelWidth   = 230
	stateWidth   = 220
	barLeft      = pictureEdge + labelWidth + 10
	barWidth     = pictureWidth - barLeft - stateWidth - pictureEdge - 10
	headHeight   = 64
	footHeight   = 10
)

// SVG returns the picture as a file of its own, the same for the same jobs and moment. It has its own background, loads
// nothing, and shows each job as a bar: pale while it was queued, dashed while held, colored by its state while it ran, with
// a mark at the end. It is safe on nil.
func (t *Timeline) SVG() string {
	if t == nil {
		t = &Timeline{}
	}
	d := &drawing{timeline: t, axis: t.axis(barLeft, barWidth)}
	d.rowHeight, d.font = rowSize(len(t.rows))
	height := headHeight + d.rowHeight*len(t.rows) + footHeight
	if t.more > 0 {
		height += 20
	}
	d.Open("svg", "xmlns", "http://www.w3.org/2000/svg", "width", strconv.Itoa(pictureWidth), "height", strconv.Itoa(height),
		"viewBox", fmt.Sprintf("0 0 %d %d", pictureWidth, height), "role", "img",
		"font-family", "ui-monospace, Menlo, Consolas, monospace", "font-size", strconv.Itoa(d.font), "fill", render.Ink)
	d.Leaf("title", render.Line(t.String()))
	d.rect(0, 0, pictureWidth, float64(height), "fill", render.Paper)
	d.text(pictureEdge, 18, render.Line(t.String()), "font-size", "12", "font-weight", "bold")
	if len(t.rows) > 0 {
		d.legend()
	}
	if t.known {
		d.ticks(height)
	}
	for i, row := range t.rows {
		d.row(i, row)
	}
	if t.more > 0 {
		d.text(pictureEdge, float64(height-footHeight), "and "+counted(t.more, "more job"), "font-size", "12")
	}
	d.Close()
	d.Newline()
	return d.String()
}

// rowSize is the height of a row and of its text, which shrink as long as they can still be read.
func rowSize(rows int) (height, font int) {
	switch {
	case rows <= 20:
		return 22, 12
	case rows <= 60:
		return 17, 11
	}
	return 13, 10
}

// drawing is a picture in the making.
type drawing struct {
	render.Writer
	timeline        *Timeline
	axis            timeAxis
	rowHeight, font int
}

// tenths writes a coordinate, which needs no more.
func tenths(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

func (d *drawing) rect(x, y, width, height float64, attributes ...string) {
	d.Empty("rect", append([]string{"x", tenths(x), "y", tenths(y), "width", tenths(width), "height", tenths(height)}, attributes...)...)
}

func (d *drawing) text(x, y float64, text string, attributes ...string) {
	d.Leaf("text", text, append([]string{"x", tenths(x), "y", tenths(y)}, attributes...)...)
}

// columns is how many characters fit into a width. Those of monospaced fonts are 0.6 as wide as they are high.
func (d *drawing) columns(width int) int { return width * 10 / (d.font * 6) }

func (d *drawing) legend() {
	x := float64(barLeft)
	for _, entry := range []struct {
		name string
		part timelinePart
	}{
		{"queued", timelinePart{kind: partQueued}}, {"held", timelinePart{kind: partHeld}},
		{"running", timelinePart{kind: partRan, tone: render.Active}}, {"completed", timelinePart{kind: partRan, tone: render.Good}},
		{"failed", timelinePart{kind: partRan, tone: render.Bad}}, {"other", timelinePart{kind: partRan, tone: render.Muted}},
	} {
		d.bar(x, 26, 14, 10, entry.part)
		d.text(x+18, 35, entry.name, "font-size", "10")
		x += 30 + 6*float64(len(entry.name))
	}
	d.Newline()
}

// ticks draws the lines and the labels of the axis.
func (d *drawing) ticks(height int) {
	for _, tick := range d.axis.ticks() {
		x := d.axis.x(tick.at)
		d.Empty("line", "x1", tenths(x), "x2", tenths(x), "y1", strconv.Itoa(headHeight-10), "y2", strconv.Itoa(height-footHeight), "stroke", render.Faint)
		d.text(x, headHeight-14, tick.label, "text-anchor", "middle", "font-size", "10")
	}
	d.Newline()
}

func (d *drawing) row(i int, row timelineRow) {
	top := float64(headHeight + i*d.rowHeight)
	base := top + float64(d.rowHeight)/2 + float64(d.font)*0.35
	height := float64(d.rowHeight) * 0.64
	d.Open("g")
	d.Leaf("title", render.Line(row.detail))
	d.text(pictureEdge, base, render.Fit(row.id+" "+row.name, d.columns(labelWidth)))
	for _, part := range row.parts {
		d.part(part, top+(float64(d.rowHeight)-height)/2, height)
	}
	state := row.state
	if row.took != "" {
		state = render.Fit(state, d.columns(stateWidth)-len(row.took)-1) + " " + row.took
	}
	d.text(barLeft+barWidth+10, base, render.Fit(state, d.columns(stateWidth)), "fill", row.tone.Ink())
	d.Close()
	d.Newline()
}

// part draws a stretch of a row. One that is too short to be seen is drawn a little longer.
func (d *drawing) part(p timelinePart, y, height float64) {
	const thin, mark = 1, 3
	x, end := d.axis.x(p.from), d.axis.x(p.to)
	if p.kind == partEnd {
		d.rect(min(x, barLeft+barWidth-mark), y-2, mark, height+4, "fill", p.tone.Bar())
		return
	}
	if p.from == p.to && p.kind != partRan {
		return
	}
	d.bar(min(x, barLeft+barWidth-thin), y, max(end-x, thin), height, p)
}

func (d *drawing) bar(x, y, width, height float64, p timelinePart) {
	switch p.kind {
	case partQueued:
		d.rect(x, y, width, height, "fill", render.Faint)
	case partHeld:
		d.rect(x, y, width, height, "fill", render.Paper, "stroke", render.Waiting.Bar(), "stroke-dasharray", "3 2")
	default:
		d.rect(x, y, width, height, "fill", p.tone.Bar())
	}
}
