package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// hostile are texts that lead elsewhere, or end what they stand in, if they become part of a URL, a path or a header.
var hostile = []string{
	"..", ".", "../..", "../../v1/projects/evil", "a/../../b", "/", "//", "//evil.example/x", "a/b", `..\..`, `a\b`,
	"?", "a?x=y", "?updateMask=*", "#", "a#b", "&", "a&updateMask=*", "a=b", ";", "..;/", "a;b=c", "@evil.example", "a@b", ":", "a:delete", ":80",
	"%", "%2f", "a%2fb", "%2F..%2F", "%2e%2e", "%2E%2E/", "%252e%252e%252f", "%5c", "%00", "%0a", "%0d%0aX-Evil: 1", "%zz",
	"\n", "a\nb", "\r\nX-Evil: 1", "\x00", "a\x00b", "\x1b[2J", "\x7f", "\t", " ", "a b", "\u0085", "\u2028", "\u202e", "\xff", "\xc0\xae\xc0\xae",
	"․․", "．．", "∕", "／", "ａ", "training\u200b", "trаining", // that is: look-alikes of dots, of slashes and of letters
	"http://evil.example", "https://evil.example/v1beta1/projects/p", "file:///etc/passwd", "projects/p", "-",
	strings.Repeat("a", 100_000), strings.Repeat("../", 50_000), strings.Repeat("\n", 70_000),
}

// verbs are the package's functions and the client's methods, by their lines in the file that has the package's face. Each
// makes its call with a hostile text wherever it takes one; nil is for what sends nothing.
var verbs = map[string]func(c watched, text string) error{
	"ChangedFields": nil, "Clear": nil, "FormatJSON": nil, "FormatYAML": nil, "KeepImages": nil, "LatestImages": nil, "LogTracer": nil,
	"NewSlurmStream": nil, "Parse": nil, "ParseDocument": nil, "ParseFieldMask": nil, "ParseName": nil, "PinCurrentImages": nil,
	"PinImages": nil, "PlanUpdate": nil, "ReadDocument": nil, "ReadFile": nil, "Unlisted": nil, "WithTracer": nil, "WithoutValidation": nil,
	"WriteFile": nil, "Client.Parent": nil,

	"NewClient": func(c watched, text string) error {
		for _, parent := range []string{text, "projects/" + text + "/locations/us-central1", "projects/p/locations/" + text} {
			c, err := cluster.NewClient(context.Background(), parent, option.WithHTTPClient(&http.Client{Transport: c.wire}))
			if err != nil {
				return err
			}
			if _, err := c.GetCluster(context.Background(), "training"); err != nil {
				return err
			}
		}
		return nil
	},
	"Client.GetCluster": func(c watched, text string) error {
		_, err := c.GetCluster(context.Background(), text)
		return err
	},
	"Client.CreateCluster": func(c watched, text string) error {
		_, err := c.CreateCluster(context.Background(), text, &cluster.ModelDevelopmentCluster{Name: text}, cluster.WithoutValidation())
		return err
	},
	"Client.DeleteCluster": func(c watched, text string) error {
		_, err := c.DeleteCluster(context.Background(), text)
		return err
	},
	"Client.DeleteFailedCluster": func(c watched, text string) error {
		_, err := c.DeleteFailedCluster(context.Background(), text, c.Operation(parent+"/operations/"+text))
		return err
	},
	"Client.EditCluster": func(c watched, text string) error {
		_, err := c.EditCluster(context.Background(), text, func(m *cluster.ModelDevelopmentCluster) error {
			m.Name, m.Labels = text, map[string]string{text: text}
			return nil
		}, nil)
		return err
	},
	"Client.PlanEdit": func(c watched, text string) error {
		_, err := c.PlanEdit(context.Background(), text, func(m *cluster.ModelDevelopmentCluster) error { return nil }, nil)
		return err
	},
	"Client.UpdateCluster": func(c watched, text string) error {
		for _, m := range []cluster.ModelDevelopmentCluster{{Name: text}, {Name: parent + "/modelDevelopmentClusters/" + text}, {Name: "training"}} {
			_, err := c.UpdateCluster(context.Background(), &m, cluster.FieldMask{text}, cluster.UpdateMode(text))
			if err != nil {
				return err
			}
		}
		return nil
	},
	"Client.RefreshCluster": func(c watched, text string) error {
		_, err := c.RefreshCluster(context.Background(), text)
		return err
	},
	"Client.ReportFaultyNodes": func(c watched, text string) error {
		_, err := c.ReportFaultyNodes(context.Background(), text, &cluster.NodeAction{NodeID: text})
		_, nodeErr := c.ReportFaultyNodes(context.Background(), "training", &cluster.NodeAction{NodeID: text})
		return errors.Join(err, nodeErr)
	},
	"Client.ListClusters": func(c watched, text string) error {
		_, err := c.ListClusters(context.Background(), &cluster.ListOptions{PageToken: text}).Next()
		return err
	},
	"Client.Operation": func(c watched, text string) error {
		for _, name := range []string{text, parent + "/operations/" + text} {
			o := c.Operation(name)
			if _, err := o.Poll(context.Background()); err != nil {
				return err
			}
			if err := o.Cancel(context.Background()); err != nil {
				return err
			}
		}
		return nil
	},
	"Client.CallSlurm": func(c watched, text string) error {
		return errors.Join(slurmCalls(text, func(name string, req *cluster.SlurmRequest) error {
			_, err := c.CallSlurm(context.Background(), name, req)
			return err
		})...)
	},
	"Client.StreamSlurm": func(c watched, text string) error {
		return errors.Join(slurmCalls(text, func(name string, req *cluster.SlurmRequest) error {
			s, err := c.StreamSlurm(context.Background(), name, req)
			if err == nil {
				err = s.Close()
			}
			return err
		})...)
	},
}

// watched is a client with the transport that it sends through.
type watched struct {
	*cluster.Client
	wire *wire
}

func slurmCalls(text string, call func(string, *cluster.SlurmRequest) error) (errs []error) {
	const path = "/slurm/v0.0.42/ping/"
	return append(errs,
		call(text, &cluster.SlurmRequest{Method: "GET", Path: path}),
		call("training", &cluster.SlurmRequest{Method: "GET", Path: text}),
		call("training", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/" + text}),
		call("training", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/job/" + text + "/x"}),
		call("training", &cluster.SlurmRequest{Method: "GET", Path: path + "?name=" + text}),
		call("training", &cluster.SlurmRequest{Method: text, Path: path}))
}

// TestNamesStayInTheirPlace in the URL, or are refused in one line that can be shown.
func TestNamesStayInTheirPlace(t *testing.T) {
	for _, name := range faceOf(t, "cluster") {
		if _, known := verbs[name]; !known {
			t.Errorf("%s is not among verbs: say how it sends what it takes, or that it sends nothing", name)
		}
	}
	for name, verb := range verbs {
		if verb == nil {
			continue
		}
		for _, text := range hostile {
			c, w := scripted(t, reply{status: 200, body: named})
			err := verb(watched{c, w}, text)
			for _, r := range w.requests {
				if flaw := strays(r); flaw != "" {
					t.Errorf("%s with %.60q: %s: %.200s %.300s", name, text, flaw, r.url, r.body)
				}
			}
			if err != nil && name != "Client.CallSlurm" && name != "Client.StreamSlurm" {
				checkShown(t, name, text, err)
			}
			if joined, ok := err.(interface{ Unwrap() []error }); ok {
				for _, err := range joined.Unwrap() {
					checkShown(t, name, text, err)
				}
			}
		}
	}
}

// checkShown: an error goes to terminals and logs, where it is a line and moves no cursor.
func checkShown(t *testing.T, name, text string, err error) {
	t.Helper()
	shown := err.Error()
	if _, joined := err.(interface{ Unwrap() []error }); joined {
		return
	}
	if len(shown) > 5000 || strings.ContainsFunc(shown, unfitToShow) || strings.ToValidUTF8(shown, "") != shown {
		t.Errorf("%s with %.60q: the error has %d bytes: %.300q", name, text, len(shown), shown)
	}
}

func unfitToShow(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// ownPlace is where requests may go.
var ownPlace = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^https://us-central1-aiplatform\.googleapis\.com/v1(beta1)?/projects/[\w.:~-]+/locations/us-central1/` +
		`(modelDevelopmentClusters(/[\w.~-]+(:\w+)?)?|operations/[\w.~-]+(:cancel)?)$`)
})

// strays says in what a request has left its place.
func strays(r sent) string {
	bare, query, _ := strings.Cut(r.url, "?")
	values, err := url.ParseQuery(query)
	segments := strings.Split(bare, "/")
	switch {
	case !ownPlace().MatchString(bare), slices.Contains(segments, ".."), slices.Contains(segments, "."):
		return "the place is another"
	case err != nil:
		return err.Error()
	}
	for key := range values {
		if !slices.Contains([]string{"model_development_cluster_id", "pageToken", "pageSize", "updateMask", "updateMode"}, key) || len(values[key]) > 1 {
			return "the query has " + key
		}
	}
	var slurm struct{ Path, Method string }
	if json.Unmarshal([]byte(r.body), &slurm) != nil || slurm.Path == "" {
		return ""
	}
	return straysInSlurm(slurm.Path)
}

// straysInSlurm is strays for the path that Slurm gets, as it reads it and as servers before it may.
func straysInSlurm(path string) string {
	bare, query, _ := strings.Cut(path, "?")
	plain, err := url.PathUnescape(bare)
	if err != nil || !strings.HasPrefix(bare, "/") || strings.HasPrefix(bare, "//") {
		return "Slurm's path is none"
	}
	for _, segment := range strings.FieldsFunc(plain, func(r rune) bool { return strings.ContainsRune(`/\;`, r) }) {
		if segment == ".." {
			return "Slurm's path leads upwards"
		}
	}
	if strings.ContainsFunc(bare+query, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' || r == '\\' }) {
		return "Slurm's path has a character that ends it"
	}
	if strings.ContainsFunc(plain, unicode.IsControl) {
		return "Slurm's path hides a control character"
	}
	return ""
}

// faceOf are the functions of a package and the methods of its Client.
func faceOf(t *testing.T, pkg string) (names []string) {
	t.Helper()
	face, err := os.ReadFile("../internal/style/testdata/api/" + pkg + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^(?:func|method \(\*(Client)\)) (\w+)\(`).FindAllStringSubmatch(string(face), -1) {
		names = append(names, strings.TrimPrefix(m[1]+"."+m[2], "."))
	}
	if len(names) < 20 {
		t.Fatalf("the face of %s has %q", pkg, names)
	}
	return names
}
