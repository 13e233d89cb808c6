package jsonx

import (
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Reader reads the value ahead part by part, whatever its size: a string as its text, anything else as it is written
// and unchecked. The stream is to be used again only after its io.EOF, which comes only if the value is complete.
func (s *Stream) Reader() io.Reader { return &valueReader{s: s} }

type valueReader struct {
	s       *Stream
	begun   bool
	quoted  bool // a string, whose opening quote is behind
	extent  extent
	pending []byte // of a character that did not fit
	done    bool
}

func (r *valueReader) Read(p []byte) (n int, err error) {
	if !r.begun {
		c, err := r.s.value()
		if err != nil {
			return 0, err
		}
		if r.begun, r.quoted = true, c == '"'; r.quoted {
			r.s.pos++
		}
	}
	for n == 0 && len(p) > 0 {
		if r.done && len(r.pending) == 0 {
			return 0, io.EOF
		}
		if r.s.pos == r.s.end && !r.done {
			if err := r.s.fill(); err != nil {
				return 0, r.s.fail(err)
			}
		}
		if r.quoted {
			n, err = r.text(p)
		} else {
			n = r.verbatim(p)
		}
		if err != nil {
			return n, r.s.fail(err)
		}
	}
	return n, nil
}

func (r *valueReader) verbatim(p []byte) int {
	n, done := r.extent.scan(r.s.buf[r.s.pos:min(r.s.end, r.s.pos+len(p))])
	copy(p, r.s.buf[r.s.pos:r.s.pos+n])
	r.s.pos += n
	r.done = done
	return n
}

// simple are the escapes of two characters.
var simple = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// text copies what has been read of a string, unescaped.
func (r *valueReader) text(p []byte) (n int, err error) {
	n = copy(p, r.pending)
	r.pending = r.pending[n:]
	s := r.s
	for n < len(p) && s.pos < s.end && !r.done {
		switch c := s.buf[s.pos]; {
		case c == '"':
			s.pos++
			r.done = true
		case c == '\\' && s.pos+1 < s.end && simple[s.buf[s.pos+1]] != 0:
			p[n] = simple[s.buf[s.pos+1]]
			n++
			s.pos += 2
		case c == '\\':
			char, err := s.escape()
			if err != nil {
				return n, err
			}
			fits := copy(p[n:], char)
			n += fits
			r.pending = char[fits:]
		case c < ' ':
			return n, s.unexpected("an escape for a control character")
		default:
			p[n] = c
			n++
			s.pos++
		}
	}
	return n, nil
}

// escape reads an escape, and of a character that takes two of them both. As in encoding/json, half of one is U+FFFD.
func (s *Stream) escape() ([]byte, error) {
	if err := s.read(2); err != nil {
		return nil, err
	}
	if c := simple[s.buf[s.pos+1]]; c != 0 {
		s.pos += 2
		return []byte{c}, nil
	}
	first, err := s.unit()
	if err != nil {
		return nil, err
	}
	s.pos += unitLength
	if utf16.IsSurrogate(first) && s.read(2) == nil && s.buf[s.pos] == '\\' && s.buf[s.pos+1] == 'u' {
		second, err := s.unit()
		if err != nil {
			return nil, err
		}
		if pair := utf16.DecodeRune(first, second); pair != utf8.RuneError {
			s.pos += unitLength
			first = pair
		}
	}
	return utf8.AppendRune(nil, first), nil
}

const unitLength = len(`\u0000`)

// unit reads the escape \uXXXX ahead, of which two bytes have been read, and does not use it.
func (s *Stream) unit() (rune, error) {
	if s.buf[s.pos+1] == 'u' {
		if err := s.read(unitLength); err != nil {
			return 0, err
		}
		if unit, err := strconv.ParseUint(string(s.buf[s.pos+2:s.pos+unitLength]), 16, 32); err == nil {
			return rune(unit), nil
		}
	}
	return 0, s.unexpected(`an escape such as \n or \u00e4`)
}

// read makes sure that n bytes ahead have been read.
func (s *Stream) read(n int) error {
	for s.end-s.pos < n {
		if err := s.fill(); err != nil {
			return err
		}
	}
	return nil
}
