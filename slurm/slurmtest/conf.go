package slurmtest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// conf is what [Server.Configure] can change.
type conf struct {
	storesComments, storesExtra bool // in accounting
	extraIsExpression           bool
	userLabels                  bool // mcs/user
}

var defaultConf = conf{storesComments: true, storesExtra: true}

// Configure sets a line of slurm.conf, as far as there is one here, for the
// requests from now on:
//
//	AccountingStoreFlags  job_comment and job_extra, both by default: which of the
//	                      two members accounting gets to know; other flags have no effect
//	MCSPlugin             mcs/none by default; with mcs/user a label other than the
//	                      user's name is error 2099
//	SchedulerParameters   extra_constraints makes "extra" an expression, and a text
//	                      without an operator error 2171; others have no effect
//
// Slurm's own default for the first is neither.
func (s *Server) Configure(name, value string) (err error) {
	words := strings.Split(value, ",")
	s.control(func(time.Time) {
		switch name {
		case "AccountingStoreFlags":
			s.conf.storesComments = slices.Contains(words, "job_comment")
			s.conf.storesExtra = slices.Contains(words, "job_extra")
		case "SchedulerParameters":
			s.conf.extraIsExpression = slices.Contains(words, "extra_constraints")
		case "MCSPlugin":
			if value != "mcs/none" && value != "mcs/user" {
				err = fmt.Errorf("slurmtest: configure MCSPlugin: %q is not mcs/none or mcs/user", value)
				return
			}
			s.conf.userLabels = value == "mcs/user"
		default:
			err = fmt.Errorf("slurmtest: configure %s: it has no effect here", name)
		}
	})
	return err
}

// checkMeaning refuses texts that are free unless the cluster reads them.
func (s *Server) checkMeaning(d *spec, user string) code {
	switch {
	case s.conf.userLabels && d.label != "" && d.label != user:
		return codeLabel
	case s.conf.extraIsExpression && d.extra != "" && !strings.ContainsAny(d.extra, "=<>"):
		return codeExtra
	}
	return codeNone
}
