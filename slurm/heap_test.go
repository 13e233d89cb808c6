package slurm

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// queueMaker is a service whose Slurm has any number of jobs, made while they are sent. They look like recorded ones,
// each with a number, a name and an output of its own.
type queueMaker struct {
	jobs    int
	text    bool       // the older envelope, with the answer as a text behind which the status comes
	records [][]string // the pieces of some, between which a number goes
	sent    int64
}

func (q *queueMaker) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	before, after := `{"status":200,"structuredBody":`, `}`
	if q.text {
		before, after = `{"body":"`, `","status":200}`
	}
	out := bufio.NewWriterSize(w, 64<<10)
	write := func(text string) {
		n, _ := out.WriteString(text) // who closes early is no failure
		q.sent += int64(n)
	}
	write(before + q.escaped(`{"jobs":[`))
	for i := range q.jobs {
		if i > 0 {
			write(",")
		}
		number := fmt.Sprint(1_000_000 + i)
		record := q.records[i%len(q.records)]
		write(record[0])
		for _, piece := range record[1:] {
			write(number)
			write(piece)
		}
	}
	write(q.escaped(`],"last_update":{"set":true,"infinite":false,"number":1796000000},"errors":[],"warnings":[]}`) + after)
	_ = out.Flush()
}

func (q *queueMaker) escaped(text string) string {
	if q.text {
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
	}
	return text
}

// someRecords are of the recorded list, with <number> in place of what differs from job to job.
func someRecords(t testing.TB, n int) (records []string) {
	t.Helper()
	list := unzip(t, "jobs-2000.json.gz")
	err := jsonx.EachElement(jsonx.Member(list, "jobs"), func(i int, raw []byte) error {
		if i%(2000/n) == 0 {
			record := string(raw)
			for _, name := range []string{"job_id", "name", "standard_output"} {
				value := `"` + name + `":` + string(jsonx.Member(raw, name))
				own := `"` + name + `":<number>`
				if name != "job_id" {
					own = `"` + name + `":"` + name + `-<number>"`
				}
				if record = strings.Replace(record, value, own, 1); !strings.Contains(record, own) {
					return fmt.Errorf("no %s in %s", value, raw)
				}
			}
			records = append(records, record)
		}
		return nil
	})
	if err != nil || len(records) != n {
		t.Fatalf("%d records, %v", len(records), err)
	}
	return records
}

// client is one above a socket.
func (q *queueMaker) client(t testing.TB) *Client {
	t.Helper()
	for _, record := range someRecords(t, 50) {
		q.records = append(q.records, strings.Split(q.escaped(record), "<number>"))
	}
	srv := httptest.NewServer(q)
	t.Cleanup(srv.Close)
	platform, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1",
		option.WithEndpoint(srv.URL), option.WithHTTPClient(srv.Client()))
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(platform, "training")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// live is the heap that is in use once the garbage is collected.
func live() (m runtime.MemStats) {
	runtime.GC()
	runtime.GC() // what the first has finalized
	runtime.ReadMemStats(&m)
	return m
}

const megabyte = 1 << 20

// TestLongListLeavesTheHeapFlat: however many jobs have passed, memory holds the same.
func TestLongListLeavesTheHeapFlat(t *testing.T) {
	for _, q := range []*queueMaker{{jobs: longList}, {jobs: longList / 5, text: true}} {
		// The table of texts that jobs share may still fill, and goes on doing nothing then.
		const mostGrowth, mostObjects = megabyte, 2 * maxTexts
		step := q.jobs / 10
		var first runtime.MemStats
		n := 0
		for job, err := range q.client(t).Jobs(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprint(1_000_000 + n); fmt.Sprint(job.RawID) != want || job.Name != "name-"+want {
				t.Fatalf("job %d is %v", n, job)
			}
			if n++; n%step != 0 {
				continue
			}
			now := live()
			if n == step {
				first = now
			}
			grown, objects := int64(now.HeapAlloc)-int64(first.HeapAlloc), int64(now.HeapObjects)-int64(first.HeapObjects)
			if grown > mostGrowth || objects > mostObjects {
				t.Fatalf("after %d jobs the heap has %d bytes and %d objects more than after %d", n, grown, objects, step)
			}
		}
		perJob := q.sent / int64(q.jobs)
		if n != q.jobs || perJob < 4_500 {
			t.Errorf("%d of %d jobs, of %d bytes each", n, q.jobs, perJob)
		}
		t.Logf("%d MB of JSON passed", q.sent/megabyte)
	}
}

// TestListKeepsJobsOnly: a list in memory is smaller than its JSON, which is not kept beside it.
func TestListKeepsJobsOnly(t *testing.T) {
	const n = longList / 10
	q := &queueMaker{jobs: n}
	c := q.client(t)
	for _, tt := range []struct {
		opts     *ListOptions
		jobs     int
		most, in int64 // bytes that are kept per job, and bytes allocated per job of the queue
	}{
		{nil, n, 2_000, 3_000},
		{&ListOptions{Users: []string{"nobody"}}, 0, 0, 500},
		{&ListOptions{Names: []string{"name-1000007"}}, 1, 100_000, 500},
	} {
		before := live()
		jobs, err := c.List(t.Context(), tt.opts)
		after := live()
		if err != nil || len(jobs) != tt.jobs {
			t.Fatalf("%+v: %d jobs, %v", tt.opts, len(jobs), err)
		}
		kept, allocated := int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(after.TotalAlloc)-int64(before.TotalAlloc)
		if kept > megabyte+tt.most*int64(tt.jobs) || allocated > tt.in*n+megabyte {
			t.Errorf("%+v: keeps %d bytes for %d jobs, and allocated %d", tt.opts, kept, len(jobs), allocated)
		}
		runtime.KeepAlive(jobs)
	}
	jobs, err := c.List(t.Context(), &ListOptions{Names: []string{"name-1000007"}, Raw: true})
	if err != nil || len(jobs) != 1 || !bytes.Contains(jobs[0].Raw, []byte(`"name-1000007"`)) || cap(jobs[0].Raw) > 2*len(jobs[0].Raw) {
		t.Errorf("%v, %v", jobs, err)
	}
}
