package slurmtest_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

func TestConfigure(t *testing.T) {
	const submit = `{"script":"#!/bin/sh\nsleep 9","job":{"environment":["A=B"],"current_working_directory":"/home/alice",` +
		`"comment":"C","extra":"E","mcs_label":"L"}}`
	tests := []struct {
		name, value string
		refusal     string // by number
		recorded    string
	}{
		{"AccountingStoreFlags", "job_comment,job_extra", "", "comment extra label"},
		{"AccountingStoreFlags", "job_extra", "", "extra label"},
		{"AccountingStoreFlags", "job_env,job_comment", "", "comment label"},
		{"AccountingStoreFlags", "", "", "label"},
		{"MCSPlugin", "mcs/none", "", "comment extra label"},
		{"MCSPlugin", "mcs/user", "2099", ""},
		{"SchedulerParameters", "bf_interval=2", "", "comment extra label"},
		{"SchedulerParameters", "bf_interval=2,extra_constraints", "2171", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name+"="+tt.value, func(t *testing.T) {
			s := slurmtest.NewServer()
			if err := s.Configure(tt.name, tt.value); err != nil {
				t.Fatal(err)
			}
			answer := serve(s, "POST", "/slurm/v0.0.42/job/submit", submit)
			if tt.refusal != "" {
				if !strings.Contains(answer, `"error_number":`+tt.refusal) || len(s.Jobs()) != 0 {
					t.Errorf("answer %s, jobs %v", answer, s.Jobs())
				}
				return
			}
			live := serve(s, "GET", "/slurm/v0.0.42/job/1", "")
			for _, text := range []string{`"comment":"C"`, `"extra":"E"`, `"mcs_label":"L"`} {
				if !strings.Contains(live, text) {
					t.Errorf("the live record lacks %s", text)
				}
			}
			history := serve(s, "GET", "/slurmdb/v0.0.42/job/1", "")
			for word, text := range map[string]string{
				"comment": `"job":"C"`, "extra": `"extra":"E"`, "label": `"mcs":{"label":"L"}`,
			} {
				if strings.Contains(history, text) != strings.Contains(tt.recorded, word) {
					t.Errorf("accounting has %s: %v", text, strings.Contains(history, text))
				}
			}
		})
	}
	s := slurmtest.NewServer()
	if s.Configure("MCSPlugin", "mcs/other") == nil || s.Configure("MinJobAge", "5") == nil {
		t.Error("a setting without an effect is no error")
	}
}

// serve returns the body of the answer to one request.
func serve(s *slurmtest.Server, method, path, body string) string {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Body.String()
}
