//go:build race

package slurm

// painPlaces is lower here for the same reason as the numbers in cases_race_test.go.
const painPlaces = 1
