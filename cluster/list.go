package cluster

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"strconv"

	"google.golang.org/api/iterator"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
	"github.com/trainingclusters/trainingclusters-go/internal/rest"
)

// ListOptions bounds a list. The zero value, like nil, lists everything.
type ListOptions struct {
	// PageSize is how many clusters the service may send at once; 0 lets it choose. It is a bound and no
	// promise: pages can be shorter.
	PageSize int
	// PageToken continues a list from PageInfo().Token of an earlier one.
	PageToken string
}

// Done is what [Iterator.Next] returns at the end. It is iterator.Done of google.golang.org/api.
var Done = iterator.Done

// ListClusters lists the clusters of the client's project and region, page by page as they are asked for. It
// calls nothing itself. Reads are retried after any transient failure. [Iterator.Collect] reads all at once.
func (c *Client) ListClusters(ctx context.Context, opts *ListOptions) *Iterator {
	if opts == nil {
		opts = &ListOptions{}
	}
	it := &Iterator{ctx: ctx, client: c}
	it.pageInfo, it.next = iterator.NewPageInfo(it.fetch,
		func() int { return len(it.clusters) },
		func() any { b := it.clusters; it.clusters = nil; return b })
	it.pageInfo.MaxSize, it.pageInfo.Token = opts.PageSize, opts.PageToken
	return it
}

// Iterator walks over clusters. It is not safe for concurrent use.
type Iterator struct {
	ctx      context.Context // of the list, which the pages are part of
	client   *Client
	clusters []*ModelDevelopmentCluster
	pageInfo *iterator.PageInfo
	next     func() error
}

// Next returns the next cluster, or [Done] at the end. After an error, Done included, it returns the same error
// again.
func (it *Iterator) Next() (*ModelDevelopmentCluster, error) {
	if err := it.next(); err != nil {
		return nil, err
	}
	m := it.clusters[0]
	it.clusters = it.clusters[1:]
	return m, nil
}

// All ranges over the remaining clusters. A failure comes as the last pair. Leaving the loop early makes no
// further call.
func (it *Iterator) All() iter.Seq2[*ModelDevelopmentCluster, error] {
	return func(yield func(*ModelDevelopmentCluster, error) bool) {
		for {
			m, err := it.Next()
			if err == Done {
				return
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// Collect returns all remaining clusters, which a notebook shows as a table. After an error there are none.
func (it *Iterator) Collect() (ClusterList, error) {
	var all ClusterList
	for m, err := range it.All() {
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// String says in one line what is listed, and how to see it: an Iterator itself has nothing to show.
func (it *Iterator) String() string {
	if it == nil || it.client == nil {
		return "no list"
	}
	return "list of the clusters of " + it.client.parent.String() + ": Next reads one, Collect all"
}

// PageInfo supports pagination; see google.golang.org/api/iterator.
func (it *Iterator) PageInfo() *iterator.PageInfo { return it.pageInfo }

// fetch reads one page. Only an empty token ends the list: a page may be short, or empty, before the end.
func (it *Iterator) fetch(pageSize int, pageToken string) (string, error) {
	parent := it.client.parent.String()
	call := it.client.newCall("list", parent, "list")
	if pageSize < 0 {
		return "", call.refuse("the page size is %d; want 0 or more", pageSize)
	}
	call.method, call.url, call.repeat = "GET", it.client.url(parent+"/modelDevelopmentClusters"), rest.Always
	query := url.Values{}
	if pageSize > 0 {
		query.Set("pageSize", strconv.Itoa(pageSize))
	}
	if pageToken != "" {
		query.Set("pageToken", pageToken)
	}
	if len(query) > 0 {
		call.url += "?" + query.Encode()
	}
	next := ""
	err := it.client.do(it.ctx, call, nil, func(reply *rest.Reply) error {
		clusters, token, err := decodePage(reply.Body)
		if err != nil {
			return call.unreadable(reply, err)
		}
		if token != "" && token == pageToken {
			return call.unreadable(reply, fmt.Errorf("the page token did not change: the list would never end"))
		}
		it.clusters, next = append(it.clusters, clusters...), token
		return nil
	})
	return next, err
}

func decodePage(body []byte) (clusters []*ModelDevelopmentCluster, next string, err error) {
	err = jsonx.EachMember(body, func(name, value []byte) error {
		switch string(name) {
		case "nextPageToken", "next_page_token":
			token, err := jsonx.Str(value)
			next = token
			return jsonx.At(string(name), err)
		case "modelDevelopmentClusters", "model_development_clusters", "clusters": // the last in the oldest documents
			err := jsonx.EachElement(value, func(i int, element []byte) error {
				m := new(ModelDevelopmentCluster)
				clusters = append(clusters, m)
				return jsonx.At(fmt.Sprintf("[%d]", i), codec.Unmarshal(element, m))
			})
			return jsonx.At(string(name), err)
		}
		return nil
	})
	return clusters, next, err
}
