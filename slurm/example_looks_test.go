package slurm_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// In a notebook, a cell that ends with the list itself shows the table.
func ExampleJobList_SimpleRender() {
	jobs := slurm.JobList{ // as client.List returns it
		{ID: "41", Name: "train", User: "alice", State: slurm.StateRunning},
		{ID: "42", Name: "eval", User: "alice", State: slurm.StatePending, Reason: "Priority"},
	}
	bundle := jobs.SimpleRender()
	fmt.Println(bundle["text/plain"])
	fmt.Println(strings.Count(bundle["text/html"].(string), "<tr>"), "rows with the head")
	// Output:
	// 2 jobs: 1 pending, 1 running
	// 3 rows with the head
}

// A picture of when jobs waited and ran, which a notebook shows, and a browser from a file.
func ExampleJobList_Timeline() {
	start := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	jobs := slurm.JobList{ // as client.ListHistory returns it
		{ID: "41", RawID: 41, Name: "train", State: slurm.StateCompleted, SubmitTime: start.Add(-time.Hour), StartTime: start, EndTime: start.Add(3 * time.Hour)},
		{ID: "42", RawID: 42, Name: "eval", State: slurm.StateTimeout, SubmitTime: start, StartTime: start.Add(time.Hour), EndTime: start.Add(2 * time.Hour)},
	}
	timeline := jobs.Timeline()
	fmt.Println(timeline)
	svg := timeline.SVG() // os.WriteFile("jobs.svg", []byte(svg), 0o644)
	fmt.Println(strings.Count(svg, "<g>"), "rows")
	// Output:
	// timeline of 2 jobs from 2026-11-30 07:00:00 to 2026-11-30 11:00:00 UTC
	// 2 rows
}
