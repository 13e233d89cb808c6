package slurm

import (
	"slices"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// Partition is a queue of the cluster with the nodes behind it.
type Partition struct {
	Name        string
	States      []string // "UP", or why it takes or starts no jobs: "DOWN", "DRAIN", "INACTIVE"
	MaxTime     time.Duration
	Unlimited   bool          // jobs may run for ever; MaxTime is 0 then
	DefaultTime time.Duration // of jobs that ask for none; 0 means MaxTime
	GraceTime   time.Duration // from the signal to the end of a preempted job

	Nodes         string // compressed; ExpandHosts expands it
	TotalNodes    int
	MaxNodes      int // of one job, 0 for no limit
	TotalCPUs     int
	Total         Resources
	AllowAccounts string // separated by commas; "" allows all
	DenyAccounts  string
	AllowQOS      string
	Tier          int // a pending job of a higher tier starts first

	Odd []OddMember // members that could not be read, as in Job
}

// Up reports whether the partition takes jobs and starts them.
func (p *Partition) Up() bool { return len(p.States) > 0 && !slices.ContainsFunc(p.States, isNotUp) }

func isNotUp(state string) bool { return state != "UP" }

// GPUs returns the number of GPUs of all its nodes.
func (p *Partition) GPUs() int64 { return p.Total.GPUs() }

// String returns the partition in one line: name, state and nodes.
func (p *Partition) String() string {
	if p == nil {
		return "no partition"
	}
	text := "partition " + p.Name + " " + strings.Join(p.States, "+")
	if p.Nodes != "" {
		text += " on " + abbreviate(p.Nodes)
	}
	return foreign.OneLine(text)
}

// decodePartitions reads the list "partitions" of an answer: see [decodeRecords].
func decodePartitions(r *reply) ([]*Partition, error) {
	var all []*Partition
	members := partitionMembers()
	err := decodeRecords(r, "partitions", func(d *decoder, record *jsonx.Object) error {
		var p Partition
		readOnce(d, record, members, &p, func(member string, err error) { p.Odd = append(p.Odd, oddOf(member, err)) })
		all = append(all, &p)
		return nil
	})
	return all, err
}

// partitionMembers is the layout of a partition. It is made for each answer: a variable would be part of every program.
func partitionMembers() table[Partition] {
	return table[Partition]{
		"name": asText(func(p *Partition) *string { return &p.Name }),
		"partition": asObject(inner[Partition]{
			{"state", asWords(func(p *Partition) *[]string { return &p.States })},
		}),
		"grace_time": asSpan(time.Second, func(p *Partition) *time.Duration { return &p.GraceTime }),
		"defaults": asObject(inner[Partition]{
			{"time", asSpan(time.Minute, func(p *Partition) *time.Duration { return &p.DefaultTime })},
		}),
		"maximums": asObject(inner[Partition]{
			{"time", plain(readMaxTime)},
			{"nodes", asCount(func(p *Partition) *int { return &p.MaxNodes })},
		}),
		"nodes": asObject(inner[Partition]{
			{"configured", asText(func(p *Partition) *string { return &p.Nodes })},
			{"total", asCount(func(p *Partition) *int { return &p.TotalNodes })},
		}),
		"cpus": asObject(inner[Partition]{
			{"total", asCount(func(p *Partition) *int { return &p.TotalCPUs })},
		}),
		"tres": asObject(inner[Partition]{
			{"configured", asResources(func(p *Partition) *Resources { return &p.Total })},
		}),
		"accounts": asObject(inner[Partition]{
			{"allowed", asText(func(p *Partition) *string { return &p.AllowAccounts })},
			{"deny", asText(func(p *Partition) *string { return &p.DenyAccounts })},
		}),
		"qos": asObject(inner[Partition]{
			{"allowed", asText(func(p *Partition) *string { return &p.AllowQOS })},
		}),
		"priority": asObject(inner[Partition]{
			{"tier", asCount(func(p *Partition) *int { return &p.Tier })},
		}),
	}
}

func readMaxTime(_ *decoder, p *Partition, raw []byte) (err error) {
	p.MaxTime, p.Unlimited, err = readSpan(raw, time.Minute)
	return err
}
