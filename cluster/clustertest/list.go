package clustertest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (s *Server) listClusters(c *call, now time.Time) ([]byte, *apiError) {
	var items []pageItem
	for _, key := range slices.Sorted(maps.Keys(s.clusters)) {
		if cl := s.clusters[key]; cl.region == c.region {
			items = append(items, pageItem{cl.id, s.encode(s.cluster, s.view(cl, now))})
		}
	}
	page, next, err := s.page(c, items)
	if err != nil {
		return nil, err
	}
	return marshalPage("modelDevelopmentClusters", page, next), nil
}

// listOperations lists the newest first.
func (s *Server) listOperations(c *call) ([]byte, *apiError) {
	if c.query.Get("filter") != "" {
		return nil, refusef("filters of operations.list are not simulated")
	}
	var items []pageItem
	for _, op := range slices.Backward(s.operations) {
		if op.region == c.region && !op.forgotten {
			items = append(items, pageItem{fmt.Sprintf("%019d", math.MaxInt64-op.number), s.operationJSON(op)})
		}
	}
	page, next, err := s.page(c, items)
	if err != nil {
		return nil, err
	}
	return marshalPage("operations", page, next), nil
}

// pageItem is one entry of a list, which is in the order of the keys.
type pageItem struct {
	key string
	raw json.RawMessage
}

// A page token holds the key of the last item so far: "item/KEY", or "empty/KEY" behind an empty page.
// It is tied to the list that it came from.
const (
	tokenItem  = "item"
	tokenEmpty = "empty"
)

func (s *Server) page(c *call, items []pageItem) (page []json.RawMessage, next string, err *apiError) {
	size := s.pageSize
	if text := c.query.Get("page_size"); text != "" {
		n, bad := strconv.ParseInt(text, 10, 32)
		if bad != nil || n < 0 {
			return nil, "", badField("page_size", "must be a number from 0; got %q", text)
		}
		if n > 0 {
			size = min(size, int(n))
		}
	}
	kind, after, ok := readToken(c, c.query.Get("page_token"))
	if !ok {
		return nil, "", badField("page_token", "is not one that this list gave out")
	}
	// By key and not by position: items may have come and gone since the page before.
	start := slices.IndexFunc(items, func(i pageItem) bool { return i.key > after })
	if start < 0 {
		return nil, "", nil
	}
	rest := items[start:]
	if s.emptyPages && kind != tokenEmpty {
		return nil, writeToken(c, tokenEmpty, after), nil
	}
	for i := range min(size, len(rest)) {
		page = append(page, rest[i].raw)
	}
	if len(page) < len(rest) {
		next = writeToken(c, tokenItem, rest[len(page)-1].key)
	}
	return page, next, nil
}

func writeToken(c *call, kind, key string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(string(c.verb) + "/" + c.region + "/" + kind + "/" + key))
}

func readToken(c *call, token string) (kind, key string, ok bool) {
	if token == "" {
		return tokenItem, "", true
	}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	parts := strings.Split(string(raw), "/")
	if err != nil || len(parts) != 4 || parts[0] != string(c.verb) || parts[1] != c.region {
		return "", "", false
	}
	return parts[2], parts[3], true
}

// marshalPage leaves out what is empty, so that an empty list is {}.
func marshalPage(name string, page []json.RawMessage, next string) []byte {
	out := jsonObject{}
	if len(page) > 0 {
		out = append(out, jsonMember{name, page})
	}
	if next != "" {
		out = append(out, jsonMember{"nextPageToken", next})
	}
	raw, err := out.MarshalJSON()
	if err != nil {
		panic("clustertest: page is not JSON: " + err.Error())
	}
	return raw
}
