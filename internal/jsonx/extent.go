package jsonx

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// extent finds the end of a value that comes in parts, by its quotes and brackets alone.
type extent struct {
	depth   int
	begun   bool
	quoted  bool // inside a string
	escaped bool // behind a backslash
	bare    bool // a number, true, false or null by itself
}

// scan takes the next part. It returns how much of it belongs to the value, and whether the value ends there. The
// end of a number is what is behind it.
func (x *extent) scan(data []byte) (n int, done bool) {
	if len(data) == 0 {
		return 0, false
	}
	if !x.begun {
		x.begun, x.bare = true, data[0] != '"' && data[0] != '{' && data[0] != '['
	}
	if x.bare {
		return x.scalar(data)
	}
	for i := 0; i < len(data); {
		i = x.eights(data, i)
		// The end is near, or there are escapes.
		for last := min(i+8, len(data)); i < last; i++ {
			if x.one(data[i]); x.depth == 0 && !x.quoted {
				return i + 1, true
			}
		}
	}
	return len(data), false
}

// scalar finds the end of what stands by itself.
func (x *extent) scalar(data []byte) (n int, done bool) {
	n = bytes.IndexAny(data, ",]} \n\r\t")
	if n < 0 {
		return len(data), false
	}
	return n, true
}

// one takes a byte.
func (x *extent) one(c byte) {
	switch {
	case x.escaped:
		x.escaped = false
	case c == '\\':
		x.escaped = x.quoted
	case c == '"':
		x.quoted = !x.quoted
	case x.quoted:
	case c == '{' || c == '[':
		x.depth++
	case c == '}' || c == ']':
		x.depth--
	}
}

// eights takes bytes from data[i] on, eight by eight, for as long as it can tell what they do, and returns the index
// behind them.
func (x *extent) eights(data []byte, i int) int {
	if x.escaped {
		return i
	}
	depth, begun := x.depth, uint64(0) // all bits are set if a string has begun before the eight bytes
	if x.quoted {
		begun = ^begun
	}
	for ; i+8 <= len(data); i += 8 {
		word := binary.LittleEndian.Uint64(data[i:])
		if firstEqual(word, '\\') != 0 {
			break
		}
		quotes := allEqual(word, '"')
		// The highest bit of a byte says whether a string goes on behind it: with an odd number of quotes up to there.
		inside := quotes ^ quotes<<8
		inside ^= inside << 16
		inside ^= inside<<32 ^ begun
		// The brackets differ by that one bit, { from [ and } from ].
		folded := word | ones*0x20
		opening := allEqual(folded, '{') &^ inside
		closing := allEqual(folded, '}') &^ inside
		closed := bits.OnesCount64(closing)
		if depth <= closed {
			break
		}
		depth += bits.OnesCount64(opening) - closed
		begun = uint64(int64(inside) >> 63)
	}
	x.depth, x.quoted = depth, begun != 0
	return i
}

// Eight bytes at once: the highest bit of a byte of the result says whether that byte of the word is the wanted one.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// allEqual finds all bytes that are c.
func allEqual(word uint64, c byte) uint64 {
	x := word ^ ones*uint64(c)
	return ^((x&^highs + ^uint64(highs)) | x) & highs
}

// firstEqual finds the first byte that is c. It may have bits set above that, and has none if there is no such byte.
func firstEqual(word uint64, c byte) uint64 {
	x := word ^ ones*uint64(c)
	return (x - ones) &^ x & highs
}

// firstMark is firstEqual for a quote, a backslash, and each byte below a space, which all end a plain text.
func firstMark(word uint64) uint64 {
	quote, backslash := word^ones*'"', word^ones*'\\'
	return ((quote - ones) | (backslash - ones) | (word - ones*' ')) &^ word & highs
}
