package clustertest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// operation is a google.longrunning.Operation. It ends by itself as time goes by: whoever looks at the server
// first settles what is due.
type operation struct {
	number  int64
	id      string // number in digits
	region  string
	verb    Verb
	created time.Time
	updated time.Time
	end     time.Time // when it will be, or was, done

	progress string
	finish   func(end time.Time)             // the work is done
	undo     func(end time.Time, why string) // the work failed or was cancelled
	failure  *operationFailure               // how it will fail at end, or nil

	done      bool
	err       *operationFailure
	response  json.RawMessage
	forgotten bool // deleted: nobody can read it any more, but the work goes on
}

type operationFailure struct {
	Code    int               `json:"code"`
	Message string            `json:"message"`
	Details []json.RawMessage `json:"details,omitempty"`
}

var operationTimes = map[Verb]time.Duration{
	VerbCreate:            8 * time.Minute,
	VerbUpdate:            4 * time.Minute,
	VerbDelete:            4*time.Minute + 30*time.Second,
	VerbReportFaultyNodes: 2 * time.Minute,
}

// failureTime is how long the service takes to notice what it does not check before it accepts.
const failureTime = 20 * time.Second

func (s *Server) start(c *call, now time.Time) *operation {
	d := operationTimes[c.verb]
	if s.operationTime != nil {
		d = *s.operationTime
	}
	s.lastOperation++
	op := &operation{
		number: s.lastOperation, id: strconv.FormatInt(s.lastOperation, 10), region: c.region, verb: c.verb,
		created: now, updated: now, end: now.Add(d),
	}
	op.undo = func(time.Time, string) {}
	s.operations = append(s.operations, op)
	return op
}

// accepted returns the answer to the call that started op.
func (s *Server) accepted(op *operation) []byte {
	if f := s.nextFailure[op.verb]; f != nil {
		delete(s.nextFailure, op.verb)
		op.failure = f
	}
	if op.failure != nil {
		op.end = op.created.Add(min(failureTime, op.end.Sub(op.created)))
	}
	s.settle()
	return s.operationJSON(op)
}

// barred returns how an operation ends that needs a machine type which the project may not use, or nil.
func (s *Server) barred(doc document) *operationFailure {
	for _, p := range doc.children("node_pools") {
		if m := p.child("machine_spec").text("machine_type"); s.barredMachines[m] {
			return &operationFailure{Code: 3, Message: "machine type " + m + " is not allowed for VM"}
		}
	}
	return nil
}

// FailNextOperation lets the next call of verb be accepted and its operation then fail, after 20 seconds or at
// its end if that is sooner, with a gRPC code by name ("RESOURCE_EXHAUSTED"), a message and google.rpc details.
// A failed create leaves its cluster in state ERROR. FailNextOperation panics if code is not the name of one.
func (s *Server) FailNextOperation(verb Verb, code, message string, details ...json.RawMessage) {
	n, ok := rpcCodes[code]
	if !ok {
		panic("clustertest: FailNextOperation: not a gRPC code: " + code)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextFailure[verb] = &operationFailure{n.number, message, details}
}

// settle ends the operations that are due, in the order in which they end, and returns the time.
func (s *Server) settle() time.Time {
	now := time.Now()
	for {
		var due *operation
		for _, op := range s.operations {
			if !op.done && !op.end.After(now) && (due == nil || op.end.Before(due.end)) {
				due = op
			}
		}
		if due == nil {
			return now
		}
		due.complete(due.end, due.failure)
	}
}

func (op *operation) complete(end time.Time, failure *operationFailure) {
	op.done, op.err, op.end, op.updated = true, failure, end, end
	if failure != nil {
		op.undo(end, failure.Message)
		return
	}
	op.finish(end)
}

func (s *Server) operationName(op *operation) string {
	return s.serverName(op.region, "operations", op.id)
}

var metadataNames = map[Verb]string{
	VerbCreate:            "CreateModelDevelopmentClusterOperationMetadata",
	VerbUpdate:            "UpdateModelDevelopmentClusterOperationMetadata",
	VerbDelete:            "DeleteModelDevelopmentClusterOperationMetadata",
	VerbReportFaultyNodes: "ReportFaultyNodesOperationMetadata",
}

func (s *Server) operationJSON(op *operation) json.RawMessage {
	type generic struct {
		CreateTime string `json:"createTime"`
		UpdateTime string `json:"updateTime"`
	}
	type metadata struct {
		Type     string  `json:"@type"`
		Generic  generic `json:"genericMetadata"`
		Progress string  `json:"progressMessage,omitempty"`
	}
	m := metadata{Type: apiType + metadataNames[op.verb],
		Generic: generic{timestamp(op.created), timestamp(op.updated)}}
	if !op.done {
		m.Progress = op.progress
	}
	out, err := json.Marshal(struct {
		Name     string            `json:"name"`
		Metadata metadata          `json:"metadata"`
		Done     bool              `json:"done,omitempty"`
		Error    *operationFailure `json:"error,omitempty"`
		Response json.RawMessage   `json:"response,omitempty"`
	}{s.operationName(op), m, op.done, op.err, op.response})
	if err != nil {
		panic("clustertest: operation details that are not JSON: " + err.Error())
	}
	return out
}

func (s *Server) findOperation(c *call) (*operation, *apiError) {
	i := slices.IndexFunc(s.operations, func(op *operation) bool {
		return op.region == c.region && op.id == c.id && !op.forgotten
	})
	if i < 0 {
		return nil, failf("NOT_FOUND", "Operation %s does not exist.", s.serverName(c.region, "operations", c.id))
	}
	return s.operations[i], nil
}

func (s *Server) getOperation(c *call) ([]byte, *apiError) {
	op, err := s.findOperation(c)
	if err != nil {
		return nil, err
	}
	return s.operationJSON(op), nil
}

// cancelOperation ends create, update and reportFaultyNodes at once. Cancelling is best effort: a delete that has
// begun is carried through, as is what is done already. Which operations the service cancels is not published.
func (s *Server) cancelOperation(c *call, now time.Time) ([]byte, *apiError) {
	if _, err := decode(emptySchema(), "", c.body); err != nil {
		return nil, err
	}
	op, err := s.findOperation(c)
	if err != nil {
		return nil, err
	}
	if !op.done && op.verb != VerbDelete {
		op.complete(now, &operationFailure{Code: 1, Message: "The operation was cancelled."})
	}
	return []byte("{}"), nil
}

// deleteOperation forgets the record; the work goes on.
func (s *Server) deleteOperation(c *call) ([]byte, *apiError) {
	op, err := s.findOperation(c)
	if err != nil {
		return nil, err
	}
	op.forgotten = true
	return []byte("{}"), nil
}

// longestWait bounds operations.wait. It is best effort: the answer may be an operation that still runs.
const longestWait = 30 * time.Second

func (s *Server) waitOperation(c *call) ([]byte, *apiError) {
	body, err := decode(waitSchema(), "", c.body)
	if err != nil {
		return nil, err
	}
	patience := longestWait
	if d, ok := parseSeconds(body.text("timeout")); ok {
		patience = min(d, longestWait)
	}
	s.mu.Lock()
	now := s.settle()
	op, err := s.findOperation(c)
	var left time.Duration
	if err == nil && !op.done {
		left = op.end.Sub(now)
	}
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	// Not under the lock: it would stop every other request, and the clock of a synctest bubble.
	if sleep(c.r.Context(), min(left, patience)) != nil {
		panic(http.ErrAbortHandler)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	return s.operationJSON(op), nil
}
