package cluster

import (
	"fmt"
	"slices"
	"strings"
)

// writeFindings shows what the changes do and what is wrong with them.
func (p *Plan) writeFindings(w *planWriter) {
	if p.Empty() && len(p.Effects) == 0 {
		w.section("Nothing changes.", nil)
	}
	w.section("Effects:", effectLines(p.Effects))
	w.section("Refused:", violationLines("x", p.Refusals))
	w.section("Warnings:", violationLines("?", p.Warnings))
}

func (w *planWriter) section(heading string, lines []string) {
	if len(lines) == 0 && strings.HasSuffix(heading, ":") {
		return
	}
	w.line("", "")
	if w.markdown {
		w.line("", "**%s**", heading)
		w.line("", "")
	} else {
		w.line("", "%s", heading)
	}
	for _, line := range lines {
		sign, text, _ := strings.Cut(line, " ")
		switch {
		case !w.markdown:
			w.line("  ", "%s", line)
		case sign == "!":
			w.line("- ", "**destructive** %s", escape(text))
		default:
			w.line("- ", "%s", escape(text))
		}
	}
}

func violationLines(sign string, violations []Violation) (lines []string) {
	for _, v := range violations {
		lines = append(lines, sign+" "+v.line())
	}
	return lines
}

// effectLines has a line with a sign for each of [effectTexts], destructive ones first.
func effectLines(effects []Effect) (lines []string) {
	var destructive, others []Effect
	for _, e := range effects {
		if e.Kind.Destructive() {
			destructive = append(destructive, e)
		} else {
			others = append(others, e)
		}
	}
	for _, text := range effectTexts(destructive) {
		lines = append(lines, "! "+text)
	}
	for _, text := range effectTexts(others) {
		lines = append(lines, "* "+text)
	}
	return lines
}

// effectTexts puts effects of one kind and reason into one text.
func effectTexts(effects []Effect) (texts []string) {
	type bundle struct {
		Effect
		names []string
	}
	var bundles []*bundle
	for _, e := range effects {
		i := slices.IndexFunc(bundles, func(b *bundle) bool {
			return b.Kind == e.Kind && b.Possible == e.Possible && b.Reason == e.Reason
		})
		if i < 0 {
			i, bundles = len(bundles), append(bundles, &bundle{Effect: Effect{Kind: e.Kind, Possible: e.Possible, Reason: e.Reason}})
		}
		bundles[i].Nodes += e.Nodes
		if e.Name != "" {
			bundles[i].names = append(bundles[i].names, e.Name)
		}
	}
	for _, b := range bundles {
		texts = append(texts, b.describe(b.names))
	}
	return texts
}

// describe is an effect in words.
func (e Effect) describe(names []string) string {
	return fmt.Sprintf("%s: %s (%s)", subject(e.Kind, names), e.what(), e.Reason)
}

func (e Effect) what() string {
	are := map[bool]string{true: " may be ", false: " "}[e.Possible]
	switch e.Kind {
	case EffectPoolRemoval:
		return "deleted, with " + nodes("up to ", e.Nodes)
	case EffectNodeRemoval:
		return nodes("", e.Nodes) + " fewer, with what runs there"
	case EffectNodeRecreation:
		return nodes("up to ", e.Nodes) + are + "drained and recreated"
	case EffectLoginRecreation:
		return nodes("", e.Nodes) + are + "replaced or removed, which ends SSH sessions and loses the data on boot disks"
	case EffectPartitionRemoval:
		return "deleted; jobs there cannot go on"
	case EffectPoolCreation:
		return "created, with " + nodes("up to ", e.Nodes)
	case EffectNodeAddition:
		if e.Possible {
			return nodes("up to ", e.Nodes) + " more when jobs wait for them"
		}
		return nodes("", e.Nodes) + " more"
	case EffectNodeRelease:
		return nodes("", e.Nodes) + " removed when idle, and created when jobs wait for them"
	case EffectImageKept:
		return "image kept"
	case EffectImagePinned:
		return "image pinned"
	case EffectSlurmReload:
		return "reloaded"
	}
	return "refreshed"
}

func subject(kind EffectKind, names []string) string {
	const shown = 3
	switch kind {
	case EffectSlurmReload:
		return "Slurm"
	case EffectServiceRefresh:
		return "service"
	}
	noun := "pool"
	if kind == EffectPartitionRemoval {
		noun = "partition"
	}
	if len(names) > 1 {
		noun += "s"
	}
	if rest := len(names) - shown; rest > 1 {
		return fmt.Sprintf("%s %s and %d more", noun, strings.Join(names[:shown], ", "), rest)
	}
	return noun + " " + enumerate(names)
}

func nodes(prefix string, n int64) string {
	if n == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%s%d nodes", prefix, n)
}

// code is text as a code span.
func code(text string) string {
	ticks := strings.Repeat("`", longestRun(text, '`')+1)
	if len(ticks) > 1 {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

func longestRun(text string, c rune) (longest int) {
	run := 0
	for _, r := range text {
		if run++; r != c {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// escape keeps Markdown from reading anything into names and messages.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]<>#|~!", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
