package slurm

import (
	"fmt"
	"slices"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// specPart is a field of a spec, as it takes room in a request.
type specPart struct {
	field  string
	bytes  int // in JSON, where some characters take several
	advice string
}

// tooLarge says what takes up most of the room, by how much the request is over the limit, and the way out.
func tooLarge(op string, size int, specs []*JobSpec) error {
	large := largest(specs)
	c := &checker{}
	c.add(large.field, "%d bytes in JSON, which makes a request of %d: it must stay below %d with its envelope, and is %d over; %s",
		large.bytes, size, cluster.MaxSlurmRequest, size-maxBody, large.advice)
	return c.err(op)
}

// largest is the part of a request that takes the most room.
func largest(specs []*JobSpec) specPart {
	var all []specPart
	for i, spec := range specs {
		prefix := ""
		if len(specs) > 1 {
			prefix = fmt.Sprintf("[%d].", i)
		}
		for _, p := range spec.parts() {
			p.field = prefix + p.field
			all = append(all, p)
		}
	}
	return slices.MaxFunc(all, func(a, b specPart) int { return a.bytes - b.bytes })
}

// parts are the fields of a spec that can be of any length.
func (s *JobSpec) parts() []specPart {
	const generic = "shorten it"
	return []specPart{
		{"Script", jsonSize(s.Script), "put the script on the cluster's shared storage and submit slurm.Wrapper of its path"},
		{"Environment", jsonSize(s.Environment), "put the variables into a file on the cluster's shared storage that the script reads"},
		{"Arguments", jsonSize(s.Arguments), "put the arguments into a file on the cluster's shared storage and pass its path"},
		{"Comment", jsonSize(s.Comment), generic},
		{"Extra", jsonSize(s.Extra), generic},
		{"MailUser", jsonSize(s.MailUser), generic},
		{"Dependency", jsonSize(s.Dependency), "depend on fewer jobs, or on one job that depends on them"},
		{"Array", jsonSize(s.Array), "use ranges, or several arrays"},
		{"RequiredNodes and ExcludedNodes", jsonSize(s.RequiredNodes) + jsonSize(s.ExcludedNodes), "use node lists such as \"g[1-99]\""},
	}
}

func jsonSize(value any) int {
	data, err := encodeJSON(value)
	if err != nil {
		return 0
	}
	return len(data)
}
