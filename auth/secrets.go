package auth

import (
	"golang.org/x/oauth2"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// hidden stands where a secret was.
const hidden = foreign.Hidden

// scrub removes what looks like a credential from text that somebody else wrote.
func scrub(text string) string { return foreign.Scrub(text) }

// opaque is a token source that can be printed. Its tokens are behind a closure, where no verb of fmt, no encoder and
// no dump by reflection gets at them.
type opaque struct {
	name  string
	token func() (*oauth2.Token, error)
}

// Token asks the source.
func (o *opaque) Token() (*oauth2.Token, error) { return o.token() }

// String names the source, as it would be written in Go.
func (o *opaque) String() string { return o.name }

// GoString is String, for %#v.
func (o *opaque) GoString() string { return o.name }
