package bench

import (
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// The job of the benchmarks, as each contender writes it down. A test holds them to the same JSON.

const script = "#!/bin/bash\nset -euo pipefail\ncd /home/alice/train\nsrun python train.py --config config.yaml --resume\n"

// token is in place of the random one that ours makes for each job.
const token = "tc-submit:tc-0123456789abcdefghjkmnpqrs"

func ourSubmit() *slurm.JobSpec {
	return &slurm.JobSpec{
		Name: "train", Account: "research", Partition: "gpu", Comment: "nightly", Script: script,
		WorkingDirectory: "/home/alice/train", Stdout: "/home/alice/train/%j.out",
		MinNodes: 4, TasksPerNode: 8, CPUsPerTask: 12, MemoryPerNode: 512 << 30, TRESPerNode: "gres/gpu:b200:8",
		TimeLimit:   12 * time.Hour,
		Environment: map[string]string{"NCCL_DEBUG": "WARN", "OMP_NUM_THREADS": "12", "WANDB_MODE": "offline"},
	}
}

func environment() []string {
	return []string{"NCCL_DEBUG=WARN", "OMP_NUM_THREADS=12", "PATH=" + slurm.DefaultPath, "WANDB_MODE=offline"}
}

// mapSubmit is what a user writes at first.
func mapSubmit() any {
	set := func(n int) map[string]any { return map[string]any{"set": true, "number": n} }
	return map[string]any{
		"script": script,
		"job": map[string]any{
			"name": "train", "account": "research", "partition": "gpu", "comment": "nightly", "environment": environment(),
			"current_working_directory": "/home/alice/train", "standard_output": "/home/alice/train/%j.out",
			"minimum_nodes": 4, "tasks_per_node": 8, "cpus_per_task": 12, "memory_per_node": set(512 << 10),
			"tres_per_node": "gres/gpu:b200:8", "time_limit": set(720), "mcs_label": token,
		},
	}
}

// generatedSubmit is the same in the types made of the OpenAPI document.
func generatedSubmit() any {
	env := environment()
	return &V0042JobSubmitReq{
		Script: new(script),
		Job: &V0042JobDescMsg{
			Name: new("train"), Account: new("research"), Partition: new("gpu"), Comment: new("nightly"), Environment: &env,
			CurrentWorkingDirectory: new("/home/alice/train"), StandardOutput: new("/home/alice/train/%j.out"),
			MinimumNodes: new(int32(4)), TasksPerNode: new(int32(8)), CpusPerTask: new(int32(12)),
			MemoryPerNode: &V0042Uint64NoValStruct{Set: new(true), Number: new(int64(512 << 10))},
			TresPerNode:   new("gres/gpu:b200:8"), TimeLimit: &V0042Uint32NoValStruct{Set: new(true), Number: new(int32(720))},
			McsLabel: new(token),
		},
	}
}

// submitRequest and submitJob are the types of a careful user.
type submitRequest struct {
	Job    submitJob `json:"job"`
	Script string    `json:"script"`
}

type submitJob struct {
	Name             string     `json:"name,omitempty"`
	Account          string     `json:"account,omitempty"`
	Partition        string     `json:"partition,omitempty"`
	Comment          string     `json:"comment,omitempty"`
	Environment      []string   `json:"environment"`
	WorkingDirectory string     `json:"current_working_directory,omitempty"`
	StandardOutput   string     `json:"standard_output,omitempty"`
	MinimumNodes     int        `json:"minimum_nodes,omitempty"`
	TasksPerNode     int        `json:"tasks_per_node,omitempty"`
	CPUsPerTask      int        `json:"cpus_per_task,omitempty"`
	MemoryPerNode    *setNumber `json:"memory_per_node,omitempty"`
	TRESPerNode      string     `json:"tres_per_node,omitempty"`
	TimeLimit        *setNumber `json:"time_limit,omitempty"`
	MCSLabel         string     `json:"mcs_label,omitempty"`
}

type setNumber struct {
	Set    bool  `json:"set"`
	Number int64 `json:"number"`
}

func typedSubmit() any {
	return &submitRequest{Script: script, Job: submitJob{
		Name: "train", Account: "research", Partition: "gpu", Comment: "nightly", Environment: environment(),
		WorkingDirectory: "/home/alice/train", StandardOutput: "/home/alice/train/%j.out",
		MinimumNodes: 4, TasksPerNode: 8, CPUsPerTask: 12, MemoryPerNode: &setNumber{true, 512 << 10},
		TRESPerNode: "gres/gpu:b200:8", TimeLimit: &setNumber{true, 720}, MCSLabel: token,
	}}
}

// submitAnswer is what Slurm says to a submit.
type submitAnswer struct {
	JobID       int64     `json:"job_id"`
	UserMessage string    `json:"job_submit_user_msg"`
	Errors      []problem `json:"errors"`
	Warnings    []problem `json:"warnings"`
}

const accepted = `{"job_id":4711,"step_id":"batch","job_submit_user_msg":"","meta":{"plugin":{"type":"openapi/slurmctld",` +
	`"name":"Slurm OpenAPI slurmctld","data_parser":"data_parser/v0.0.42","accounting_storage":"accounting_storage/slurmdbd"},` +
	`"client":{"source":"unix","user":"alice","group":"alice"},"command":[],"slurm":{"version":{"major":"24","micro":"5",` +
	`"minor":"11"},"release":"24.11.5","cluster":"tb"}},"errors":[],"warnings":[]}`
