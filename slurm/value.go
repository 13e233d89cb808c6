package slurm

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// Slurm's marks for "no value" and "infinite" in its 32-bit fields, and the latter in its 64-bit ones.
const (
	noVal      = 4294967294
	infinite   = 4294967295
	infinite64 = "18446744073709551615"
)

// number is an integer of Slurm's, which comes plain or wrapped as {"set":…,"infinite":…,"number":…}.
type number struct {
	value    int64
	set      bool // value counts
	infinite bool // set is false then, as Slurm itself sends it
}

// readNumber reads an integer in any of the spellings that occur. Only the wrapper, the words and 64-bit marks
// can make it infinite or unset: whether 4294967294 is a mark or a value depends on the member, so that is left
// to [number.unmarked].
func readNumber(raw []byte) (number, error) {
	if jsonx.KindOf(raw) == jsonx.KindObject {
		return readWrapper(raw)
	}
	return readPlain(raw)
}

// As Slurm itself writes them; a front end may do it with spaces, or in another order.
const (
	setWrapper   = `{"set":true,"infinite":false,"number":`
	unsetWrapper = `{"set":false,"infinite":false,"number":`
)

// readUsualWrapper reads the wrappers of which a record has dozens. ok is false for any other.
func readUsualWrapper(raw []byte) (n number, ok bool) {
	digits, set := bytes.CutPrefix(raw, []byte(setWrapper))
	if !set {
		if digits, ok = bytes.CutPrefix(raw, []byte(unsetWrapper)); !ok {
			return number{}, false
		}
	}
	last := len(digits) - 1
	if last < 0 || digits[last] != '}' {
		return number{}, false
	}
	if n.value, ok = readDigits(digits[:last]); !ok || !set {
		n.value = 0
	}
	n.set = set && ok
	return n, ok
}

// readDigits reads what nearly all numbers are. ok is false for any other.
func readDigits(digits []byte) (n int64, ok bool) {
	const most = 18 // digits that an int64 holds whatever they are
	if len(digits) == 0 || len(digits) > most {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

func readWrapper(raw []byte) (number, error) {
	if n, ok := readUsualWrapper(raw); ok {
		return n, nil
	}
	var n number
	var infinite bool
	set := true // a wrapper that does not say, or has null for it, is taken at its number
	var problem error
	err := jsonx.EachMember(raw, func(name, value []byte) (err error) {
		switch string(name) {
		case "infinite":
			infinite, err = readBool(value)
		case "set":
			set, err = readBool(value)
			set = set || emptyValue(value)
		case "number":
			n, problem = readPlain(value)
		}
		return err
	})
	switch {
	case err != nil:
		return number{}, err
	case infinite: // before set: Slurm sends {"set":false,"infinite":true}
		return number{infinite: true}, nil
	case !set:
		return number{}, nil
	}
	return n, inMember([]byte("number"), problem)
}

func readPlain(raw []byte) (number, error) {
	if n, ok := readDigits(raw); ok {
		return number{value: n, set: true}, nil
	}
	if emptyValue(raw) {
		return number{}, nil
	}
	n, err := jsonx.Int(raw)
	if err == nil {
		return number{value: n, set: true}, nil
	}
	switch string(bytes.Trim(raw, `"`)) {
	case "Infinity", infinite64:
		return number{infinite: true}, nil
	case "", "NaN", "-Infinity":
		return number{}, nil
	}
	// Slurm's 64-bit mark for "no value" does not fit an int64, less so once a proxy has made it 1.8e+19.
	if f, err := jsonx.Float(raw); err == nil && f >= 1<<63 {
		return number{}, nil
	}
	return number{}, err
}

// unmarked reads Slurm's two 32-bit marks as what they mean. It is for members whose values never get that
// high: times, spans, counts and array indices, but neither user ids nor priorities.
func (n number) unmarked() number {
	switch {
	case n.set && n.value == noVal:
		return number{}
	case n.set && n.value == infinite:
		return number{infinite: true}
	}
	return n
}

// outOfRange refuses a number that is one, but more than there can be of its unit.
func outOfRange(n int64) error {
	return &jsonx.Error{Want: "a smaller number", Got: strconv.FormatInt(n, 10)}
}

// readTime reads Unix seconds. No value, 0 and infinity are the zero time: Slurm has no better word for "not yet".
func readTime(raw []byte) (time.Time, error) {
	n, err := readNumber(raw)
	if n = n.unmarked(); err != nil || !n.set || n.value <= 0 {
		return time.Time{}, err
	}
	const year10000 = 253402300800
	if n.value >= year10000 {
		return time.Time{}, &jsonx.Error{Want: "Unix seconds", Got: strconv.FormatInt(n.value, 10)}
	}
	return time.Unix(n.value, 0).UTC(), nil
}

// readSpan reads a number of units as a duration. Slurm's negative spans mean that it does not know.
func readSpan(raw []byte, unit time.Duration) (d time.Duration, unlimited bool, err error) {
	n, err := readNumber(raw)
	switch n = n.unmarked(); {
	case err != nil || !n.set || n.value < 0:
		return 0, n.infinite, err
	case n.value > math.MaxInt64/int64(unit):
		return 0, false, outOfRange(n.value)
	}
	return time.Duration(n.value) * unit, false, nil
}

// readCount reads a number of things; no value and infinity are 0.
func readCount(raw []byte) (int, error) {
	n, err := readUpTo(raw, math.MaxInt, "a number of things")
	return int(n.value), err
}

// readJobNumber reads the number of a job; no value is 0. Any other number that no job can have would pass for another
// job's, or for none at all.
func readJobNumber(raw []byte) (int64, error) {
	n, err := readUpTo(raw, maxJobID, "the number of a job")
	return n.value, err
}

// readUpTo reads a number that is neither negative nor above most. what says what it is.
func readUpTo(raw []byte, most int64, what string) (number, error) {
	n, err := readNumber(raw)
	if n = n.unmarked(); err == nil && (n.value < 0 || n.value > most) {
		return number{}, &jsonx.Error{Want: what, Got: strconv.FormatInt(n.value, 10)}
	}
	return n, err
}

// addUp adds two amounts, neither of them negative, and stays at the most that there can be.
func addUp[T ~int64](a, b T) T {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

const mebibyte = 1 << 20

// readMemory reads an amount of memory in MiB, and returns bytes.
func readMemory(raw []byte) (int64, error) {
	n, err := readNumber(raw)
	switch n = n.unmarked(); {
	case err != nil || !n.set || n.value < 0:
		return 0, err
	case n.value > math.MaxInt64/mebibyte:
		return 0, outOfRange(n.value)
	}
	return n.value * mebibyte, nil
}

// emptyValue reports whether raw is one of the ways to write that there is nothing: null, [], {}, or no value. It
// looks at the start only, since a list may be long.
func emptyValue(raw []byte) bool {
	switch jsonx.KindOf(raw) {
	case jsonx.KindNull, jsonx.KindInvalid:
		return true
	case jsonx.KindArray, jsonx.KindObject:
		inside := trimSpace(trimSpace(raw)[1:])
		return len(inside) > 0 && (inside[0] == ']' || inside[0] == '}')
	}
	return false
}

// trimSpace is bytes.TrimLeft for JSON's spaces, of which there hardly ever are any.
func trimSpace(raw []byte) []byte {
	for len(raw) > 0 && (raw[0] == ' ' || raw[0] == '\n' || raw[0] == '\r' || raw[0] == '\t') {
		raw = raw[1:]
	}
	return raw
}

func readBool(raw []byte) (bool, error) {
	if emptyValue(raw) {
		return false, nil
	}
	return jsonx.Bool(raw)
}

// readWords reads a list of words, which older versions send as one string. The word is valid during the call
// only, so that known ones need no copy.
func readWords(raw []byte, word func([]byte)) error {
	switch {
	case jsonx.KindOf(raw) == jsonx.KindString:
		word(wordOf(raw))
		return nil
	case emptyValue(raw):
		return nil
	}
	return jsonx.EachElement(raw, func(i int, value []byte) error {
		if jsonx.KindOf(value) != jsonx.KindString {
			_, err := jsonx.Str(value)
			return inElement(i, err)
		}
		word(wordOf(value))
		return nil
	})
}

// wordOf returns the text of a JSON string, copying it only if it holds escapes or broken UTF-8.
func wordOf(quoted []byte) []byte {
	if quoted = bytes.TrimSpace(quoted); bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		return quoted[1 : len(quoted)-1]
	}
	return []byte(jsonx.Text(quoted))
}

// inMember puts the name of a member in front of the path of an error. There hardly ever is one, so the text is
// made only then.
func inMember(name []byte, err error) error {
	if err == nil {
		return nil
	}
	return jsonx.At(string(name), err)
}

// inElement does so for the index of an element.
func inElement(i int, err error) error {
	if err == nil {
		return nil
	}
	return jsonx.At(fmt.Sprintf("[%d]", i), err)
}
