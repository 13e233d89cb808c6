package render

import (
	"cmp"
	"slices"
	"strings"
)

// Rank says where the row of an element belongs.
type Rank int

// Ranks, in the order in which rows show.
const (
	Urgent Rank = iota // it needs attention
	Usual
	Void // there is no such element
)

// Order returns the indexes of n elements in the order in which they show: by rank, and within one by name. What is cut off
// from a long table is then what matters least.
func Order(n int, of func(i int) (Rank, string)) []int {
	type element struct {
		rank Rank
		name string
		i    int
	}
	elements := make([]element, n)
	for i := range elements {
		rank, name := of(i)
		elements[i] = element{rank, name, i}
	}
	slices.SortStableFunc(elements, func(a, b element) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), natural(a.name, b.name))
	})
	order := make([]int, n)
	for i, e := range elements {
		order[i] = e.i
	}
	return order
}

// natural compares names as people count: node2 comes before node10.
func natural(a, b string) int {
	wholeA, wholeB := a, b
	for a != "" && b != "" {
		x, y := chunk(a), chunk(b)
		a, b = a[len(x):], b[len(y):]
		if isDigit(x[0]) && isDigit(y[0]) {
			x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if c := cmp.Compare(len(x), len(y)); c != 0 {
				return c
			}
		}
		if c := strings.Compare(x, y); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(wholeA, wholeB))
}

// chunk is the number or the other text that a name begins with.
func chunk(name string) string {
	end := 1
	for end < len(name) && isDigit(name[end]) == isDigit(name[0]) {
		end++
	}
	return name[:end]
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
