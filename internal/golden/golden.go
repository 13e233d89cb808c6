// Package golden keeps what tests expect in files.
package golden

import "os"

// File returns what the file at path holds: what was expected so far, or got if it is to be written anew.
func File(path, got string, update bool) (string, error) {
	if update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			return "", err
		}
	}
	want, err := os.ReadFile(path)
	return string(want), err
}
