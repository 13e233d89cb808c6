package slurm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// ParsedScript is what sbatch would make of a batch script.
type ParsedScript struct {
	// Spec is the job that the script's #SBATCH lines describe, with the script itself, to be completed and
	// submitted. Of a heterogeneous job it is the first component.
	Spec *JobSpec
	// Components are all components of a heterogeneous job, Spec among them, for [Client.SubmitHet]. Nil for others.
	Components []*JobSpec
	// Unsupported lists the options that sbatch takes and no job description of Slurm's REST API can express.
	// The job is described without them.
	Unsupported []ScriptOption
}

// ScriptOption is an option in a batch script.
type ScriptOption struct {
	Line      int    // of the script, from 1
	Component int    // of a heterogeneous job, from 0
	Option    string // its long name: "--export"
	Value     string // as sbatch reads it, "" for an option without one
	Reason    string // what is wrong with it, and what to do instead
}

// String returns the option in one line: "line 4: --wait: …".
func (o ScriptOption) String() string {
	text := fmt.Sprintf("line %d: %s", o.Line, o.Option)
	if o.Value != "" {
		text += "=" + foreign.OneLine(abbreviate(o.Value))
	}
	return foreign.Printable(text + ": " + o.Reason)
}

// ParseScript reads the #SBATCH lines of a batch script, which Slurm's REST API ignores, as sbatch does. The spec
// that it returns is an ordinary one: set what the lines do not say, at least the WorkingDirectory, change what they
// say, and submit it. It asks no server.
//
//	script, err := slurm.ParseScript(text)
//	if err != nil {
//		return err
//	}
//	script.Spec.WorkingDirectory = "/home/alice_example_com"
//	id, err := client.Submit(ctx, script.Spec)
//
// What has a field of [JobSpec] sets it; the rest goes into JobSpec.Extra, by its name in version v0.0.42 of the API,
// and variables that sbatch derives from options, such as SLURM_GPUS, into JobSpec.Environment. Options that can be
// expressed nowhere are listed in Unsupported; look at them before submitting.
//
// # What sbatch reads
//
// The rules are those of sbatch 24.11, odd as some are:
//   - A line counts if it begins with #SBATCH, or #SLURM, and stands before the first line that is neither empty nor
//     a comment. White space before it makes it a comment.
//   - Words end at white space. Quotes and backslashes keep it, and "#" begins a comment, also inside a word. An
//     empty pair of quotes ends the line.
//   - Long options may be shortened, short ones combined: --part=a4, -Hn4. A value may be on the next #SBATCH line.
//   - Of an option that comes twice the last one counts. Only --mail-type adds up.
//   - A line "#SBATCH hetjob" begins a further component, and other words on that line are lost. A component keeps
//     such options of those before it as are not about resources: --time, --account, --output.
//
// # What differs from running sbatch
//
//   - The working directory is where sbatch is called, and must be set; --chdir sets it. Without --job-name, the name
//     is "sbatch", as that of a script from standard input, where sbatch would take the name of the script's file.
//   - sbatch hands on the environment of its caller. Here LoginEnvironment is set, which gives the job the variables
//     of a login on the node where it starts, except after --export=NIL. Variables that --export names without a
//     value are listed as unsupported.
//   - Wall clock times, such as --begin=16:00, mean the cluster's clock, and so stay text in Extra, which Slurm
//     reads when the job is submitted. now+1hour is counted from the call of ParseScript.
//   - Variables of the caller's environment that set options (SBATCH_PARTITION) are not read, nor options of the
//     cluster's plugins.
//
// What sbatch refuses, such as an unknown option or a script without "#!", is an [*InputError] with all that is wrong.
func ParseScript(script string) (*ParsedScript, error) {
	c := &checker{}
	c.checkScript("script", script)
	components, foreign := readDirectives(c, script)
	parsed := &ParsedScript{}
	var kept []optionUse
	for i, words := range components {
		uses := slices.Concat(kept, readOptions(c, words))
		b := newBatch(c, i, len(components))
		b.apply(uses)
		b.finish()
		parsed.Components = append(parsed.Components, b.spec)
		parsed.Unsupported = append(parsed.Unsupported, b.unsupported...)
		kept = slices.DeleteFunc(slices.Clone(uses), func(u optionUse) bool { return u.option.resource })
		if i == 0 {
			parsed.Unsupported = append(parsed.Unsupported, foreignOptions(foreign, uses)...)
		}
	}
	slices.SortStableFunc(c.problems, func(a, b InputProblem) int { return lineOf(a.Field) - lineOf(b.Field) })
	if err := c.err("parse script"); err != nil {
		return nil, err
	}
	parsed.Spec = parsed.Components[0]
	parsed.Spec.Script, parsed.Spec.parsed = script, script
	if len(parsed.Components) == 1 {
		parsed.Components = nil
	} else {
		gatherEnvironment(parsed.Components)
	}
	return parsed, nil
}

// foreignOptions reports the lines that sbatch would translate from the options of other batch systems.
func foreignOptions(foreign []scriptWord, uses []optionUse) []ScriptOption {
	if slices.ContainsFunc(uses, func(u optionUse) bool { return u.option.name == "ignore-pbs" }) {
		return nil
	}
	var options []ScriptOption
	for _, line := range foreign {
		kind, value, _ := strings.Cut(line.text, " ")
		options = append(options, ScriptOption{
			Line: line.line, Option: kind, Value: strings.TrimSpace(value),
			Reason: "sbatch translates such lines, ParseScript does not: write the option as #SBATCH",
		})
	}
	return options
}

// gatherEnvironment moves the variables of all components to the first, whose script they are for, under the names
// that sbatch gives them.
func gatherEnvironment(components []*JobSpec) {
	all := map[string]string{}
	for i, spec := range components {
		for name, value := range spec.Environment {
			if derivedVariables()[name] {
				name = fmt.Sprintf("%s_HET_GROUP_%d", name, i)
			}
			all[name] = value
		}
		spec.Environment = nil
	}
	components[0].Environment = all
}

// unreadScript is the script if nobody has read its #SBATCH lines.
func (s *JobSpec) unreadScript() string {
	if s.parsed == s.Script {
		return ""
	}
	return s.Script
}
