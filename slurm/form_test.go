package slurm

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// TestForms holds the forms that are checked by hand, which costs nothing at the start of a program, to the expressions
// that say the same.
func TestForms(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		name, form, letters string
		length              int
		is                  func(string) bool
		samples             []string
	}{
		{"version", `\Av\d+\.\d+\.\d+\z`, "v0123..", 9, isVersion,
			[]string{"", "v", "v0.0.42", "0.0.42", "V0.0.42", "v0.0.42.1", "v0.0", "v0..42", "v0.0.-1", "vv0.0.42", "v0.0.42\n", "v0.0.٤"}},
		{"token", `\A[A-Za-z0-9][A-Za-z0-9._-]{7,63}\z`, "aZ09._-", 66, isToken,
			[]string{"", "a", "abcdefg", "abcdefgh", "-abcdefgh", ".abcdefgh", "_abcdefgh", "abcd efgh", "abcdefgé", "abcdefgh\n", "abcdefg\xff"}},
	} {
		form := regexp.MustCompile(tt.form)
		accepted := 0
		try := func(s string) {
			if want := form.MatchString(s); tt.is(s) != want {
				t.Errorf("%q: %v as a %s, want %v", s, !want, tt.name, want)
			} else if want {
				accepted++
			}
		}
		for _, s := range tt.samples {
			try(s)
		}
		for range 20_000 {
			b := make([]byte, random.IntN(tt.length)+1)
			for i := range b {
				b[i] = tt.letters[random.IntN(len(tt.letters))]
			}
			try(string(b))
		}
		if accepted < 10 {
			t.Errorf("%d of the texts were a %s", accepted, tt.name)
		}
	}
}
