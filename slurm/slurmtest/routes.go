package slurmtest

import (
	"net/http"
	"slices"
)

type handler func(*call) *reply

// route finds the handler of a method and path, or nil: an unknown method on
// a known path is the same 404 page as an unknown path or version.
func (s *Server) route(c *call) handler {
	if len(c.path) < 3 || !slices.Contains(versions, c.path[1]) {
		return nil
	}
	switch c.path[0] {
	case "slurm":
		return s.routeLive(c, c.path[2:])
	case "slurmdb":
		return s.routeHistory(c, c.path[2:])
	}
	return nil
}

func (s *Server) routeLive(c *call, path []string) handler {
	key := c.method + " " + path[0]
	if len(path) == 1 {
		return map[string]handler{
			"GET ping":       s.ping,
			"GET jobs":       s.list,
			"DELETE jobs":    s.kill,
			"GET nodes":      s.listNodes,
			"GET partitions": s.listPartitions,
			"GET licenses":   s.listLicenses,
		}[key]
	}
	if len(path) != 2 {
		return nil
	}
	switch {
	case path[0] == "job" && path[1] == "submit" && c.method == http.MethodPost:
		return s.submit
	case key == "GET jobs" && path[1] == "state":
		return s.jobStates
	}
	return map[string]handler{
		"GET job":       s.get,
		"DELETE job":    s.cancel,
		"POST job":      s.update,
		"GET node":      s.oneNode,
		"GET partition": s.onePartition,
	}[key]
}

func (s *Server) routeHistory(c *call, path []string) handler {
	key := c.method + " " + path[0]
	switch {
	case len(path) == 1 && key == "GET ping" && c.path[1] == v42:
		return s.databasePing
	case len(path) == 1 && key == "GET jobs":
		return s.history
	case len(path) == 2 && key == "GET job":
		return s.oneHistory
	}
	return nil
}
