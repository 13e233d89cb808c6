package cluster_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestParametersThatAreThereTwice: the methods act on all spellings of a parameter, and read the same one each time.
func TestParametersThatAreThereTwice(t *testing.T) {
	twice := func() cluster.SlurmConfig {
		return cluster.SlurmConfig{"PreemptMode": "OFF", "preempt_mode": "CANCEL", "PREEMPT_MODE": "GANG", "MaxJobCount": "5"}
	}
	for range 20 { // maps have a new order each time
		c := twice()
		if v, ok := c.Get("preempt_mode"); v != "CANCEL" || !ok {
			t.Errorf("its own spelling: %q, %t", v, ok)
		}
		if v, ok := c.Get("preemptMode"); v != "GANG" || !ok {
			t.Errorf("the first in order: %q, %t", v, ok)
		}
		c.Set("preemptmode", "REQUEUE")
		if want := (cluster.SlurmConfig{"PREEMPT_MODE": "REQUEUE", "MaxJobCount": "5"}); !maps.Equal(c, want) {
			t.Errorf("after Set: %v", c)
		}
		c = twice()
		c.Set("preempt_mode", "REQUEUE")
		if want := (cluster.SlurmConfig{"preempt_mode": "REQUEUE", "MaxJobCount": "5"}); !maps.Equal(c, want) {
			t.Errorf("after Set in a spelling that is there: %v", c)
		}
		c = twice()
		c.Delete("PreemptMODE")
		if want := (cluster.SlurmConfig{"MaxJobCount": "5"}); !maps.Equal(c, want) {
			t.Errorf("after Delete: %v", c)
		}
	}
}

func TestOverlay(t *testing.T) {
	var c cluster.SlurmConfig
	c.Overlay(nil)
	if c != nil {
		t.Errorf("nothing over nothing: %v", c)
	}
	over := cluster.SlurmConfig{"MaxJobCount": "5", "preemptmode": "CANCEL"}
	c.Overlay(over)
	c.Overlay(cluster.SlurmConfig{"max_job_count": "6"})
	if want := (cluster.SlurmConfig{"MaxJobCount": "6", "preemptmode": "CANCEL"}); !maps.Equal(c, want) || over["MaxJobCount"] != "5" {
		t.Errorf("%v, over %v", c, over)
	}
}

func TestConfigEqual(t *testing.T) {
	type config = cluster.SlurmConfig
	for _, tt := range []struct {
		a, b config
		want bool
	}{
		{nil, config{}, true},
		{config{"PreemptMode": "OFF"}, config{"preempt_mode": "OFF"}, true},
		{config{"PreemptMode": "OFF"}, config{"PreemptMode": "off"}, false},
		{config{"PreemptMode": ""}, nil, false},
		{config{"PreemptMode": "OFF", "A": "1"}, config{"PreemptMode": "OFF", "B": "1"}, false},
		{config{"PreemptMode": "OFF", "preemptmode": "OFF"}, config{"PreemptMode": "OFF"}, true},
		{config{"PreemptMode": "OFF", "preemptmode": "GANG"}, config{"PreemptMode": "OFF"}, false},
		{config{"PreemptMode": "OFF", "preemptmode": "GANG"}, config{"PreemptMode": "GANG", "preemptmode": "OFF"}, false},
	} {
		if got := tt.a.Equal(tt.b); got != tt.want || tt.b.Equal(tt.a) != tt.want {
			t.Errorf("%v and %v: %t", tt.a, tt.b, got)
		}
	}
}

func TestPreemptModes(t *testing.T) {
	var c cluster.SlurmConfig
	if c.PreemptModes() != nil {
		t.Errorf("unset: %q", c.PreemptModes())
	}
	c.SetPreemptModes(cluster.PreemptModeSuspend, cluster.PreemptModeGang)
	if c["PreemptMode"] != "SUSPEND,GANG" {
		t.Errorf("%v", c)
	}
	c.Set("preempt_mode", " suspend , Within,new")
	if got := c.PreemptModes(); !slices.Equal(got, []cluster.PreemptMode{cluster.PreemptModeSuspend, cluster.PreemptModeWithin, "NEW"}) {
		t.Errorf("%q", got)
	}
	c.SetPreemptModes()
	if len(c) != 0 {
		t.Errorf("without modes: %v", c)
	}
}

func TestParameterList(t *testing.T) {
	const text = "bf_continue,bf_window=1440,Default_Queue_Depth=100,bf_window=7,flags=a=b"
	list := func() cluster.ParameterList {
		return cluster.SlurmConfig{"SchedulerParameters": " bf_continue,bf_window = 1440,,Default_Queue_Depth=100,bf_window=7,flags=a=b,"}.SchedulerParameters()
	}
	if got := len(list()); got != 5 {
		t.Errorf("%d options in %q", got, list())
	}
	for option, want := range map[string]string{"bf_continue": "", "BF_WINDOW": "1440", "default_queue_depth": "100", "flags": "a=b"} {
		if got, ok := list().Get(option); got != want || !ok {
			t.Errorf("%s = %q, %t", option, got, ok)
		}
	}
	for _, option := range []string{"bfwindow", "", "bf", "flags=a"} {
		if got, ok := list().Get(option); ok {
			t.Errorf("%q = %q", option, got)
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*cluster.ParameterList)
		want   string
	}{
		{"the same", func(*cluster.ParameterList) {}, strings.Replace(text, "bf_window=", "bf_window = ", 1)},
		{"in its place, once", func(l *cluster.ParameterList) { l.Set("bf_window", "2880") }, "bf_continue,bf_window=2880,Default_Queue_Depth=100,flags=a=b"},
		{"in another case", func(l *cluster.ParameterList) { l.Set("default_queue_depth", "5") }, "bf_continue,bf_window = 1440,default_queue_depth=5,bf_window=7,flags=a=b"},
		{"a flag becomes a value", func(l *cluster.ParameterList) { l.Set("bf_continue", "1") }, "bf_continue=1,bf_window = 1440,Default_Queue_Depth=100,bf_window=7,flags=a=b"},
		{"a value becomes a flag", func(l *cluster.ParameterList) { l.Set("flags", "") }, "bf_continue,bf_window = 1440,Default_Queue_Depth=100,bf_window=7,flags"},
		{"a new one", func(l *cluster.ParameterList) { l.Set("x", "1") }, "bf_continue,bf_window = 1440,Default_Queue_Depth=100,bf_window=7,flags=a=b,x=1"},
		{"gone", func(l *cluster.ParameterList) { l.Delete("BF_window") }, "bf_continue,Default_Queue_Depth=100,flags=a=b"},
		{"gone that is not there", func(l *cluster.ParameterList) { *l = nil; l.Delete("x"); l.Set("y", "") }, "y"},
	} {
		l := list()
		before := slices.Clone(l)
		changed := l
		tt.change(&changed)
		if changed.String() != tt.want {
			t.Errorf("%s: %s", tt.name, changed)
		}
		if !slices.Equal(l, before) {
			t.Errorf("%s: another holder of the list sees the change: %s", tt.name, l)
		}
	}
}

// TestListsAreCopies: the map changes when it is told to, in the spelling it has.
func TestListsAreCopies(t *testing.T) {
	c := cluster.SlurmConfig{"scheduler_parameters": "a,b=1", "Other": "x"}
	l := c.SchedulerParameters()
	l.Set("b", "2")
	if c["scheduler_parameters"] != "a,b=1" {
		t.Errorf("before it is set: %v", c)
	}
	c.SetSchedulerParameters(l)
	c.SetList("AccountingStorageEnforce", cluster.ParameterList{"limits", "qos"})
	if want := (cluster.SlurmConfig{"scheduler_parameters": "a,b=2", "Other": "x", "AccountingStorageEnforce": "limits,qos"}); !maps.Equal(c, want) {
		t.Errorf("%v", c)
	}
	c.SetSchedulerParameters(nil)
	if _, ok := c.Get("SchedulerParameters"); ok || len(c) != 2 || c.List("absent") != nil {
		t.Errorf("an empty list: %v", c)
	}
	var none cluster.SlurmConfig
	none.SetList("A", nil)
	none.SetList("B", cluster.ParameterList{"x"})
	if !maps.Equal(none, cluster.SlurmConfig{"B": "x"}) {
		t.Errorf("%v", none)
	}
}
