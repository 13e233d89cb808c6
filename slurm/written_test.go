package slurm

import (
	"bytes"
	"testing"
)

// TestOnlyTheVeryBodyIsVouchedFor: neither another one, nor a part, nor one that is equal.
func TestOnlyTheVeryBodyIsVouchedFor(t *testing.T) {
	body := []byte(`{"a":1}`)
	for name, other := range map[string][]byte{"equal": bytes.Clone(body), "a part": body[:3], "the end": body[1:], "none": nil} {
		if written(body).IsObject(other) {
			t.Errorf("%s counts", name)
		}
	}
	if !written(body).IsObject(body) || written(nil).IsObject(nil) {
		t.Error("the body itself, or none at all")
	}
}
