package clustertest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server is an in-memory modelDevelopmentClusters service. It is an [http.Handler]; [Server.HTTPClient] and
// [Server.ClientOptions] reach it without a socket. It is safe for concurrent use, starts no goroutine but that of a
// [FaultDropLate], and needs no closing.
type Server struct {
	// Set by NewServer and constant from then on.
	tb             TB
	project        project
	regions        []string
	hosts          []string
	slurm          http.Handler
	textEnvelope   bool
	structNumbers  bool
	dropText       bool
	operationTime  *time.Duration
	pageSize       int
	emptyPages     bool
	quoteInts      bool
	barredMachines map[string]bool
	validToken     func(string) bool
	cluster        *schema
	maskPaths      []string

	mu            sync.Mutex
	clusters      map[string]*clusterState // by region/id
	operations    []*operation             // oldest first
	lastOperation int64
	images        map[string]string // default image by machine type; "" is every other type
	denied        map[string]bool   // by permission
	nextFailure   map[Verb]*operationFailure
	faults        []*armedFault
	requests      []Request
}

// NewServer returns an empty server for one project.
func NewServer(opts ...Option) *Server {
	s := &Server{
		project: project{"my-project", 123456789012},
		regions: []string{"us-central1", "us-east1", "us-east4", "us-east5", "us-south1", "us-west1", "us-west4",
			"asia-southeast1", "asia-south2", "europe-west1", "europe-west4", "europe-north1"},
		pageSize:       100,
		barredMachines: map[string]bool{"a3-highgpu-8g": true},
		cluster:        clusterSchema(),
		maskPaths:      slices.Clone(documentedPaths),
		clusters:       map[string]*clusterState{},
		lastOperation:  4_000_000_000_000_000_000,
		images:         map[string]string{"": firstImage},
		denied:         map[string]bool{},
		nextFailure:    map[Verb]*operationFailure{},
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

// maxBody bounds what is read of a request.
const maxBody = 16 << 20

// ServeHTTP answers one request. It blocks for the delay of a [Fault], for operations.wait and for the Slurm
// behind callSlurmRestApi, and stops when the request's context ends.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		// The client went away, or it sent less than it announced.
		panic(http.ErrAbortHandler)
	}
	c, fail := s.route(r)
	verb := Verb("")
	if c != nil {
		c.body, verb = body, c.verb
	}
	entry := newRequest(r, verb, body)
	fault := s.record(entry)
	answer := newRecorder()
	if !fault.before(r.Context(), answer) {
		if fail == nil {
			fail = s.serve(c, answer)
		}
		if fail != nil {
			s.answerError(entry, fail, answer)
		}
	}
	fault.after(answer)
	s.besides(fault, c)
	if fault.drops() {
		drop(w, fault.Kind)
		return
	}
	answer.writeTo(w)
}

// answerError writes fail, and reports it to the test if the request was none of this service's.
func (s *Server) answerError(r Request, fail *apiError, answer *recorder) {
	if fail.refusal {
		fail.Message += ": " + r.String()
		if s.tb != nil {
			s.tb.Helper()
			s.tb.Errorf("%s", fail.Message)
		}
	}
	answer.json(fail.HTTP, pretty(fail.body()))
}

// serve checks what all methods have in common and calls the method.
func (s *Server) serve(c *call, answer *recorder) *apiError {
	if err := s.admit(c); err != nil {
		return err
	}
	var out []byte
	var fail *apiError
	switch c.verb {
	case VerbCallSlurm:
		out, fail = s.callSlurm(c)
	case VerbWaitOperation:
		out, fail = s.waitOperation(c)
	default:
		out, fail = s.locked(c)
	}
	if fail != nil {
		return fail
	}
	// Slurm's answers can be megabytes; the others are indented, as the service does unless asked not to.
	if c.verb != VerbCallSlurm && c.r.URL.Query().Get("prettyPrint") != "false" {
		out = pretty(out)
	}
	answer.json(http.StatusOK, out)
	return nil
}

// locked serves the methods that only work on the server's own state.
func (s *Server) locked(c *call) ([]byte, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.settle()
	switch c.verb {
	case VerbCreate:
		return s.createCluster(c, now)
	case VerbGet:
		return s.getCluster(c, now)
	case VerbList:
		return s.listClusters(c, now)
	case VerbUpdate:
		return s.updateCluster(c, now)
	case VerbDelete:
		return s.deleteCluster(c, now)
	case VerbReportFaultyNodes:
		return s.reportFaultyNodes(c, now)
	case VerbGetOperation:
		return s.getOperation(c)
	case VerbListOperations:
		return s.listOperations(c)
	case VerbCancelOperation:
		return s.cancelOperation(c, now)
	}
	return s.deleteOperation(c)
}

// admit checks token, project, permission, region and the form of the body.
func (s *Server) admit(c *call) *apiError {
	if s.validToken != nil {
		token, _ := strings.CutPrefix(c.r.Header.Get("Authorization"), "Bearer ")
		if !s.validToken(token) {
			return failf("UNAUTHENTICATED", "Request had invalid authentication credentials. "+
				"Expected OAuth 2 access token, login cookie or other valid authentication credential.")
		}
	}
	if !s.knowsProject(c.project) {
		return consumerError(c.project)
	}
	if !slices.Contains(s.regions, c.region) {
		return failf("INVALID_ARGUMENT", "Location %q is not supported for ModelDevelopmentCluster.", c.region)
	}
	s.mu.Lock()
	denied := s.denied[permissions[c.verb]]
	s.mu.Unlock()
	if denied {
		return deniedError(permissions[c.verb], c.resource())
	}
	hasBody := len(bytes.TrimSpace(c.body)) > 0
	switch m := c.r.Method; {
	case hasBody && (m == http.MethodGet || m == http.MethodDelete):
		return refusef("a %s carries no body", m)
	case hasBody && !strings.HasPrefix(c.r.Header.Get("Content-Type"), "application/json"):
		return refusef("Content-Type is %q instead of application/json", c.r.Header.Get("Content-Type"))
	}
	return nil
}

// permissions holds what IAM asks for. Only get, list and run are published names; the rest follow the pattern.
// Nothing is known to guard operations.
var permissions = map[Verb]string{
	VerbCreate:            "aiplatform.modelDevelopmentClusters.create",
	VerbGet:               "aiplatform.modelDevelopmentClusters.get",
	VerbList:              "aiplatform.modelDevelopmentClusters.list",
	VerbUpdate:            "aiplatform.modelDevelopmentClusters.update",
	VerbDelete:            "aiplatform.modelDevelopmentClusters.delete",
	VerbCallSlurm:         "aiplatform.modelDevelopmentClusters.run",
	VerbReportFaultyNodes: "aiplatform.modelDevelopmentClusters.reportFaultyNodes",
}

// Deny takes permissions away from the caller, such as "aiplatform.modelDevelopmentClusters.run": the methods
// that need them answer 403. Allow gives them back.
func (s *Server) Deny(permissions ...string) { s.setDenied(permissions, true) }

// Allow takes back a [Server.Deny].
func (s *Server) Allow(permissions ...string) { s.setDenied(permissions, false) }

func (s *Server) setDenied(permissions []string, denied bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range permissions {
		s.denied[p] = denied
	}
}

func pretty(raw []byte) []byte {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return raw
	}
	out.WriteByte('\n')
	return out.Bytes()
}
