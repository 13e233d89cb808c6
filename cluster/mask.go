package cluster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// The paths of an update mask: all that the service documents. Each names a field that an update replaces as a
// whole, lists and maps included; there is no path to an element of a list or a key of a map.
const (
	PathLabels             = "labels"
	PathNodePools          = "node_pools"
	PathPartitions         = "orchestrator_spec.slurm_spec.partitions"
	PathDefaultPartitionID = "orchestrator_spec.slurm_spec.default_partition_id"
	PathLoginNodePoolID    = "orchestrator_spec.slurm_spec.login_node_pool_id"
	PathPrologBashScripts  = "orchestrator_spec.slurm_spec.prolog_bash_scripts"
	PathEpilogBashScripts  = "orchestrator_spec.slurm_spec.epilog_bash_scripts"
	PathConfig             = "orchestrator_spec.slurm_spec.config"
	PathScheduling         = "orchestrator_spec.slurm_spec.scheduling"
	PathAccounting         = "orchestrator_spec.slurm_spec.accounting"
	PathNodeSets           = "orchestrator_spec.slurm_spec.node_sets"
)

// AllFields, as the only path of a mask, asks for an update without a mask: the service compares the whole
// cluster and removes whatever the request leaves out. Start from a cluster that was just read.
const AllFields = "*"

var maskPaths = []string{
	PathLabels, PathNodePools, PathPartitions, PathDefaultPartitionID, PathLoginNodePoolID, PathPrologBashScripts,
	PathEpilogBashScripts, PathConfig, PathScheduling, PathAccounting, PathNodeSets,
}

// FieldMask names the fields that an update changes, by the Path constants. Fields outside the mask are neither
// sent nor changed. A path in camelCase is taken for its snake_case form.
//
// A path whose field is not set in the cluster is refused, because the service would clear the field: set it, or
// say so with [Clear]. An empty list, map or message that is not nil says so too.
type FieldMask []string

// Clear marks a path of a [FieldMask] as one to be emptied, whatever the cluster struct holds there:
//
//	cluster.FieldMask{cluster.PathConfig, cluster.Clear(cluster.PathScheduling)}
func Clear(path string) string { return clearMark + path }

// Unlisted marks a path of a [FieldMask] as known to the service although this version of the SDK does not list
// it, and so passes it unchecked. What it sends is the field or the unknown member at that path.
func Unlisted(path string) string { return unlistedMark + path }

const (
	clearMark    = "clear:"
	unlistedMark = "unlisted:"
)

// ParseFieldMask reads a comma-separated list of paths, as the updateMask query parameter has it.
func ParseFieldMask(s string) (FieldMask, error) {
	mask := FieldMask(strings.Split(s, ","))
	if s == "" {
		mask = nil
	}
	paths, err := mask.parse()
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	for i, p := range paths {
		mask[i] = p.name
	}
	return mask, nil
}

// String is the value of the updateMask query parameter: the paths, without marks, joined by commas.
func (m FieldMask) String() string {
	bare := make([]string, len(m))
	for i, path := range m {
		bare[i] = parsePath(path).name
	}
	return strings.Join(bare, ",")
}

// all reports whether m asks for the replacement of the whole resource.
func (m FieldMask) all() bool { return len(m) == 1 && m[0] == AllFields }

// maskPath is one path of a mask with its marks taken off.
type maskPath struct {
	name            string
	clear, unlisted bool
}

func parsePath(path string) (p maskPath) {
	for marked := true; marked; {
		if path, marked = strings.CutPrefix(path, clearMark); marked {
			p.clear = true
			continue
		}
		if path, marked = strings.CutPrefix(path, unlistedMark); marked {
			p.unlisted = true
		}
	}
	p.name = path
	if snake := jsonx.Snake(path); !p.unlisted && slices.Contains(maskPaths, snake) {
		p.name = snake
	}
	return p
}

// parse checks the mask.
func (m FieldMask) parse() ([]maskPath, error) {
	if len(m) == 0 {
		return nil, fmt.Errorf("the update mask is empty, and without one the service removes whatever the request leaves out; " +
			"name the fields to change, such as FieldMask{cluster.PathNodePools}, or ask for FieldMask{cluster.AllFields}")
	}
	if m.all() {
		return []maskPath{{name: AllFields}}, nil
	}
	var paths []maskPath
	for _, path := range m {
		p := parsePath(path)
		if err := p.check(); err != nil {
			return nil, err
		}
		for _, q := range paths {
			switch {
			case p.name == q.name:
				return nil, fmt.Errorf("the update mask names %s twice", p.name)
			case p.within(q):
				return nil, overlap(q, p)
			case q.within(p):
				return nil, overlap(p, q)
			}
		}
		paths = append(paths, p)
	}
	return paths, nil
}

// within reports whether p leads into the field that q names.
func (p maskPath) within(q maskPath) bool { return strings.HasPrefix(p.name, q.name+".") }

func overlap(whole, part maskPath) error {
	return fmt.Errorf("the update mask names %s and also %s, which is a part of it; name one of them", whole.name, part.name)
}

// check refuses a path that the service does not document, with the one that was probably meant.
func (p maskPath) check() error {
	if slices.Contains(maskPaths, p.name) {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("update mask path %q: %s", p.name, fmt.Sprintf(format, args...))
	}
	if p.unlisted {
		if strings.Trim(p.name, "abcdefghijklmnopqrstuvwxyz0123456789_.") != "" || p.name == "" {
			return refuse("a path is made of lowercase letters, digits, _ and dots")
		}
		return nil
	}
	if p.name == AllFields {
		return refuse("AllFields replaces the whole resource; it stands alone and without marks")
	}
	name := jsonx.Snake(p.name)
	for _, listed := range maskPaths {
		if strings.HasPrefix(name, listed+".") || strings.HasPrefix(name, listed+"[") {
			return refuse("the field %s is replaced whole, and no path leads into it; read it, change it and mask %s", listed, listed)
		}
		if strings.HasSuffix(listed, "."+name) {
			return refuse("want the full path %s", listed)
		}
	}
	if below := pathsBelow(name); below != nil {
		return refuse("a parent path is not accepted; name the fields below it: %s", strings.Join(below, ", "))
	}
	if slices.Contains(notUpdatable, name) {
		return refuse("the field is set when the cluster is created and cannot be updated")
	}
	if near := nearest(name, maskPaths); near != "" {
		return refuse("unknown; did you mean %s?", near)
	}
	return refuse("unknown; the service documents %s. If it knows more by now, use cluster.Unlisted(%q)",
		strings.Join(maskPaths, ", "), p.name)
}

// notUpdatable are the fields that exist and that no mask reaches.
var notUpdatable = []string{
	"name", "display_name", "network", "network.network", "network.subnetwork", "runtime_spec",
	"runtime_spec.service_account", "orchestrator_spec.slurm_spec.home_directory_storage", "cluster_status",
	"create_time", "update_time",
}

func pathsBelow(name string) (below []string) {
	for _, listed := range maskPaths {
		if strings.HasPrefix(listed, name+".") {
			below = append(below, listed)
		}
	}
	return below
}

// nearest returns the path closest to name, if it is a matter of a few letters.
func nearest(name string, paths []string) (best string) {
	const tolerable = 3
	least := tolerable + 1
	for _, path := range paths {
		if d := distance(name, path); d < least {
			best, least = path, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
