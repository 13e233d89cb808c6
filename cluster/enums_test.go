package cluster_test

import (
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

func TestChangeKindAnswers(t *testing.T) {
	if k := cluster.ChangeAdd; !k.Adds() || k.Removes() {
		t.Error("ADD")
	}
	if k := cluster.ChangeRemove; k.Adds() || !k.Removes() {
		t.Error("REMOVE")
	}
	if k := cluster.ChangeModify; k.Adds() || k.Removes() {
		t.Error("MODIFY")
	}
}
