package bench

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// BenchmarkLiveList decodes the recorded queue of 2,000 jobs, 9.4 MB. Ours reads it as it arrives; the others have it in
// memory already.
func BenchmarkLiveList(b *testing.B) {
	data := recorded(b, "jobs-2000.json.gz")
	client := slurmClient(b, data)
	contenders := []contender{
		{ours, func() error {
			jobs, err := client.List(b.Context(), nil)
			return counted(len(jobs), err)
		}},
		intoMap(data),
		into(generated, json.Unmarshal, data, func(l *V0042OpenapiJobInfoResp) bool { return len(l.Jobs) == listed }),
	}
	contenders = append(contenders, intoEach(data, func(l *liveList) bool { return len(l.Jobs) == listed })...)
	compare(b, len(data), append(contenders, skippers(data)...)...)
}

// BenchmarkFilteredList is the same for somebody who wants the ten jobs that run.
func BenchmarkFilteredList(b *testing.B) {
	data := recorded(b, "jobs-2000.json.gz")
	client := slurmClient(b, data)
	compare(b, len(data), contender{ours, func() error {
		jobs, err := client.List(b.Context(), &slurm.ListOptions{States: []slurm.State{slurm.StateRunning}})
		if err == nil && len(jobs) != 10 {
			err = errCount
		}
		return err
	}})
}

// BenchmarkHistoryList decodes the recorded history of 2,000 jobs with their steps, 7.4 MB.
func BenchmarkHistoryList(b *testing.B) {
	data := recorded(b, "slurmdb-jobs-2000.json.gz")
	client := slurmClient(b, data)
	contenders := []contender{
		{ours, func() error {
			jobs, err := client.ListHistory(b.Context(), everything)
			return counted(len(jobs), err)
		}},
		intoMap(data),
		into(generated, json.Unmarshal, data, func(l *V0042OpenapiSlurmdbdJobsResp) bool { return len(l.Jobs) == listed }),
	}
	contenders = append(contenders, intoEach(data, func(l *historyList) bool { return len(l.Jobs) == listed })...)
	compare(b, len(data), append(contenders, skippers(data)...)...)
}

// everything asks for the whole history, steps included.
var everything = &slurm.HistoryOptions{Start: time.Unix(1, 0), Steps: true}

func intoMap(data []byte) contender {
	return into(plainMap, json.Unmarshal, data, func(m *map[string]any) bool { return len((*m)["jobs"].([]any)) == listed })
}
