package slurm

import (
	"strings"
	"testing"
)

func TestTaskLists(t *testing.T) {
	tests := []struct {
		text   string
		in     []int64
		out    []int64
		atOnce int64
		cut    bool
	}{
		{"3", []int64{3}, []int64{0, 2, 4}, 0, false},
		{"0-3,7", []int64{0, 3, 7}, []int64{4, 6, 8}, 0, false},
		{"1-10:3%2", []int64{1, 4, 7, 10}, []int64{2, 9, 13}, 2, false},
		{"[1%1]", []int64{1}, []int64{0, 2}, 1, false},
		{"[3-4%2]", []int64{3, 4}, []int64{2, 5}, 2, false},
		{"1,3,5,...", []int64{1, 5}, []int64{2, 99}, 0, true},
		{"1,3,5...", []int64{1, 3}, []int64{5, 99}, 0, true}, // it may have been 57
		{"1,3-5...%4", []int64{1}, []int64{3, 5}, 4, true},
	}
	for _, tt := range tests {
		list, err := parseTaskList(tt.text)
		if err != nil || list.atOnce != tt.atOnce || list.cut != tt.cut {
			t.Errorf("%s: got %+v, %v", tt.text, list, err)
		}
		for _, n := range tt.in {
			if !list.has(n) {
				t.Errorf("%s lacks %d", tt.text, n)
			}
		}
		for _, n := range tt.out {
			if list.has(n) {
				t.Errorf("%s has %d", tt.text, n)
			}
		}
	}
	for _, text := range []string{"", ",", "a", "1-", "-1", "1-2-3", "3:1", "5-1", "1-5:0", "1%0", "1%", "1%a", "4294967294", "1 2", "...", "5...", "1,...,3"} {
		if list, err := parseTaskList(text); err == nil {
			t.Errorf("%q gave %+v", text, list)
		}
	}
}

// What a submit lets through is what Slurm takes: digits and marks, nothing that could be read in two ways.
func FuzzArray(f *testing.F) {
	for _, s := range []string{"0-9%4", "1,5,9", "0-8:4", "[1%1]", "1,...", "5-1", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := &checker{}
		c.checkArray("Array", s)
		if len(c.problems) > 0 || s == "" {
			return
		}
		if strings.ContainsFunc(s, notInTaskList) {
			t.Fatalf("%q was let through", s)
		}
		if list, err := parseTaskList(s); err != nil || !list.has(list.ranges[0].from) || list.cut {
			t.Fatalf("%q: %+v, %v", s, list, err)
		}
	})
}

// No text makes a signal that Slurm does not know.
func FuzzSignalName(f *testing.F) {
	for _, s := range []string{"USR1", "SIGUSR1", "10", "NOPE", "-9", "32", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, err := signalName(s)
		if err != nil {
			return
		}
		if again, err := signalName(name); err != nil || again != name {
			t.Fatalf("%q gave %q, which gives %q, %v", s, name, again, err)
		}
		if strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			t.Fatalf("%q gave %q", s, name)
		}
	})
}
