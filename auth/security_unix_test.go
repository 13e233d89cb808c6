//go:build unix

package auth_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/auth"
)

// TestGcloudOfTheCurrentDirectory is none that anybody asked for: a notebook may be opened in a folder that others write to.
func TestGcloudOfTheCurrentDirectory(t *testing.T) {
	putGcloud(t, `echo "`+secret+`"`)
	t.Chdir(os.Getenv("PATH"))
	for _, path := range []string{".", "", ":/nowhere", "./"} {
		t.Setenv("PATH", path)
		_, err := auth.GcloudToken().Token()
		var refused *auth.Error
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "gcloud was not found") {
			t.Errorf("with PATH=%q: %v", path, err)
		}
	}
}

// TestGcloudIsNoShellCommand: nothing in a path or an account is code.
func TestGcloudIsNoShellCommand(t *testing.T) {
	dir := t.TempDir()
	const name = "g cloud; touch evil; $(touch evil) `touch evil` | &"
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho '"+secret+"'\necho \"$#\" >arguments\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	token, err := auth.GcloudToken(auth.GcloudPath(path), auth.GcloudAccount("a@example.com")).Token()
	if err != nil || token.AccessToken != secret {
		t.Fatalf("%v, %v", token, err)
	}
	if got, err := os.ReadFile("arguments"); string(got) != "3\n" {
		t.Errorf("%q arguments, %v", got, err)
	}
	for _, account := range []string{"a;touch evil", "$(touch evil)", "`touch evil`", "a b", "a\nb", "a|b", "a&b", "a>b", `a"b`, "a\x00b", "a*b", "~\\"} {
		for _, opt := range []auth.GcloudOption{auth.GcloudAccount(account), auth.GcloudImpersonate(account)} {
			var refused *auth.Error
			if _, err := auth.GcloudToken(auth.GcloudPath(path), opt).Token(); !errors.As(err, &refused) {
				t.Errorf("%q: %v", account, err)
			}
		}
	}
	if files, _ := filepath.Glob("*"); len(files) != 2 {
		t.Errorf("there is %q", files)
	}
}
