package auth

import (
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/api/option"
)

// checkEndpoint refuses to send tokens through a network in the clear. A client that somebody brought may authenticate in
// its own way, so that WithoutAuthentication has to say of it, too, that there is nothing to read.
func checkEndpoint(endpoint string, opts []option.ClientOption) error {
	if withoutAuthentication(opts) {
		return nil
	}
	return refuseClear(endpoint, "use https, or give WithoutAuthentication if they need no token")
}

// checkTokenEndpoint is checkEndpoint for a service whose answers hold tokens, however it is asked.
func checkTokenEndpoint(endpoint string, _ []option.ClientOption) error {
	return refuseClear(endpoint, "use https")
}

func refuseClear(endpoint, hint string) error {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" || loopback(u.Hostname()) {
		return nil
	}
	return &Error{
		Err:  fmt.Errorf("calls to http://%s would not be encrypted, and a token in them could be read on the way", u.Host),
		Hint: hint,
	}
}

// loopback reports whether what is sent to host stays on this machine.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback() || strings.EqualFold(host, "localhost")
}

func withoutAuthentication(opts []option.ClientOption) bool {
	without := reflect.TypeOf(option.WithoutAuthentication())
	return slices.ContainsFunc(opts, func(opt option.ClientOption) bool { return reflect.TypeOf(opt) == without })
}
