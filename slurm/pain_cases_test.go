//go:build !race

package slurm

// painPlaces is in how many places of a list of three the altered job stands, one after the other.
const painPlaces = 3
