package foreign

import (
	"net/url"
	"strings"
)

// URL is an address without what may give access to it: the user, the query, where signatures and keys are, and the
// fragment.
func URL(address string) string {
	if u, err := url.Parse(address); err == nil {
		u.User, u.RawQuery, u.Fragment, u.RawFragment = nil, "", "", ""
		return Line(u.String(), 300)
	}
	if end := strings.IndexAny(address, "?#"); end >= 0 {
		address = address[:end]
	}
	return Line(address[strings.LastIndex(address, "@")+1:], 300)
}
