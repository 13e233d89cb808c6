package slurm

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// Resource is an amount of one trackable resource, in Slurm's words a TRES.
type Resource struct {
	Type  string // "cpu", "mem", "node", "billing", "energy", "gres", "license", …; also "vmem", "fs", "pages" in a [TaskUsage]
	Name  string // of a gres, license or file system, such as "gpu", "gpu:b200" or "disk"; else ""
	Count int64  // bytes for "mem", else a number of things; a TaskUsage has units of its own
}

// Resources is a list of resources in Slurm's order. The zero value is an empty one. Slurm counts a typed GPU
// twice, as "gres/gpu" and as "gres/gpu:b200"; [Resources.GPUs] knows that.
type Resources []Resource

// Count returns the amount of the resource with this type and name, and 0 if the list does not hold it.
func (r Resources) Count(typ, name string) int64 {
	for _, one := range r {
		if one.Type == typ && one.Name == name {
			return one.Count
		}
	}
	return 0
}

// CPUs returns the number of CPUs.
func (r Resources) CPUs() int64 { return r.Count("cpu", "") }

// Memory returns the amount of memory in bytes.
func (r Resources) Memory() int64 { return r.Count("mem", "") }

// Nodes returns the number of nodes.
func (r Resources) Nodes() int64 { return r.Count("node", "") }

// GPUs returns the number of GPUs of any type.
func (r Resources) GPUs() int64 {
	if all := r.Count("gres", "gpu"); all > 0 {
		return all
	}
	var sum int64
	for _, one := range r {
		if _, ok := gpuType(one); ok {
			sum = addUp(sum, one.Count)
		}
	}
	return sum
}

// gpuType returns the type of a typed GPU, "b200" for "gres/gpu:b200", and false for anything else.
func gpuType(r Resource) (string, bool) {
	typ, ok := strings.CutPrefix(r.Name, "gpu:")
	return typ, ok && r.Type == "gres"
}

// String returns the list as Slurm writes it: "cpu=8,mem=2G,node=2,gres/gpu=4".
func (r Resources) String() string {
	var parts []string
	for _, one := range r {
		key, count := one.Type, strconv.FormatInt(one.Count, 10)
		if one.Name != "" {
			key += "/" + one.Name
		}
		if one.Type == "mem" {
			count = memoryText(one.Count)
		}
		parts = append(parts, key+"="+count)
	}
	return foreign.Printable(strings.Join(parts, ","))
}

// memoryText writes bytes in the largest unit that needs no fraction, as Slurm does from M upwards.
func memoryText(n int64) string {
	for _, unit := range []struct {
		size   int64
		letter string
	}{{1 << 50, "P"}, {1 << 40, "T"}, {1 << 30, "G"}, {1 << 20, "M"}, {1 << 10, "K"}} {
		if n >= unit.size && n%unit.size == 0 {
			return strconv.FormatInt(n/unit.size, 10) + unit.letter
		}
	}
	return strconv.FormatInt(n, 10)
}

// parseResources reads the text form: "cpu=1,mem=62.50G,node=1,billing=1,gres/gpu:b200=8". Of several odd parts the first
// is reported, and each costs only itself.
func parseResources(text string) (Resources, error) {
	if text == "" {
		return nil, nil
	}
	const usual = 16 // a text may be nothing but commas
	all := make(Resources, 0, min(strings.Count(text, ",")+1, usual))
	var odd error
	for part := range strings.SplitSeq(text, ",") {
		one, known, err := parseResource(part)
		if known {
			all = append(all, one)
		}
		odd = cmp.Or(odd, err)
	}
	return all, odd
}

func parseResource(part string) (one Resource, known bool, err error) {
	key, amount, ok := strings.Cut(part, "=")
	if !ok {
		return Resource{}, false, &jsonx.Error{Want: "name=amount", Got: strconv.Quote(abbreviate(part))}
	}
	one.Type, one.Name, _ = strings.Cut(key, "/")
	one.Count, known, err = parseAmount(amount, one.Type)
	return one, known, jsonx.At(abbreviate(key), err)
}

// parseAmount reads an amount with an optional binary unit. Memory without one is in MiB.
func parseAmount(text, typ string) (count int64, known bool, err error) {
	digits := strings.TrimRight(text, "KMGTPE")
	unit, memory := int64(1), typ == "mem"
	switch suffix := text[len(digits):]; {
	case len(suffix) == 1:
		unit = 1 << (10 * (1 + strings.Index("KMGTPE", suffix)))
	case suffix != "":
		return 0, false, &jsonx.Error{Want: "an amount", Got: strconv.Quote(abbreviate(text))}
	case memory:
		unit = mebibyte
	}
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return scaled(n, unit)
	}
	f, err := strconv.ParseFloat(digits, 64)
	switch {
	case err != nil || math.IsNaN(f) || strings.Trim(digits, "0123456789.") != "":
		return 0, false, &jsonx.Error{Want: "an amount", Got: strconv.Quote(abbreviate(text))}
	case f*float64(unit) >= 1<<63:
		return 0, false, nil // Slurm's 64-bit marks for "unknown" and "infinite"
	}
	if n, err := jsonx.Int([]byte(digits)); err == nil {
		return scaled(n, unit)
	}
	if unit == 1 { // of larger ones Slurm has rounded the fraction itself
		return 0, false, &jsonx.Error{Want: "a whole amount", Got: strconv.Quote(abbreviate(text))}
	}
	return int64(math.Round(f * float64(unit))), true, nil
}

// scaled multiplies. A negative count is Slurm's mark for "unknown" (energy, where nothing measures it).
func scaled(n, unit int64) (count int64, known bool, err error) {
	switch {
	case n < 0:
		return 0, false, nil
	case n > math.MaxInt64/unit:
		return 0, false, outOfRange(n)
	}
	return n * unit, true, nil
}

// resourceList reads the form of the accounting, a list of objects, with memory in MiB.
func (d *decoder) resourceList(raw []byte) (Resources, error) { return d.amounts(raw, mebibyte) }

// amounts reads such a list with memory in some unit. Of several odd ones the first is reported, and each costs only
// itself.
func (d *decoder) amounts(raw []byte, memory int64) (Resources, error) {
	if emptyValue(raw) {
		return nil, nil
	}
	var all Resources
	var odd error
	err := jsonx.EachElement(raw, func(i int, value []byte) error {
		one, known, err := d.resource(value, memory)
		if known {
			all = append(all, one)
		}
		odd = cmp.Or(odd, inElement(i, err))
		return nil
	})
	return all, cmp.Or(err, odd)
}

func (d *decoder) resource(raw []byte, memory int64) (one Resource, known bool, err error) {
	var n number
	err = jsonx.EachMember(raw, func(name, value []byte) (err error) {
		switch string(name) {
		case "type":
			one.Type, err = d.text(value)
		case "name":
			one.Name, err = d.text(value)
		case "count":
			n, err = readNumber(value)
		}
		return inMember(name, err)
	})
	if err != nil || !n.set || one.Type == "" {
		return Resource{}, false, err
	}
	unit := int64(1)
	if one.Type == "mem" {
		unit = memory
	}
	one.Count, known, err = scaled(n.value, unit)
	return one, known, inMember([]byte("count"), err)
}
