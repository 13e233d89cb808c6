package clustertest

import "strings"

// The table in this file is the service's view of its messages. It is written from the published documents and
// shares nothing with package cluster, so that a name misspelled there is refused here.

type kind int

const (
	kindString kind = iota
	kindInt
	kindBool
	kindEnum
	kindDuration
	kindMessage
	kindMap    // map<string, string>
	kindStruct // any JSON object
	kindAny    // any JSON value: a field of a later version, see WithNewField
)

type field struct {
	name     string // in snake_case, as error paths and masks spell it
	kind     kind
	repeated bool
	message  *schema  // of kindMessage
	enum     string   // type name of kindEnum
	values   []string // of kindEnum; the first is the default
}

type schema struct {
	name   string // of the message, for "Invalid value" texts
	fields []*field
}

const apiType = "type.googleapis.com/google.cloud.aiplatform.v1beta1."

// camel gives the spelling of a field in answers.
func camel(snake string) string {
	words := strings.Split(snake, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// find accepts either spelling.
func (s *schema) find(name string) *field {
	for _, f := range s.fields {
		if f.name == name || camel(f.name) == name {
			return f
		}
	}
	return nil
}

func msg(name string, fields ...*field) *schema { return &schema{name, fields} }

func text(name string) *field     { return &field{name: name, kind: kindString} }
func texts(name string) *field    { return &field{name: name, kind: kindString, repeated: true} }
func integer(name string) *field  { return &field{name: name, kind: kindInt} }
func boolean(name string) *field  { return &field{name: name, kind: kindBool} }
func duration(name string) *field { return &field{name: name, kind: kindDuration} }
func dict(name string) *field     { return &field{name: name, kind: kindMap} }
func free(name string) *field     { return &field{name: name, kind: kindStruct} }

func object(name string, m *schema) *field { return &field{name: name, kind: kindMessage, message: m} }

func objects(name string, m *schema) *field {
	return &field{name: name, kind: kindMessage, message: m, repeated: true}
}

func enum(name, typ string, values ...string) *field {
	return &field{name: name, kind: kindEnum, enum: typ, values: values}
}

// clusterSchema describes a ModelDevelopmentCluster, in the order in which answers list the fields. The names in
// nodesStatus other than nodeState, and those of the two times, are not published: they are guesses.
func clusterSchema() *schema {
	return msg("ModelDevelopmentCluster",
		text("name"),
		text("display_name"),
		object("network", msg("NetworkSpec", text("network"), text("subnetwork"))),
		objects("node_pools", poolSchema()),
		object("orchestrator_spec", msg("OrchestratorSpec", object("slurm_spec", slurmSchema()))),
		object("runtime_spec", msg("RuntimeSpec", text("service_account"))),
		dict("labels"),
		text("create_time"),
		text("update_time"),
		object("cluster_status", msg("ClusterStatus",
			text("state"),
			objects("nodes_status", msg("NodeStatus",
				text("node_state"), text("instance"), text("node_pool_id"), text("state_update_time"))),
			text("detail"))),
	)
}

func poolSchema() *schema {
	affinity := msg("ReservationAffinity",
		enum("reservation_affinity_type", "ReservationAffinity.Type",
			"TYPE_UNSPECIFIED", "NO_RESERVATION", "ANY_RESERVATION", "SPECIFIC_RESERVATION"),
		text("key"), texts("values"))
	return msg("NodePool",
		text("id"),
		object("machine_spec", msg("MachineSpec",
			text("machine_type"),
			enum("accelerator_type", "AcceleratorType", acceleratorTypes...),
			integer("accelerator_count"),
			object("reservation_affinity", affinity))),
		object("scaling_spec", msg("ScalingSpec", integer("min_node_count"), integer("max_node_count"))),
		text("zone"),
		boolean("enable_public_ips"),
		object("boot_disk", msg("DiskSpec", text("boot_disk_type"), integer("boot_disk_size_gb"))),
		enum("provisioning_model", "ProvisioningModel",
			"PROVISIONING_MODEL_UNSPECIFIED", "ON_DEMAND", "SPOT", "RESERVATION", "FLEX_START"),
		duration("flex_start_max_duration"),
		text("startup_script"),
		texts("filestores"),
		texts("lustres"),
		dict("labels"),
		text("node_image"),
	)
}

func slurmSchema() *schema {
	return msg("SlurmSpec",
		text("home_directory_storage"),
		objects("partitions", msg("SlurmPartition", text("id"), texts("node_pool_ids"), dict("config"))),
		text("default_partition_id"),
		text("login_node_pool_id"),
		texts("prolog_bash_scripts"),
		texts("epilog_bash_scripts"),
		dict("config"),
		objects("node_sets", msg("SlurmNodeSet", text("node_pool_id"), dict("config"))),
		object("scheduling", msg("SlurmScheduling",
			text("priority_type"),
			integer("priority_weight_age"),
			integer("priority_weight_assoc"),
			integer("priority_weight_fairshare"),
			integer("priority_weight_job_size"),
			integer("priority_weight_partition"),
			integer("priority_weight_qos"),
			text("priority_weight_tres"),
			text("preempt_type"),
			text("preempt_mode"),
			text("preempt_exempt_time"))),
		object("accounting", msg("SlurmAccounting", text("accounting_storage_enforce"))),
	)
}

// acceleratorTypes is the enum of the whole service; the documents of this resource name four of them.
var acceleratorTypes = []string{
	"ACCELERATOR_TYPE_UNSPECIFIED",
	"NVIDIA_TESLA_K80", "NVIDIA_TESLA_P100", "NVIDIA_TESLA_V100", "NVIDIA_TESLA_P4", "NVIDIA_TESLA_T4",
	"NVIDIA_TESLA_A100", "NVIDIA_A100_80GB", "NVIDIA_L4",
	"NVIDIA_H100_80GB", "NVIDIA_H100_MEGA_80GB", "NVIDIA_H200_141GB", "NVIDIA_B200", "NVIDIA_GB200",
	"NVIDIA_RTX_PRO_6000",
	"TPU_V2", "TPU_V3", "TPU_V4_POD", "TPU_V5_LITEPOD",
}

func slurmCallSchema() *schema {
	return msg("CallSlurmRestApiRequest",
		enum("method", "HttpMethod",
			"HTTP_METHOD_UNSPECIFIED", "HTTP_METHOD_GET", "HTTP_METHOD_POST", "HTTP_METHOD_DELETE"),
		text("path"),
		free("body"))
}

func faultyNodesSchema() *schema {
	reason := msg("FaultReason",
		enum("behavior", "FaultReason.Behavior",
			"BEHAVIOR_UNSPECIFIED", "PERFORMANCE", "SILENT_DATA_CORRUPTION", "UNRECOVERABLE_GPU_ERROR"),
		text("description"))
	action := msg("NodeAction",
		text("node_id"),
		object("report_faulty_host", msg("ReportFaultyHost", objects("fault_reasons", reason))))
	return msg("ReportFaultyNodesRequest", objects("node_actions", action))
}

func waitSchema() *schema { return msg("WaitOperationRequest", duration("timeout")) }

func emptySchema() *schema { return msg("Empty") }
