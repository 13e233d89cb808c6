// Package face has a symbol of each kind.
package face

import (
	"context"
	"io"
)

const Limit = 1 << 20

type Color string

const (
	Red    Color = "RED"
	hidden Color = "HIDDEN"
)

func (c Color) Warm() bool { return c == Red || c == hidden }

var Out io.Writer

type Box struct {
	io.Reader
	Name, Label string
	Inner       map[string]*Box
	size        int
}

func (b *Box) Open(ctx context.Context, names ...string) (n int, err error) { return b.size, nil }
func (b *Box) close()                                                       {}

type Opener interface {
	Open(ctx context.Context, names ...string) (int, error)
	close()
}

type Option func(*Box)

type Short = Box

func New(opts ...Option) *Box { return nil }
