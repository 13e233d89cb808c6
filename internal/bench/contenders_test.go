package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/bytedance/sonic"
	jsonv2 "github.com/go-json-experiment/json"
	goccy "github.com/goccy/go-json"
)

// The names of the contenders. A benchmark is called Work/by=contender, which the program in folder table reads.
const (
	ours      = "ours"
	plainMap  = "map"       // encoding/json into map[string]any: what a user writes at first
	generated = "generated" // encoding/json into the types that oapi-codegen makes of Slurm's OpenAPI document
	skip      = "skip"      // checks the syntax, but not what is in strings, and keeps nothing: the limit
	leap      = "leap"      // looks at nothing but brackets and quotes
)

// unmarshaler decodes JSON of any kind.
type unmarshaler struct {
	name      string
	unmarshal func([]byte, any) error
}

// unmarshalers are those that are given types with only the members that ours reads, each as it comes.
var unmarshalers = []unmarshaler{
	{"json", json.Unmarshal},
	{"jsonv2", func(data []byte, v any) error { return jsonv2.Unmarshal(data, v) }},
	{"goccy", goccy.Unmarshal},
	{"sonic", sonic.Unmarshal},
}

// contender is one way to do the work of a benchmark.
type contender struct {
	name string
	work func() error
}

// into decodes data into a new T each time, and checks it.
func into[T any](name string, unmarshal func([]byte, any) error, data []byte, check func(*T) bool) contender {
	return contender{name, func() error {
		var v T
		if err := unmarshal(data, &v); err != nil {
			return err
		}
		if !check(&v) {
			return fmt.Errorf("%s decoded something else", name)
		}
		return nil
	}}
}

// intoEach is into for each of the unmarshalers.
func intoEach[T any](data []byte, check func(*T) bool) (all []contender) {
	for _, u := range unmarshalers {
		all = append(all, into(u.name, u.unmarshal, data, check))
	}
	return all
}

// compare runs the contenders one after the other. Who wants less noise runs the whole several times, not each.
func compare(b *testing.B, bytes int, contenders ...contender) {
	for _, c := range contenders {
		b.Run("by="+c.name, func(b *testing.B) {
			if err := c.work(); err != nil { // some prepare themselves the first time
				b.Fatal(err)
			}
			b.SetBytes(int64(bytes))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.work(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

var errCount = errors.New("not as many jobs as there are")

const listed = 2000 // jobs in each of the recorded lists

// counted is the check of one number of jobs.
func counted(n int, err error) error {
	if err == nil && n != listed {
		return errCount
	}
	return err
}
