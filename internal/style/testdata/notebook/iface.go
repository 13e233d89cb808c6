// want: interface Aliased
// want: interface Internal.Get
// want: interface Nameless.Get
// want: interface Proxied.Object
// want: interface Twice.Get
// want: interface Number
// want: interface Huge

// Package iface has interfaces of which no proxy can be made.
package iface

import "github.com/trainingclusters/trainingclusters-go/internal/jsonx"

type Name = string

type Aliased interface{ Get() Name }

type Internal interface{ Get() *jsonx.Error }

type Nameless interface{ Get(_ int) }

type Proxied interface{ Object() string }

type Twice interface {
	Get()
	Get_()
}

type Number interface {
	~int
	Get() int
}

// Huge is beyond float64.
const Huge = 1e400

// Hidden gets no proxy, and may mention what it likes.
type Hidden interface {
	Get() *jsonx.Error
	hidden()
}
