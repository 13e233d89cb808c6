package render_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/internal/render"
	"github.com/trainingclusters/trainingclusters-go/internal/render/rendertest"
)

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"as it is":                 "as it is",
		" a\n\tb\r\n\u2028c\x00d ": "a b c d",
		"\u202eevil":               "\ufffdevil",
		"broken \xff":              "broken \ufffd",
		strings.Repeat("ä", 1e5):   strings.Repeat("ä", 400) + "…",
		strings.Repeat("ä", 400):   strings.Repeat("ä", 400),
	} {
		if got := render.Line(in); got != want {
			t.Errorf("Line(%.40q) = %.40q, want %.40q", in, got, want)
		}
	}
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		text    string
		columns int
		want    string
	}{
		{"short", 5, "short"}, {"longer", 5, "long…"}, {"日本語", 6, "日本語"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"x", 0, "…"}, {"xy", -3, "…"},
		{"a – b → c", 9, "a – b → c"}, {"a – b → cd", 9, "a – b → …"}, {"cut…", 4, "cut…"}, {"cutting…", 4, "cut…"},
		{"Huấn luyện", 10, "Huấn luyện"}, {"Huấn luyện", 9, "Huấn luy…"}, // composed
		{"Hu\u00e2\u0301n luye\u0323\u0302n", 10, "Hu\u00e2\u0301n luye\u0323\u0302n"}, {"Hu\u00e2\u0301n luye\u0323\u0302n", 9, "Hu\u00e2\u0301n luy…"}, // with marks
		{"e\u0301\u0302\u0303", 1, "e\u0301\u0302\u0303"}, {"e\u0301x", 1, "…"}, {"e\u0301xy", 2, "e\u0301…"},
		{"학습", 4, "학습"}, {"\u1112\u1161\u11a8", 2, "\u1112\u1161\u11a8"}, {"ＧＰＵ", 6, "ＧＰＵ"}, {"ｱｲｳ", 3, "ｱｲｳ"}, {"🚀!", 3, "🚀!"}, {"обучение", 8, "обучение"},
		{"①②½", 3, "①②½"}, {"a\u200bb", 2, "a\u200bb"}, {"か\u3099x", 3, "か\u3099x"},
	} {
		if got := render.Fit(tt.text, tt.columns); got != tt.want {
			t.Errorf("Fit(%q, %d) = %q, want %q", tt.text, tt.columns, got, tt.want)
		}
	}
}

func TestWriterEscapes(t *testing.T) {
	w := &render.Writer{}
	w.Leaf("p", "<b>&\"'\x00\xff", "style", `"><script>'`, "role", "")
	const want = "<p style=\"&#34;&gt;&lt;script&gt;&#39;\">&lt;b&gt;&amp;&#34;&#39; \ufffd</p>"
	if got := w.String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTable(t *testing.T) {
	table := render.Table{Caption: "many", Noun: "things", Columns: render.Columns("A", "empty", "B")}
	for i := range 250 {
		table.Rows = append(table.Rows, render.Texts(strconv.Itoa(i), "", "b"))
	}
	html := table.HTML()
	text, err := rendertest.Markup(html)
	if err != nil || !strings.Contains(text, "and 50 more things") || strings.Count(html, "<tr>") != 1+200+1 || strings.Contains(text, "empty") {
		t.Errorf("%v: %s", err, html)
	}
}

// TestDiffIsCut, in lines and in their length, and its colors repeat its signs.
func TestDiffIsCut(t *testing.T) {
	w := &render.Writer{}
	render.Diff(w, "  head\n- "+strings.Repeat("ä", 1000)+"\n"+strings.Repeat("+ <added>\n", 600))
	text, err := rendertest.Markup(w.String())
	if err != nil || !strings.Contains(text, "and 102 more lines") || strings.Count(text, "ä") != 298 || !strings.Contains(text, "+ <added>") {
		t.Errorf("%v: %s", err, text)
	}
}

// TestContrast: text is legible on any theme, since each color of a text comes with the one behind it.
func TestContrast(t *testing.T) {
	for tone := render.Good; tone <= render.Muted; tone++ {
		table := render.Table{Columns: render.Columns("x"), Rows: [][]render.Cell{{{Text: "x", Tone: tone}}}}
		_, style, _ := strings.Cut(table.HTML(), "background:")
		background, text := style[:7], style[len("#123456;color:"):][:7]
		for what, pair := range map[string][2]string{"pill": {background, text}, "ink": {render.Paper, tone.Ink()}} {
			if c := contrast(t, pair[0], pair[1]); c < 4.5 {
				t.Errorf("tone %d, %s: contrast of %v is %.1f", tone, what, pair, c)
			}
		}
		if c := contrast(t, render.Paper, tone.Bar()); c < 3 {
			t.Errorf("tone %d: contrast of a bar is %.1f", tone, c)
		}
	}
}

// contrast is that of WCAG 2.
func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, color string) (sum float64) {
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
