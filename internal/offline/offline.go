// Package offline keeps tests on this machine. A test that imports it, which is all there is to do, reaches no other one:
// addresses elsewhere are refused where a connection would be made, by the transports of net/http and of Google's
// libraries, and whoever dials by himself finds no host but those of the machine's own list. What tests run as a process of
// its own is not held back. internal/style sees to it that each package whose tests could reach out has this one.
package offline

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"syscall"
)

// ErrElsewhere is for an address that is not on this machine.
var ErrElsewhere = errors.New("offline: a test is kept on this machine")

func init() {
	// A proxy is often on this machine, and leads away from it.
	for _, proxy := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		os.Unsetenv(proxy)
	}
	// With this set nobody looks for a metadata server, whose address is a number, and whoever asks it fails at once.
	os.Setenv("GCE_METADATA_HOST", "127.0.0.1:1")
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		return nil, fmt.Errorf("%w, which asked the name server %s", ErrElsewhere, address)
	}}
	// It stays an *http.Transport, since others make theirs of it.
	http.DefaultTransport.(*http.Transport).DialContext = (&net.Dialer{Control: check}).DialContext
}

// check refuses an address, after names have become numbers and before anything is sent.
func check(network, address string, _ syscall.RawConn) error {
	if at, err := netip.ParseAddrPort(address); err == nil && !at.Addr().IsLoopback() {
		return fmt.Errorf("%w, which called %s", ErrElsewhere, address)
	}
	return nil
}
