package slurmtest

import (
	"net/http"
	"strconv"
)

// reply is an answer under construction. The status follows from the errors
// unless a handler sets it: slurmrestd keeps the two apart just as loosely.
type reply struct {
	status   int    // 0: by the first error, else 200
	text     string // a text/plain answer; everything below is then unused
	payload  object
	errors   []object
	warnings []object
	version  string
	database bool // answered by the slurmdbd plugin
	bare     bool // an envelope with nothing in it, where there would be no body
}

func plain(status int, text string) *reply { return &reply{status: status, text: text} }

func notFoundPage() *reply {
	return plain(http.StatusNotFound, "Unable find requested URL. Please view /openapi/v3 for API reference.")
}

func badQuery() *reply { return plain(http.StatusBadRequest, "Unable to parse query.") }

// fail adds an error. The first one decides the status.
func (r *reply) fail(c code, description, source string) *reply {
	if r.status == 0 {
		r.status = failures[c].status
	}
	r.errors = append(r.errors, object{
		{"description", description}, {"error_number", int(c)}, {"error", c.text()}, {"source", source},
	})
	return r
}

// reject is fail for requests that never reach the controller: a parsing
// error in a URL or query is the client's fault, whatever number it has.
func (r *reply) reject(description, source string) *reply {
	r.status = http.StatusUnprocessableEntity
	return r.fail(codeQuery, description, source)
}

func (r *reply) warn(description, source string) {
	r.warnings = append(r.warnings, object{{"description", description}, {"source", source}})
}

func (r *reply) add(name string, value any) { r.payload = append(r.payload, member{name, value}) }

// body writes the envelope. Where there is a payload, meta follows it;
// where there is none, meta comes last.
func (r *reply) body(cluster string) []byte {
	doc := r.payload
	tail := object{{"errors", r.errors}, {"warnings", r.warnings}}
	if doc == nil {
		return appendJSON(nil, append(tail, member{"meta", r.meta(cluster)}))
	}
	doc = append(doc[:len(doc):len(doc)], member{"meta", r.meta(cluster)})
	return appendJSON(nil, append(doc, tail...))
}

func (r *reply) meta(cluster string) object {
	plugin, user := "slurmctld", "root"
	if r.database {
		plugin, user = "slurmdbd", ""
	}
	return object{
		{"plugin", object{
			{"type", "openapi/" + plugin},
			{"name", "Slurm OpenAPI " + plugin},
			{"data_parser", "data_parser/" + r.version},
			{"accounting_storage", "accounting_storage/slurmdbd"},
		}},
		// The caller is not in here: under local authentication slurmrestd names its own account.
		{"client", object{{"source", "unix:/run/slurmrestd.sock(fd:9)"}, {"user", user}, {"group", user}}},
		{"command", []string{}},
		{"slurm", object{
			{"version", object{{"major", "24"}, {"micro", "5"}, {"minor", "11"}}},
			{"release", "24.11.5"},
			{"cluster", cluster},
		}},
	}
}

func (r *reply) code() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

// empty is true for the few answers without a body.
func (r *reply) empty() bool {
	return r.code() != http.StatusOK && !r.bare && r.text == "" && len(r.payload)+len(r.errors)+len(r.warnings) == 0
}

// write sends the reply. Every status of 400 and up closes the connection.
func (r *reply) write(w http.ResponseWriter, cluster string) {
	if r.code() >= 400 {
		w.Header().Set("Connection", "Close")
	}
	if r.empty() {
		w.WriteHeader(r.code())
		return
	}
	body, kind := []byte(r.text), "text/plain"
	if r.text == "" {
		body, kind = r.body(cluster), "application/json"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(r.code())
	_, _ = w.Write(body) // a reader that hung up is its own problem
}
