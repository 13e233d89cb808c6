package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// records are those of a list, as they came.
func records(t testing.TB, list []byte) []json.RawMessage {
	t.Helper()
	var l struct {
		Jobs []json.RawMessage `json:"jobs"`
	}
	if err := json.Unmarshal(list, &l); err != nil || len(l.Jobs) == 0 {
		t.Fatal(len(l.Jobs), err)
	}
	return l.Jobs
}

// answerOf is an answer of the queue with these records, and with what Slurm says beside them.
func answerOf(jobs ...json.RawMessage) []byte {
	var b bytes.Buffer
	b.WriteString(`{"jobs":[`)
	b.Write(bytes.Join(raws(jobs), []byte(",")))
	b.WriteString(`],"last_backfill":{"set":true,"infinite":false,"number":1796024000},` +
		`"last_update":{"set":true,"infinite":false,"number":1796024024},` +
		`"meta":{"plugin":{"type":"openapi/slurmctld","name":"Slurm OpenAPI slurmctld","data_parser":"data_parser/v0.0.42",` +
		`"accounting_storage":"accounting_storage/slurmdbd"},"client":{"source":"unix","user":"alice","group":"alice"},` +
		`"command":[],"slurm":{"version":{"major":"24","micro":"5","minor":"11"},"release":"24.11.5","cluster":"tb"}},` +
		`"errors":[],"warnings":[]}`)
	return b.Bytes()
}

func raws(jobs []json.RawMessage) (all [][]byte) {
	for _, j := range jobs {
		all = append(all, j)
	}
	return all
}

// running is the first record of a job that runs.
func running(t testing.TB) json.RawMessage {
	t.Helper()
	for _, record := range records(t, recorded(t, "jobs-2000.json.gz")) {
		if bytes.Contains(record, []byte(`"job_state":["RUNNING"]`)) {
			return record
		}
	}
	t.Fatal("no job runs")
	return nil
}

// numbered is a record with another number, name and output file, and of no array.
func numbered(t testing.TB, record json.RawMessage, number int) json.RawMessage {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(record, &members); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]any{
		"job_id": number, "name": fmt.Sprint("name-", number), "standard_output": fmt.Sprint("/home/alice/out-", number),
	} {
		text, err := json.Marshal(value)
		old := append([]byte(`"`+name+`":`), members[name]...)
		if err != nil || !bytes.Contains(record, old) {
			t.Fatalf("no %s in %s", old, record)
		}
		record = bytes.Replace(record, old, append([]byte(`"`+name+`":`), text...), 1)
	}
	return record
}

// structured and textual are the service's envelope in its two forms: with Slurm's answer as an object, and as a text.
func structured(answer []byte) []byte {
	return append(append([]byte(`{"status":200,"structuredBody":`), answer...), '}')
}

func textual(t testing.TB, answer []byte) []byte {
	t.Helper()
	text, err := json.Marshal(string(answer))
	if err != nil {
		t.Fatal(err)
	}
	return append(append([]byte(`{"body":`), text...), `,"status":200}`...)
}

// envelope is the structured form for the decoders of general use.
type envelope[T any] struct {
	Status int `json:"status"`
	Body   T   `json:"structuredBody"`
}

// textEnvelope is the other one.
type textEnvelope struct {
	Status int    `json:"status"`
	Body   string `json:"body"`
}
