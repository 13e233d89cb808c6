package jsonx

import (
	"fmt"
	"io"
)

// Stream reads a document, an object, while it arrives. It holds what has been read and not yet used, and besides no
// more than the one value that was asked for last. The callers say in which order things come:
//
//	for name, err := s.Member(); err != io.EOF; name, err = s.Member() {
//		// then one of Value, Pass, Element up to its io.EOF, and Reader up to its io.EOF
//	}
//
// Every value that is handed out is valid JSON, and is checked once; of what is passed over only the end is looked for.
// The errors are those of the source, unchanged, and others for what is no such document. After an error, the
// io.EOF of Member included, each call returns it again. A Stream is not safe for concurrent use.
type Stream struct {
	src      io.Reader
	buf      []byte
	pos, end int   // buf[pos:end] has been read and not been used
	before   int64 // bytes of the document before buf[0]
	most     int
	srcErr   error // came with the last bytes
	err      error // what ended the stream

	opened bool // the bracket of the object is behind
	later  bool // a member is behind, so that a comma comes next
	list   bool // the bracket of the list that Element goes through is behind
	object Object
	closed bool // the last bracket is behind
}

// firstBuffer holds a dozen records of Slurm's.
const firstBuffer = 64 << 10

// NewStream reads from src. A value of more than most bytes is an error.
func NewStream(src io.Reader, most int) *Stream {
	return &Stream{src: src, most: most, buf: make([]byte, min(firstBuffer, most)), object: Object{Repeats: true}}
}

// Kind tells the kind of the value ahead: the document before the first Member, then the value of the member. It is
// KindInvalid if the document is empty.
func (s *Stream) Kind() (Kind, error) {
	_, err := s.ahead()
	if err == io.EOF && !s.opened {
		return KindInvalid, nil
	}
	if err != nil {
		return KindInvalid, s.fail(err)
	}
	return KindOf(s.buf[s.pos:s.end]), nil
}

// Peek returns up to n bytes ahead, fewer only at the end of the document or before an error, and uses none.
func (s *Stream) Peek(n int) []byte {
	for s.err == nil && s.end-s.pos < min(n, s.most) && s.fill() == nil {
	}
	return s.buf[s.pos:min(s.end, s.pos+n)]
}

// Member goes to the next member of the object and returns its name; its value is ahead then. After the last one it
// makes sure that nothing follows, and returns io.EOF.
func (s *Stream) Member() (string, error) {
	c, err := s.ahead()
	switch {
	case err != nil:
	case !s.opened && c != '{':
		err = s.wrong("an object")
	case !s.opened:
		s.opened = true
		s.pos++
		c, err = s.ahead()
	case s.later && c == ',':
		s.pos++
		if c, err = s.ahead(); err == nil && c != '"' {
			err = s.unexpected("a name")
		}
	case s.later && c != '}':
		err = s.unexpected("a comma or the end of the object")
	}
	switch {
	case err != nil:
		return "", s.fail(err)
	case c == '}':
		s.pos++
		s.closed = true
		return "", s.fail(s.finish())
	case c != '"':
		return "", s.fail(s.unexpected("a name"))
	}
	return s.name()
}

// name reads a name and the colon behind it.
func (s *Stream) name() (string, error) {
	quoted, err := s.Value()
	if err != nil {
		return "", err
	}
	name := string(unescaped(quoted))
	c, err := s.ahead()
	if err == nil && c != ':' {
		err = s.unexpected("a colon")
	}
	if err != nil {
		return "", s.fail(err)
	}
	s.pos++
	s.later = true
	return name, nil
}

// finish makes sure that nothing but white space follows, and returns io.EOF then.
func (s *Stream) finish() error {
	if _, err := s.ahead(); err != nil {
		return err
	}
	return s.unexpected("nothing more")
}

// Value reads the value ahead. It is valid until the next call, and not to be written to.
func (s *Stream) Value() ([]byte, error) {
	c, err := s.value()
	if err != nil {
		return nil, err
	}
	n, v := s.scan(c)
	if v == cut || v == open {
		// Most values have come whole. Of one that has not, the end is found first, which can be done in parts.
		if err := s.fetch(); err != nil {
			return nil, s.fail(err)
		}
		n, v = s.scan(c)
	}
	if v != whole {
		return nil, s.fail(notJSON(s.buf[s.pos:s.end], s.offset()))
	}
	value := s.buf[s.pos : s.pos+n]
	s.pos += n
	return value, nil
}

// scan checks the value ahead, whose first byte is c, as far as it has come. An object is taken apart.
func (s *Stream) scan(c byte) (n int, v verdict) {
	if c == '{' {
		return s.object.scan(s.buf[s.pos:s.end])
	}
	s.object.reset()
	return scan(s.buf[s.pos:s.end], 0, 0)
}

// Object is the object that Value or Element has returned, taken apart; it has no members if that was none. It is valid
// until the next call.
func (s *Stream) Object() *Object { return &s.object }

// fetch reads until the value ahead has come whole.
func (s *Stream) fetch() error {
	var x extent
	for n := 0; ; {
		used, done := x.scan(s.buf[s.pos+n : s.end])
		if done {
			return nil
		}
		n += used
		if err := s.fill(); err != nil {
			return err
		}
	}
}

// Pass passes over the value ahead, whatever its size.
func (s *Stream) Pass() error {
	if _, err := s.value(); err != nil {
		return err
	}
	var x extent
	for {
		n, done := x.scan(s.buf[s.pos:s.end])
		if s.pos += n; done {
			return nil
		}
		if err := s.fill(); err != nil {
			return s.fail(err)
		}
	}
}

// Element reads the next element of the list ahead, and uses the end of the list with its io.EOF. The element is
// valid until the next call, and not to be written to.
func (s *Stream) Element() ([]byte, error) {
	c, err := s.ahead()
	if err == nil && !s.list {
		if c != '[' {
			return nil, s.fail(s.wrong("a list"))
		}
		s.list = true
		s.pos++
		if c, err = s.ahead(); err == nil && c != ']' {
			return s.Value()
		}
	}
	switch {
	case err != nil:
		return nil, s.fail(err)
	case c == ']':
		s.list = false
		s.pos++
		return nil, io.EOF
	case c != ',':
		return nil, s.fail(s.unexpected("a comma or the end of the list"))
	}
	s.pos++
	return s.Value()
}

// ahead passes over white space and returns the byte behind it. At the end of the source it returns io.EOF.
func (s *Stream) ahead() (byte, error) {
	if s.err != nil {
		return 0, s.err
	}
	for {
		if s.pos = skipSpace(s.buf[:s.end], s.pos); s.pos < s.end {
			return s.buf[s.pos], nil
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
}

// value makes sure that a value is ahead, and returns its first byte.
func (s *Stream) value() (byte, error) {
	c, err := s.ahead()
	if err == nil && (c == ',' || c == ']' || c == '}') {
		err = s.unexpected("a value")
	}
	if err != nil {
		return 0, s.fail(err)
	}
	return c, nil
}

// fill reads more, to the bytes from pos on, which it may move. Without an error there is at least one more.
func (s *Stream) fill() error {
	if s.srcErr != nil {
		return s.srcErr
	}
	if s.pos > 0 {
		s.before += int64(s.pos)
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos = 0
	}
	if s.end == len(s.buf) {
		if len(s.buf) >= s.most {
			return fmt.Errorf("a value of more than %d bytes at byte %d", s.most, s.offset()+1)
		}
		larger := make([]byte, min(2*len(s.buf), s.most))
		copy(larger, s.buf)
		s.buf = larger
	}
	const patience = 100 // with readers that give neither bytes nor an error
	for range patience {
		n, err := s.src.Read(s.buf[s.end:])
		s.end += n
		if s.srcErr = err; n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	s.srcErr = io.ErrNoProgress
	return s.srcErr
}

// fail ends the stream. That the source ends is a failure anywhere but behind the object.
func (s *Stream) fail(err error) error {
	if s.err != nil {
		return s.err
	}
	if err == io.EOF && !s.closed {
		err = fmt.Errorf("JSON cut short after %d bytes", s.before+int64(s.end))
	}
	s.err = err
	return err
}

// offset is where in the document buf[pos] is.
func (s *Stream) offset() int64 { return s.before + int64(s.pos) }

// wrong reports the kind of the value ahead, of which there may be no more than its first byte.
func (s *Stream) wrong(want string) error {
	return &Error{Want: want, Got: KindOf(s.buf[s.pos:s.end]).String()}
}

func (s *Stream) unexpected(want string) error {
	return fmt.Errorf("not JSON at byte %d: want %s, got %q", s.offset()+1, want, s.buf[s.pos])
}
