//go:build !race

package main

// cases is how many seeds of chaos there are.
const cases = 500
