// Package bench compares what the SDK does with other ways to do it, in one run and on the same recorded bytes. It is a
// module of its own, so that what it needs reaches no user. "make bench", at the top, runs all of it and prints a table;
// RESULTS.md is one such table.
package bench

//go:generate go run ./trim testdata/openapi.json
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml testdata/openapi.json
