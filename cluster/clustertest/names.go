package clustertest

import (
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Verb names a method of the service in a [Fault] and in a [Request].
type Verb string

// The methods that the server knows.
const (
	VerbCreate            Verb = "create"
	VerbGet               Verb = "get"
	VerbList              Verb = "list"
	VerbUpdate            Verb = "update"
	VerbDelete            Verb = "delete"
	VerbCallSlurm         Verb = "callSlurmRestApi"
	VerbReportFaultyNodes Verb = "reportFaultyNodes"
	VerbGetOperation      Verb = "operations.get"
	VerbListOperations    Verb = "operations.list"
	VerbCancelOperation   Verb = "operations.cancel"
	VerbDeleteOperation   Verb = "operations.delete"
	VerbWaitOperation     Verb = "operations.wait"
)

type project struct {
	id     string
	number int64
}

// call is a request that has been understood.
type call struct {
	r       *http.Request
	verb    Verb
	project string // as the request spells it
	region  string
	id      string // of the cluster or the operation; empty for create and list
	query   url.Values
	body    []byte
}

// parent and resource spell the project as the request does, as permission errors do.
func (c *call) parent() string { return "projects/" + c.project + "/locations/" + c.region }

func (c *call) resource() string {
	if c.id == "" {
		return c.parent()
	}
	return c.parent() + "/modelDevelopmentClusters/" + c.id
}

// routes maps HTTP method, collection, whether an id is given, and custom verb to the method of the service.
var routes = map[string]Verb{
	"POST modelDevelopmentClusters":                     VerbCreate,
	"GET modelDevelopmentClusters":                      VerbList,
	"GET modelDevelopmentClusters/*":                    VerbGet,
	"PATCH modelDevelopmentClusters/*":                  VerbUpdate,
	"DELETE modelDevelopmentClusters/*":                 VerbDelete,
	"POST modelDevelopmentClusters/*:callSlurmRestApi":  VerbCallSlurm,
	"POST modelDevelopmentClusters/*:reportFaultyNodes": VerbReportFaultyNodes,
	"GET operations":                                    VerbListOperations,
	"GET operations/*":                                  VerbGetOperation,
	"DELETE operations/*":                               VerbDeleteOperation,
	"POST operations/*:cancel":                          VerbCancelOperation,
	"POST operations/*:wait":                            VerbWaitOperation,
}

// queryKeys lists the parameters of each method. Either spelling is taken.
var queryKeys = map[Verb][]string{
	VerbCreate:         {"model_development_cluster_id"},
	VerbList:           {"page_size", "page_token"},
	VerbUpdate:         {"update_mask", "update_mode"},
	VerbListOperations: {"filter", "page_size", "page_token", "return_partial_success"},
}

// route finds out what is asked for. It answers with a refusal for what the service does not have.
func (s *Server) route(r *http.Request) (*call, *apiError) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if len(parts) < 6 || len(parts) > 7 || parts[1] != "projects" || parts[3] != "locations" ||
		slices.Contains(parts, "") {
		return nil, refusef("no such resource")
	}
	c := &call{r: r, project: parts[2], region: parts[4]}
	key := r.Method + " " + parts[5]
	if len(parts) == 7 {
		id, action, custom := strings.Cut(parts[6], ":")
		if c.id = id; custom {
			action = ":" + action
		}
		key += "/*" + action
	}
	verb, ok := routes[key]
	c.verb = verb
	switch {
	case !ok, len(parts) == 7 && c.id == "":
		return nil, refusef("no such method")
	case parts[0] != "v1beta1" && !(parts[0] == "v1" && parts[5] == "operations"):
		return nil, refusef("API version %q has no %s", parts[0], parts[5])
	}
	if err := s.checkHost(r, c.region); err != nil {
		return nil, err
	}
	return c, c.readQuery()
}

var googleHost = regexp.MustCompile(`^([a-z]+(?:-[a-z]+)+[0-9]+)-aiplatform\.googleapis\.com$`)

func (s *Server) checkHost(r *http.Request, region string) *apiError {
	host := strings.ToLower(r.Host)
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	google := googleHost.FindStringSubmatch(host)
	ip := net.ParseIP(strings.Trim(host, "[]"))
	switch {
	case host == "localhost", ip != nil && ip.IsLoopback(), slices.Contains(s.hosts, host):
		return nil
	case google == nil:
		return refusef("unknown host %q", r.Host)
	case r.URL.Scheme == "http":
		return refusef("a token would go to %q unencrypted", r.Host)
	case google[1] != region:
		return refusef("host %q does not serve location %q", r.Host, region)
	}
	return nil
}

// readQuery fills c.query under the snake_case names, and refuses what the method does not take.
func (c *call) readQuery() *apiError {
	raw, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return failf("INVALID_ARGUMENT", "Invalid query: %v", err)
	}
	c.query = url.Values{}
	for key, values := range raw {
		known := slices.IndexFunc(queryKeys[c.verb], func(k string) bool { return k == key || camel(k) == key })
		switch {
		case known < 0 && isSystemParameter(key, values):
			continue
		case known < 0:
			return payloadErrors([]violation{{"", "Invalid JSON payload received. Unknown name " + strconv.Quote(key) +
				": Cannot bind query parameter. Field '" + key + "' could not be found in request message."}})
		}
		name := queryKeys[c.verb][known]
		if len(values) > 1 || c.query.Has(name) {
			return badField(name, "is given more than once")
		}
		c.query.Set(name, values[0])
	}
	return nil
}

// isSystemParameter knows the parameters that every Google API takes. Those that would change the form of the
// answer in ways this server does not follow (fields, enum-encoding=int) are not among them.
func isSystemParameter(key string, values []string) bool {
	switch key {
	case "alt", "$alt":
		return len(values) == 1 && values[0] == "json"
	case "prettyPrint", "quotaUser", "key", "$.xgafv":
		return true
	}
	return false
}

// serverName spells a name as the server does: with the project number.
func (s *Server) serverName(region, collection, id string) string {
	return "projects/" + strconv.FormatInt(s.project.number, 10) + "/locations/" + region + "/" + collection + "/" + id
}

func (s *Server) knowsProject(name string) bool {
	return name == s.project.id || name == strconv.FormatInt(s.project.number, 10)
}
