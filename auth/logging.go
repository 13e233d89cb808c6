package auth

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
)

// discreet is a slog handler that takes the secrets out of what Google's library logs. At level debug the library
// logs every token request and answer whole: assertions, refresh tokens, client secrets and the access tokens
// themselves (cloud.google.com/go/auth v0.24.4). So of headers and bodies only what is known to be harmless passes.
//
// With GOOGLE_SDK_GO_EXPERIMENTAL_LOGGING its transport logs calls that failed too, in the words of the service, which may
// quote the request. Of these records only what is no text of the service passes.
type discreet struct {
	next slog.Handler
	call bool // the attributes so far are about a call
}

// Enabled asks the handler behind.
func (h discreet) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle passes the record on without secrets.
func (h discreet) Handle(ctx context.Context, record slog.Record) error {
	clean := cleaner{call: h.call}
	var attrs []slog.Attr
	record.Attrs(func(attr slog.Attr) bool {
		attrs = append(attrs, attr)
		return true
	})
	attrs = clean.attrs(attrs)
	message := scrub(record.Message)
	if clean.call {
		message = "a call failed"
	}
	passed := slog.NewRecord(record.Time, record.Level, message, record.PC)
	passed.AddAttrs(attrs...)
	return h.next.Handle(ctx, passed)
}

// WithAttrs passes attributes on without secrets.
func (h discreet) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := cleaner{call: h.call}
	return discreet{h.next.WithAttrs(clean.attrs(attrs)), clean.call}
}

// WithGroup passes the group on.
func (h discreet) WithGroup(name string) slog.Handler {
	return discreet{h.next.WithGroup(name), h.call}
}

// harmless are the members of token requests and answers, and the headers, that may be logged.
var harmless = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"grant_type": true, "scope": true, "token_type": true, "issued_token_type": true, "requested_token_type": true,
		"subject_token_type": true, "audience": true, "expires_in": true, "expireTime": true, "lifetime": true,
		"error": true, "error_description": true, "error_subtype": true, "error_uri": true,
		"code": true, "status": true, "message": true, "reason": true, "domain": true,

		"Content-Type": true, "Content-Length": true, "Date": true, "Server": true, "Retry-After": true,
		"User-Agent": true, "Metadata-Flavor": true, "X-Goog-Api-Client": true, "X-Goog-User-Project": true,
	}
})

// cleaner takes the secrets out of attributes, and learns whether they are about a call.
type cleaner struct{ call bool }

func (c *cleaner) attrs(attrs []slog.Attr) []slog.Attr {
	clean := make([]slog.Attr, 0, len(attrs))
	for _, attr := range attrs {
		c.call = c.call || attr.Key == "rpc.system.name" || strings.HasPrefix(attr.Key, "gcp.errors.")
		if !saysTheService(attr.Key) {
			clean = append(clean, c.attr(attr))
		}
	}
	return clean
}

// saysTheService knows the attributes of Google's libraries whose text is the service's.
func saysTheService(key string) bool {
	return strings.HasPrefix(key, "gcp.errors.") || key == "error.message" || key == "status.message" || key == "exception.message"
}

// attr takes the secrets out of one attribute. "url", "headers" and "payload" are the library's names for the parts of a
// request or an answer.
func (c *cleaner) attr(attr slog.Attr) slog.Attr {
	value := attr.Value.Resolve()
	switch kind := value.Kind(); {
	case attr.Key == "payload":
		return slog.Any(attr.Key, clearPayload(value.Any()))
	case attr.Key == "headers":
		return slog.Any(attr.Key, clearHeaders(value.Any()))
	case attr.Key == "url":
		return slog.String(attr.Key, clearURL(value.String()))
	case kind == slog.KindGroup:
		return slog.Attr{Key: attr.Key, Value: slog.GroupValue(c.attrs(value.Group())...)}
	case kind == slog.KindString:
		return slog.String(attr.Key, scrub(value.String()))
	case kind == slog.KindAny:
		return slog.String(attr.Key, scrub(fmt.Sprint(value.Any())))
	}
	return slog.Attr{Key: attr.Key, Value: value}
}

// clearPayload keeps the harmless members of a body, which comes decoded if it was JSON.
func clearPayload(body any) any {
	if text, ok := body.(string); ok {
		return clearText(text)
	}
	return clearMember(body)
}

func clearMember(value any) any {
	switch v := value.(type) {
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, member := range v {
			if harmless()[name] {
				clean[name] = clearMember(member)
			} else {
				clean[scrub(name)] = hidden
			}
		}
		return clean
	case []any:
		return fmt.Sprintf("[%d elements left out]", len(v))
	case string:
		return scrub(v)
	}
	return value // a number, a truth value or null
}

// clearText keeps the harmless fields of a form, and of any other text its length. Almost any text can be read as a form,
// with a part of it for a name; so other fields are but counted.
func clearText(text string) string {
	form, err := url.ParseQuery(text)
	clean := make(url.Values)
	for name, values := range form {
		if harmless()[name] {
			for _, value := range values {
				clean.Add(name, scrub(value))
			}
		}
	}
	switch {
	case err != nil || len(clean) == 0 || !strings.Contains(text, "="):
		return fmt.Sprintf("[%d bytes left out]", len(text))
	case len(clean) < len(form):
		return fmt.Sprintf("%s [%d fields left out]", clean.Encode(), len(form)-len(clean))
	}
	return clean.Encode()
}

func clearHeaders(headers any) any {
	attrs, ok := headers.([]slog.Attr)
	if !ok {
		return hidden
	}
	clean := make(map[string]string, len(attrs))
	for _, attr := range attrs {
		clean[attr.Key] = hidden
		if harmless()[attr.Key] {
			clean[attr.Key] = scrub(attr.Value.String())
		}
	}
	return clean
}

// clearURL drops what may identify the caller: the query, where keys and signatures are, and the user part.
func clearURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return hidden
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
