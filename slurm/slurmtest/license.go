package slurmtest

import "strings"

// seats reads "matlab:2,abaqus" into counts by name.
func seats(text string) map[string]int {
	wanted := map[string]int{}
	for _, item := range strings.Split(text, ",") {
		if item != "" {
			name, count := cutCount(item)
			wanted[name] += int(count)
		}
	}
	return wanted
}

func (s *Server) license(name string) *license {
	for i := range s.set.licenses {
		if s.set.licenses[i].name == name {
			return &s.set.licenses[i]
		}
	}
	return nil
}

// licensed says whether the job's licenses are free.
func (s *Server) licensed(j *job) bool {
	for name, n := range seats(j.licenses) {
		if l := s.license(name); l == nil || l.total-l.used < n {
			return false
		}
	}
	return true
}

// borrow takes (sign 1) or gives back (sign -1) the job's licenses.
func (s *Server) borrow(j *job, sign int) {
	for name, n := range seats(j.licenses) {
		if l := s.license(name); l != nil {
			l.used += sign * n
		}
	}
}
