package cells

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestCells runs the cells in a bubble, so that no time passes, and always the same.
func TestCells(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		time.Sleep(time.Until(time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)))
		cells()
		mark(0)
	})
}

// mark separates what the cells print.
func mark(cell int) { fmt.Printf("\x00%d\n", cell) }

// result prints what the kernel shows of the last expression of a cell: one value that can show itself if all others are
// nil, or else all of them as text.
func result(values ...any) {
	var shown any
	nils := 0
	for _, v := range values {
		switch v.(type) {
		case nil:
			nils++
		case interface{ SimpleRender() map[string]any }, interface{ Markdown() string }, interface{ SVG() string }:
			shown = v
		}
	}
	data := map[string]any{}
	switch {
	case nils == len(values):
		return
	case shown == nil || nils != len(values)-1:
		data["text/plain"] = fmt.Sprint(values...)
	default:
		render(shown, data)
	}
	text, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	fmt.Printf("\x01%s\n", text)
}

func render(v any, data map[string]any) {
	if v, ok := v.(interface{ Markdown() string }); ok {
		data["text/markdown"] = v.Markdown()
	}
	if v, ok := v.(interface{ SVG() string }); ok {
		data["image/svg+xml"] = v.SVG()
	}
	if v, ok := v.(interface{ SimpleRender() map[string]any }); ok {
		for typ, text := range v.SimpleRender() {
			data[typ] = text
		}
	}
	if data["text/plain"] == nil {
		data["text/plain"] = fmt.Sprint(v)
	}
}
