package slurm

import (
	"fmt"
	"testing"
)

func checkNodes(t *testing.T, rec recording, r *reply) {
	nodes, err := decodeNodes(r)
	want := object(t, rec.Body).list("nodes")
	if len(nodes) != len(want) || (err != nil) != (r.member("nodes") == nil) {
		t.Errorf("%s: %d nodes, %v; want %d", rec.Name, len(nodes), err, len(want))
		return
	}
	for i, w := range want {
		n := nodes[i]
		states := w.words("state")
		compare(t, rec.Name, append([]field{
			{"Name", n.Name, w.text("name")},
			{"Address", n.Address, w.text("address")},
			{"Hostname", n.Hostname, w.text("hostname")},
			{"State", string(n.State), states[0]},
			{"Flags", fmt.Sprint(n.Flags), fmt.Sprint(states[1:])},
			{"Reason", n.Reason, w.text("reason")},
			{"ReasonTime", shown(n.ReasonTime), unix(w.amount("reason_changed_at"))},
			{"ReasonUser", n.ReasonUser, w.text("reason_set_by_user")},
			{"Partitions", fmt.Sprint(n.Partitions), fmt.Sprint(w.words("partitions"))},
			{"Features", fmt.Sprint(n.Features), fmt.Sprint(w.words("features"))},
			{"ActiveFeatures", fmt.Sprint(n.ActiveFeatures), fmt.Sprint(w.words("active_features"))},
			{"GRES", n.GRES, w.text("gres")},
			{"GRESUsed", n.GRESUsed, w.text("gres_used")},
			{"Odd", len(n.Odd), 0},
		}, nodeAmounts(n, w)...))
	}
}

func nodeAmounts(n *Node, w record) []field {
	return []field{
		{"CPUs", int64(n.CPUs), w.integer("cpus")},
		{"CPUsUsed", int64(n.CPUsUsed), w.integer("alloc_cpus")},
		{"Memory", n.Memory, w.integer("real_memory") * 1024 * 1024},
		{"MemoryUsed", n.MemoryUsed, w.integer("alloc_memory") * 1024 * 1024},
		{"MemoryFree", n.MemoryFree, w.amount("free_mem") * 1024 * 1024},
		{"Total", gotTRES(n.Total), wantTRESText(w.text("tres"))},
		{"Used", gotTRES(n.Used), wantTRESText(w.text("tres_used"))},
		{"BootTime", shown(n.BootTime), unix(w.amount("boot_time"))},
		{"LastBusy", shown(n.LastBusy), unix(w.amount("last_busy"))},
		{"Reservation", n.Reservation, w.text("reservation")},
		{"Comment", n.Comment, w.text("comment")},
		{"Version", n.Version, w.text("version")},
	}
}

func checkPartitions(t *testing.T, rec recording, r *reply) {
	partitions, err := decodePartitions(r)
	want := object(t, rec.Body).list("partitions")
	if len(partitions) != len(want) || (err != nil) != (r.member("partitions") == nil) {
		t.Errorf("%s: %d partitions, %v; want %d", rec.Name, len(partitions), err, len(want))
		return
	}
	for i, w := range want {
		p, most := partitions[i], w.record("maximums")
		compare(t, rec.Name, []field{
			{"Name", p.Name, w.text("name")},
			{"States", fmt.Sprint(p.States), fmt.Sprint(w.record("partition").words("state"))},
			{"MaxTime", p.MaxTime.Minutes(), float64(most.amount("time"))},
			{"Unlimited", p.Unlimited, most.infinite("time")},
			{"MaxNodes", int64(p.MaxNodes), most.amount("nodes")},
			{"DefaultTime", p.DefaultTime.Minutes(), float64(w.record("defaults").amount("time"))},
			{"GraceTime", p.GraceTime.Seconds(), float64(w.integer("grace_time"))},
			{"Nodes", p.Nodes, w.record("nodes").text("configured")},
			{"TotalNodes", int64(p.TotalNodes), w.record("nodes").integer("total")},
			{"TotalCPUs", int64(p.TotalCPUs), w.record("cpus").integer("total")},
			{"Total", gotTRES(p.Total), wantTRESText(w.record("tres").text("configured"))},
			{"AllowAccounts", p.AllowAccounts, w.record("accounts").text("allowed")},
			{"DenyAccounts", p.DenyAccounts, w.record("accounts").text("deny")},
			{"AllowQOS", p.AllowQOS, w.record("qos").text("allowed")},
			{"Tier", int64(p.Tier), w.record("priority").integer("tier")},
			{"Odd", len(p.Odd), 0},
		})
	}
}

func checkPing(t *testing.T, rec recording, r *reply) {
	controllers, err := decodeControllers(r)
	want := object(t, rec.Body).list("pings")
	if len(controllers) != len(want) || err != nil {
		t.Errorf("%s: %d controllers, %v; want %d", rec.Name, len(controllers), err, len(want))
		return
	}
	for i, w := range want {
		c := controllers[i]
		compare(t, rec.Name, []field{
			{"Hostname", c.Hostname, w.text("hostname")},
			{"Up", c.Up, w.text("pinged") == "UP"},
			{"Mode", c.Mode, w.text("mode")},
			{"Primary", c.Primary, w.text("mode") == "primary"},
			{"Latency", c.Latency.Microseconds(), w.integer("latency")},
		})
	}
}

func checkLicenses(t *testing.T, rec recording, r *reply) {
	licenses, err := decodeLicenses(r)
	want := object(t, rec.Body).list("licenses")
	if len(licenses) != len(want) || err != nil {
		t.Errorf("%s: %d licenses, %v; want %d", rec.Name, len(licenses), err, len(want))
		return
	}
	for i, w := range want {
		l := licenses[i]
		compare(t, rec.Name, []field{
			{"Name", l.Name, w.text("LicenseName")},
			{"Total", int64(l.Total), w.integer("Total")},
			{"Used", int64(l.Used), w.integer("Used")},
			{"Free", int64(l.Free), w.integer("Free")},
			{"Reserved", int64(l.Reserved), w.integer("Reserved")},
			{"Remote", l.Remote, w["Remote"] == true},
		})
	}
}

func compare(t *testing.T, name string, fields []field) {
	t.Helper()
	for _, f := range fields {
		if f.got != f.want {
			t.Errorf("%s: %s = %v, want %v", name, f.name, f.got, f.want)
		}
	}
}
