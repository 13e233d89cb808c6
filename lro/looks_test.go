package lro_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/internal/render/rendertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// TestLooksOfNothing: none fails on nil or a zero value, and all say something.
func TestLooksOfNothing(t *testing.T) {
	for _, op := range []*lro.Operation{nil, {}, lro.New(nil, ""), lro.New(nil, "<wrong>")} {
		bundle := op.SimpleRender()
		if err := rendertest.Bundle(bundle); err != nil {
			t.Error(err)
		}
		clear(bundle)
		if len(op.SimpleRender()) == 0 {
			t.Error("the same map comes again")
		}
	}
}

// TestLooks: a notebook shows the state in color, and each fact that is known.
func TestLooks(t *testing.T) {
	const running = `{"name": "` + nameA + `", "metadata": {"@type": "type.googleapis.com/a.b.CreateThingMetadata", "progressMessage": "step <2> of 3",
		"genericMetadata": {"createTime": "2026-03-02T12:00:00Z", "updateTime": "2026-03-02T13:00:00+01:00", "partialFailures": [{"code": 14, "message": "one node"}]}}}`
	const ended = `{"name": "` + nameA + `", "metadata": {"genericMetadata": {"createTime": "2026-03-02T12:00:00Z", "updateTime": "2026-03-02T12:10:00Z"}}, "done": true, `
	const failed = ended + `"error": {"code": 8, "message": "no\nquota"}}`
	for _, tt := range []struct {
		op           *lro.Operation
		color, facts string
	}{
		{lro.New(newService(), nameA), "#e6e8eb", "not read yet"},
		{polled(t, step{body: running}), "#d6e8ff", "running|Work|CreateThingMetadata|Progress|step <2> of 3|Started|2026-03-02 12:00:00 UTC|" +
			"Updated|2026-03-02 12:00:00 UTC|Failed in part|UNAVAILABLE: one node"},
		{polled(t, step{body: ended + `"response": {}}`}), "#d3f5dc", "succeeded|Started|2026-03-02 12:00:00 UTC|Ended|2026-03-02 12:10:00 UTC"},
		{polled(t, step{body: failed}), "#ffdcd7", "failed|Error|RESOURCE_EXHAUSTED: no quota|Started|2026-03-02 12:00:00 UTC|Ended|2026-03-02 12:10:00 UTC"},
	} {
		bundle := tt.op.SimpleRender()
		html := fmt.Sprint(bundle["text/html"])
		text, err := rendertest.Markup(html)
		if err != nil || bundle["text/plain"] != tt.op.String() || !strings.Contains(html, "background:"+tt.color) {
			t.Errorf("%v: %v", err, bundle)
		}
		got := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), "|")
		if diff := cmp.Diff("Operation "+nameA+"|State|"+tt.facts, got); diff != "" {
			t.Error(diff)
		}
	}
}

// hostile is a failure, or work that goes on, with a text wherever the service may have one.
func hostile(text string, parts int, failed bool) *lro.Operation {
	type object map[string]any
	violations, partial := []object{}, []object{}
	for range parts {
		violations = append(violations, object{"field": text, "description": "x" + text})
	}
	status := object{"code": 3, "message": text, "details": []object{{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations}}}
	for range parts {
		partial = append(partial, status)
	}
	metadata := object{"@type": text, "progressMessage": text, "genericMetadata": object{"createTime": text, "partialFailures": partial}}
	body := object{"name": nameA, "metadata": metadata}
	if failed {
		body["done"], body["error"] = true, status
	}
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	op, err := lro.Started(newService(), raw)
	if err != nil {
		panic(err)
	}
	return op
}

// TestLooksAreBounded, however much the service says.
func TestLooksAreBounded(t *testing.T) {
	for _, failed := range []bool{false, true} {
		bundle := hostile(strings.Repeat("<&\"'\n\u202e", 2000), 8, failed).SimpleRender()
		if err := rendertest.Bundle(bundle); err != nil || len(fmt.Sprint(bundle)) > 50_000 {
			t.Errorf("failed %v: %v, %d bytes", failed, err, len(fmt.Sprint(bundle)))
		}
	}
	text := fmt.Sprint(hostile("a part", 203, false).SimpleRender())
	if n := strings.Count(text, "Failed in part"); n != 201 || !strings.Contains(text, "and 3 more failures") {
		t.Errorf("of 203 failures of parts it shows %d lines", n)
	}
}

// FuzzRender: whatever the service says, what is shown is well-formed, bounded, and nothing but text.
func FuzzRender(f *testing.F) {
	for _, text := range []string{"step 2 of 3", "<script>alert(1)</script>", "]]>&amp;--><!--", "a\nb\r\x00\x1b[31m", "\xff\xfe\xc3", `"onload='x'`,
		"\u202e\u2066txt.exe\u2069", "\ufffe\uffff\u2028\U0010ffff", "2026-03-02T12:00:00Z", strings.Repeat("<&\"'", 250)} {
		for _, failed := range []bool{false, true} {
			f.Add(text, uint8(1), failed)
			f.Add(text, uint8(3), failed)
		}
	}
	f.Fuzz(func(t *testing.T, text string, parts uint8, failed bool) {
		if err := rendertest.Bundle(hostile(text, int(parts%8), failed).SimpleRender()); err != nil {
			t.Fatal(err)
		}
	})
}
