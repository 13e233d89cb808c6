package endings

import (
	"regexp"
	"runtime"
	"strings"
)

// Goroutines counts those of the caller's bubble. The runtime counts its own as well, which come and go.
func Goroutines() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	own, _, _ := strings.Cut(string(stacks), "\n")
	bubble := regexp.MustCompile(`synctest bubble \d+`).FindString(own)
	n := 0
	for line := range strings.Lines(string(stacks)) {
		if strings.HasPrefix(line, "goroutine ") && strings.Contains(line, bubble+"]") {
			n++
		}
	}
	return n
}
