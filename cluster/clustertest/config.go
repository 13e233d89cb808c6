package clustertest

import (
	"maps"
	"slices"
	"strings"
)

// managedParameters are those of slurm.conf that the service keeps for itself, and those of slurmdbd.conf,
// normalized. The documents name some of the latter only as examples.
var managedParameters = map[string]string{
	"healthcheckprogram":   "is managed by the service",
	"healthcheckinterval":  "is managed by the service",
	"healthchecknodestate": "is managed by the service",
	"requeueexit":          "is managed by the service",
	"prolog":               "is not supported; use prolog_bash_scripts",
	"epilog":               "is not supported; use epilog_bash_scripts",
	"storagehost":          "belongs to slurmdbd.conf",
	"storageloc":           "belongs to slurmdbd.conf",
	"storagepass":          "belongs to slurmdbd.conf",
	"storageport":          "belongs to slurmdbd.conf",
	"storagetype":          "belongs to slurmdbd.conf",
	"storageuser":          "belongs to slurmdbd.conf",
	"dbdaddr":              "belongs to slurmdbd.conf",
	"dbdhost":              "belongs to slurmdbd.conf",
	"dbdport":              "belongs to slurmdbd.conf",
	"purgeeventafter":      "belongs to slurmdbd.conf",
	"purgejobafter":        "belongs to slurmdbd.conf",
	"purgeresvafter":       "belongs to slurmdbd.conf",
	"purgestepafter":       "belongs to slurmdbd.conf",
	"purgesuspendafter":    "belongs to slurmdbd.conf",
	"purgetxnafter":        "belongs to slurmdbd.conf",
	"purgeusageafter":      "belongs to slurmdbd.conf",
}

// parameterKey is a slurm.conf name as the service compares it.
func parameterKey(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// config checks a map of slurm.conf parameters; refused lists names that this scope refuses besides the managed
// ones. Which names the service supports is not published, so that others pass.
func (c *checker) config(config map[string]string, path string, refused ...string) {
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(config)) {
		key := parameterKey(name)
		why, managed := managedParameters[key]
		switch first, twice := seen[key]; {
		case key == "":
			c.failf(path, "empty parameter name")
		case twice:
			c.failf(path, "parameters %q and %q are the same", first, name)
		case managed:
			c.failf(path, "parameter %q %s", name, why)
		case slices.Contains(refused, key):
			c.failf(path, "parameter %q is not supported here", name)
		case strings.ContainsAny(name+config[name], "\r\n"):
			c.failf(path, "parameter %q contains a line break", name)
		case strings.ContainsAny(name, " \t=#"):
			c.failf(path, "parameter %q is not a slurm.conf name", name)
		}
		seen[key] = name
	}
}
