package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// fields is the mask to plan with: the one of the flags, or the fields that the file has and that differ. What the
// file leaves out, which ChangedFields would clear, is left alone and named in a note.
func (cfg *config) fields(current *cluster.ModelDevelopmentCluster, notes io.Writer) (mask cluster.FieldMask, err error) {
	if cfg.mask != nil {
		return cfg.mask, nil
	}
	changed, err := cluster.ChangedFields(current, cfg.want)
	if err != nil {
		return nil, err
	}
	var leftOut cluster.FieldMask
	for _, path := range changed {
		cleared := strings.HasPrefix(path, cluster.Clear("")) // nothing is lost where nothing is
		if cleared && len(cluster.PlanUpdate(current, current, cluster.FieldMask{path}, cfg.mode).Changes) > 0 {
			leftOut = append(leftOut, path)
		} else {
			mask = append(mask, path)
		}
	}
	if len(leftOut) > 0 {
		fmt.Fprintf(notes, "Not in the file, and left alone: %s. To clear a field, name it with -mask.\n", leftOut)
	}
	return mask, nil
}
