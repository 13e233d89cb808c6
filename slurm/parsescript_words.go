package slurm

import (
	"fmt"
	"strconv"
	"strings"
)

// scriptWord is a word of an #SBATCH line.
type scriptWord struct {
	text string
	line int
}

// lineField names a line of a script in an InputError.
func lineField(n int) string { return fmt.Sprintf("line %d", n) }

// lineOf is the inverse of lineField, 0 for what is no line.
func lineOf(field string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(field, "line "))
	return n
}

// readDirectives returns the words of the #SBATCH lines, by component of a heterogeneous job, and the lines that hold
// options of other batch systems.
func readDirectives(c *checker, script string) (components [][]scriptWord, foreign []scriptWord) {
	components = [][]scriptWord{nil}
	number := 0
	for line := range strings.SplitSeq(script, "\n") {
		number++
		rest, ok := cutDirective(line)
		switch {
		case !ok && (strings.HasPrefix(line, "#PBS") || strings.HasPrefix(line, "#BSUB")):
			foreign = append(foreign, scriptWord{strings.TrimSpace(line), number})
			continue
		case !ok && strings.TrimLeft(line, whiteSpace) != "" && strings.TrimLeft(line, whiteSpace)[0] != '#':
			return components, foreign // the first command
		case !ok:
			continue
		case isSeparator(rest):
			components = append(components, nil)
			continue
		}
		words, err := splitWords(rest)
		if err != nil {
			c.add(lineField(number), "%v", err)
		}
		last := len(components) - 1
		for _, text := range words {
			components[last] = append(components[last], scriptWord{text, number})
		}
	}
	return components, foreign
}

// whiteSpace is what isspace of C takes for it.
const whiteSpace = " \t\n\v\f\r"

func isSpace(c byte) bool { return strings.IndexByte(whiteSpace, c) >= 0 }

// cutDirective returns what stands behind the magic word, which needs no space behind it.
func cutDirective(line string) (rest string, ok bool) {
	for _, magic := range []string{"#SBATCH", "#SLURM"} {
		if rest, ok := strings.CutPrefix(line, magic); ok {
			return strings.TrimLeft(rest, whiteSpace), true
		}
	}
	return "", false
}

// isSeparator reports whether text begins with the word that separates components.
func isSeparator(text string) bool {
	for _, word := range []string{"hetjob", "packjob"} {
		if len(text) >= len(word) && strings.EqualFold(text[:len(word)], word) &&
			(len(text) == len(word) || isSpace(text[len(word)])) {
			return true
		}
	}
	return false
}

// splitWords takes a line apart as sbatch does. The words before a mistake are returned with it.
func splitWords(line string) (words []string, err error) {
	for {
		line = strings.TrimLeft(line, whiteSpace)
		if isSeparator(line) {
			return words, nil // sbatch blanks the word, and takes what is left for the end
		}
		if strings.HasPrefix(line, ":") {
			return words, fmt.Errorf(`":" separates components on sbatch's command line only: want "#SBATCH hetjob"`)
		}
		word, rest, ok, err := cutWord(line)
		if err != nil || !ok {
			return words, err
		}
		words, line = append(words, word), rest
	}
}

// cutWord cuts the first word from a line without leading space. It reports false at the end of the line, for which
// sbatch also takes a comment and a pair of quotes with nothing between.
func cutWord(line string) (word, rest string, ok bool, err error) {
	var b strings.Builder
	quote, escaped := byte(0), false
	i := 0
	for ; i < len(line); i++ {
		ch := line[i]
		if quote == 0 && isSpace(ch) {
			break
		}
		switch {
		case escaped:
			escaped = false
		case ch == '\\' && strings.HasPrefix(line[i+1:], " "):
			i++
			ch = ' '
		case ch == '\\':
			escaped = true
			continue
		case ch == quote:
			quote = 0
			continue
		case quote != 0:
		case ch == '"' || ch == '\'':
			quote = ch
			continue
		case ch == '#':
			return b.String(), "", b.Len() > 0, nil
		}
		b.WriteByte(ch)
	}
	if quote != 0 {
		return "", "", false, fmt.Errorf("the quote %c is not closed", quote)
	}
	return b.String(), line[i:], b.Len() > 0, nil
}
