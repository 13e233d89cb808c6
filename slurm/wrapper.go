package slurm

import (
	"fmt"
	"path"
	"strings"
)

// WrapperExitCode is the exit code of a job whose [Wrapper] did not find the program, or could not read or start it. It
// is EX_NOINPUT of sysexits.h; the output of the job says more.
const WrapperExitCode = 66

// Wrapper returns a short script for [JobSpec].Script that runs a long one, or any other program, which lies on storage
// that the nodes share. A request to Slurm must stay below 1 MB, and a script above 4 MiB is refused by Slurm itself.
//
//	script, err := slurm.Wrapper("/home/alice_example_com/run/train.sh", "--epochs", "10")
//
// name is the absolute path of the program as the nodes see it. If it may be executed, it is; otherwise it is handed to
// the interpreter that its first line names with "#!", as sbatch's scripts need no permission to be executed either. The
// arguments are passed on as they are: nothing in them is special to a shell. [JobSpec].Arguments come after them.
// The program takes the place of the wrapper, so that it gets the job's signals, and its exit code is the job's.
//
// Unlike a script that is submitted, the file is read when the job starts, and again when it is requeued: it must be there
// by then, and must stay as it is until the job has ended, since a shell reads its script piece by piece. Give each
// version a name of its own. Where it is missing, the job fails with [WrapperExitCode] and says so in its output.
//
// A path that is not absolute, a line break or a NUL byte in it or in an argument, and text that is not UTF-8, are
// refused with an [*InputError].
func Wrapper(name string, args ...string) (string, error) {
	c := &checker{}
	switch c.line("name", name); {
	case !path.IsAbs(name):
		c.add("name", "%q is not absolute: want the path on the cluster's shared storage, such as \"/home/alice/train.sh\"",
			abbreviate(name))
	case strings.HasSuffix(name, "/"):
		c.add("name", "%q is a directory: want a file", abbreviate(name))
	}
	var quoted strings.Builder
	for i, arg := range args {
		c.line(fmt.Sprintf("args[%d]", i), arg)
		quoted.WriteString(shellQuote(arg) + " ")
	}
	if err := c.err("wrap script"); err != nil {
		return "", err
	}
	return strings.NewReplacer("PROGRAM", shellQuote(name), "CODE", fmt.Sprint(WrapperExitCode), "ARGUMENTS ", quoted.String()).
		Replace(wrapperScript), nil
}

// shellQuote makes one word of any text. Within single quotes nothing is special but they themselves.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// wrapperScript uses nothing but the shell itself: the job may have no PATH.
const wrapperScript = `#!/bin/sh
# Runs a program that is too large to be submitted. Made by slurm.Wrapper.
program=PROGRAM
where="on ${SLURMD_NODENAME:-this node}"
if [ ! -f "$program" ]; then
  printf "%s\n" "slurm.Wrapper: there is no file $program $where" >&2
  exit CODE
fi
if [ ! -r "$program" ]; then
  printf "%s\n" "slurm.Wrapper: $program may not be read by this user $where" >&2
  exit CODE
fi
if [ -x "$program" ]; then
  exec "$program" ARGUMENTS "$@"
fi
IFS= read -r line <"$program"
case $line in
'#!'*) line=${line#'#!'} ;;
*)
  printf "%s\n" "slurm.Wrapper: $program is not executable, and its first line names no interpreter with #!" >&2
  exit CODE
  ;;
esac
line=${line#"${line%%[! 	]*}"}
line=${line%"${line##*[! 	]}"}
interpreter=${line%%[ 	]*}
option=${line#"$interpreter"}
option=${option#"${option%%[! 	]*}"}
if [ ! -x "$interpreter" ]; then
  printf "%s\n" "slurm.Wrapper: the interpreter $interpreter that $program names is not there $where" >&2
  exit CODE
fi
exec "$interpreter" ${option:+"$option"} "$program" ARGUMENTS "$@"
`
