package cluster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// alterations are what a later version of the service may put in place of a member.
var alterations = []string{
	`null`, missing, capitals, `[]`, `{}`, `"QUANTUM"`, `["x"]`, `[null]`, `[7]`, `{"somethingNew":[1]}`, `7`, `-1`, `0.5`, `"7"`, `4294967296`, `"9223372036854775807"`,
	`9223372036854775808`, `true`, `"true"`, `""`,
}

const (
	missing  = "-"
	capitals = "^"
)

// TestPainAlteredClusters: members that are added, left out, renamed in case, null, empty, of a wider or another type, or
// enums with new values. Each member of a recorded cluster is altered, at every depth, in an answer of its own and in a
// list. What is read is written back whole, as lists are replaced whole: something that cannot be read must not be dropped,
// and so it fails, with a sentence that names the member.
func TestPainAlteredClusters(t *testing.T) {
	var record map[string]any
	if err := json.Unmarshal(payload(t, "response-cluster-get.json"), &record); err != nil {
		t.Fatal(err)
	}
	read, failed := 0, 0
	for _, path := range pathsOf(record, nil) {
		for _, value := range alterations {
			what := strings.Join(path, ".") + " = " + value
			data, err := json.Marshal(replaced(record, path, value))
			if err != nil {
				t.Fatal(err)
			}
			c, _ := scripted(t, reply{status: 200, body: string(data)})
			m, err := c.GetCluster(t.Context(), "training")
			c, _ = scripted(t, reply{status: 200, body: `{"modelDevelopmentClusters":[` + string(data) + `]}`})
			listed, listErr := c.ListClusters(t.Context(), nil).Next()
			if err != nil {
				failed++
				if !namesMember(err.Error(), path) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: %v", what, err)
				}
				if path[0] != "name" && (listErr == nil || !namesMember(listErr.Error(), path)) {
					t.Errorf("%s in a list: %v, %v", what, listed, listErr)
				}
				continue
			}
			read++
			if listErr != nil || listed.String() != m.String() {
				t.Errorf("%s in a list: %v, %v", what, listed, listErr)
			}
			if lost := lostOf(data, m); lost != "" {
				t.Errorf("%s: lost %s", what, lost)
			}
		}
	}
	if read < 300 || failed < 50 {
		t.Errorf("%d read and %d refused: the alterations are wrong", read, failed)
	}
}

// namesMember reports whether a text names the member, or the one that it is in.
func namesMember(text string, path []string) bool {
	for i := len(path) - 1; i >= 0; i-- {
		if _, err := strconv.Atoi(path[i]); err != nil {
			return strings.Contains(text, toSnake(path[i])) || strings.Contains(text, path[i])
		}
	}
	return false
}

// lostOf says which member of the answer is not in what the cluster is written as. What is nothing may go.
func lostOf(data []byte, m *cluster.ModelDevelopmentCluster) string {
	out, err := json.Marshal(m)
	if err != nil {
		return err.Error()
	}
	var before, after any
	for v, text := range map[*any][]byte{&before: data, &after: out} {
		exact := json.NewDecoder(bytes.NewReader(text))
		exact.UseNumber()
		if err := exact.Decode(v); err != nil {
			return err.Error()
		}
	}
	return missingIn(before, after, "")
}

func missingIn(before, after any, at string) string {
	switch before := before.(type) {
	case map[string]any:
		o, ok := after.(map[string]any)
		if !ok && len(before) > 0 {
			return at
		}
		for _, name := range slices.Sorted(maps.Keys(before)) {
			if lost := missingIn(before[name], o[name], at+"."+name); lost != "" {
				return lost
			}
		}
		return ""
	case []any:
		l, _ := after.([]any)
		if len(l) != len(before) {
			return at
		}
		for i := range before {
			if lost := missingIn(before[i], l[i], fmt.Sprintf("%s[%d]", at, i)); lost != "" {
				return lost
			}
		}
		return ""
	case nil:
		return ""
	}
	if says := fmt.Sprint(before); says != fmt.Sprint(after) && says != "false" && says != "0" && says != "" {
		return fmt.Sprintf("%s: %v is written as %v", at, before, after)
	}
	return ""
}

// pathsOf lists the members of a JSON value at every depth, and the first element of each list with its members.
func pathsOf(v any, at []string) (paths [][]string) {
	add := func(name string, value any) {
		path := append(slices.Clone(at), name)
		paths = append(append(paths, path), pathsOf(value, path)...)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			add(name, v[name])
		}
	case []any:
		if len(v) > 0 {
			add("0", v[0])
		}
	}
	return paths
}

// replaced returns a copy of a JSON value with one member set to the given JSON.
func replaced(v any, path []string, value string) any {
	if len(path) == 0 {
		return json.RawMessage(value)
	}
	last := len(path) == 1
	switch v := v.(type) {
	case map[string]any:
		o := maps.Clone(v)
		switch delete(o, path[0]); {
		case last && value == missing:
		case last && value == capitals:
			o[strings.ToUpper(path[0])] = v[path[0]]
		default:
			o[path[0]] = replaced(v[path[0]], path[1:], value)
		}
		return o
	case []any:
		l := slices.Clone(v)
		if last && (value == missing || value == capitals) {
			return l[1:]
		}
		l[0] = replaced(v[0], path[1:], value)
		return l
	}
	return v
}
