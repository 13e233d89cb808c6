package endings

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// Line is what the reads of a wait go over. It counts them, and holds some of them up.
type Line struct {
	mu    sync.Mutex
	reads int
	from  int // the first to be held up; 0 for none
	hold  hold
	ended <-chan struct{} // when the context of the wait has ended
}

// hold is how a read is held up, until the context ends.
type hold int

const (
	unanswered hold = iota // there is no answer
	halfway                // the answer breaks off; only of HTTP, otherwise it is the same
	lastMoment             // the answer comes all the same, since it was under way
)

// holding has the reads from that number on held up.
func (l *Line) holding(how hold, from int, ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads, l.from, l.hold, l.ended = 0, from, how, ctx.Done()
}

// Reads returns how many there were since the wait began.
func (l *Line) Reads() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reads
}

// begin counts a read and says how it is held up, if it is.
func (l *Line) begin() (how hold, held bool, ended <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	return l.hold, l.from > 0 && l.reads >= l.from, l.ended
}

// Read is for what is no HTTP: to be called at the beginning of each read, which fails with the error if that is not nil.
func (l *Line) Read(ctx context.Context) error {
	how, held, ended := l.begin()
	switch {
	case held && how == lastMoment:
		<-ended
	case held:
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

// Over returns a client whose requests go over the line to the server of another one.
func (l *Line) Over(server *http.Client) *http.Client {
	return &http.Client{Transport: &transport{l, server.Transport}}
}

type transport struct {
	line *Line
	base http.RoundTripper
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	how, held, ended := t.line.begin()
	if !held {
		return t.base.RoundTrip(req)
	}
	switch how {
	case unanswered:
		<-ctx.Done()
		return nil, ctx.Err()
	case lastMoment:
		<-ended
		return t.base.RoundTrip(req.WithContext(context.WithoutCancel(ctx)))
	}
	resp, err := t.base.RoundTrip(req)
	if err == nil {
		resp.Body = &broken{ReadCloser: resp.Body, ctx: ctx, left: 5}
	}
	return resp, err
}

// broken is a body of which only the first bytes come.
type broken struct {
	io.ReadCloser
	ctx  context.Context
	left int
}

func (b *broken) Read(p []byte) (int, error) {
	if b.left == 0 {
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
