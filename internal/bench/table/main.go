// Command table runs the benchmarks of this module and prints one table of what they cost, with the goals below it. Each
// run is a process of its own, and goes through all contenders: a machine that is busy for a while hits all of them.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// raw is where the output of the benchmarks goes. Benchstat takes it too: -col /by.
const raw = "bench.out"

func main() {
	var o options
	flag.IntVar(&o.count, "count", 10, "runs")
	flag.StringVar(&o.time, "time", "100ms", "time for each benchmark of a run, as of go test -benchtime")
	flag.StringVar(&o.bench, "bench", ".", "which benchmarks, as of go test -bench")
	flag.StringVar(&o.out, "o", "", "file to write the results to as well")
	flag.BoolVar(&o.reuse, "reuse", false, "run nothing, and take what "+raw+" has")
	flag.Parse()
	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

type options struct {
	count            int
	time, bench, out string
	reuse            bool
}

func (o *options) run() error {
	if !o.reuse {
		if err := o.measure(); err != nil {
			return err
		}
	}
	file, err := os.Open(raw)
	if err != nil {
		return err
	}
	defer file.Close()
	all, err := read(file)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	machine := fmt.Sprintf("%d cores, %s", runtime.NumCPU(), runtime.Version())
	fmt.Fprintf(&b, "Medians of %d runs on %s.\n\n", all.runs(), machine)
	printTable(&b, all)
	b.WriteString("\n## Goals\n\n")
	printGoals(&b, all)
	if o.out != "" {
		text, err := report(b.Bytes())
		if err != nil {
			return err
		}
		if err := os.WriteFile(o.out, text, 0o644); err != nil {
			return err
		}
	}
	_, err = io.Copy(os.Stdout, &b)
	return err
}

// measure builds the benchmarks once and runs them as often as asked for.
func (o *options) measure() error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "bench.test")
	if out, err := exec.Command("go", "test", "-c", "-o", program, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	file, err := os.Create(raw)
	if err != nil {
		return err
	}
	defer file.Close()
	for i := range o.count {
		fmt.Fprintf(os.Stderr, "run %d of %d\n", i+1, o.count)
		cmd := exec.Command(program, "-test.run=^$", "-test.bench="+o.bench, "-test.benchtime="+o.time)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = io.MultiWriter(file, &out), os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%w: %s", err, out.Bytes())
		}
	}
	return file.Close()
}

// rivals are the modules whose versions matter.
var rivals = []string{
	"github.com/go-json-experiment/json", "github.com/goccy/go-json", "github.com/bytedance/sonic",
}

// report is what RESULTS.md holds.
func report(results []byte) ([]byte, error) {
	args := append([]string{"list", "-m", "-f", "`{{.Path}}` {{.Version}}"}, rivals...)
	versions, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, err
	}
	listed := strings.Join(strings.Split(strings.TrimSpace(string(versions)), "\n"), ", ")
	return fmt.Appendf(nil, preface, listed, results), nil
}

const preface = `# Results

Written by ` + "`make bench RESULTS=1`" + `. But for WaitTick, all contenders do the same work on the same bytes in the same run;
lists and jobs are recorded from a real Slurm 24.11.5. Behind each number stands how many times as much it is as ours:
more than 1 is worse than ours.

- **ours** is the SDK by its public face, checks and conversions included. ± is the 95 %% confidence interval.
- **map** is encoding/json into map[string]any, and **generated** into the types that oapi-codegen makes of Slurm's
  OpenAPI document, as clients of slurmrestd have them.
- **json**, **jsonv2**, **goccy** and **sonic** decode into types with only the members that our Job has: encoding/json,
  and %s.
- **skip** gets over the list with sonic's scanner, checks its syntax and keeps nothing, and **leap** does not even check.
- Submit and Get are whole calls over loopback HTTP, the server's share included, by a transport without credentials. The
  others use a bare net/http client, and send the same request, headers included, with the same deadline.
- SubmitWithToken is a Submit with an access token: ours by the transport of all Google Cloud clients, the other by
  that of golang.org/x/oauth2. No goal is about it.
- WaitTick is one tick of WaitAll for 1,000 jobs, for which ours reads the states alone, of 40 bytes a job; the others
  decode the list of these jobs, of 5.8 kB a job, as whoever waits without jobs/state/ has to. No goal is about it.
- ClusterRoundTrip keeps members that nobody knows; the plain types of the others, but for map, lose them. The goal of it
  compares both ways of ours with the mere decoding by encoding/json.
- A difference that may be chance (p > 0.05) has a ~. A goal is judged by the median of the ratios in each run; beside it
  is the ratio of the lowest values, for machines that are busy with other things.

%s`
