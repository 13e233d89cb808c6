package slurmtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// expandHosts turns "g[1-2],n1" into g1, g2, n1.
func expandHosts(list string) []string {
	var names []string
	for _, part := range splitOutside(list) {
		prefix, rest, found := strings.Cut(part, "[")
		if !found {
			if part != "" {
				names = append(names, part)
			}
			continue
		}
		ranges, suffix, _ := strings.Cut(rest, "]")
		for _, r := range strings.Split(ranges, ",") {
			from, to, isRange := strings.Cut(r, "-")
			if !isRange {
				to = from
			}
			first, err1 := strconv.Atoi(from)
			last, err2 := strconv.Atoi(to)
			if err1 != nil || err2 != nil {
				continue
			}
			for n := first; n <= last; n++ {
				names = append(names, fmt.Sprintf("%s%0*d%s", prefix, len(from), n, suffix))
			}
		}
	}
	return names
}

// splitOutside splits at commas that stand outside brackets.
func splitOutside(list string) []string {
	var parts []string
	depth, start := 0, 0
	for i, c := range list {
		switch c {
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

// joinHosts is the inverse of expandHosts: g1, g2 become "g[1-2]".
func joinHosts(names []string) string {
	var prefixes []string
	numbers := map[string][]string{}
	for _, name := range names {
		prefix := strings.TrimRight(name, "0123456789")
		if !slices.Contains(prefixes, prefix) {
			prefixes = append(prefixes, prefix)
		}
		numbers[prefix] = append(numbers[prefix], name[len(prefix):])
	}
	var parts []string
	for _, prefix := range prefixes {
		list := numbers[prefix]
		if len(list) == 1 {
			parts = append(parts, prefix+list[0])
			continue
		}
		parts = append(parts, prefix+"["+ranges(list)+"]")
	}
	return strings.Join(parts, ",")
}

// ranges writes sorted numbers as "1-3,7". Equal widths stay apart from
// different ones only through their own digits, which is all that node names
// in tests need.
func ranges(numbers []string) string {
	list := slices.Clone(numbers)
	slices.SortFunc(list, func(a, b string) int { return atoi(a) - atoi(b) })
	var parts []string
	for i := 0; i < len(list); {
		k := i
		for k+1 < len(list) && atoi(list[k+1]) == atoi(list[k])+1 {
			k++
		}
		if k == i {
			parts = append(parts, list[i])
		} else {
			parts = append(parts, list[i]+"-"+list[k])
		}
		i = k + 1
	}
	return strings.Join(parts, ",")
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s) // digits by construction
	return n
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
