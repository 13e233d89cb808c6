// Command trim cuts an OpenAPI document of slurmrestd down to the schemas of the answers and requests that the
// benchmarks decode and encode, and to what those refer to. To trim a trimmed one changes nothing.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
)

// roots are the list of the queue, that of the accounting, and a submit with its answer.
var roots = []string{
	"v0.0.42_openapi_job_info_resp",
	"v0.0.42_openapi_slurmdbd_jobs_resp",
	"v0.0.42_job_submit_req",
	"v0.0.42_openapi_job_submit_response",
}

const schemaPrefix = "#/components/schemas/"

func main() {
	out := flag.String("o", "testdata/openapi.json", "the trimmed document")
	flag.Parse()
	if err := run(flag.Arg(0), *out); err != nil {
		fmt.Fprintln(os.Stderr, "trim:", err)
		os.Exit(1)
	}
}

func run(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var doc struct {
		OpenAPI    string         `json:"openapi"`
		Info       map[string]any `json:"info"`
		Paths      struct{}       `json:"paths"`
		Components struct {
			Schemas map[string]any `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return err
	}
	kept := map[string]any{}
	for _, name := range roots {
		if err := keep(kept, doc.Components.Schemas, name); err != nil {
			return err
		}
	}
	doc.Components.Schemas = kept
	trimmed, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(to, append(trimmed, '\n'), 0o644)
}

// keep copies a schema, and those that it refers to.
func keep(kept, all map[string]any, name string) error {
	if _, done := kept[name]; done {
		return nil
	}
	schema, ok := all[name]
	if !ok {
		return fmt.Errorf("no schema %q", name)
	}
	kept[name] = schema
	return eachReference(schema, func(name string) error { return keep(kept, all, name) })
}

func eachReference(value any, visit func(name string) error) error {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			if ref, ok := member.(string); ok && key == "$ref" {
				return visit(strings.TrimPrefix(ref, schemaPrefix))
			}
			if err := eachReference(member, visit); err != nil {
				return err
			}
		}
	case []any:
		for _, element := range value {
			if err := eachReference(element, visit); err != nil {
				return err
			}
		}
	}
	return nil
}
