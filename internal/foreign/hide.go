package foreign

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Clean is [Scrub] for the body of an answer, which puts [Hidden] for each of these secrets, too, as it is or as a JSON
// string has it. Of JSON the texts are cleaned, so that it stays JSON, and what is escaped in it is seen.
func Clean(body []byte, secrets []string) []byte {
	c := cleaner{hide: hiding(secrets)}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || len(bytes.TrimSpace(body[d.InputOffset():])) > 0 {
		return []byte(c.text(string(body)))
	}
	if v = c.value(v); !c.changed {
		return body
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // what came of JSON can be encoded
	return bytes.TrimSpace(b.Bytes())
}

type cleaner struct {
	hide    *strings.Replacer
	changed bool
}

func (c *cleaner) text(s string) string {
	clean := c.hide.Replace(Scrub(s))
	c.changed = c.changed || clean != s
	return clean
}

func (c *cleaner) value(v any) any {
	switch v := v.(type) {
	case string:
		return c.text(v)
	case []any:
		for i := range v {
			v[i] = c.value(v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, one := range v {
			if text, ok := one.(string); ok && text != "" && Scrub(name+"="+text) == name+"="+Hidden {
				one, c.changed = Hidden, true // its name tells what it is
			}
			clean[c.text(name)] = c.value(one)
		}
		return clean
	}
	return v
}

// hiding replaces the secrets in each form in which they turn up, and the longest first, as one can be a part of another. It
// goes over a text once, however many there are: a script has thousands of lines, and an answer a hundred thousand texts.
func hiding(secrets []string) *strings.Replacer {
	secrets = slices.Clone(secrets)
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, secret := range secrets {
		if secret != "" {
			pairs = append(pairs, secret, Hidden, inJSON(secret, false), Hidden, inJSON(secret, true), Hidden)
		}
	}
	return strings.NewReplacer(pairs...)
}

// inJSON is a text between the quotes of JSON, in which some writers escape what means something in HTML.
func inJSON(text string, html bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	_ = e.Encode(text) // a string can be encoded
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// These are shorter than what is taken for a secret: "hostname" is a line of a script, and a word of many messages.
const (
	minLine  = 16
	minValue = 8
)

// JobSecrets are what an answer to a submit must not be quoted with: the lines of the script, and the values of the
// environment. Short ones, which are words of messages, are not among them. body is the request to Slurm.
func JobSecrets(body []byte) (secrets []string) {
	type job struct {
		Script      string   `json:"script"`
		Environment []string `json:"environment"`
	}
	var request struct {
		job
		Job  job   `json:"job"`
		Jobs []job `json:"jobs"`
	}
	_ = json.Unmarshal(body, &request) // what it could not read is in none of these places
	for _, j := range append(request.Jobs, request.Job, request.job) {
		for line := range strings.Lines(j.Script) {
			if line = strings.TrimSpace(line); len(line) >= minLine {
				secrets = append(secrets, line)
			}
		}
		for _, variable := range j.Environment {
			if _, value, _ := strings.Cut(variable, "="); len(value) >= minValue {
				secrets = append(secrets, value)
			}
		}
	}
	return secrets
}
