package auth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// maxGcloudOutput bounds what is kept of each of gcloud's outputs: a token has some hundred bytes, but gcloud writes
// megabytes to stderr if its HTTP log is on.
const maxGcloudOutput = 64 << 10

// exec runs gcloud once.
func (s *gcloudSource) exec(ctx context.Context) ([]byte, error) {
	args, err := s.arguments()
	if err != nil {
		return nil, err
	}
	var stdout, stderr bounded
	cmd := exec.CommandContext(ctx, s.path, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// Nobody could answer a question: stdin is empty, and in a notebook there is none.
	cmd.Env = append(os.Environ(), "CLOUDSDK_CORE_DISABLE_PROMPTS=1")
	// A child that inherited the pipes must not hold them open after gcloud has been killed.
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	switch {
	case err == nil:
		return stdout.kept.Bytes(), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("gcloud auth print-access-token took longer than %v: %w", gcloudTimeout, ctx.Err())
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, exec.ErrDot), errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("the program gcloud was not found: %w", err)
	}
	if summary := summarize(stderr.kept.String()); summary != "" {
		return nil, fmt.Errorf("gcloud auth print-access-token: %s: %w", summary, err)
	}
	return nil, fmt.Errorf("gcloud auth print-access-token: %w", err)
}

// summarize keeps of gcloud's messages what went wrong. gcloud warns first, and after the error it explains at
// length what to run; the hint says that more shortly.
func summarize(stderr string) string {
	var kept []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Please ") || strings.HasPrefix(line, "To ") || len(kept) == 3 {
			break
		}
		if line == "" || strings.HasPrefix(line, "WARNING:") {
			continue
		}
		line = strings.TrimPrefix(line, "ERROR: ")
		line = strings.TrimPrefix(line, "(gcloud.auth.print-access-token) ")
		kept = append(kept, line)
	}
	return foreign.Clause(scrub(strings.Join(kept, " ")), 300)
}

// bounded keeps the first maxGcloudOutput bytes written to it and takes the rest without complaint, as a full pipe
// would stop gcloud.
type bounded struct {
	kept bytes.Buffer // not embedded: its ReadFrom would go around Write
}

// Write keeps what still fits.
func (b *bounded) Write(p []byte) (int, error) {
	if room := maxGcloudOutput - b.kept.Len(); room > 0 {
		b.kept.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
