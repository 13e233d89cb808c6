package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// Document is a cluster as a file describes it, and where in the file its parts are. It is made by [ReadDocument] or
// [ParseDocument] and safe for concurrent use, but for changes to Cluster.
type Document struct {
	// Cluster is what the file describes. Changing it changes neither the file nor what the methods tell.
	Cluster *ModelDevelopmentCluster

	file     string
	source   source
	index    jsonx.Index
	warnings []Violation
}

// Position is a place in a file. Its text is FILE:LINE:COLUMN, as editors and terminals take it, or LINE:COLUMN for a
// document that has no name.
type Position struct {
	File         string // as it was given to [ReadDocument] or [ParseDocument]
	Line, Column int    // from 1; columns count characters, a tab as one
}

func (p Position) String() string {
	at := fmt.Sprintf("%d:%d", p.Line, p.Column)
	if p.File == "" {
		return at
	}
	return printable(p.File) + ":" + at
}

// Parse decodes a cluster from JSON or YAML: see [ParseDocument]. Which of the two it is, the content decides.
func Parse(data []byte) (*ModelDevelopmentCluster, error) {
	d, err := ParseDocument("", data)
	if err != nil {
		return nil, err
	}
	return d.Cluster, nil
}

// ReadFile is [ReadDocument] for those who want the cluster alone. Members that the SDK does not know pass without a
// word: [Document.Warnings] would tell them.
func ReadFile(path string) (*ModelDevelopmentCluster, error) {
	d, err := ReadDocument(path)
	if err != nil {
		return nil, err
	}
	return d.Cluster, nil
}

// ReadDocument is [ParseDocument] for a file.
func ReadDocument(path string) (*Document, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return ParseDocument(path, data)
}

// ParseDocument decodes a cluster from JSON or YAML, with names in snake_case, camelCase or a mix of both.
//
// The name stands in positions and errors, and its ending says which of the two it is: .json, .yaml or .yml. Without
// one of these, a document that begins with a brace is JSON.
//
// JSON may hold comments (// and /* */) and a comma after the last member or element. Values of Slurm parameters and
// labels are strings, so numbers stand in quotes there.
//
// YAML is one document, with anchors, aliases and merge keys (<<). Where the cluster has a string, a plain scalar is
// taken as it is written: under config, PriorityWeightAge: 1000 and Default: NO need no quotes. Refused are tags other
// than !!str, keys that are not scalars, numbers with a leading zero, which versions of YAML read differently, and
// documents of more than 32 MiB with their aliases resolved.
//
// A member that the SDK does not know is kept and sent: see [Document.Warnings]. A member that is there twice is an
// error. Errors are one line with the position: cluster: want.json:12:31: node_pools[1].boot_disk.boot_disk_size_gb:
// want an integer, got "many".
func ParseDocument(name string, data []byte) (*Document, error) {
	d := &Document{Cluster: new(ModelDevelopmentCluster), file: name}
	data = bytes.Clone(data) // the caller's to change, and positions are looked up later
	if f := d.parse(bytes.TrimPrefix(data, []byte(byteOrderMark))); f != nil {
		return nil, fmt.Errorf("cluster: %v: %w", Position{name, f.line, f.column}, f.err)
	}
	return d, nil
}

// byteOrderMark is what some editors put in front.
const byteOrderMark = "\ufeff"

// Position is where the field with this path is, such as node_pools[1].boot_disk.boot_disk_type; also that of a
// [Violation]. Paths are in snake_case whatever the file has. If the file lacks the field, it is the position of the
// nearest thing around it.
func (d *Document) Position(field string) Position {
	if d.source.locate == nil {
		return Position{} // nobody made d
	}
	line, column := d.source.locate(d.index.Find(field).Name)
	return Position{d.file, line, column}
}

// source is a document as standard JSON.
type source struct {
	json []byte
	// locate tells where the author wrote what is at this offset of json.
	locate func(offset int) (line, column int)
}

// flaw is what is wrong with a document, and where.
type flaw struct {
	line, column int
	err          error
}

func (d *Document) parse(data []byte) *flaw {
	read := readJSON
	if isYAML(d.file, data) {
		read = readYAML
	}
	if f := unreadable(data); f != nil {
		return f
	}
	var f *flaw
	if d.source, f = read(data); f != nil {
		return f
	}
	var err error
	if d.index, err = codec.Index(d.source.json, d.Cluster); err != nil {
		return d.flaw(d.index.Find(pathOf(err)).Name, err)
	}
	if jsonx.KindOf(d.source.json) == jsonx.KindNull {
		return d.flaw(0, errEmpty)
	}
	if err := codec.Unmarshal(d.source.json, d.Cluster); err != nil {
		return d.flaw(d.index.Find(pathOf(err)).Value, err)
	}
	d.warn()
	return nil
}

func (d *Document) flaw(offset int, err error) *flaw {
	line, column := d.source.locate(offset)
	return &flaw{line, column, err}
}

// errEmpty is never the document's fault alone: templates that went wrong leave such files.
var errEmpty = errors.New("the document is empty; want a cluster")

// unreadable finds what is wrong in either format.
func unreadable(data []byte) *flaw {
	if len(bytes.TrimSpace(data)) == 0 {
		return &flaw{1, 1, errEmpty}
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			line, column := lineColumn(data, i)
			return &flaw{line, column, errors.New("the document is not UTF-8 here")}
		}
		i += size
	}
	return nil
}

// isYAML tells the format.
func isYAML(name string, data []byte) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml":
		return true
	case ".json":
		return false
	}
	start := bytes.TrimLeft(data, " \t\r\n")
	return !slices.ContainsFunc([]string{"{", "//", "/*"}, func(s string) bool { return bytes.HasPrefix(start, []byte(s)) })
}

// lineColumn tells where an offset of data is, in lines and characters.
func lineColumn(data []byte, offset int) (line, column int) {
	before := data[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

func pathOf(err error) string {
	var e *jsonx.Error
	if errors.As(err, &e) {
		return e.Path
	}
	return ""
}
