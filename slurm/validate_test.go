package slurm_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func TestSpecsRefused(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	tests := []struct {
		why, field, says string
		set              func(*slurm.JobSpec)
	}{
		{"422 from Slurm", "Script", "#!", func(s *slurm.JobSpec) { s.Script = "" }},
		{"422 from Slurm", "Script", "#!", func(s *slurm.JobSpec) { s.Script = " \n" }},
		{"accepted, then FAILED with exit code 8", "Script", "#!/bin/bash", func(s *slurm.JobSpec) { s.Script = "echo hello\n" }},
		{"a path is not a script", "Script", "#!", func(s *slurm.JobSpec) { s.Script = "/home/alice/run.sh" }},
		{"a byte order mark hides the interpreter", "Script", "byte order mark", func(s *slurm.JobSpec) { s.Script = "\ufeff#!/bin/sh\n" }},
		{"a raw string of Go that begins with a line break", "Script", "white space", func(s *slurm.JobSpec) { s.Script = "\n#!/bin/sh\ntrue\n" }},
		{"accepted, then FAILED with exit code 2", "Script", `\r\n`, func(s *slurm.JobSpec) { s.Script = "#!/bin/sh\r\ntrue\r\n" }},
		{"Slurm cuts the script there", "Script", "NUL", func(s *slurm.JobSpec) { s.Script = "#!/bin/sh\necho a\x00b\n" }},
		{"JSON would change the bytes", "Script", "UTF-8", func(s *slurm.JobSpec) { s.Script = "#!/bin/sh\necho \xff\n" }},
		{"500/2063 from Slurm", "WorkingDirectory", "absolute", func(s *slurm.JobSpec) { s.WorkingDirectory = "" }},
		{"accepted, then FAILED without output", "WorkingDirectory", "absolute", func(s *slurm.JobSpec) { s.WorkingDirectory = "work" }},
		{"breaks tables and mails", "Name", "one line", func(s *slurm.JobSpec) { s.Name = "a\nb" }},
		{"cut at NUL", "Comment", "NUL", func(s *slurm.JobSpec) { s.Comment = "a\x00" }},
		{"a name with = swallows the value", `Environment["TOKEN"]`, "=", func(s *slurm.JobSpec) { s.Environment = map[string]string{"TOKEN=s3cr3t": ""} }},
		{"a nameless variable", "Environment", "no name", func(s *slurm.JobSpec) { s.Environment = map[string]string{"": "x"} }},
		{"NUL ends the variable", `Environment["A"]`, "NUL", func(s *slurm.JobSpec) { s.Environment = map[string]string{"A": "s3cr3t\x00"} }},
		{"NUL in a name", `Environment["A\x00"]`, "NUL", func(s *slurm.JobSpec) { s.Environment = map[string]string{"A\x00": "1"} }},
		{"not UTF-8", `Environment["A"]`, "UTF-8", func(s *slurm.JobSpec) { s.Environment = map[string]string{"A": "\xff"} }},
		{"not UTF-8", "Partition", "UTF-8", func(s *slurm.JobSpec) { s.Partition = "\xff" }},
		{"an argument that is cut", "Arguments[1]", "NUL", func(s *slurm.JobSpec) { s.Arguments = []string{"a", "b\x00"} }},
		{"an empty entry", "TRESPerJob", "empty entry", func(s *slurm.JobSpec) { s.TRESPerJob = "gres/gpu:1," }},
		{"all of a node's memory, per CPU", "MemoryPerCPU", "MemoryPerNode", func(s *slurm.JobSpec) { s.MemoryPerCPU = slurm.AllMemory }},
		{"a place for a signal that is not sent", "SignalScript", "no effect", func(s *slurm.JobSpec) { s.SignalScript = true }},
		{"a nameless member", "Extra", "no name", func(s *slurm.JobSpec) { s.Extra = map[string]any{"": 1} }},
		{"negative is infinite to Slurm", "TimeLimit", "negative", func(s *slurm.JobSpec) { s.TimeLimit = -time.Minute }},
		{"a minimum above the limit", "TimeMinimum", "more than TimeLimit", func(s *slurm.JobSpec) { s.TimeLimit, s.TimeMinimum = day, 2*day }},
		{"no minimum is unlimited", "TimeMinimum", "TimeLimit", func(s *slurm.JobSpec) { s.TimeMinimum = slurm.Unlimited }},
		{"can never run", "Deadline", "after Begin", func(s *slurm.JobSpec) { s.Begin, s.Deadline = now, now.Add(-day) }},
		{"a zero Unix time", "Begin", "1970", func(s *slurm.JobSpec) { s.Begin = time.Unix(0, 0) }},
		{"-1 is unset to Slurm", "MinNodes", "negative", func(s *slurm.JobSpec) { s.MinNodes = -1 }},
		{"turned around", "MaxNodes", "less than MinNodes", func(s *slurm.JobSpec) { s.MinNodes, s.MaxNodes = 4, 2 }},
		{"negative", "Tasks", "negative", func(s *slurm.JobSpec) { s.Tasks = -1 }},
		{"wraps around in 16 bits", "TasksPerNode", "65533", func(s *slurm.JobSpec) { s.TasksPerNode = 65536 }},
		{"means infinite in 16 bits", "CPUsPerTask", "65533", func(s *slurm.JobSpec) { s.CPUsPerTask = 65535 }},
		{"negative", "MemoryPerNode", "negative", func(s *slurm.JobSpec) { s.MemoryPerNode = -1 }},
		{"MiB instead of bytes", "MemoryPerNode", "64<<30", func(s *slurm.JobSpec) { s.MemoryPerNode = 64000 }},
		{"Slurm would take one silently", "MemoryPerCPU", "only one", func(s *slurm.JobSpec) { s.MemoryPerNode, s.MemoryPerCPU = 1<<30, 1<<30 }},
		{"500/2115 from Slurm", "TRESPerNode", `"gres/gpu:2"`, func(s *slurm.JobSpec) { s.TRESPerNode = "gpu:2" }},
		{"twice the GPUs", "TRESPerNode", "only one", func(s *slurm.JobSpec) { s.GPUsPerNode, s.TRESPerNode = 2, "gres/gpu:2" }},
		{"a type of nothing", "GPUType", "GPUsPerNode", func(s *slurm.JobSpec) { s.GPUType = "b200" }},
		{"would become another resource", "GPUType", "b200", func(s *slurm.JobSpec) { s.GPUsPerNode, s.GPUType = 1, "b200:4" }},
		{"500/2081 from Slurm", "Array", "0-9", func(s *slurm.JobSpec) { s.Array = "abc" }},
		{"backwards", "Array", "backwards", func(s *slurm.JobSpec) { s.Array = "9-0" }},
		{"no step", "Array", "step of 0", func(s *slurm.JobSpec) { s.Array = "0-9:0" }},
		{"none at a time", "Array", "at once", func(s *slurm.JobSpec) { s.Array = "0-9%0" }},
		{"Slurm's own output, not an input", "Array", "marks", func(s *slurm.JobSpec) { s.Array = "[0-9]" }},
		{"cut short", "Array", "0-9", func(s *slurm.JobSpec) { s.Array = "0-9," }},
		{"500/2038 from Slurm", "Dependency", "whenever", func(s *slurm.JobSpec) { s.Dependency = "whenever:1" }},
		{"no job", "Dependency", "afterok:ID", func(s *slurm.JobSpec) { s.Dependency = slurm.AfterOK() }},
		{"a builder keeps a bad id visible", "Dependency", "soon", func(s *slurm.JobSpec) { s.Dependency = slurm.AfterAny("1", "soon") }},
		{"would be a delay of a minute", "Dependency", "own number", func(s *slurm.JobSpec) { s.Dependency = slurm.After("42+1") }},
		{"and or or", "Dependency", "mixes", func(s *slurm.JobSpec) { s.Dependency = "afterok:1,afterok:2?afterok:3" }},
		{"Slurm kills for an unknown name", "Signal", "USR1", func(s *slurm.JobSpec) { s.Signal = "NOPE" }},
		{"a span without a signal", "SignalBefore", "no effect", func(s *slurm.JobSpec) { s.SignalBefore = time.Minute }},
		{"beyond 16 bits", "SignalBefore", "out of range", func(s *slurm.JobSpec) { s.Signal, s.SignalBefore = "USR1", day }},
		{"500, and the job runs without", "MailTypes", "END", func(s *slurm.JobSpec) { s.MailTypes = []slurm.MailType{"NEVER"} }},
		{"32 bits", "Priority", "4294967293", func(s *slurm.JobSpec) { s.Priority = 1 << 32 }},
		{"the job would start", "Priority", "Hold", func(s *slurm.JobSpec) { s.Hold, s.Priority = true, 7 }},
		{"negative", "Priority", "no priority", func(s *slurm.JobSpec) { s.Priority = -1 }},
		{"32 bits", "Nice", "hold", func(s *slurm.JobSpec) { s.Nice = math.MaxInt }},
		{"no node", "RequiredNodes[1]", "name of a node", func(s *slurm.JobSpec) { s.RequiredNodes = []string{"g1", ""} }},
		{"set twice", `Extra["name"]`, "sets this already", func(s *slurm.JobSpec) { s.Name, s.Extra = "a", map[string]any{"name": "b"} }},
		{"always set", `Extra["environment"]`, "sets this already", func(s *slurm.JobSpec) { s.Extra = map[string]any{"environment": nil} }},
		{"another place", `Extra["script"]`, "Script", func(s *slurm.JobSpec) { s.Extra = map[string]any{"script": "x"} }},
		{"jobs run as the caller", `Extra["user_id"]`, "caller", func(s *slurm.JobSpec) { s.Extra = map[string]any{"user_id": "bob"} }},
		{"no JSON", `Extra["flags"]`, "JSON", func(s *slurm.JobSpec) { s.Extra = map[string]any{"flags": make(chan int)} }},
	}
	for _, tt := range tests {
		t.Run(tt.field+"/"+tt.why, func(t *testing.T) {
			c, s := newScripted(t, answer{status: 200, body: `{"job_id":7}`})
			spec := validSpec()
			tt.set(spec)
			id, err := c.Submit(t.Context(), spec)
			found := inputProblems(t, err)
			if !strings.Contains(found[tt.field], tt.says) || len(found) != 1 {
				t.Errorf("got %q, want only %s with %q", found, tt.field, tt.says)
			}
			if id != "" || len(s.requests) != 0 {
				t.Errorf("id %q after %d requests: nothing may be sent", id, len(s.requests))
			}
			if strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), "echo") {
				t.Errorf("%q shows a value or the script", err)
			}
		})
	}
}

func TestSpecsAccepted(t *testing.T) {
	tests := []struct {
		why string
		set func(*slurm.JobSpec)
	}{
		{"the least there is", func(*slurm.JobSpec) {}},
		{"a begin in the past is now", func(s *slurm.JobSpec) { s.Begin = time.Unix(1, 0) }},
		{"a single task", func(s *slurm.JobSpec) { s.Array = "3" }},
		{"a list of tasks", func(s *slurm.JobSpec) { s.Array = "1,5,9-12:3%2" }},
		{"a delay after the start", func(s *slurm.JobSpec) { s.Dependency = "after:42+5" }},
		{"one of several", func(s *slurm.JobSpec) { s.Dependency = slurm.AfterOK("1") + "?" + slurm.AfterNotOK("2") }},
		{"a whole array", func(s *slurm.JobSpec) { s.Dependency = "aftercorr:42_*" }},
		{"a carriage return inside a line", func(s *slurm.JobSpec) { s.Script = "#!/bin/sh\nprintf 'a\rb'\n" }},
		{"task by task", func(s *slurm.JobSpec) { s.Dependency = slurm.AfterCorresponding("42") }},
		{"a license", func(s *slurm.JobSpec) { s.TRESPerJob = "license/matlab:1,gres/gpu=2" }},
		{"an unknown member may be new", func(s *slurm.JobSpec) {
			s.Extra = map[string]any{"segment_size": map[string]any{"set": true, "number": 16}}
		}},
		{"a field that is not set leaves its name to Extra", func(s *slurm.JobSpec) { s.Extra = map[string]any{"shared": []string{"user"}} }},
		{"a value of several lines", func(s *slurm.JobSpec) { s.Environment = map[string]string{"A": "1\n2"} }},
	}
	for _, tt := range tests {
		spec := validSpec()
		tt.set(spec)
		if err := spec.Validate(); err != nil {
			t.Errorf("%s: %v", tt.why, err)
		}
	}
}

// Everything is reported at once, in one line.
func TestAllProblemsAtOnce(t *testing.T) {
	err := (&slurm.JobSpec{Script: "echo", TimeLimit: -1, Array: "x", Environment: map[string]string{"A=B": ""}}).Validate()
	if found := inputProblems(t, err); len(found) != 5 {
		t.Errorf("%d problems: %v", len(found), err)
	}
	const want = `slurm: submit job: Script: must start with "#!" and an interpreter, such as "#!/bin/bash": ` +
		`Slurm takes it as it is, and the job fails; WorkingDirectory: required: `
	if !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %s\nwant %s…", err, want)
	}
}

func TestNilSpecs(t *testing.T) {
	c, s := newScripted(t, answer{status: 200, body: `{"job_id":7}`})
	if _, err := c.Submit(t.Context(), nil); err == nil {
		t.Error("a nil spec was accepted")
	}
	_, err := c.SubmitHet(t.Context(), []*slurm.JobSpec{validSpec(), nil})
	inputProblems(t, err)
	if len(s.requests) != 0 {
		t.Error("something was sent")
	}
}

// Slurm would take 4 MiB, but the service does not.
func TestLargeRequests(t *testing.T) {
	c, s := newScripted(t, answer{status: 200, body: `{"job_id":7}`})
	spec := validSpec()
	spec.Script += strings.Repeat("#", 2<<20)
	_, err := c.Submit(t.Context(), spec)
	text := inputProblems(t, err)["Script"]
	for _, want := range []string{"2097173 bytes in JSON", "a request of 2097372", "below 1000000", "1097572 over", "shared storage", "slurm.Wrapper"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	spec = validSpec()
	spec.Environment = map[string]string{"DATA": strings.Repeat("x", 1<<20)}
	if _, err = c.Submit(t.Context(), spec); !strings.Contains(inputProblems(t, err)["Environment"], "shared storage") {
		t.Errorf("got %v, want the environment blamed", err)
	}
	large := strings.Repeat("x", 1<<20)
	for field, spec := range map[string]*slurm.JobSpec{
		"Comment":   {Comment: large},
		"Arguments": {Arguments: []string{"-v", large}},
		"Extra":     {Extra: map[string]any{"burst_buffer": large}},
	} {
		spec.Script, spec.WorkingDirectory = "#!/bin/sh\n", "/home/alice"
		_, err := c.Submit(t.Context(), spec)
		if found := inputProblems(t, err); !strings.Contains(found[field], "bytes in JSON") || len(found) != 1 {
			t.Errorf("%v, want %s blamed", err, field)
		}
		_, err = c.SubmitHet(t.Context(), []*slurm.JobSpec{validSpec(), {WorkingDirectory: "/", Environment: map[string]string{"A": large}}})
		if inputProblems(t, err)["[1].Environment"] == "" {
			t.Errorf("%v, want the second component blamed", err)
		}
	}
	if len(s.requests) != 0 {
		t.Error("something was sent")
	}
	spec = validSpec()
	spec.Script += strings.Repeat("#", 990_000)
	if _, err := c.Submit(t.Context(), spec); err != nil || len(s.requests) != 1 {
		t.Errorf("990 kB fit, got %v", err)
	}
	if errors.Is(err, slurm.ErrUncertain) {
		t.Errorf("%v: what is refused here is certain", err)
	}
}
