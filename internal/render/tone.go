package render

// Tone is the color of a state. It repeats what the text says, and never says more.
type Tone int

// The tones, from none on.
const (
	Plain Tone = iota
	Good
	Active
	Waiting
	Bad
	Muted
)

// Paper is the background of pictures and Ink their text, so that neither depends on the theme around them. Faint is for
// lines and for time that passes unused.
const (
	Paper = "#ffffff"
	Ink   = "#1f2328"
	Faint = "#d0d7de"
)

// pill is the background and the text of a tone. Both are set, so that they fit each other on any theme.
func (t Tone) pill() (background, text string) {
	switch t {
	case Good:
		return "#d3f5dc", "#0b4a1e"
	case Active:
		return "#d6e8ff", "#0a3069"
	case Waiting:
		return "#fff3c4", "#5c4400"
	case Bad:
		return "#ffdcd7", "#86061d"
	case Muted:
		return "#e6e8eb", "#3b4249"
	}
	return "", ""
}

// Bar is the color of a bar on [Paper].
func (t Tone) Bar() string {
	switch t {
	case Good:
		return "#2c974b"
	case Active:
		return "#1f6feb"
	case Waiting:
		return "#9a6700"
	case Bad:
		return "#cf222e"
	}
	return "#6e7781"
}

// Ink is the color of a text on [Paper].
func (t Tone) Ink() string {
	if _, text := t.pill(); text != "" {
		return text
	}
	return Ink
}

// style is that of a text, "" for a plain one.
func (t Tone) style() string {
	background, text := t.pill()
	if background == "" {
		return ""
	}
	return "background:" + background + ";color:" + text
}
