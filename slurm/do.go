package slurm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// Do calls any path of Slurm's REST API, for what this package has no verb for. path is sent as it is and must
// begin with /slurm/ or /slurmdb/ and a version: "/slurm/v0.0.42/diag/". Special characters in it, also in a
// query, must be percent-encoded. method is GET, POST or DELETE.
//
// A POST needs a body: anything that encoding/json makes an object of, json.RawMessage included; other methods
// have none. If out is not nil, the answer is decoded into it by encoding/json: a json.RawMessage takes it whole,
// and with a struct mind that Slurm's numbers may come as {"set":…,"number":…}.
//
// The error is an [*Error] if Slurm's status is 300 or more, or errors[] is not empty. out is filled in even then,
// if there was JSON: some of Slurm's failures come with an answer, and some of its refusals, of which this call
// knows nothing, come as a success. A GET is repeated after transient failures of the platform, and anything else
// only if it surely was not sent.
func (c *Client) Do(ctx context.Context, method, path string, body, out any) error {
	op := "call " + foreign.OneLine(abbreviate(method)+" "+abbreviate(path))
	req := &cluster.SlurmRequest{Method: method, Path: path}
	if err := checkPath(path); err != nil {
		return fmt.Errorf("slurm: %s: %w", op, err)
	}
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodDelete:
	default:
		return fmt.Errorf("slurm: %s: want GET, POST or DELETE", op)
	}
	if (method == http.MethodPost) != (body != nil) {
		return fmt.Errorf("slurm: %s: POST needs a body, and no other method has one", op)
	}
	if body != nil {
		var err error
		if req.Body, err = encodeJSON(body); err != nil {
			return fmt.Errorf("slurm: %s: body: %w", op, err)
		}
	}
	r, err := c.call(ctx, op, req)
	if err != nil {
		return err
	}
	c.warn(r.warnings)
	if out != nil {
		if err := json.Unmarshal(r.answer.Raw, out); err != nil && r.err() == nil {
			return fmt.Errorf("slurm: %s: cannot decode the answer: %w", op, err)
		}
	}
	return r.err()
}

// checkPath keeps a call within Slurm's API; what is left of the rules is checked where the request is made.
func checkPath(path string) error {
	for _, root := range []string{"/slurm/v", "/slurmdb/v"} {
		if strings.HasPrefix(path, root) && !strings.Contains(path, "..") {
			return nil
		}
	}
	return fmt.Errorf("%s is no path of Slurm's API: want one such as /slurm/%s/diag/",
		strconv.Quote(abbreviate(path)), DefaultVersion)
}
