package demo

import (
	"context"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// SubmitSome gives embedded servers jobs to watch: one that succeeds, one that fails, and a last one after both, whose
// id it returns. A real cluster is left alone, and the id is empty.
func (p *Place) SubmitSome(ctx context.Context, s *slurm.Client) (last slurm.JobID, err error) {
	if !p.Embedded() {
		return "", nil
	}
	var before []slurm.JobID
	for _, spec := range []*slurm.JobSpec{
		{Name: "prepare", Script: "#!/bin/bash\nsleep 2\n"},
		{Name: "train", Script: "#!/bin/bash\nsleep 5\nexit 1\n"},
		{Name: "evaluate", Script: "#!/bin/bash\nsleep 2\n"},
	} {
		spec.WorkingDirectory = "/home/alice"
		if len(before) == 2 {
			spec.Dependency = slurm.AfterAny(before...)
		}
		if last, err = s.Submit(ctx, spec); err != nil {
			return last, err
		}
		before = append(before, last)
	}
	return last, nil
}
