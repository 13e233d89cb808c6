package cluster_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster"
)

const goodAnswer = "a Slurm answer of 100 MB"

// floods are answers that would fill any memory, by name. Each writes until nobody reads on. One is good for a stream.
var floods = map[string]http.HandlerFunc{
	"a text without end": func(w http.ResponseWriter, _ *http.Request) { flow(w, 200, `{"name":"`, "x") },
	"an error without end": func(w http.ResponseWriter, _ *http.Request) {
		flow(w, 400, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"`, "x")
	},
	"a list without end": func(w http.ResponseWriter, _ *http.Request) {
		flow(w, 200, `{"modelDevelopmentClusters":[{}`, ",{}")
	},
	"members without end": func(w http.ResponseWriter, _ *http.Request) { flow(w, 200, `{"a":0`, `,"a":0`) },
	"space without end":   func(w http.ResponseWriter, _ *http.Request) { flow(w, 200, `{`, " ") },
	"lists without end":   func(w http.ResponseWriter, _ *http.Request) { flow(w, 200, `{"a":`, "[") },
	"objects without end": func(w http.ResponseWriter, _ *http.Request) { flow(w, 200, "", `{"a":`) },
	"errors in errors":    func(w http.ResponseWriter, _ *http.Request) { flow(w, 400, "", `{"error":`) },
	"10 MB of lists":      func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("[", 10<<20)) },
	"lists just deep enough": func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"a":`+strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)+`}`)
	},
	"a million tiny members": func(w http.ResponseWriter, _ *http.Request) { millionMembers(w, "{") },
	"a million tiny labels":  func(w http.ResponseWriter, _ *http.Request) { millionMembers(w, `{"labels":{`) },
	"a compressed bomb":      func(w http.ResponseWriter, _ *http.Request) { bomb(w, 200, `{"name":"`) },
	"a bomb as an error":     func(w http.ResponseWriter, _ *http.Request) { bomb(w, 500, `{"error":{"message":"`) },
	"an announced terabyte": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000000000000")
		fmt.Fprint(w, "{")
	},
	goodAnswer: func(w http.ResponseWriter, _ *http.Request) {
		flow(w, 200, `{"status":200,"structuredBody":{"jobs":[{}`, ",{}")
		_, _ = io.WriteString(w, "]}}")
	},
	"an announced 50 MB": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "50000000")
		fmt.Fprint(w, "{}")
	},
	"headers without end":     func(w http.ResponseWriter, _ *http.Request) { manyHeaders(w, 100_000) },
	"a header without an end": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 20<<20)) },
	"hints without end": func(w http.ResponseWriter, _ *http.Request) {
		for range 100 {
			w.WriteHeader(http.StatusProcessing)
		}
	},
}

// flood is where they end all the same: far above what a call may read at once. A stream reads all of it, and keeps nothing.
const flood = 100 << 20

func flow(w http.ResponseWriter, status int, start, piece string) {
	w.WriteHeader(status)
	_, err := io.WriteString(w, start)
	block := []byte(strings.Repeat(piece, 1+1<<20/len(piece)))
	for n := 0; n < flood && err == nil; n += len(block) {
		_, err = w.Write(block)
	}
}

func millionMembers(w io.Writer, start string) {
	_, _ = io.WriteString(w, start+aMillion()+strings.Repeat("}", strings.Count(start, "{")))
}

// aMillion is made before anything is measured: it would count.
var aMillion = sync.OnceValue(func() string {
	var b bytes.Buffer
	for i := range 1_000_000 {
		fmt.Fprintf(&b, `"%d":"",`, i)
	}
	return b.String() + `"a":""`
})

// bomb grows to a thousand times its size: it is one compressed megabyte again and again.
func bomb(w http.ResponseWriter, status int, start string) {
	packed := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, text)
		_ = z.Close()
		return b.Bytes()
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	_, err := w.Write(packed(start))
	block := packed(strings.Repeat("x", 1<<20))
	for n := 0; n < flood>>20 && err == nil; n++ {
		_, err = w.Write(block)
	}
}

func manyHeaders(w http.ResponseWriter, n int) {
	for i := range n {
		w.Header().Set(fmt.Sprint("X-Filler-", i), strings.Repeat("x", 200))
	}
}

// TestRepliesAreBounded: whatever comes, a call takes no more memory than the largest good answer does.
func TestRepliesAreBounded(t *testing.T) {
	once := gax.WithRetry(func() gax.Retryer { return never{} })
	aMillion()
	var read int64
	calls := map[string]func(context.Context, *cluster.Client) error{
		"get": func(ctx context.Context, c *cluster.Client) error {
			_, err := c.GetCluster(ctx, "training", once)
			return err
		},
		"stream": func(ctx context.Context, c *cluster.Client) error {
			s, err := c.StreamSlurm(ctx, "training", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/ping/"}, once)
			if err != nil {
				return err
			}
			defer s.Close()
			read, err = io.Copy(io.Discard, s)
			return err
		},
	}
	for name, answer := range floods {
		server := httptest.NewServer(answer)
		c, err := cluster.NewClient(t.Context(), parent, auth.WithEndpoint(server.URL), auth.WithToken("t"))
		if err != nil {
			t.Fatal(err)
		}
		for verb, call := range calls {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := call(t.Context(), c)
			runtime.ReadMemStats(&after)
			if grown := after.TotalAlloc - before.TotalAlloc; grown > most[verb] {
				t.Errorf("%s, %s: %d MB were allocated: %.200v", name, verb, grown>>20, err)
			}
			if name == goodAnswer && verb == "stream" && (err != nil || read < flood) {
				t.Errorf("%s, %s: ended after %d MB: %v", name, verb, read>>20, err)
			}
			if err != nil && (len(err.Error()) > 5000 || strings.ContainsAny(err.Error(), "\n\r")) {
				t.Errorf("%s, %s: the error has %d bytes", name, verb, len(err.Error()))
			}
		}
		server.CloseClientConnections()
		server.Close()
	}
}

// most is, by verb, for the 64 MiB that an answer may have, which is copied as it grows, and for a map of a million members;
// and for a stream, which keeps nothing. What the server allocates counts, too, 60 MB of headers among it.
var most = map[string]uint64{"get": 768 << 20, "stream": 128 << 20}
