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
	err := decodeRecords(r, "partitions", func(d *decoder, record *jsonx.Object) error {
		var p Partition
		p.Odd = eachOdd(record, func(name string, value []byte) error { return d.partitionMember(&p, name, value) })
		all = append(all, &p)
		return nil
	})
	return all, err
}

func (d *decoder) partitionMember(p *Partition, name string, raw []byte) (err error) {
	switch name {
	case "name":
		p.Name, err = d.text(raw)
	case "partition":
		p.States, err = d.words(jsonx.Member(raw, "state"))
	case "grace_time":
		p.GraceTime, _, err = readSpan(raw, time.Second)
	case "defaults":
		p.DefaultTime, _, err = readSpan(jsonx.Member(raw, "time"), time.Minute)
	case "maximums":
		if p.MaxTime, p.Unlimited, err = readSpan(jsonx.Member(raw, "time"), time.Minute); err == nil {
			p.MaxNodes, err = readCount(jsonx.Member(raw, "nodes"))
		}
	case "nodes":
		if p.Nodes, err = d.text(jsonx.Member(raw, "configured")); err == nil {
			p.TotalNodes, err = readCount(jsonx.Member(raw, "total"))
		}
	case "cpus":
		p.TotalCPUs, err = readCount(jsonx.Member(raw, "total"))
	case "tres":
		p.Total, err = d.resources(jsonx.Member(raw, "configured"))
	case "accounts":
		if p.AllowAccounts, err = d.text(jsonx.Member(raw, "allowed")); err == nil {
			p.DenyAccounts, err = d.text(jsonx.Member(raw, "deny"))
		}
	case "qos":
		p.AllowQOS, err = d.text(jsonx.Member(raw, "allowed"))
	case "priority":
		p.Tier, err = readCount(jsonx.Member(raw, "tier"))
	}
	return err
}
