package slurmtest

import "net/http"

// latency is what pings report, in microseconds.
const latency = 500

func (s *Server) ping(*call) *reply {
	r := &reply{}
	pinged, responding := "UP", true
	if s.controllerDown {
		pinged, responding = "DOWN", false
	}
	r.add("pings", []object{{
		{"hostname", "ctl"}, {"pinged", pinged}, {"responding", responding}, {"latency", latency},
		{"mode", "primary"}, {"primary", true},
	}})
	return r
}

func (s *Server) databasePing(*call) *reply {
	if s.databaseDown {
		return s.noDatabase()
	}
	r := s.databaseReply()
	r.add("pings", []object{{
		{"hostname", "localhost"}, {"responding", true}, {"latency", latency}, {"primary", true},
	}})
	return r
}

// unchanged answers reads of nodes and partitions with nothing new: 304
// without a body, unlike the job list.
func (s *Server) unchanged(c *call, r *reply, source string) (*reply, bool) {
	view, ok := s.view(c, r, source)
	if !ok {
		return r, true
	}
	if !view.since.IsZero() && view.since.Unix() >= s.lastUpdate.Unix() {
		return &reply{status: http.StatusNotModified}, true
	}
	return nil, false
}

func (s *Server) listLicenses(*call) *reply {
	r := &reply{}
	if s.controllerDown {
		return r.fail(codeNoController, "Unable to query licenses", "slurm_load_licenses()")
	}
	records := []object{}
	for _, l := range s.set.licenses {
		records = append(records, object{
			{"LicenseName", l.name}, {"Total", l.total}, {"Used", l.used}, {"Free", l.total - l.used},
			{"Remote", false}, {"Reserved", 0}, {"LastConsumed", 0}, {"LastDeficit", 0}, {"LastUpdate", 0},
		})
	}
	r.payload = object{{"licenses", records}, {"last_update", moment(s.lastUpdate)}}
	return r
}
