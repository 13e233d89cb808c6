// Package good breaks no rule.
package good

import (
	"context"
	"iter"
)

type State string

const (
	On  State = "ON"
	Off State = "OFF"
)

func (s State) On() bool  { return s == On }
func (s State) Off() bool { return s == Off }

type Flag string

const (
	Fast Flag = "FAST"
	Slow Flag = "SLOW"
)

type Thing struct {
	State State
	Flags []Flag
}

func (t *Thing) Has(flag Flag) bool { return false }

type Things struct{}

func (t *Things) Next() (*Thing, error)             { return nil, nil }
func (t *Things) All() iter.Seq2[*Thing, error]     { return nil }
func Each(context.Context) iter.Seq2[*Thing, error] { return nil }
func Pull(context.Context) *Things                  { return nil }

type Service interface {
	Call(ctx context.Context, name string, then func(*Thing) error) (map[string]any, error)
}
