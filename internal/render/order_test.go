package render

import (
	"slices"
	"testing"
)

func TestNaturalOrder(t *testing.T) {
	want := []string{"", "007", "7", "10", "a", "a1", "a01b", "a1b", "a2", "a10", "a99999999999999999998", "a99999999999999999999", "a-1", "ab1", "é2", "é10"}
	for i, a := range want {
		for j, b := range want {
			if got := natural(a, b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("natural(%q, %q) = %d", a, b, got)
			}
		}
	}
}

func TestOrder(t *testing.T) {
	names := []string{"n10", "", "n9", "n2", "n1"}
	ranks := []Rank{Usual, Void, Urgent, Usual, Urgent}
	if got := Order(5, func(i int) (Rank, string) { return ranks[i], names[i] }); !slices.Equal(got, []int{4, 2, 3, 0, 1}) {
		t.Error(got)
	}
}
