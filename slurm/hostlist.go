package slurm

import (
	"fmt"
	"strconv"
	"strings"
)

// maxHosts bounds what a hostlist may expand to. Slurm itself has no cluster of more nodes than this; without a
// bound, twenty bytes of text could fill the memory.
const maxHosts = 1 << 16

// ExpandHosts returns the node names of a compressed list as Slurm writes it: "g[1-2],n7" gives g1, g2 and n7,
// and "g[08-10]" gives g08, g09 and g10. An empty list and "None assigned" have no names. It is an error if the
// text is not such a list, or names more than 65,536 nodes.
func ExpandHosts(list string) ([]string, error) {
	if list == "" || list == noNodes {
		return nil, nil
	}
	var all []string
	for _, part := range splitHosts(list) {
		names, err := expandHost(part, maxHosts-len(all))
		if err != nil {
			return nil, fmt.Errorf("slurm: node list %q: %w", abbreviate(list), err)
		}
		all = append(all, names...)
	}
	return all, nil
}

// noNodes stands in the accounting records of jobs that never had nodes.
const noNodes = "None assigned"

// splitHosts splits at the commas outside brackets.
func splitHosts(list string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, list[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, list[start:])
}

// expandHost expands one name with any number of bracketed parts: "rack[1-2]n[1-4]".
func expandHost(part string, limit int) ([]string, error) {
	names := []string{""}
	for rest := part; rest != ""; {
		prefix, tail, bracket := strings.Cut(rest, "[")
		if strings.ContainsAny(prefix, "] \t\n") {
			return nil, fmt.Errorf("%q is not a node name", abbreviate(part))
		}
		endings := []string{""}
		rest = ""
		if bracket {
			inside, after, closed := strings.Cut(tail, "]")
			if !closed {
				return nil, fmt.Errorf("%q lacks a closing bracket", abbreviate(part))
			}
			var err error
			if endings, err = expandRanges(inside, limit); err != nil {
				return nil, err
			}
			rest = after
		}
		if len(names)*len(endings) > limit {
			return nil, errTooManyHosts
		}
		names = product(names, prefix, endings)
	}
	if names[0] == "" {
		return nil, fmt.Errorf("empty node name")
	}
	return names, nil
}

var errTooManyHosts = fmt.Errorf("more than %d names", maxHosts)

func product(heads []string, middle string, tails []string) []string {
	all := make([]string, 0, len(heads)*len(tails))
	for _, head := range heads {
		for _, tail := range tails {
			all = append(all, head+middle+tail)
		}
	}
	return all
}

// expandRanges expands "1-3,07,10-12". Leading zeros of a range's start set the width of its numbers.
func expandRanges(text string, limit int) ([]string, error) {
	var all []string
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, okFrom := parseIDNumber(first)
		to, okTo := parseIDNumber(last)
		if !okFrom || !okTo || from > to {
			return nil, fmt.Errorf("%q is not a range of numbers", abbreviate(part))
		}
		if to-from >= int64(limit-len(all)) {
			return nil, errTooManyHosts
		}
		for n := from; n <= to; n++ {
			digits := strconv.FormatInt(n, 10)
			all = append(all, strings.Repeat("0", max(0, len(first)-len(digits)))+digits)
		}
	}
	return all, nil
}
