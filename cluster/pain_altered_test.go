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
	"github.com/trainingclusters/trainingclusters-go/internal/alteration"
)

// alterations are what a later version of the service may put in place of a member.
var alterations = []string{
	`null`, alteration.Missing, alteration.Renamed, `[]`, `{}`, `"QUANTUM"`, `["x"]`, `[null]`, `[7]`, `{"somethingNew":[1]}`, `7`, `-1`, `0.5`, `"7"`, `4294967296`, `"9223372036854775807"`,
	`9223372036854775808`, `true`, `"true"`, `""`,
}

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
	for _, path := range alteration.Paths(record) {
		for _, value := range alterations {
			what := strings.Join(path, ".") + " = " + value
			data, err := json.Marshal(alteration.Replace(record, path, value))
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
