package cluster_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// serviceRefuses puts m on a server, which holds it to the rules of a create. These rules were written apart from
// those of this package.
func serviceRefuses(t *testing.T, s *clustertest.Server, m *cluster.ModelDevelopmentCluster) error {
	t.Helper()
	doc, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return s.AddCluster("training", doc)
}

// TestErrorsAreWhatTheServiceRefuses: the server refuses every bad row of the rules for errors and takes the near
// misses, but for what its own list of parameters lacks, and it takes what warnings are about.
func TestErrorsAreWhatTheServiceRefuses(t *testing.T) {
	s := clustertest.NewServer()
	// A model that says nothing, and names that hold nothing, are known to the service's documents only.
	unknown := []string{"a model that says nothing"}
	for _, r := range errorRules() {
		m := parse(t, payload(t, "gpu-filestore.json"))
		if r.bad(m); !marshals(m) {
			continue // nil elements do not reach a service
		}
		if err := serviceRefuses(t, s, m); (err == nil) != slices.Contains(unknown, r.name) {
			t.Errorf("%s: the service says %v", r.name, err)
		}
		m = parse(t, payload(t, "gpu-filestore.json"))
		r.good(m)
		if kind := affinityKind(m); kind == "3" {
			continue // the server does not read enums as numbers
		}
		if err := serviceRefuses(t, s, m); err != nil {
			t.Errorf("near miss of %s: the service says %v", r.name, err)
		}
	}
}

func marshals(m *cluster.ModelDevelopmentCluster) bool {
	_, err := json.Marshal(m)
	return err == nil
}

func affinityKind(m *cluster.ModelDevelopmentCluster) cluster.ReservationAffinityType {
	if a := m.NodePools[1].MachineSpec.ReservationAffinity; a != nil {
		return a.ReservationAffinityType
	}
	return ""
}

// TestDamageThatTheServiceRefusesIsFound: clusters are damaged at random, one to three times, in any field. Whatever the
// server then refuses has an error, and what it takes has none.
func TestDamageThatTheServiceRefusesIsFound(t *testing.T) {
	const cases = 5000
	s := clustertest.NewServer()
	files := []string{"cpu-advanced-slurm.json", "cpu-advanced-slurm-legacy.json", "flex-start.json", "gpu-filestore.json", "gpu-lustre.json"}
	var refused, taken int
	fieldsRefused := map[string]bool{}
	for seed := range uint64(cases) {
		r := rand.New(rand.NewPCG(seed, 1))
		file := files[r.IntN(len(files))]
		m := parse(t, payload(t, file))
		m.Slurm().DefaultPartitionID = m.Slurm().Partitions[0].ID
		var done []string
		for range 1 + r.IntN(3) {
			done = append(done, damage(r, m))
		}
		err := serviceRefuses(t, s, m)
		v := m.Validate(inPlace)
		if (err != nil) != (len(v.Errors) > 0) {
			t.Errorf("seed %d: %s with %q: the service says %v, Validate\n%v", seed, file, done, err, v)
		}
		if err == nil {
			taken++
			continue
		}
		refused++
		for _, found := range v.Errors {
			fieldsRefused[kindOfField(found.Field)] = true
		}
	}
	if refused < cases/5 || taken < cases/5 || len(fieldsRefused) < 25 {
		t.Errorf("%d refused, %d taken, in %d fields: the damage is of too few kinds:\n%q", refused, taken, len(fieldsRefused),
			slices.Sorted(maps.Keys(fieldsRefused)))
	}
}

// kindOfField is a path without its indexes and without names of parameters.
func kindOfField(field string) string {
	kind, _, isParameter := strings.Cut(field, ".config.")
	if isParameter {
		kind += ".config.*"
	}
	return strings.NewReplacer("[0]", "[]", "[1]", "[]", "[2]", "[]").Replace(kind)
}

// damage changes one place in m and says which.
func damage(r *rand.Rand, m *cluster.ModelDevelopmentCluster) string {
	var places []place
	collect(reflect.ValueOf(m).Elem(), "", &places)
	p := places[r.IntN(len(places))]
	p.change(r, p.value)
	return fmt.Sprintf("%s = %v", p.path, p.value)
}

type place struct {
	path   string
	value  reflect.Value
	change func(*rand.Rand, reflect.Value)
}

// collect lists every field that can be changed.
func collect(v reflect.Value, path string, places *[]place) {
	add := func(change func(*rand.Rand, reflect.Value)) { *places = append(*places, place{path, v, change}) }
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		add(func(_ *rand.Rand, v reflect.Value) { v.SetZero() })
		collect(v.Elem(), path, places)
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.Name != "Unknown" && field.Name != "ClusterStatus" && field.Type != reflect.TypeFor[time.Time]() {
				collect(v.Field(i), path+"."+field.Name, places)
			}
		}
	case reflect.Slice:
		add(damageList)
		for i := range v.Len() {
			if e := v.Index(i); e.Kind() == reflect.Pointer {
				collect(e.Elem(), fmt.Sprintf("%s[%d]", path, i), places)
			} else {
				collect(e, fmt.Sprintf("%s[%d]", path, i), places)
			}
		}
	case reflect.Map:
		add(damageMap)
	default:
		add(damageScalar)
	}
}

// damageList empties a list, leaves one element out, or puts one in twice.
func damageList(r *rand.Rand, v reflect.Value) {
	n := v.Len()
	if n == 0 {
		return
	}
	i := r.IntN(n)
	list := reflect.MakeSlice(v.Type(), 0, n+1)
	switch r.IntN(4) {
	case 0:
	case 1:
		list = reflect.AppendSlice(reflect.AppendSlice(list, v.Slice(0, i)), v.Slice(i+1, n))
	default:
		list = reflect.Append(reflect.AppendSlice(list, v), v.Index(i))
	}
	v.Set(list)
}

func damageMap(r *rand.Rand, v reflect.Value) {
	names := []string{"Prolog", "e_pilog", "HealthCheckInterval", "requeue_exit", "Default", "PurgeJobAfter", "DbdHost", "StoragePass",
		"PreemptMode", "preempt_mode", "PRIORITYWEIGHTAGE", "MaxTime", "", "_", "A B", "A=B", "#", "line\nbreak", "MaxJobCount", "Weight"}
	values := []string{"", "1", "YES", "SUSPEND,GANG", "two\nlines", "a\rb", "x=y"}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	v.SetMapIndex(reflect.ValueOf(pick(r, names)), reflect.ValueOf(pick(r, values)))
}

func damageScalar(r *rand.Rand, v reflect.Value) {
	switch value := v.Addr().Interface().(type) {
	case *int64:
		*value = pick(r, []int64{-1, 0, 1, 2, 3, 8, 18, 1000})
	case *bool:
		*value = !*value
	case *time.Duration:
		*value = pick(r, []time.Duration{-time.Second, 0, time.Second, 30 * time.Second, time.Hour, 604800 * time.Second, 604801 * time.Second})
	case *cluster.ProvisioningModel: // what the schema does not have does not come as far as the rules
		*value = pick(r, []cluster.ProvisioningModel{"", "ON_DEMAND", "SPOT", "RESERVATION", "FLEX_START"})
	case *cluster.AcceleratorType:
		*value = pick(r, []cluster.AcceleratorType{"", "NVIDIA_B200", "NVIDIA_L4"})
	case *cluster.ReservationAffinityType:
		*value = pick(r, []cluster.ReservationAffinityType{"", "TYPE_UNSPECIFIED", "ANY_RESERVATION", "NO_RESERVATION", "SPECIFIC_RESERVATION"})
	case *string:
		*value = pick(r, []string{"", "x", "cpu", "login", "a4", "a3u", "n2-standard-8", "a4-highgpu-8g", "a3-ultragpu-8g", "g2-standard-4",
			"pd-standard", "hyperdisk-balanced", "projects/p/locations/l/instances/i", "projects/p/locations/l/instances/i/j",
			"projects//locations/l/instances/i", "projects/p/zones/z/reservations/r", "projects/p/zones/z/reservations/r/reservationBlocks/b",
			"projects/p/zones/z/reservations/", "projects/p/global/images/family/f", "projects/p/global/images/i", "projects/p/global/images/"})
	default:
		panic(fmt.Sprintf("no damage for %T", value))
	}
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }
