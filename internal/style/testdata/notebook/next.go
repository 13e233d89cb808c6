// want: next List.All
// want: next Each
// want: next List.Some

// Package next has iterators for range alone.
package next

import "iter"

type List struct{}

func (l *List) All() iter.Seq2[string, error] { return nil }

// Some has a twin with another value.
func (l *List) Some(n int) iter.Seq2[string, error] { return nil }
func (l *List) SomeIterator(n int) *Cursor          { return nil }

type Cursor struct{}

func (c *Cursor) Next() (int, error) { return 0, nil }

func Each() iter.Seq[int] { return nil }
