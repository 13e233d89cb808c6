package slurm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// DefaultVersion is the version of Slurm's REST API that a [Client] speaks unless [WithVersion] says otherwise. It is
// that of the service's documentation, and part of Slurm 24.11 and 25.05.
const DefaultVersion = "v0.0.42"

// provenVersions are those that the tests run on a real Slurm with, the preferred one first.
var provenVersions = []string{DefaultVersion, "v0.0.41", "v0.0.40"}

var apiVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

// WithVersion sets the version of Slurm's REST API, such as "v0.0.42", for clusters whose Slurm does not
// serve [DefaultVersion]; [DetectVersion] finds one that it does. In versions before v0.0.42 a cancellation is not
// answered job by job: [Client.Cancel] then reads the job afterwards to tell whether it exists, but cannot tell that it
// belongs to somebody else and was left alone.
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
