// Package version names this release to the servers it talks to.
package version

import (
	"runtime"
	"strings"
)

// SDK is the release of this module; CHANGELOG.md says what each one holds.
const SDK = "0.1.0"

// UserAgent is the value of the User-Agent header.
func UserAgent() string { return "trainingclusters-go/" + SDK }

// APIClient is the value of the x-goog-api-client header, by which Google's servers tell clients apart:
// "gccl" is what it calls handwritten libraries.
func APIClient() string { return "gl-go/" + goVersion(runtime.Version()) + " gccl/" + SDK }

// goVersion makes a token of what runtime.Version gives: "go1.26.8" or "devel go1.27-abc Mon…".
func goVersion(v string) string {
	v = strings.TrimPrefix(v, "devel ")
	v, _, _ = strings.Cut(v, " ")
	return strings.TrimPrefix(v, "go")
}
