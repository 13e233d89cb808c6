package cluster

import (
	"fmt"
	"strconv"
	"strings"
)

// MigrateToConfig moves the settings of Scheduling and Accounting, the older form, into Config under their names in
// slurm.conf, and sets these two to nil. It calls nothing. To have the service follow, send the cluster with a mask that
// clears the older form in the same update:
//
//	err := m.MigrateToConfig()
//	mask := cluster.FieldMask{
//		cluster.PathConfig, cluster.Clear(cluster.PathScheduling), cluster.Clear(cluster.PathAccounting),
//	}
//	op, err := c.UpdateCluster(ctx, m, mask, cluster.UpdateModeUserOnly)
//
// Settings that are zero are left out: for all of them that is Slurm's default, or unset. If nothing remains, Config
// is empty and not nil, so that the mask above still holds. A cluster that has neither Scheduling nor Accounting is
// left alone.
//
// It is an error, and nothing is changed, if Config has one of the settings with another value, or if the older
// form has members that this version of the SDK does not know, since their names in slurm.conf cannot be told.
func (m *ModelDevelopmentCluster) MigrateToConfig() error {
	if m == nil || m.OrchestratorSpec == nil || m.OrchestratorSpec.SlurmSpec == nil {
		return nil
	}
	s := m.OrchestratorSpec.SlurmSpec
	if s.Scheduling == nil && s.Accounting == nil {
		return nil
	}
	scheduling, accounting := orZero(s.Scheduling), orZero(s.Accounting)
	if err := unmovable(PathScheduling, &scheduling.Unknown); err != nil {
		return err
	}
	if err := unmovable(PathAccounting, &accounting.Unknown); err != nil {
		return err
	}
	moved := scheduling.parameters()
	moved.Overlay(accounting.parameters())
	for _, name := range moved.names() {
		if is, ok := s.Config.Get(name); ok && is != moved[name] {
			return fmt.Errorf("cluster: %s has %s %s already, and the older form has %s; remove one of them",
				PathConfig, s.Config.spelling(name), quote(is), quote(moved[name]))
		}
	}
	config := SlurmConfig{}
	config.Overlay(s.Config)
	config.Overlay(moved)
	s.Config, s.Scheduling, s.Accounting = config, nil, nil
	return nil
}

// unmovable is an error if the message at path has members that nobody here knows.
func unmovable(path string, unknown *Unknown) error {
	if names := unknown.Names(); len(names) > 0 {
		return fmt.Errorf("cluster: %s has members that this version of the SDK does not know: %s; set them in %s by hand "+
			"and remove them with Unknown.Set(name, nil)", path, strings.Join(names, ", "), PathConfig)
	}
	return nil
}

// parameters are the settings that are not zero, by their names in slurm.conf.
func (s *Scheduling) parameters() SlurmConfig {
	config := SlurmConfig{}
	for name, value := range map[string]string{
		"PriorityType":            s.PriorityType,
		"PriorityWeightAge":       weight(s.PriorityWeightAge),
		"PriorityWeightAssoc":     weight(s.PriorityWeightAssoc),
		"PriorityWeightFairshare": weight(s.PriorityWeightFairshare),
		"PriorityWeightJobSize":   weight(s.PriorityWeightJobSize),
		"PriorityWeightPartition": weight(s.PriorityWeightPartition),
		"PriorityWeightQOS":       weight(s.PriorityWeightQOS),
		"PriorityWeightTRES":      s.PriorityWeightTRES,
		"PreemptType":             s.PreemptType,
		"PreemptMode":             s.PreemptMode,
		"PreemptExemptTime":       s.PreemptExemptTime,
	} {
		if value != "" {
			config[name] = value
		}
	}
	return config
}

func (a *Accounting) parameters() SlurmConfig {
	if a.AccountingStorageEnforce == "" {
		return nil
	}
	return SlurmConfig{"AccountingStorageEnforce": a.AccountingStorageEnforce}
}

func weight(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
