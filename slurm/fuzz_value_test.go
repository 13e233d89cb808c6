package slurm

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"testing"
	"unicode/utf8"
)

// FuzzNumber: a number is read exactly or not at all, however it is spelled; readers of big.Rat and encoding/json are the
// measure.
func FuzzNumber(f *testing.F) {
	for _, raw := range []string{
		`0`, `-1`, `4294901757`, `3000000123`, `9007199254740993`, `1760000001.0`, `1.76e+09`, `"1760000000"`, `"120"`, `" 1"`, `1.5`, `1e400`, `1E-400`,
		`7000000000000011.6`, `1.0000000000000000000001`, `1e-99`, `9223372036854775807.0`,
		`9223372036854775807`, `9223372036854775808`, `18446744073709551615`, `"Infinity"`, `"NaN"`, `null`, `true`, `[]`, `{}`, `"0x10"`, `"1_000"`, `-0`,
		`{"set":true,"infinite":false,"number":5}`, `{"set":false,"infinite":true,"number":0}`, `{"number":"7","set":true}`, `{"set":true, "number":1e3}`,
		`{"infinite":false,"set":false,"number":5}`, `{"set":true,"infinite":false,"number":999999999999999999}`, `{"set":1,"number":2}`,
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return
		}
		n, err := readNumber(raw)
		if err != nil && n != (number{}) || n.set && n.infinite {
			t.Errorf("%s: %+v, %v", raw, n, err)
		}
		want, plain := exactly(raw)
		var wrapper struct{ Set, Infinite, Number json.RawMessage }
		if names := memberNames(raw); slices.Equal(names, []string{"infinite", "number", "set"}) && json.Unmarshal(raw, &wrapper) == nil {
			if string(wrapper.Set) != "true" || string(wrapper.Infinite) != "false" {
				return
			}
			want, plain = exactly(wrapper.Number)
		}
		switch {
		case !plain:
		case want.IsInt() && want.Num().IsInt64():
			if err != nil || !n.set || n.value != want.Num().Int64() {
				t.Errorf("%s: %+v, %v, want %v", raw, n, err, want)
			}
		case n.set:
			t.Errorf("%s: %+v, which it is not", raw, n)
		}
	})
}

// memberNames are those of an object of which each is there once, sorted.
func memberNames(raw []byte) (names []string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || len(regexp.MustCompile(`"\s*:`).FindAll(raw, -1)) != len(members) {
		return nil
	}
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

var decimal = regexp.MustCompile(`^"?(-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?)"?$`)

// exactly is the value of a number, quoted or not, of moderate length.
func exactly(raw []byte) (value *big.Rat, ok bool) {
	m := decimal.FindSubmatch(raw)
	if m == nil {
		return nil, false
	}
	return new(big.Rat).SetString(string(m[1]))
}

// FuzzState: no name of a state is lost, and there is a state exactly if there is a name.
func FuzzState(f *testing.F) {
	for _, raw := range []string{
		`"RUNNING"`, `["RUNNING"]`, `["FAILED","COMPLETING"]`, `[]`, `null`, `["RUNNING","QUANTUM_WAIT"]`, `["QUANTUM_WAIT"]`, `[""]`, `["COMPLETING","FAILED"]`,
		`["PENDING","REQUEUED"]`, `["a","a"]`, `[null]`, `[5]`, `{}`, `"R"`, `["CANCELLED by 0"]`,
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var names []string
		var one string
		switch {
		case !json.Valid(raw) || !utf8.Valid(raw):
			return
		case json.Unmarshal(raw, &one) == nil && string(raw) != "null":
			names = []string{one}
		case json.Unmarshal(raw, &names) != nil:
			_, _, _ = new(decoder).state(raw) // of which nothing is known, but that it ends
			return
		}
		state, flags, err := new(decoder).state(raw)
		if err != nil {
			if names != nil && !slices.Contains(names, "") || state != "" || flags != nil {
				t.Errorf("%s: %q %q, %v", raw, state, flags, err)
			}
			return
		}
		for _, name := range names {
			if name != "" && string(state) != name && !slices.Contains(flags, Flag(name)) {
				t.Errorf("%s: %q %q lack %q", raw, state, flags, name)
			}
		}
		for _, flag := range flags {
			if !slices.Contains(names, string(flag)) {
				t.Errorf("%s: flag %q comes from nowhere", raw, flag)
			}
		}
		if state != "" && !slices.Contains(names, string(state)) || state.Terminal() && !state.known() {
			t.Errorf("%s: state %q", raw, state)
		}
	})
}
