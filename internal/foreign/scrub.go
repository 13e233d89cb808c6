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
		{regexp.MustCompile(`(?i)(\bauthorization\\?["']?\s*[:=]\s*\\?["']?(?:bearer|basic)\s+)[^\s"',\\]+`), "${1}" + Hidden},
		// The same without its header: what is long, or no word of a sentence such as "basic authentication".
		{regexp.MustCompile(`\b(?i:(bearer|basic))\s+["']?(?:[\w.~+/-]{16,}|[\w.~+/-]*(?:[a-z0-9][A-Z]|[a-zA-Z][0-9])[\w.~+/-]{4,})=*`), "${1} " + Hidden},
		{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*-----|$)`), Hidden},
		{regexp.MustCompile(`(?i)\b((?:access|refresh|id|subject|actor)_?token|assertion|client_secret|private_key)` +
			`(\\?["']?\s*[:=]\s*\\?["']?)[^\s"'&,;}\\]+`), "${1}${2}" + Hidden}, // member of JSON or of a form
		{regexp.MustCompile(`(?i)([?&](?:key|sig|(?:x-[a-z]+-)?signature)=)[^&\s"']+`), "${1}" + Hidden}, // API key, signed URL
		{regexp.MustCompile(`(?i)(\b[a-z][a-z0-9+.-]*://)[^\s/?#"'<>@]+@`), "${1}" + Hidden + "@"},       // user of a URL
	}
})

type secretForm struct {
	form    *regexp.Regexp
	replace string
}

// Scrub removes what looks like a credential from text that somebody else wrote.
func Scrub(text string) string {
	for _, s := range secretForms() {
		text = s.form.ReplaceAllString(text, s.replace)
	}
	return text
}
