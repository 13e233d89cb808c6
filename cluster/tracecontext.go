package cluster

import "context"

// watched is a context of a call with the values that a tracer has added to it. It ends when the call's does, and not
// with the tracer's, which may be a span or have a time limit of its own: the body of a stream is read long after its
// attempt has ended.
type watched struct {
	context.Context                 // of the call
	values          context.Context // of the tracer, without its end
}

// Value looks at the call's context too: for what package context keeps there about its end, which the other does not
// have, and for values that a tracer has lost.
func (w watched) Value(key any) any {
	if v := w.values.Value(key); v != nil {
		return v
	}
	return w.Context.Value(key)
}

// follow is what comes of a context that a tracer was given and the one that it returned: what goes on to the wire, and
// what the tracer gets at the end.
func follow(given, returned context.Context) (wire, end context.Context) {
	if returned == nil {
		return given, given
	}
	call := given
	if w, ok := given.(watched); ok {
		call = w.Context // whose values are those of given too; each layer would double the search for a value
	}
	return watched{call, context.WithoutCancel(returned)}, returned
}
