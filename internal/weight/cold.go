package main

import (
	"os"
	"os/exec"
	"path/filepath"
)

// measureCold builds the pair with an empty cache, one owner's packages after the other's, and returns the seconds of
// all processors, which other work on the machine stretches less than those on the clock. What linking takes longer goes to
// the SDK.
func measureCold(dir string, p pair, c census) (without, mine, ofBrought float64, err error) {
	goBuild := func(linking string, args ...string) (seconds float64) {
		if err != nil {
			return 0
		}
		cmd := exec.Command("go", append([]string{"build", "-ldflags", "-s -w " + linking}, args...)...)
		cmd.Env = append(os.Environ(), "GOCACHE="+filepath.Join(dir, "cache"))
		_, err = output(cmd)
		return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	target := filepath.Join(dir, "cold")
	var libraries []string
	for path := range c.without {
		if c.owner(path) == others && path != programs+p.without {
			libraries = append(libraries, path)
		}
	}
	without = goBuild("", libraries...) + goBuild("", "-o", target, programs+p.without)
	again := goBuild("-X main.again=1", "-o", target, programs+p.without) // links, and nothing else
	ofBrought = goBuild("", c.brought...)
	mine = goBuild("", module+"/auth", module+"/cluster", module+"/lro", module+"/slurm")
	mine += goBuild("", "-o", target, programs+p.with) - again
	return without, mine, ofBrought, err
}
