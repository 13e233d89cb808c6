// Package retry runs a job again when the cluster was at fault. It stands for code of your own: its tests show how such
// code is tested, with servers in memory and in virtual time.
package retry

import (
	"context"
	"errors"

	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// Run submits a job, waits for its end, and submits it anew if the infrastructure failed under it, up to so many times in
// all. It returns the last job. A job that fails by itself is not tried again, nor is one whose end was not seen, one that
// runs without a part of its description, or one that may exist: that error is a [*slurm.UncertainError], whose token
// leads to it.
func Run(ctx context.Context, s *slurm.Client, spec *slurm.JobSpec, times int, opts ...lro.WaitOption) (*slurm.Job, error) {
	once := *spec
	once.Requeue = new(bool) // Slurm itself would do it without a limit
	for {
		id, partial := s.Submit(ctx, &once)
		if id == "" {
			return nil, partial
		}
		job, err := s.Wait(ctx, id, opts...)
		var failed *slurm.JobError
		times--
		if partial != nil || times <= 0 || !errors.As(err, &failed) || !failed.Infrastructure() {
			return job, errors.Join(partial, err)
		}
	}
}
