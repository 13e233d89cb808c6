package auth

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestScrub(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"Authorization: Bearer abc.def-123", "Authorization: Bearer [hidden]"},
		{"basic dXNlcjpwYXNz", "basic [hidden]"},
		{"BEARER abcdefghijklmnopqrstuvwxyz", "BEARER [hidden]"},
		{"Basic authentication is required, the bearer token has expired", "Basic authentication is required, the bearer token has expired"},
		{"PriorityType priority/basic plugin", "PriorityType priority/basic plugin"},
		{"got ya29.a0Af_x-Y.z, expired", "got [hidden], expired"},
		{"refresh 1//0abcdefgh-ij", "refresh [hidden]"},
		{"jwt eyJhbGciOi.eyJpc3Mi.c2ln end", "jwt [hidden] end"},
		{`{"access_token": "abc", "expires_in": 3}`, `{"access_token": "[hidden]", "expires_in": 3}`},
		{`{\"refresh_token\": \"abc\"}`, `{\"refresh_token\": \"[hidden]\"}`},
		{"client_secret=abc&grant_type=x", "client_secret=[hidden]&grant_type=x"},
		{"accessToken: abc", "accessToken: [hidden]"},
		{"https://x/y?key=AIza&z=1", "https://x/y?key=[hidden]&z=1"},
		{"a -----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY----- b", "a [hidden] b"},
		{"a -----BEGIN RSA PRIVATE KEY-----\nMII", "a [hidden]"},

		{"the access token has expired; run gcloud", "the access token has expired; run gcloud"},
		{"cannot fetch token: 400", "cannot fetch token: 400"},
		{"key: missing, monkey=1", "key: missing, monkey=1"},
		{"projects/1//x", "projects/1//x"},
	} {
		if got := scrub(test.text); got != test.want {
			t.Errorf("%q became %q, want %q", test.text, got, test.want)
		}
	}
}

// FuzzScrub: no form of a credential is overlooked for what stands around it.
func FuzzScrub(f *testing.F) {
	for _, seed := range []string{"Bearer x", `{"access_token":"`, "-----BEGIN PRIVATE KEY-----", "ya29.é", "eyJaaaaaa.b."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range plantedForms {
			if got := scrub(text + "; " + form + "; " + text); strings.Contains(got, planted) {
				t.Errorf("the secret of %q is still in %q", form, got)
			}
		}
	})
}

const planted = "PLANTED0123456789abcdef"

// plantedForms are those in which a credential turns up.
var plantedForms = []string{
	"ya29." + planted, "1//" + planted, "eyJhbGciOiJ9." + planted + ".x", "Bearer " + planted, "Authorization: Basic " + planted,
	`{"Authorization":"Bearer ` + planted + `"}`, "-----BEGIN RSA PRIVATE KEY-----\n" + planted + "\n-----END RSA PRIVATE KEY-----",
	"-----BEGIN PRIVATE KEY-----\n" + planted, "access_token=" + planted, "refresh_token=" + planted, `"id_token": "` + planted + `"`,
	"subject_token=" + planted, "actor_token=" + planted, "assertion=" + planted, `{\"client_secret\":\"` + planted + `\"}`, "private_key=" + planted,
	"https://h.example/o?key=" + planted, "https://h.example/o?x=1&sig=" + planted, "https://h.example/o?X-Goog-Signature=" + planted,
	"https://h.example/o?X-Amz-Signature=" + planted, "https://me:" + planted + "@h.example/o", `parse "http://` + planted + `@h.example:port"`,
}

// What the library does not log today must not slip through tomorrow.
func TestDiscreet(t *testing.T) {
	const secret = "s3cret"
	var out bytes.Buffer
	handler := discreet{next: slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})}
	log := slog.New(handler.WithAttrs([]slog.Attr{slog.String("with", "Bearer "+secret)})).WithGroup("g")
	log.Debug("Bearer "+secret, "n", 1, "ok", true, "group", slog.GroupValue(slog.String("url", "https://u:"+secret+"@h/p?k="+secret)),
		"err", errors.New("id_token="+secret), "any", map[string]string{"access_token": secret},
		"payload", []any{secret}, "headers", secret)
	log.Info("forms", "payload", "token_type=Bearer&x="+secret)
	log.Info("text", "payload", secret)
	log.Info("nested", "payload", map[string]any{"error": map[string]any{"code": 403.0, "x": secret, "message": "Bearer " + secret}})
	log.Info("url", "url", "http://[bad"+secret)
	if strings.Contains(out.String(), secret) {
		t.Errorf("the log holds a secret:\n%s", out.String())
	}
	for _, want := range []string{`"with":"Bearer [hidden]"`, `"n":1`, `"ok":true`, `"url":"https://h/p"`, `"err":"id_token=[hidden]"`,
		`"payload":"[1 elements left out]"`, `"payload":"token_type=Bearer [1 fields left out]"`, `"payload":"[6 bytes left out]"`,
		`"error":{"code":403,"message":"Bearer [hidden]","x":"[hidden]"}`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in the log\n%s", want, out.String())
		}
	}
}

// lazy is a value that is worked out when it is logged.
type lazy struct{ attrs []slog.Attr }

func (l lazy) LogValue() slog.Value { return slog.GroupValue(l.attrs...) }

// TestDiscreetAboutCalls: of what Google's transport logs about a call that failed, nothing of what the service says
// passes, however deep it lies.
func TestDiscreetAboutCalls(t *testing.T) {
	const secret = "#!/bin/sh"
	call, told := slog.String("rpc.system.name", "http"), []slog.Attr{slog.String("gcp.errors.domain", secret),
		slog.String("gcp.errors.metadata.x", secret), slog.String("error.message", secret), slog.Int("http.response.status_code", 400)}
	all := append([]slog.Attr{call}, told...)
	for name, log := range map[string]func(*slog.Logger){
		"flat":              func(l *slog.Logger) { l.LogAttrs(t.Context(), 0, secret, all...) },
		"a group":           func(l *slog.Logger) { l.Info(secret, "g", slog.GroupValue(all...)) },
		"a lazy group":      func(l *slog.Logger) { l.Info(secret, "g", lazy{all}) },
		"lazy in a group":   func(l *slog.Logger) { l.Info(secret, "g", slog.GroupValue(slog.Any("h", lazy{all}))) },
		"attrs of a group":  func(l *slog.Logger) { l.Info(secret, "g", all) },
		"known before":      func(l *slog.Logger) { l.With("g", lazy{all}).Info(secret) },
		"known in parts":    func(l *slog.Logger) { l.With(call).WithGroup("g").LogAttrs(t.Context(), 0, secret, told...) },
		"without the name":  func(l *slog.Logger) { l.WithGroup("g").LogAttrs(t.Context(), 0, secret, told...) },
		"the scope's group": func(l *slog.Logger) { l.WithGroup("g").With(all[0], told[0], told[1], told[2], told[3]).Info(secret) },
	} {
		var out bytes.Buffer
		log(slog.New(discreet{next: slog.NewJSONHandler(&out, nil)}))
		if got := out.String(); strings.Contains(got, secret) || strings.Contains(got, "gcp.errors") ||
			!strings.Contains(got, `"http.response.status_code":400`) || !strings.Contains(got, `"msg":"a call failed"`) {
			t.Errorf("%s: the log is %s", name, got)
		}
	}
	var out bytes.Buffer
	slog.New(discreet{next: slog.NewJSONHandler(&out, nil)}).Info("2LO token request", "request", slog.GroupValue(slog.String("method", "POST")))
	if !strings.Contains(out.String(), `"msg":"2LO token request","request":{"method":"POST"}`) {
		t.Errorf("a request for a token became %s", out.String())
	}
}

func TestErrorText(t *testing.T) {
	cause := errors.New("auth: first\nsecond")
	err := &Error{Hint: "do this", Err: cause}
	if got, want := err.Error(), "auth: first second; do this"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !errors.Is(err, cause) {
		t.Error("the cause is not in the chain")
	}
	if got := (&Error{Hint: "do this"}).Error(); got != "auth: do this" {
		t.Errorf("without a cause: %q", got)
	}
	long := &Error{Err: errors.New(strings.Repeat("page ", 1000)), Hint: "do this"}
	if got := long.Error(); len(got) > 700 || !strings.HasSuffix(got, "; do this") {
		t.Errorf("a page became %d bytes: %q", len(got), got)
	}
	if got := fmt.Sprintf("%+v", &Error{Err: errors.New("Bearer s3cret-token")}); strings.Contains(got, "s3cret") {
		t.Errorf("%%+v prints %q", got)
	}
}

// Every hint is a phrase that can follow a semicolon, and every placeholder in it is one that gets filled in.
func TestHintsReadWell(t *testing.T) {
	var hints []string
	for _, table := range [][]markedHint{tokenHints, gcloudHints, impersonateHints} {
		for _, h := range table {
			hints = append(hints, h.hint)
			for _, mark := range h.marks {
				if mark != strings.ToLower(mark) {
					t.Errorf("mark %q can never match", mark)
				}
			}
		}
	}
	for _, h := range answerHints {
		hints = append(hints, h.hint)
		for _, mark := range h.marks {
			if mark != strings.ToLower(mark) {
				t.Errorf("mark %q can never match", mark)
			}
		}
	}
	hints = append(hints, hintNoFile, hintUnreadableFile, hintNotJSON, hintUnreachable, hintOutOfOrder, hintUnknown, hintGcloud, hintNotRunnable,
		hintImpersonate, hintRejected, hintRole, hintServiceAccountRole, hintPermission, hintForbidden)
	fill := strings.NewReplacer("{permission}", "", "{role}", "", "{service}", "", "{project}", "")
	for _, hint := range hints {
		if hint == "" || strings.HasSuffix(hint, ".") || strings.Contains(hint, "\n") || strings.Contains(hint, "  ") {
			t.Errorf("hint %q", hint)
		}
		if strings.ContainsAny(fill.Replace(hint), "{}") {
			t.Errorf("hint %q has an unknown placeholder", hint)
		}
	}
}
