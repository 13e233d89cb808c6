// Package optionown makes what it takes.
package optionown

import "google.golang.org/api/option"

func NewClient(opts ...option.ClientOption) {}

func WithName(name string) option.ClientOption { return nil }
