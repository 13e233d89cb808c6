package rest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc/codes"
)

// raw answers each request with the same bytes, and closes the connection.
func raw(t *testing.T, answer string) (url string, requests *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	requests = new(atomic.Int64)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				r, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				requests.Add(1)
				_, _ = io.WriteString(conn, answer)
			}()
		}
	}()
	return "http://" + listener.Addr().String(), requests
}

// TestAnswersOnTheWire, which net/http takes apart, and in which something on the way has had its hand: none of them tells that
// the call was not carried out, so a change is sent once.
func TestAnswersOnTheWire(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for name, tt := range map[string]struct {
		answer    string
		code      codes.Code // OK for an answer
		transient bool
	}{
		"nothing":                     {"", codes.Unavailable, true},
		"half a status line":          {"HTTP/1.", codes.Unavailable, true},
		"no HTTP":                     {"SSH-2.0-OpenSSH_9.7\r\n\r\n", codes.Unavailable, true},
		"half a header":               {ok + "Content-Le", codes.Unavailable, true},
		"less than was announced":     {ok + "Content-Length: 100\r\n\r\n{\"a\":1}", codes.Unavailable, true},
		"more than was announced":     {ok + "Connection: close\r\nContent-Length: 4\r\n\r\n{\"a\":1}", codes.Internal, true},
		"two lengths":                 {ok + "Content-Length: 7\r\nContent-Length: 8\r\n\r\n{\"a\":1}", codes.Unavailable, true},
		"no number for a length":      {ok + "Content-Length: -7\r\n\r\n{\"a\":1}", codes.Unavailable, true},
		"no chunks":                   {ok + "Transfer-Encoding: chunked\r\n\r\n{\"a\":1}", codes.Unavailable, true},
		"no last chunk":               {ok + "Transfer-Encoding: chunked\r\n\r\n7\r\n{\"a\":1}\r\n", codes.Unavailable, true},
		"chunks with a trailer":       {ok + "Transfer-Encoding: chunked\r\nTrailer: Status\r\n\r\n7\r\n{\"a\":1}\r\n0\r\nStatus: 500\r\n\r\n", codes.OK, false},
		"no length at all":            {ok + "\r\n{\"a\":1}", codes.OK, false},
		"a continuation before":       {"HTTP/1.1 103 Early Hints\r\n\r\n" + ok + "Content-Length: 7\r\n\r\n{\"a\":1}", codes.OK, false},
		"a flood of continuations":    {strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 1<<16), codes.Unavailable, true},
		"a switch of protocols":       {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", codes.Unknown, false},
		"nothing for what was wanted": {"HTTP/1.1 204 No Content\r\n\r\n", codes.Internal, false},
		"packed, and it is not":       {ok + "Content-Encoding: gzip\r\nContent-Length: 7\r\n\r\n{\"a\":1}", codes.Unavailable, true},
	} {
		for _, streamed := range []bool{false, true} {
			url, requests := raw(t, tt.answer)
			client := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
			body, err := ask(t, NewClient(client), &Call{Method: "POST", URL: url, Body: []byte(`{}`)}, streamed)
			client.CloseIdleConnections()
			var fault *Fault
			switch {
			case tt.code == codes.OK:
				if err != nil || body != `{"a":1}` {
					t.Errorf("%s, streamed %v: %q, %v", name, streamed, body, err)
				}
			case !errors.As(err, &fault) || fault.Code != tt.code || fault.Transient != tt.transient || fault.Unprocessed || strings.ContainsAny(err.Error(), "\r\n"):
				t.Errorf("%s, streamed %v: %v: %+v", name, streamed, err, fault)
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("%s, streamed %v: %d requests", name, streamed, n)
			}
		}
	}
}

// ask makes a call, and reads the answer in one of the two ways.
func ask(t *testing.T, c *Client, call *Call, streamed bool) (body string, err error) {
	if !streamed {
		reply, err := c.Do(t.Context(), call)
		if err != nil {
			return "", err
		}
		return string(reply.Body), nil
	}
	s, err := c.Stream(t.Context(), call)
	if err != nil {
		return "", err
	}
	defer s.Close()
	data, err := io.ReadAll(s)
	return string(data), err
}

// TestStreamsThatAreReset, by a server that speaks HTTP/2, before it answers and while it does.
func TestStreamsThatAreReset(t *testing.T) {
	for name, start := range map[string]string{"before": "", "during": `{"a":`} {
		var requests atomic.Int64
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if requests.Add(1); r.ProtoMajor != 2 {
				t.Errorf("the request came by %s", r.Proto)
			}
			if start != "" {
				fmt.Fprint(w, start)
				_ = http.NewResponseController(w).Flush()
			}
			panic(http.ErrAbortHandler)
		}))
		server.EnableHTTP2 = true
		server.StartTLS()
		for n, streamed := range []bool{false, true} {
			_, err := ask(t, NewClient(server.Client()), &Call{Method: "POST", URL: server.URL, Body: []byte(`{}`)}, streamed)
			var fault *Fault
			if !errors.As(err, &fault) || fault.Code != codes.Unavailable || !fault.Transient || fault.Unprocessed || requests.Load() != int64(n+1) {
				t.Errorf("%s, streamed %v: %v after %d requests: %+v", name, streamed, err, requests.Load(), fault)
			}
		}
		server.Close()
	}
}
