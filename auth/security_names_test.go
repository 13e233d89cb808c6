package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/auth"
)

// hostile are texts that lead elsewhere, or end what they stand in, if they become part of a URL, a header, a path or a command.
var hostile = []string{
	"", "..", "../../v1/projects/evil", "/", "//evil.example/x", "a/b", `..\..`, "?", "a?x=y", "#", "a#b", "&", ";", "a;b", "@", "@evil.example", "a@b", ":",
	"a:generateIdToken", ":80", "%", "%2f", "a%2fb", "%2e%2e", "%252e%252e", "%00", "%0d%0aX-Evil: 1", "%zz", "-", "--help", "--account=a", ",", "a,b",
	"\n", "a\nb", "\r\nX-Evil: 1", "\x00", "a\x00b", "\x1b[2J", "\x7f", "\t", " ", "a b", "\u0085", "\u2028", "\u202e", "\xff", "\xc0\xae\xc0\xae",
	"․․", "∕", "ａ", "робот", "a\u200b", "$(id)", "`id`", "|id", "'", `"`, "~", "*", "!", "{}", "<script>",
	"http://evil.example", "https://evil.example", "https://a@evil.example", "file:///etc/passwd", "projects/p", "http:evil.example", "http://127.0.0.1.evil.example",
	"..@p.iam.gserviceaccount.com", "robot@p.iam.gserviceaccount.com/../x", "x/robot@p.iam.gserviceaccount.com", "robot@p.iam.gserviceaccount.com?x",
	"robot@p.iam.gserviceaccount.com:x", "robot@p.iam.gserviceaccount.com\n", "robot@evil.example#.gserviceaccount.com", "robot%40p.iam.gserviceaccount.com",
	strings.Repeat("a", 100_000), strings.Repeat("../", 50_000), strings.Repeat("\n", 70_000), "x/" + strings.Repeat("a", 50_000) + "@p.iam.gserviceaccount.com",
	strings.Repeat("1", 100_000),
}

// entries are the package's functions, by their lines in the file that has its face. Each uses a hostile text wherever it takes
// one; nil is for what takes none.
var entries = map[string]func(w *watched, text string) []error{
	"ImpersonateLifetime": nil, "WithHTTPClient": nil, "WithLogger": nil, "WithTokenSource": nil, "WithoutAuthentication": nil, "WithoutTelemetry": nil,

	"Explain": func(_ *watched, text string) []error {
		return []error{
			auth.Explain(&googleapi.Error{Code: 403, Message: text, Body: text}, text),
			auth.Explain(&googleapi.Error{Code: 401, Body: text}, ""),
			auth.Explain(&googleapi.Error{Code: 403, Message: "Permission '" + text + "' denied on resource '" + text + "'"}, text),
			auth.Explain(deniedBy(map[string]string{"permission": text, "service": text, "consumer": "projects/" + text, "resource": text}), ""),
			auth.Explain(deniedBy(map[string]string{"service": text, "consumer": text}), "a.b.c"),
			auth.Explain(&oauth2.RetrieveError{Response: &http.Response{StatusCode: 400}, Body: []byte(text), ErrorCode: text, ErrorDescription: text}, text),
			auth.Explain(errors.New(`oauth2: "`+text+`"`), text),
		}
	},
	"HTTPClient": func(w *watched, text string) []error {
		return []error{
			w.call(auth.WithToken("t"), option.WithUserAgent(text)), w.call(auth.WithToken("t"), option.WithRequestReason(text)),
			w.call(auth.WithToken("t"), option.WithScopes(text)), w.call(auth.WithToken("t"), option.WithAudiences(text)),
			w.call(auth.WithToken("t"), option.WithUniverseDomain(text)), w.call(option.WithAPIKey(text)),
			w.call(auth.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: text, TokenType: text}))),
		}
	},
	"StaticToken": func(w *watched, text string) []error {
		return []error{w.call(auth.WithTokenSource(auth.StaticToken(text)))}
	},
	"WithToken": func(w *watched, text string) []error { return []error{w.call(auth.WithToken(text))} },
	"WithQuotaProject": func(w *watched, text string) []error {
		return []error{w.call(auth.WithToken("t"), auth.WithQuotaProject(text))}
	},
	"WithCredentialsFile": func(w *watched, text string) []error { return []error{w.call(auth.WithCredentialsFile(text))} },
	"WithEndpoint": func(w *watched, text string) (errs []error) {
		for _, endpoint := range []string{text, "http://" + text, "http://127.0.0.1" + text, "http://localhost" + text} {
			_, got, err := auth.HTTPClient(context.Background(), auth.WithToken("t"), auth.WithEndpoint(endpoint))
			if u, invalid := url.Parse(got); err == nil && invalid == nil && u.Scheme == "http" && !here(u.Hostname()) {
				w.Errorf("a token may go to %q", got)
			}
			errs = append(errs, err)
		}
		return errs
	},
	"GcloudToken":   gcloud(func(text string) auth.GcloudOption { return auth.GcloudPath(text) }),
	"GcloudPath":    gcloud(func(text string) auth.GcloudOption { return auth.GcloudPath("/nowhere/" + text) }),
	"GcloudAccount": gcloud(auth.GcloudAccount),
	"GcloudImpersonate": func(w *watched, text string) []error {
		return append(gcloud(func(text string) auth.GcloudOption { return auth.GcloudImpersonate(text) })(w, text),
			gcloud(func(text string) auth.GcloudOption { return auth.GcloudImpersonate(robot, text) })(w, text)...)
	},
	"WithGcloud": func(w *watched, text string) []error {
		return []error{w.call(auth.WithGcloud(auth.GcloudPath("/nowhere/gcloud"), auth.GcloudAccount(text)))}
	},
	"Impersonate": func(w *watched, text string) []error {
		return []error{w.impersonate(text), w.impersonate("robot" + text + "@p.iam.gserviceaccount.com")}
	},
	"ImpersonateDelegates": func(w *watched, text string) []error {
		return []error{w.impersonate(robot, auth.ImpersonateDelegates(text)), w.impersonate(robot, auth.ImpersonateDelegates(robot, text))}
	},
	"ImpersonateBase": func(w *watched, text string) []error {
		return []error{
			w.impersonate(robot, auth.ImpersonateBase(auth.WithToken(text), auth.WithEndpoint(w.URL))),
			w.impersonate(robot, auth.ImpersonateBase(auth.WithToken("t"), auth.WithQuotaProject(text), auth.WithEndpoint(w.URL))),
			w.impersonate(robot, auth.ImpersonateBase(auth.WithToken("t"), auth.WithEndpoint(w.URL+"/"+text))),
			w.impersonate(robot, auth.ImpersonateBase(auth.WithToken("t"), auth.WithEndpoint("http://127.0.0.1"+text))),
			w.impersonate(robot, auth.ImpersonateBase(auth.WithoutAuthentication(), auth.WithEndpoint("http://"+text))),
		}
	},
	"WithServiceAccount": func(w *watched, text string) []error {
		return []error{w.call(auth.WithServiceAccount(text, w.base())), w.call(auth.WithServiceAccount(robot, w.base(), auth.ImpersonateDelegates(text)))}
	},
}

// here reports whether a host surely is this machine.
func here(host string) bool {
	return host == "127.0.0.1" || strings.EqualFold(host, "localhost") || host == "::1"
}

// gcloud has a source run a program that does not exist, once its arguments are accepted.
func gcloud(option func(text string) auth.GcloudOption) func(w *watched, text string) []error {
	return func(w *watched, text string) []error {
		token, err := auth.GcloudToken(auth.GcloudPath("/nowhere/gcloud"), option(text)).Token()
		if err == nil {
			w.Errorf("%.60q led to the token %v", text, token)
		}
		return []error{err}
	}
}

// watched is a server that tokens are for, and that gives them.
type watched struct {
	*httptest.Server
	*testing.T
	mu       sync.Mutex
	requests []*http.Request
}

func watch(t *testing.T) *watched {
	w := &watched{T: t}
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.requests = append(w.requests, r)
		w.mu.Unlock()
		io.WriteString(out, `{"accessToken": "t", "expireTime": "`+time.Now().Add(time.Hour).UTC().Format(time.RFC3339)+`"}`)
	}))
	t.Cleanup(w.Close)
	return w
}

// call makes a request with a client of these options.
func (w *watched) call(opts ...option.ClientOption) error {
	client, _, err := auth.HTTPClient(context.Background(), append(opts, auth.WithLogger(slog.New(slog.DiscardHandler)))...)
	if err != nil {
		return err
	}
	resp, err := client.Get(w.URL + "/api")
	if err != nil {
		return errors.Unwrap(err) // of net/http, with the URL
	}
	return resp.Body.Close()
}

func (w *watched) base() auth.ImpersonateOption {
	return auth.ImpersonateBase(auth.WithToken("t"), auth.WithEndpoint(w.URL))
}

func (w *watched) impersonate(account string, opts ...auth.ImpersonateOption) error {
	source, err := auth.Impersonate(context.Background(), account, append([]auth.ImpersonateOption{w.base()}, opts...)...)
	if err == nil {
		_, err = source.Token()
	}
	return err
}

var (
	ownPlace = regexp.MustCompile(`^/(api(\?key=[\w.%+~-]*)?|v1/projects/-/serviceAccounts/[a-z0-9.-]+@[a-z0-9.-]+\.gserviceaccount\.com:generateAccessToken)$`)
	ownNames = []string{"Accept", "Accept-Encoding", "Authorization", "Content-Length", "Content-Type", "User-Agent", "X-Goog-Api-Client", "X-Goog-Api-Key",
		"X-Goog-Request-Reason", "X-Goog-User-Project"}
)

// strays says in what a request has left its place. What goes before the path of the IAM API is the caller's own endpoint.
func strays(r *http.Request, ownPath bool) string {
	for name, values := range r.Header {
		if !slices.Contains(ownNames, name) || len(values) > 1 {
			return "the header has " + name
		}
	}
	path, _, _ := strings.Cut(r.RequestURI, "?")
	if !ownPath && !ownPlace.MatchString(r.RequestURI) || ownPath && !strings.HasSuffix(path, "/v1/projects/-/serviceAccounts/"+robot+":generateAccessToken") {
		return "the place is another"
	}
	return ""
}

// TestTextsStayInTheirPlace in a header or a URL, or are refused in one line that can be shown.
func TestTextsStayInTheirPlace(t *testing.T) {
	face, err := os.ReadFile("../internal/style/testdata/api/auth.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^func (\w+)\(`).FindAllStringSubmatch(string(face), -1)
	if len(names) < 20 {
		t.Fatalf("the face has %q", names)
	}
	for _, name := range names {
		if _, known := entries[name[1]]; !known {
			t.Errorf("%s is not among entries: say how it uses what it takes, or that it takes no text", name[1])
		}
	}
	for name, entry := range entries {
		if entry == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			w := watch(t)
			for _, text := range hostile {
				w.requests = nil
				for _, err := range entry(w, text) {
					checkShown(t, text, err)
				}
				for _, r := range w.requests {
					if flaw := strays(r, name == "ImpersonateBase"); flaw != "" {
						t.Errorf("%.60q: %s: %.200s %.300q", text, flaw, r.RequestURI, r.Header)
					}
				}
			}
		})
	}
}

// checkShown: an error goes to terminals and logs, where it is a line and moves no cursor.
func checkShown(t *testing.T, text string, err error) {
	t.Helper()
	var own *auth.Error
	switch {
	case err == nil:
		return
	case !errors.As(err, &own):
		t.Errorf("%.60q: %T is no *auth.Error: %.300q", text, err, err.Error())
		return
	}
	shown := own.Error()
	if len(shown) > 2000 || strings.ToValidUTF8(shown, "") != shown || strings.ContainsFunc(shown, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
	}) {
		t.Errorf("%.60q: the error has %d bytes: %.300q", text, len(shown), shown)
	}
	if own.Hint == "" || own.Err == nil {
		t.Errorf("%.60q: %#v", text, own)
	}
}

// deniedBy is a 403 as the service sends it.
func deniedBy(metadata map[string]string) error {
	body, _ := json.Marshal(map[string]any{"error": map[string]any{"code": 403, "details": []any{map[string]any{
		"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "SERVICE_DISABLED", "domain": "googleapis.com", "metadata": metadata,
	}}}})
	return &googleapi.Error{Code: 403, Message: "denied", Body: string(body)}
}

// TestHintsAreNoCode: they are run in a terminal, so what an answer names is taken into one only as a name. What looks like a
// credential is none, wherever a proxy put it.
func TestHintsAreNoCode(t *testing.T) {
	const token = "ya29." + secret + "-0123456789"
	for _, text := range []string{"x; touch evil", "$(touch evil)", "`touch evil`", "x\ntouch evil", "x --impersonate-service-account=evil", "-x", token, "Bearer " + token} {
		for _, err := range []error{
			deniedBy(map[string]string{"permission": text}), deniedBy(map[string]string{"service": text}), deniedBy(map[string]string{"consumer": "projects/" + text}),
			deniedBy(map[string]string{"resource": "projects/" + text}),
			&googleapi.Error{Code: 403, Message: "Permission '" + text + "' denied on projects/" + text},
			&googleapi.Error{Code: 403, Message: "Permission '" + token + "' denied on projects/" + token},
		} {
			for _, permission := range []string{"", text, "aiplatform.modelDevelopmentClusters.get"} {
				var own *auth.Error
				if !errors.As(auth.Explain(err, permission), &own) {
					t.Fatal(err)
				}
				quiet(t, own.Error()+own.Hint)
				if strings.Contains(own.Hint, "evil") || strings.Contains(own.Hint, "-x") {
					t.Errorf("%q led to %s", text, own.Hint)
				}
			}
		}
	}
}

// TestEndpointsKeepTheirSecrets: an error about an endpoint does not hold what gives access to it.
func TestEndpointsKeepTheirSecrets(t *testing.T) {
	for _, endpoint := range []string{"https://me:" + secret + "@h.example:port", "http://" + secret + "@h.example", "https://me:" + secret + "@%zz"} {
		_, _, err := auth.HTTPClient(t.Context(), auth.WithToken("t"), auth.WithEndpoint(endpoint))
		if err != nil {
			quiet(t, err.Error())
		}
		_, err = auth.Impersonate(t.Context(), robot, auth.ImpersonateBase(auth.WithToken("t"), auth.WithEndpoint(endpoint)))
		if err == nil {
			t.Errorf("%s is taken", endpoint)
		} else {
			quiet(t, err.Error())
		}
	}
}
