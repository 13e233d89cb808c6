package slurmtest

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxBody is slurmrestd's limit. It resets the connection of a larger body
// without an answer.
const maxBody = 50 << 20

// maxURL is what fits into the first line of a request, of 48 KiB in all. More
// of it resets the connection, too.
const maxURL = 48<<10 - 6

// Server is an in-memory slurmrestd with the controller and the accounting
// daemon behind it. It is an [http.Handler], safe for concurrent use.
type Server struct {
	mu  sync.Mutex
	set settings

	partitions []*partition
	nodes      []*node
	queue      []*job // the live queue, in order of creation
	accounting []*job // every record, oldest first
	files      map[string]string
	uids       map[string]int64
	lastID     int64
	clock      time.Time // everything up to here has been played
	lastUpdate time.Time
	started    time.Time

	conf                         conf
	controllerDown, databaseDown bool
	requests                     []Request
}

// NewServer gives a server with an empty queue.
func NewServer(opts ...Option) *Server {
	now := time.Now()
	s := &Server{set: defaults(), conf: defaultConf, uids: map[string]int64{}, clock: now, lastUpdate: now, started: now}
	for _, opt := range opts {
		opt(&s.set)
	}
	s.lastID = s.set.firstID - 1
	s.partitions, s.nodes = build(s.set.partitions)
	for _, name := range append([]string{s.set.user}, s.set.users...) {
		s.uid(name)
	}
	return s
}

// call is a request on its way through the server.
type call struct {
	method string
	path   []string // without empty parts
	query  []param
	body   value
	sent   bool // there was a body
	user   string
	now    time.Time
}

type param struct{ name, text string }

// ServeHTTP answers one request. All the time that has passed since the last
// one is played first.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(io.LimitReader(body(r), maxBody+1))
	if err != nil || len(data) > maxBody || len(r.URL.RequestURI()) > maxURL {
		panic(http.ErrAbortHandler) // slurmrestd resets the connection
	}
	s.mu.Lock()
	answer := s.answer(r, data)
	s.requests = append(s.requests, Request{r.Method, requestPath(r.URL), data, answer.code()})
	s.mu.Unlock()
	answer.write(w, s.set.cluster)
}

func body(r *http.Request) io.Reader {
	if r.Body == nil {
		return strings.NewReader("")
	}
	return r.Body
}

func requestPath(u *url.URL) string {
	if u.RawQuery == "" {
		return u.EscapedPath()
	}
	return u.EscapedPath() + "?" + u.RawQuery
}

func (s *Server) answer(r *http.Request, data []byte) *reply {
	now := time.Now()
	s.advance(now)
	if refused := transport(r); refused != nil {
		return refused
	}
	c := &call{method: r.Method, user: s.caller(r), now: now, sent: len(data) > 0}
	for _, part := range strings.Split(r.URL.EscapedPath(), "/") {
		if strings.ContainsAny(part, "[]+,") {
			return plain(http.StatusBadRequest, "Unable to parse URL path.")
		}
		if part, err := url.PathUnescape(part); err == nil && part != "" {
			c.path = append(c.path, part)
		}
	}
	handler := s.route(c)
	if handler == nil {
		return notFoundPage()
	}
	var ok bool
	if c.query, ok = parseQuery(r.URL.RawQuery); !ok {
		return badQuery()
	}
	if c.sent && c.method != http.MethodGet {
		if c.body, ok = parseBody(r.Header.Get("Content-Type"), data); !ok {
			return badQuery()
		}
	}
	return handler(c).suit(c.version())
}

// caller is who asks. The header is what slurmrestd itself goes by.
func (s *Server) caller(r *http.Request) string {
	name := r.Header.Get("X-SLURM-USER-NAME")
	if name == "" {
		name = s.set.user
	}
	s.uid(name)
	return name
}

// methods are the ones that slurmrestd can read, which is not to say serve.
var methods = []string{"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"}

// transport refuses what slurmrestd's HTTP layer refuses.
func transport(r *http.Request) *reply {
	switch {
	case len(r.TransferEncoding) > 0, r.Header.Get("Content-Encoding") != "":
		return &reply{status: http.StatusNotAcceptable}
	case !slices.Contains(methods, r.Method):
		return &reply{status: http.StatusBadRequest}
	case !acceptsJSON(r.Header["Accept"]):
		return plain(http.StatusUnsupportedMediaType, "Accept content type is unknown")
	}
	return nil
}

func acceptsJSON(accept []string) bool {
	if accept == nil {
		return true
	}
	for _, media := range strings.Split(strings.Join(accept, ","), ",") {
		media, _, _ = strings.Cut(strings.TrimSpace(media), ";")
		if media == "*/*" || media == "application/*" || media == "application/json" {
			return true
		}
	}
	return false
}

// parseQuery keeps the order of a query. A raw comma or colon does not parse.
func parseQuery(raw string) ([]param, bool) {
	if strings.ContainsAny(raw, ",:") {
		return nil, false
	}
	var params []param
	for _, part := range strings.Split(raw, "&") {
		if part == "" {
			continue
		}
		name, text, _ := strings.Cut(part, "=")
		name, err1 := url.PathUnescape(name)
		text, err2 := url.PathUnescape(text)
		if err1 != nil || err2 != nil {
			return nil, false
		}
		params = append(params, param{name, text})
	}
	return params, true
}

// parseBody takes exactly application/json: not even a charset may follow.
func parseBody(contentType string, data []byte) (value, bool) {
	if !strings.EqualFold(contentType, "application/json") {
		return value{}, false
	}
	v, err := parseJSON(data)
	return v, err == nil && (v.kind == kindObject || v.kind == kindList)
}
