package slurmtest

import "slices"

// Reservation keeps nodes for the jobs that name it in "reservation".
type Reservation struct {
	Name  string
	Nodes []string // of which one belongs to at most one reservation
	Users []string // who may name it; any other gets error 2052
}

// WithReservation adds a reservation that is in force for all time.
func WithReservation(r Reservation) Option {
	return func(s *settings) { s.reservations = append(s.reservations, r) }
}

// checkReservation wants a reservation that the user may ask for.
func (s *Server) checkReservation(d *spec, user string) code {
	if d.reservation == "" {
		return codeNone
	}
	for _, r := range s.set.reservations {
		switch {
		case r.Name != d.reservation:
		case slices.Contains(r.Users, user):
			return codeNone
		default:
			return codeReservationDenied
		}
	}
	return codeReservation
}

// open says whether the scheduler may use a node for such a job at all.
func (s *Server) open(n *node, d *spec) bool {
	if n.down || n.drained {
		return false
	}
	for _, r := range s.set.reservations {
		if slices.Contains(r.Nodes, n.Name) {
			return r.Name == d.reservation
		}
	}
	return d.reservation == ""
}
