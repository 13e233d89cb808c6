package slurm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// DefaultVersion is the version of Slurm's REST API that a [Client] speaks unless [WithVersion] says otherwise. It is
// that of the service's documentation, and part of Slurm 24.11 and 25.05.
const DefaultVersion = "v0.0.42"

// provenVersions are those that the tests run on a real Slurm with, the preferred one first.
var provenVersions = []string{DefaultVersion, "v0.0.41", "v0.0.40"}

// isVersion reports whether s is "v", three numbers and two dots. It becomes part of each path.
func isVersion(s string) bool {
	numbers := strings.Split(strings.TrimPrefix(s, "v"), ".")
	return strings.HasPrefix(s, "v") && len(numbers) == 3 && !slices.ContainsFunc(numbers, func(n string) bool {
		return n == "" || strings.Trim(n, "0123456789") != ""
	})
}

// WithVersion sets the version of Slurm's REST API, such as "v0.0.42", for clusters whose Slurm does not serve
// [DefaultVersion]; [DetectVersion] finds one that it does. Older versions say less:
//   - before v0.0.42, a cancellation or signal is not answered job by job: Slurm reports success for any. [Client.Cancel]
//     and [Client.Signal] then read the job to tell whether it exists, and whether it is pending and so got no signal.
//     They cannot tell that it belongs to somebody else, and was left alone, or had ended already.
//   - before v0.0.42, the accounting has no RestartCount.
//   - in v0.0.40, the accounting has no StandardInput, StandardOutput and StandardError.
func WithVersion(version string) Option { return func(c *Client) { c.version = version } }

// DetectVersion asks the cluster for a version of Slurm's REST API that it serves, for [WithVersion]: the newest of
// v0.0.42, v0.0.41 and v0.0.40, which are those that this package is tested with. It makes one call for each version it
// tries. Without any, the error matches [ErrUnknownPath].
func DetectVersion(ctx context.Context, c Caller, clusterName string) (string, error) {
	for _, version := range provenVersions {
		client, err := NewClient(c, clusterName, WithVersion(version))
		if err != nil {
			return "", err
		}
		// Pinging says only that the REST daemon knows the version, which is the question, also while the
		// controller behind it is down.
		_, err = client.call(ctx, "detect version", &cluster.SlurmRequest{Method: http.MethodGet, Path: client.live("ping/")})
		switch {
		case err == nil:
			return version, nil
		case !errors.Is(err, ErrUnknownPath):
			return "", err
		}
	}
	return "", fmt.Errorf("slurm: detect version: the cluster serves none of %s: %w", strings.Join(provenVersions, ", "), ErrUnknownPath)
}
