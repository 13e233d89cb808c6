package jsonx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// chunked hands out a document a few bytes at a time, and ends it with an error of its own if that is not nil.
type chunked struct {
	data []byte
	size int
	err  error
}

func (c *chunked) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		if c.err != nil {
			return 0, c.err
		}
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.size)], c.data)
	c.data = c.data[n:]
	return n, nil
}

// streamed writes down a document as a Stream reads it: members, and elements of lists, one a line.
func streamed(src io.Reader, most int) (lines []string, err error) {
	s := NewStream(src, most)
	for {
		name, err := s.Member()
		if err != nil {
			if _, again := s.Member(); again != err {
				err = fmt.Errorf("%w, and then %w", err, again)
			}
			return lines, err
		}
		kind, err := s.Kind()
		if err != nil {
			return lines, err
		}
		if kind != KindArray {
			value, err := s.Value()
			if err != nil {
				return lines, err
			}
			lines = append(lines, name+"="+string(value))
			continue
		}
		lines = append(lines, name+"[")
		for element, err := s.Element(); err != io.EOF; element, err = s.Element() {
			if err != nil {
				return lines, err
			}
			lines = append(lines, string(element))
		}
	}
}

// held writes down the same of a document in memory.
func held(data []byte) (lines []string) {
	_ = EachMember(data, func(name, value []byte) error {
		if KindOf(value) != KindArray {
			lines = append(lines, string(name)+"="+string(value))
			return nil
		}
		lines = append(lines, string(name)+"[")
		return EachElement(value, func(_ int, element []byte) error {
			lines = append(lines, string(element))
			return nil
		})
	})
	return lines
}

var documents = []string{
	`{}`, " {\n } \r\n", `{"a":1}`, `{"a":1 , "b" : -2.5e+3 }`, `{"a":null,"b":true,"c":false,"d":""}`,
	`{"a":[],"b":[ ],"c":{},"d":[1],"e":[ 1 , 2 ]}`,
	`{"jobs":[{"id":1,"s":"]}\"\\"},{"id":2,"s":"\\"},[[[]],{"x":[{}]}],null,"x",5 ],"errors":[]}`,
	`{"a\"b":"\u00e4\ud83d\ude00\/","ä":"\\\\\""}`, `{"a":1,"a":[2]}`, `{"":0}`, "{\"a\":\"\xff\"}",
	strings.ReplaceAll(`{"a":["x"]}`, "x", strings.Repeat(`long \" text `, 50)),
}

// TestStreamReadsAsItArrives: however the document is cut into parts, it is the same one.
func TestStreamReadsAsItArrives(t *testing.T) {
	for _, doc := range documents {
		want := held([]byte(doc))
		for size := 1; size <= len(doc); size++ {
			got, err := streamed(&chunked{data: []byte(doc), size: size}, 1<<10)
			if err != io.EOF || !slices.Equal(got, want) {
				t.Errorf("%s, %d bytes at a time: %q, %v; want %q", doc, size, got, err, want)
			}
		}
	}
}

// TestStreamCutShort: every beginning of a document is told from the whole, and what came first is right.
func TestStreamCutShort(t *testing.T) {
	broken := errors.New("connection lost")
	for _, doc := range documents {
		doc = strings.TrimSpace(doc)
		want := held([]byte(doc))
		for n := range len(doc) {
			got, err := streamed(&chunked{data: []byte(doc[:n]), size: 3}, 1<<10)
			if cut := fmt.Sprintf("JSON cut short after %d bytes", n); err == nil || err.Error() != cut {
				t.Errorf("%s: error %v, want %q", doc[:n], err, cut)
			}
			if len(got) > len(want) || !slices.Equal(got, want[:len(got)]) {
				t.Errorf("%s: %q is not the beginning of %q", doc[:n], got, want)
			}
			again, err := streamed(&chunked{data: []byte(doc[:n]), size: 3, err: broken}, 1<<10)
			if err != broken || !slices.Equal(again, got) {
				t.Errorf("%s: the source's error became %v", doc[:n], err)
			}
		}
		// The last bracket is not the end of what a source may have to say.
		if _, err := streamed(&chunked{data: []byte(doc), size: 3, err: broken}, 1<<10); err != broken {
			t.Errorf("%s: an error behind the document became %v", doc, err)
		}
	}
}

func TestStreamRefuses(t *testing.T) {
	for doc, want := range map[string]string{
		``:                     "JSON cut short after 0 bytes",
		` `:                    "JSON cut short after 1 bytes",
		`[]`:                   "want an object, got a list",
		`"x"`:                  "want an object, got a string",
		`{a:1}`:                `not JSON at byte 2: want a name, got 'a'`,
		`{"a" 1}`:              `not JSON at byte 6: want a colon, got '1'`,
		`{"a":1,}`:             `not JSON at byte 8: want a name, got '}'`,
		`{,"a":1}`:             `not JSON at byte 2: want a name, got ','`,
		`{"a":1 "b":2}`:        `not JSON at byte 8: want a comma or the end of the object, got '"'`,
		`{"a":}`:               `not JSON at byte 6: want a value, got '}'`,
		`{"a":,"b":1}`:         `not JSON at byte 6: want a value, got ','`,
		`{"a":[1,]}`:           `not JSON at byte 9: want a value, got ']'`,
		`{"a":[,1]}`:           `not JSON at byte 7: want a value, got ','`,
		`{"a":[1 2]}`:          `not JSON at byte 9: want a comma or the end of the list, got '2'`,
		`{"a":[1}`:             `not JSON at byte 8: want a comma or the end of the list, got '}'`,
		`{"a":1}}`:             `not JSON at byte 8: want nothing more, got '}'`,
		`{"a":1}{"b":2}`:       `not JSON at byte 8: want nothing more, got '{'`,
		`{"a":[1,{"b":nope}]}`: `not JSON at byte 15: invalid character 'o' in literal null (expecting 'u')`,
		`{"a":[1,{"b":[1}]]}`:  `not JSON at byte 16: invalid character '}' after array element`,
		`{"a":01}`:             `not JSON at byte 7: invalid character '1' after top-level value`,
		`{"a":[NaN]}`:          `not JSON at byte 7: invalid character 'N' looking for beginning of value`,
		"{\"a\":\"x\ny\"}":     `not JSON at byte 8: invalid character '\n' in string literal`,
		`{"\x":1}`:             `not JSON at byte 4: invalid character 'x' in string escape code`,
		`{"a":1,"b":"` + strings.Repeat("x", 100) + `"}`: "a value of more than 64 bytes at byte 12",
	} {
		for _, size := range []int{1, 1000} {
			_, err := streamed(&chunked{data: []byte(doc), size: size}, 64)
			if err == nil || err.Error() != want {
				t.Errorf("%s: error %v, want %s", doc, err, want)
			}
		}
	}
	if _, err := streamed(stuck{}, 64); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a source that gives nothing: %v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// TestStreamHoldsOneValue: a list of any length passes through a buffer that holds its largest element.
func TestStreamHoldsOneValue(t *testing.T) {
	element := `{"x":"` + strings.Repeat("y", 40) + `"}`
	list := io.MultiReader(strings.NewReader(`{"skipped":[`+strings.Repeat(element+",", 100)+`0],"jobs":[0`),
		strings.NewReader(strings.Repeat(","+element, 100_000)), strings.NewReader(`],"last":1}`))
	s := NewStream(list, len(element)+1)
	mustMember(t, s, "skipped")
	if err := s.Pass(); err != nil {
		t.Fatal(err)
	}
	mustMember(t, s, "jobs")
	n := 0
	for value, err := s.Element(); err != io.EOF; value, err = s.Element() {
		if err != nil || n > 0 && string(value) != element {
			t.Fatalf("element %d: %s, %v", n, value, err)
		}
		n++
	}
	mustMember(t, s, "last")
	if value, err := s.Value(); n != 100_001 || err != nil || string(value) != "1" {
		t.Errorf("%d elements, then %s, %v", n, value, err)
	}
	if _, err := s.Member(); err != io.EOF {
		t.Error(err)
	}
}

func mustMember(t *testing.T, s *Stream, want string) {
	t.Helper()
	if name, err := s.Member(); err != nil || name != want {
		t.Fatalf("member %q, %v; want %q", name, err, want)
	}
}

// TestStreamReader: a string comes as its text and all else as it is, whatever the parts.
func TestStreamReader(t *testing.T) {
	for _, value := range []string{
		`""`, `"x"`, `"{\"a\":\"\\\"\\n\",\"b\":\"\\/\"}"`, `"\"\\\/\b\f\n\r\t"`, `"\u00e4\u20AC\ud83d\ude00"`,
		`"\ud83d"`, `"\ud83dx"`, `"\ud83d\n"`, `"\ud83d\u0041"`, `"\ude00\ud83d"`, `"ä€😀"`,
		`5`, `-1e5`, `null`, `true`, `{}`, `[ ]`, `{"a":["}\"]"]}`, ` [1, {"b" : "\u00e4"}]`,
	} {
		want := strings.TrimSpace(value)
		if KindOf([]byte(value)) == KindString {
			if err := json.Unmarshal([]byte(value), &want); err != nil {
				t.Fatal(err)
			}
		}
		doc := `{"a":` + value + ` ,"b":1}`
		for size := 1; size <= len(doc); size++ {
			s := NewStream(&chunked{data: []byte(doc), size: size}, 1<<10)
			mustMember(t, s, "a")
			var got bytes.Buffer
			// A reader that takes as little at a time.
			_, err := io.CopyBuffer(struct{ io.Writer }{&got}, struct{ io.Reader }{s.Reader()}, make([]byte, size))
			if err != nil || got.String() != want {
				t.Errorf("%s, %d bytes at a time: %q, %v; want %q", value, size, &got, err, want)
			}
			mustMember(t, s, "b")
			if err := s.Pass(); err != nil {
				t.Error(err)
			}
		}
	}
	for value, want := range map[string]string{
		`"\x"`: `not JSON at byte 7: want an escape such as \n or \u00e4`, `"\u12g4"`: `not JSON at byte 7: want an escape`,
		`"\ud83d\u+123"`: `not JSON at byte 13: want an escape`, "\"a\nb\"": "not JSON at byte 8: want an escape for a control",
		`}`: "not JSON at byte 6: want a value", `"\u00`: "JSON cut short after 10 bytes", `"\`: "JSON cut short after 7 bytes",
		`"a`: "JSON cut short after 7 bytes", `[1`: "JSON cut short after 7 bytes", `7`: "JSON cut short after 6 bytes",
	} {
		s := NewStream(&chunked{data: []byte(`{"a":` + value), size: 2}, 1<<10)
		mustMember(t, s, "a")
		if got, err := io.ReadAll(s.Reader()); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %q, %v; want %s", value, got, err, want)
		}
	}
}

// FuzzStream: a Stream takes exactly what is a JSON object, and reads it as it is read in memory.
func FuzzStream(f *testing.F) {
	for i, doc := range documents {
		f.Add([]byte(doc), i+1)
	}
	f.Add([]byte(`{"a":[1,]}`), 1)
	f.Fuzz(func(t *testing.T, doc []byte, size int) {
		size = max(1, size%(len(doc)+1))
		got, err := streamed(&chunked{data: doc, size: size}, len(doc)+1)
		if valid := json.Valid(doc) && KindOf(doc) == KindObject; valid != (err == io.EOF) {
			t.Fatalf("%q: error %v", doc, err)
		}
		if err != io.EOF {
			return
		}
		if want := held(doc); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", doc, got, want)
		}
		// The document as the text of a string.
		quoted, _ := json.Marshal(string(doc))
		s := NewStream(&chunked{data: slices.Concat([]byte(`{"":`), quoted, []byte(`}`)), size: size}, 1<<10)
		mustMember(t, s, "")
		if text, err := io.ReadAll(s.Reader()); err != nil || utf8.Valid(doc) && !bytes.Equal(text, doc) {
			t.Errorf("%q: read %q, %v", doc, text, err)
		}
	})
}

// BenchmarkStreamText is the unescaping of an answer that comes as a text, as older services send it.
func BenchmarkStreamText(b *testing.B) {
	quoted, _ := json.Marshal(strings.Repeat(`{"job_id":1,"name":"train","state":["RUNNING"]},`, 20_000))
	doc := slices.Concat([]byte(`{"body":`), quoted, []byte(`}`))
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		s := NewStream(bytes.NewReader(doc), 1<<20)
		if _, err := s.Member(); err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, s.Reader()); err != nil {
			b.Fatal(err)
		}
	}
}
