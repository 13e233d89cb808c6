//go:build ignore

// Pack puts recorded exchanges with a slurmrestd, one JSON file each, into one compressed file that the tests
// read: a line per exchange with its name, method, path, status, content type and body.
//
//	go run testdata/pack.go DIRECTORY > testdata/recordings.jsonl.gz
//
// Request bodies and other headers are left out; no test of the reading side needs them.
package main

import (
	"compress/gzip"
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"sort"
)

type recording struct {
	Name    string
	Request struct{ Method, Path string }

	Response struct {
		Status  *int // null where the connection broke
		Headers map[string]string
		Body    json.RawMessage // JSON, or a text as a JSON string
	}
}

type line struct {
	Name   string          `json:"name"`
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Status int             `json:"status"`
	Type   string          `json:"type"`
	Body   json.RawMessage `json:"body"`
}

func main() {
	files, err := filepath.Glob(filepath.Join(os.Args[1], "*.json"))
	check(err)
	sort.Strings(files)
	zip, err := gzip.NewWriterLevel(os.Stdout, gzip.BestCompression)
	check(err)
	out := json.NewEncoder(zip)
	out.SetEscapeHTML(false)
	for _, file := range files {
		data, err := os.ReadFile(file)
		check(err)
		var r recording
		check(json.Unmarshal(data, &r))
		l := line{r.Name, r.Request.Method, r.Request.Path, 0, r.Response.Headers["Content-Type"], r.Response.Body}
		if r.Response.Status != nil {
			l.Status = *r.Response.Status
		}
		check(out.Encode(l))
	}
	check(zip.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
