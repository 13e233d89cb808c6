package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// measureRebuild builds both programs of a pair again after a change, which is what people wait for all day, and returns
// the milliseconds that all processors together take for that: the libraries are in the cache, and the rest is linking.
// What the second program takes longer is the owners' by the sizes of what they have in it.
func measureRebuild(dir string, p pair, tags string, s sizes, times int) (r row, err error) {
	var ms [2][]float64
	for i := range times {
		for n, program := range []string{p.without, p.with} { // by turns, since machines have moods
			cmd := exec.Command("go", "build", "-tags", tags, "-ldflags", fmt.Sprintf("-s -w -X main.change=%d", i),
				"-o", filepath.Join(dir, "again"), programs+program)
			if _, err := output(cmd); err != nil {
				return r, err
			}
			ms[n] = append(ms[n], seconds(cmd)*1e3)
		}
	}
	slices.Sort(ms[0])
	slices.Sort(ms[1])
	without, with := ms[0][times/2], ms[1][times/2]
	own := (with - without) * float64(s.own) / float64(s.own+s.brought)
	return row{what: "rebuild, CPU ms", without: without, own: own, brought: with - without - own}, nil
}

// seconds is how long all processors together took for a command that has ended.
func seconds(cmd *exec.Cmd) float64 {
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

// measureCold builds the pair with an empty cache, one owner's packages after the other's, and returns the seconds of
// all processors, which other work on the machine stretches less than those on the clock. What linking takes longer goes to
// the SDK.
func measureCold(dir string, p pair, c census) (without, mine, ofBrought float64, err error) {
	goBuild := func(linking string, args ...string) float64 {
		if err != nil {
			return 0
		}
		cmd := exec.Command("go", append([]string{"build", "-ldflags", "-s -w " + linking}, args...)...)
		cmd.Env = append(os.Environ(), "GOCACHE="+filepath.Join(dir, "cache"))
		_, err = output(cmd)
		return seconds(cmd)
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
