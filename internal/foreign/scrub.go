package foreign

import (
	"regexp"
	"sync"
)

// Hidden stands where a secret was.
const Hidden = "[hidden]"

// secretForms are the shapes in which credentials turn up in foreign text: what gcloud prints with its HTTP log
// on, what a token endpoint or a proxy echoes. None of them occurs in a useful error text.
var secretForms = sync.OnceValue(func() []secretForm {
	return []secretForm{
		{regexp.MustCompile(`ya29\.[\w.~+/-]+`), Hidden},                  // access token of Google
		{regexp.MustCompile(`\b1//[\w-]{8,}`), Hidden},                    // refresh token of Google
		{regexp.MustCompile(`\beyJ[\w-]{6,}\.[\w-]+(\.[\w-]*)?`), Hidden}, // JSON web token
		// Authorization header. What follows has more than a word of a sentence has, such as "basic authentication".
		{regexp.MustCompile(`\b(?i:(bearer|basic))\s+["']?(?:[\w.~+/=-]+[A-Z0-9~+/=_][\w.~+/=-]*|[\w.~+/=-]{20,})`), "${1} " + Hidden},
		{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*-----|$)`), Hidden},
		{regexp.MustCompile(`(?i)\b((?:access|refresh|id|subject|actor)_?token|assertion|client_secret|private_key)` +
			`(\\?["']?\s*[:=]\s*\\?["']?)[^\s"'&,;}\\]+`), "${1}${2}" + Hidden}, // member of JSON or of a form
		{regexp.MustCompile(`(?i)([?&](?:key|sig|(?:x-[a-z]+-)?signature)=)[^&\s"']+`), "${1}" + Hidden}, // API key, signed URL
	}
})

type secretForm struct {
	form    *regexp.Regexp
	replace string
}

// Scrub removes what looks like a credential from text that somebody else wrote.
func Scrub(text string) string { return string(ScrubBytes([]byte(text))) }

// ScrubBytes is [Scrub] for the body of an answer. JSON stays JSON, but for one with a private key that is cut short.
func ScrubBytes(text []byte) []byte {
	for _, s := range secretForms() {
		if s.form.Match(text) {
			text = s.form.ReplaceAll(text, []byte(s.replace))
		}
	}
	return text
}
