// want: interface Option.Apply
// want: option NewClient

// Package option needs an import to be called.
package option

import "google.golang.org/api/option"

func NewClient(opts ...option.ClientOption) {}

type Option = option.ClientOption
