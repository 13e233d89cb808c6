package conformance

import (
	"errors"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func wrapperCases() []testCase {
	return []testCase{
		{name: "wrapper/large script", test: wrapperLarge},
		{name: "wrapper/missing script", test: wrapperMissing},
	}
}

// wrapperLarge: a script of 2 MB is refused with the way out, which works. Only its last line ends the job so, and only
// with its arguments.
func wrapperLarge(b *bed) {
	script := "#!/bin/bash\n" + strings.Repeat("# padding of a large script\n", 75_000) + "[ $1 = deep ] && exit 9\nexit 1\n"
	_, err := b.alice.Submit(b.ctx, b.spec("", func(s *slurm.JobSpec) { s.Script = script }))
	if refused, ok := errors.AsType[*slurm.InputError](err); !ok || refused.Problems[0].Field != "Script" ||
		!strings.Contains(err.Error(), "slurm.Wrapper") || !strings.Contains(err.Error(), "over") {
		b.t.Errorf("a script of %d bytes: %v", len(script), err)
	}
	path := "/home/alice/" + b.name + ".sh"
	b.share(path, script)
	equal(b, "exit code", b.wrapped(path, "deep").Code, 9)
	equal(b, "exit code with another argument", b.wrapped(path, "flat").Code, 1)
}

func wrapperMissing(b *bed) {
	equal(b, "exit code", b.wrapped("/home/alice/"+b.name+".sh").Code, slurm.WrapperExitCode)
}

func (b *bed) wrapped(path string, args ...string) slurm.ExitCode {
	b.t.Helper()
	script, err := slurm.Wrapper(path, args...)
	b.must("Wrapper", err)
	return b.ended(b.submit("", func(s *slurm.JobSpec) { s.Script = script })).ExitCode
}
