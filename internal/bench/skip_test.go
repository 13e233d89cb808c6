package bench

import (
	"fmt"

	"github.com/bytedance/sonic/ast"
	"github.com/bytedance/sonic/decoder"
)

// skippers are the limits: the fastest ways found to get over a list and keep nothing of it. Both are sonic's, which has
// them in vector instructions. simdjson-go (which makes a tape), goccy's and jsontext's skipping, json.Valid and this
// module's own scanner were slower.
func skippers(data []byte) []contender {
	text, skipValue := string(data), decoder.Skip
	return []contender{
		{skip, func() error {
			if start, end := skipValue(data); start < 0 || end != len(data) {
				return fmt.Errorf("skipped from %d to %d of %d", start, end, len(data))
			}
			return nil
		}},
		{leap, func() error {
			searcher := ast.NewSearcher(text)
			searcher.ValidateJSON, searcher.CopyReturn = false, false
			_, err := searcher.GetByPath("warnings") // the last member: the list is before it
			return err
		}},
	}
}
