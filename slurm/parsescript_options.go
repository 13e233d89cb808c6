package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// optionUse is an option as it stands in a script.
type optionUse struct {
	option *scriptOption
	value  string
	line   int
}

// readOptions reads words as getopt_long does for sbatch. A mistake does not keep it from reading on.
func readOptions(c *checker, words []scriptWord) (uses []optionUse) {
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		name, long := strings.CutPrefix(word.text, "--")
		var use optionUse
		var err error
		switch {
		case long && name == "":
			for _, w := range words {
				c.add(lineField(w.line), "%s stands behind --: want options only", strconv.Quote(abbreviate(w.text)))
			}
			return uses
		case long:
			use, words, err = longOption(name, words)
		case len(word.text) < 2 || word.text[0] != '-':
			err = fmt.Errorf("%s is no option: sbatch wants options only", strconv.Quote(abbreviate(word.text)))
		default:
			var some []optionUse
			some, words, err = shortOptions(word, words)
			uses = append(uses, some...)
		}
		if err != nil {
			c.add(lineField(word.line), "%v", err)
		} else if use.option != nil {
			use.line = word.line
			uses = append(uses, use)
		}
	}
	return uses
}

// longOption reads "name=value" or "name value".
func longOption(text string, words []scriptWord) (optionUse, []scriptWord, error) {
	name, value, assigned := strings.Cut(text, "=")
	option, err := findOption(name)
	if err != nil {
		return optionUse{}, words, err
	}
	use := optionUse{option: option, value: value}
	switch {
	case option.arg == argNone && assigned:
		return use, words, fmt.Errorf("--%s takes no value", option.name)
	case option.arg == argRequired && !assigned:
		if len(words) == 0 {
			return use, words, fmt.Errorf("--%s lacks its value", option.name)
		}
		use.value, words = words[0].text, words[1:]
	}
	return use, words, nil
}

// findOption finds an option by its name or an unmistakable beginning of it.
func findOption(name string) (*scriptOption, error) {
	var found []*scriptOption
	options := scriptOptions()
	for i := range options {
		option := &options[i]
		if option.name == name || option.alias == name {
			return option, nil
		}
		if strings.HasPrefix(option.name, name) || strings.HasPrefix(option.alias, name) {
			found = append(found, option)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("--%s is no option that sbatch knows by itself; one of a plugin cannot be passed on",
			abbreviate(name))
	case 1:
		return found[0], nil
	}
	names := make([]string, len(found))
	for i, option := range found {
		names[i] = "--" + option.name
	}
	return nil, fmt.Errorf("--%s may be one of %s", abbreviate(name), strings.Join(names, ", "))
}

// shortOptions reads "-N2", "-N 2" and "-HN2".
func shortOptions(word scriptWord, words []scriptWord) (uses []optionUse, rest []scriptWord, err error) {
	for letters := word.text[1:]; letters != ""; {
		options := scriptOptions()
		i := slices.IndexFunc(options, func(o scriptOption) bool { return o.short == letters[0] })
		if i < 0 {
			return uses, words, fmt.Errorf("-%c is no option that sbatch knows", letters[0])
		}
		use := optionUse{option: &options[i], line: word.line}
		letters = letters[1:]
		switch {
		case use.option.arg == argNone:
		case letters != "" || use.option.arg == argOptional:
			use.value, letters = letters, ""
		case len(words) == 0:
			return uses, words, fmt.Errorf("-%c lacks its value", use.option.short)
		default:
			use.value, words = words[0].text, words[1:]
		}
		uses = append(uses, use)
	}
	return uses, words, nil
}
