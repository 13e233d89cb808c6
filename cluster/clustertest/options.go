package clustertest

import (
	"net/http"
	"strings"
	"time"
)

// Option sets something up in [NewServer].
type Option func(*Server)

// TB is the part of *testing.T that [WithTB] needs.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// WithTB makes the test fail, naming the request, when something is asked of the server that the service does
// not have: another host, API version, resource, method or query parameter. Such requests are answered with 501
// UNIMPLEMENTED in any case.
func WithTB(t TB) Option { return func(s *Server) { s.tb = t } }

// WithProject makes the server serve the project with this id and number. The default is "my-project", number
// 123456789012. Requests may name the project either way; names in answers carry the number.
func WithProject(id string, number int64) Option {
	return func(s *Server) { s.project = project{id, number} }
}

// WithRegions replaces the list of regions, which is by default that of the published documents. The first is
// where [Server.AddCluster] puts a cluster that is given by a bare id.
func WithRegions(regions ...string) Option { return func(s *Server) { s.regions = regions } }

// WithHost accepts one more host name besides REGION-aiplatform.googleapis.com and the loopback addresses, such
// as a Private Service Connect endpoint.
func WithHost(host string) Option {
	return func(s *Server) { s.hosts = append(s.hosts, strings.ToLower(host)) }
}

// WithSlurm puts a Slurm REST server behind callSlurmRestApi: package slurmtest's, or a reverse proxy to a real
// slurmrestd. The handler gets method, path with query, body, and an Accept header; without this option such
// calls are refused with 501.
func WithSlurm(h http.Handler) Option { return func(s *Server) { s.slurm = h } }

// WithTextEnvelope answers callSlurmRestApi in the form documented in August 2026, {"status", "body"} with the
// answer as one JSON string. The default is the newer {"status", "structuredBody"}.
func WithTextEnvelope() Option { return func(s *Server) { s.textEnvelope = true } }

// WithStructNumbers passes the numbers of structuredBody and of the request's body through float64, as a
// google.protobuf.Struct would: integers above 2^53 lose digits, and large ones print like 1.76e+09. By default
// they keep their digits. What the service does is not published.
func WithStructNumbers() Option { return func(s *Server) { s.structNumbers = true } }

// WithoutSlurmText loses Slurm answers that are no JSON object, such as the text of a 404 for an unknown path. By
// default they travel in body, as a string, also where structuredBody is in use. What the service does with
// them is not published; a Struct cannot carry them.
func WithoutSlurmText() Option { return func(s *Server) { s.dropText = true } }

// WithOperationTime makes every operation take d. The defaults are 8 minutes for create, 4 for update, 4 and a
// half for delete and 2 for reportFaultyNodes. With 0 an operation is done by the time its call returns.
func WithOperationTime(d time.Duration) Option { return func(s *Server) { s.operationTime = &d } }

// WithPageSize is the size of a page where the request names none, and the most that any page holds. The default
// is 100. The service may return fewer than it was asked for; set this small to see clients cope.
func WithPageSize(n int) Option { return func(s *Server) { s.pageSize = max(n, 1) } }

// WithEmptyPages puts an empty page with a page token in front of each page of a list.
func WithEmptyPages() Option { return func(s *Server) { s.emptyPages = true } }

// WithQuotedIntegers prints integers as strings, as proto JSON does for 64-bit fields. The widths of this API's
// fields are not published, so a client should read both; the default is plain numbers.
func WithQuotedIntegers() Option { return func(s *Server) { s.quoteInts = true } }

// WithMachine allows a machine type that projects do not have by default: a3-highgpu-8g.
func WithMachine(machineType string) Option {
	return func(s *Server) { delete(s.barredMachines, machineType) }
}

// WithoutMachine makes operations that need this machine type fail, about 20 seconds after they were accepted.
func WithoutMachine(machineType string) Option {
	return func(s *Server) { s.barredMachines[machineType] = true }
}

// WithNewField makes the server one of a later version, which has a further field in the message at path, such
// as "node_pools.boot_disk"; "" is the cluster itself. name is in snake_case; the field takes any JSON value.
// With it a test can prove that a client does not lose fields it has never heard of.
// NewServer panics if there is no such message.
func WithNewField(path, name string) Option {
	return func(s *Server) {
		sc := s.cluster
		for step := range strings.SplitSeq(path, ".") {
			if step == "" {
				continue
			}
			f := sc.find(step)
			if f == nil || f.message == nil {
				panic("clustertest: WithNewField: no message at " + path)
			}
			sc = f.message
		}
		sc.fields = append(sc.fields, &field{name: name, kind: kindAny})
	}
}

// WithMaskPath accepts one more path in update masks, as a later version of the service might: the documented list
// has grown several times.
func WithMaskPath(path string) Option {
	return func(s *Server) { s.maskPaths = append(s.maskPaths, path) }
}

// WithTokenCheck refuses requests whose bearer token valid does not accept with 401 UNAUTHENTICATED; a request
// without a token has "". By default nothing is asked for. valid must be safe for concurrent use.
func WithTokenCheck(valid func(token string) bool) Option {
	return func(s *Server) { s.validToken = valid }
}
