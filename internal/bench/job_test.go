package bench

import (
	"encoding/json"
	"testing"
)

// BenchmarkJob decodes the answer to a question for one job.
func BenchmarkJob(b *testing.B) {
	data := answerOf(running(b))
	client := slurmClient(b, data)
	jobs, err := client.List(b.Context(), nil)
	if err != nil || len(jobs) != 1 {
		b.Fatal(jobs, err)
	}
	id := jobs[0].ID
	contenders := []contender{
		{ours, func() error {
			_, err := client.Get(b.Context(), id)
			return err
		}},
		into(plainMap, json.Unmarshal, data, func(m *map[string]any) bool { return len((*m)["jobs"].([]any)) == 1 }),
		into(generated, json.Unmarshal, data, func(l *V0042OpenapiJobInfoResp) bool { return len(l.Jobs) == 1 }),
	}
	compare(b, len(data), append(contenders, intoEach(data, func(l *liveList) bool { return len(l.Jobs) == 1 })...)...)
}
