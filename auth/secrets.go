package auth

import (
	"regexp"
	"sync"

	"golang.org/x/oauth2"
)

// hidden stands where a secret was.
const hidden = "[hidden]"

// secretForms are the shapes in which credentials turn up in foreign text: what gcloud prints with its HTTP log
// on, what a token endpoint or a proxy echoes. None of them occurs in a useful error text.
var secretForms = sync.OnceValue(func() []secretForm {
	return []secretForm{
		{regexp.MustCompile(`ya29\.[\w.~+/-]+`), hidden},                                     // access token of Google
		{regexp.MustCompile(`\b1//[\w-]{8,}`), hidden},                                       // refresh token of Google
		{regexp.MustCompile(`\beyJ[\w-]{6,}\.[\w-]+(\.[\w-]*)?`), hidden},                    // JSON web token
		{regexp.MustCompile(`(?i)\b(bearer|basic)\s+["']?[\w.~+/=-]{6,}`), "${1} " + hidden}, // Authorization header
		{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*-----|$)`), hidden},
		{regexp.MustCompile(`(?i)\b((?:access|refresh|id|subject|actor)_?token|assertion|client_secret|private_key)` +
			`(\\?["']?\s*[:=]\s*\\?["']?)[^\s"'&,;}\\]+`), "${1}${2}" + hidden}, // member of JSON or of a form
		{regexp.MustCompile(`([?&]key=)[^&\s"']+`), "${1}" + hidden}, // API key
	}
})

type secretForm struct {
	form    *regexp.Regexp
	replace string
}

// scrub removes what looks like a credential from text that somebody else wrote.
func scrub(text string) string {
	for _, s := range secretForms() {
		text = s.form.ReplaceAllString(text, s.replace)
	}
	return text
}

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
