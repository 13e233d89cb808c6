package jsonx

import "strings"

// texts makes the strings of one document. Those that come again, such as machine types, zones and the keys of maps,
// are made once, and short ones share a piece of memory, which lives as long as one of them does.
type texts struct {
	recent [128]string // by some of their bytes
	piece  strings.Builder
}

const (
	longestShared = 100     // a longer text has its own memory
	pieceSize     = 1 << 10 // what one short text keeps alive at most
)

// of returns text as a string. No more than rest bytes of the document are left.
func (t *texts) of(text []byte, rest int) string {
	n := len(text)
	if n == 0 || n > longestShared {
		return string(text)
	}
	hash := uint(n)*31 + uint(text[0])*7 + uint(text[n/2])*13 + uint(text[n-1])
	slot := &t.recent[hash%uint(len(t.recent))]
	if *slot == string(text) {
		return *slot
	}
	if t.piece.Cap()-t.piece.Len() < n {
		t.piece.Reset()
		t.piece.Grow(max(n, min(rest, pieceSize)))
	}
	start := t.piece.Len()
	t.piece.Write(text)
	*slot = t.piece.String()[start:]
	return *slot
}
