package foreign

import (
	"fmt"
	"strings"
)

// CheckHeader says which field of an HTTP header cannot be sent, as it would end the field or the whole header. It does not
// quote the value, which may be a secret. net/http refuses the same, but only on a network, and by an error that nobody can
// tell from a failure that passes.
func CheckHeader(header map[string][]string) error {
	for name, values := range header {
		if name == "" || strings.IndexFunc(name, notInToken) >= 0 {
			return fmt.Errorf("%q is no name of a header", Line(name, 80))
		}
		for _, value := range values {
			for i := range len(value) {
				if c := value[i]; c < ' ' && c != '\t' || c == 0x7f {
					return fmt.Errorf("the header %s would hold the character %q", name, c)
				}
			}
		}
	}
	return nil
}

// notInToken goes by RFC 9110, section 5.6.2.
func notInToken(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}
