package slurm

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// text sets a field of the spec to the value as it is.
func text(field func(*JobSpec) *string) optionSetter {
	return func(b *batch, value string) error { *field(b.spec) = value; return nil }
}

// file is text for a path; "none" is no file.
func file(field func(*JobSpec) *string) optionSetter {
	return func(b *batch, value string) error {
		if strings.EqualFold(value, "none") {
			value = "/dev/null"
		}
		*field(b.spec) = value
		return nil
	}
}

// keep is text for a value that finish makes something of.
func keep(field func(*batch) *string) optionSetter {
	return func(b *batch, value string) error { *field(b) = value; return nil }
}

// nodes sets a list of nodes. With a slash in it, it names a file where sbatch is called.
func nodes(name string, field func(*JobSpec) *[]string) optionSetter {
	return func(b *batch, value string) error {
		if strings.Contains(value, "/") {
			return unsupported("sbatch reads that file where it is called: write the names of the nodes")(b, value)
		}
		if names, err := ExpandHosts(value); err != nil || len(names) == 0 {
			return fmt.Errorf("%s is no list of nodes", strconv.Quote(abbreviate(value)))
		}
		*field(b.spec) = splitHosts(value)
		return nil
	}
}

func extraText(member string) optionSetter {
	return func(b *batch, value string) error { b.extra[member] = value; return nil }
}

func extraYes(member string) optionSetter {
	return func(b *batch, _ string) error { b.extra[member] = true; return nil }
}

func extraCount(member string, least, most int64) optionSetter {
	return func(b *batch, value string) error {
		n, err := wholeInt(value, least, most)
		b.extra[member] = n
		return err
	}
}

// extraCountAs is extraCount for options that srun in the script knows by a variable.
func extraCountAs(member, variable string) optionSetter {
	return func(b *batch, value string) error {
		n, err := wholeInt(value, 1, maxCount16)
		b.extra[member], b.environment[variable] = n, strconv.FormatInt(n, 10)
		return err
	}
}

// flag adds a word to the job's flags.
func flag(word string) optionSetter {
	return func(b *batch, _ string) error { b.flags = append(b.flags, word); return nil }
}

func shared(word string) optionSetter {
	return func(b *batch, _ string) error { b.extra["shared"] = []string{word}; return nil }
}

func unsupported(reason string) optionSetter {
	return func(b *batch, value string) error {
		b.unsupported = append(b.unsupported, ScriptOption{
			Line: b.use.line, Component: b.component, Option: "--" + b.use.option.name, Value: value, Reason: reason,
		})
		return nil
	}
}

func noEffect(*batch, string) error { return nil }

// setArray leaves out the brackets, which mean nothing.
func setArray(b *batch, value string) error {
	b.spec.Array = strings.NewReplacer("[", "", "]", "").Replace(value)
	_, err := ParseArraySpec(b.spec.Array)
	return withoutPackage(err)
}

func setBegin(b *batch, value string) error {
	return b.setInstant("begin_time", &b.spec.Begin, value)
}

func setDeadline(b *batch, value string) error {
	return b.setInstant("deadline", &b.spec.Deadline, value)
}

func (b *batch) setInstant(member string, field *time.Time, value string) error {
	delete(b.extra, member)
	at, ok, err := instantOf(value, time.Now())
	switch {
	case err != nil:
		return fmt.Errorf("%s is no time: %w", strconv.Quote(abbreviate(value)), err)
	case ok:
		*field = at.Truncate(time.Second)
	case !isClock(value):
		return fmt.Errorf(`%s is no time: want one such as "2030-01-31T16:00", "16:00" or "now+2hours"`, strconv.Quote(abbreviate(value)))
	default:
		*field, b.extra[member] = time.Time{}, slashed(value)
	}
	return nil
}

// slashed writes a day without marks, 0131 or 013135, so that Slurm's JSON reader does not take it for a number.
func slashed(day string) string {
	if strings.Trim(day, "0123456789") != "" || len(day)%2 > 0 {
		return day
	}
	var parts []string
	for pair := range slices.Chunk([]byte(day), 2) {
		parts = append(parts, string(pair))
	}
	return strings.Join(parts, "/")
}

func setDirectory(b *batch, value string) error {
	if !path.IsAbs(value) {
		return unsupported("a relative directory is one below that where sbatch is called: set WorkingDirectory")(b, value)
	}
	b.spec.WorkingDirectory = value
	return nil
}

func setDelayBoot(b *batch, value string) error {
	span, err := spanOf(value)
	if span == Unlimited {
		return unsupported("no span that can be said in seconds")(b, value)
	}
	b.extra["delay_boot"] = int64(span / time.Second)
	return err
}

// setExport decides on the environment that sbatch would hand on.
func setExport(b *batch, value string) error {
	b.exported = map[string]string{}
	b.unsupported = slices.DeleteFunc(b.unsupported, func(o ScriptOption) bool { return o.Option == "--export" })
	b.spec.LoginEnvironment = !strings.EqualFold(value, "NIL")
	if strings.EqualFold(value, "ALL") {
		return nil
	}
	b.exported["SLURM_EXPORT_ENV"] = value // tells srun to do the same
	if strings.EqualFold(value, "NIL") || strings.EqualFold(value, "NONE") {
		return nil
	}
	for _, item := range exportItems(value) {
		name, assigned, ok := strings.Cut(item, "=")
		switch {
		case ok:
			b.exported[name] = assigned
		case name != "" && !strings.EqualFold(name, "ALL"):
			_ = unsupported("the value is that of sbatch's caller: set it in Environment")(b, name)
		}
	}
	return nil
}

// exportItems splits at the commas outside quotes; quotes around a whole item are dropped.
func exportItems(list string) (items []string) {
	var quote rune
	parts := strings.FieldsFunc(list, func(r rune) bool {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		}
		return quote == 0 && r == ','
	})
	for _, part := range parts {
		if n := len(part); n > 1 && part[0] == part[n-1] && (part[0] == '\'' || part[0] == '"') {
			part = part[1 : n-1]
		}
		items = append(items, part)
	}
	return items
}

func setLogin(b *batch, _ string) error {
	b.spec.LoginEnvironment = true
	return nil
}

func setKillInvalid(b *batch, value string) error {
	switch strings.ToLower(value) {
	case "yes":
		b.flags = append(b.flags, "KILL_INVALID_DEPENDENCY")
	case "no":
		b.flags = append(b.flags, "NO_KILL_INVALID_DEPENDENCY")
	default:
		return oneOfWords(value, "yes", "no")
	}
	return nil
}

func oneOfWords(value string, words ...string) error {
	return fmt.Errorf("%s is not one of %s", strconv.Quote(abbreviate(value)), strings.Join(words, ", "))
}

func setMailType(b *batch, value string) error {
	types, dropped, err := mailsOf(value)
	for _, word := range dropped {
		_ = unsupported("no occasion that sbatch knows; it drops it without a word")(b, word)
	}
	for _, t := range types {
		if !slices.Contains(b.spec.MailTypes, t) {
			b.spec.MailTypes = append(b.spec.MailTypes, t)
		}
	}
	return err
}

// setNice reads what sbatch reads of a number, and takes none for 0.
func setNice(b *batch, value string) error {
	n := int64(100)
	if value != "" {
		n, _, _ = leadingInt(value)
	}
	if n < -maxCount32+2 || n > maxCount32-2 {
		return fmt.Errorf("%s is out of range: want up to %d", value, maxCount32-2)
	}
	b.spec.Nice = int(n)
	return nil
}

func setNoKill(b *batch, value string) error {
	switch strings.ToLower(value) {
	case "", "set":
		b.extra["kill_on_node_fail"] = false
	case "off", "no":
		delete(b.extra, "kill_on_node_fail")
	default:
		return oneOfWords(value, "off", "no")
	}
	return nil
}

func setOOMKill(b *batch, value string) error {
	if value == "" {
		value = "1"
	}
	return extraCount("oom_kill_step", 0, 1)(b, value)
}

func setOpenMode(b *batch, value string) error {
	delete(b.extra, "open_mode")
	b.spec.AppendOutput = false
	if _, ok := cutFold(value, "a"); ok {
		b.spec.AppendOutput = true
		return nil
	}
	if _, ok := cutFold(value, "t"); ok {
		b.extra["open_mode"] = []string{"TRUNCATE"}
		return nil
	}
	return oneOfWords(value, "append", "truncate")
}

func setPriority(b *batch, value string) error {
	if strings.EqualFold(value, "TOP") {
		b.spec.Priority = maxJobID
		return nil
	}
	n, _, _ := leadingInt(value)
	if n < 0 || n > maxJobID {
		return fmt.Errorf("%s is no priority: want up to %d", strconv.Quote(abbreviate(value)), int64(maxJobID))
	}
	b.spec.Priority = n
	return nil
}

// setProfile looks for words anywhere in the value.
func setProfile(b *batch, value string) error {
	upper := strings.ToUpper(value)
	var words []string
	for _, word := range []string{"ENERGY", "LUSTRE", "NETWORK", "TASK"} {
		if strings.Contains(upper, word) || strings.Contains(upper, "ALL") {
			words = append(words, word)
		}
	}
	if strings.Contains(upper, "NONE") {
		words = []string{"NONE"}
	}
	if len(words) == 0 {
		return oneOfWords(value, "none", "all", "energy", "lustre", "network", "task")
	}
	b.extra["profile"] = words
	return nil
}

func setSignal(b *batch, value string) error {
	w, err := warningOf(value)
	b.spec.Signal, b.spec.SignalScript = w.signal, w.script
	b.spec.SignalBefore = time.Duration(w.before) * time.Second
	delete(b.extra, "kill_warning_delay")
	delete(b.extra, "kill_warning_flags")
	if w.before == 0 {
		b.extra["kill_warning_delay"] = setNumber(0)
	}
	if w.reservation {
		flags := []string{"RESERVATION_JOB"}
		if w.script {
			flags = []string{"BATCH_JOB", "RESERVATION_JOB"}
		}
		b.spec.SignalScript = false
		b.extra["kill_warning_flags"] = flags
	}
	return err
}

// setNumber is a number as Slurm's API wants it.
func setNumber(n int64) map[string]any { return map[string]any{"set": true, "number": n} }

func setTime(b *batch, value string) (err error) {
	b.spec.TimeLimit, err = limitOf(value)
	return err
}

func setTimeMin(b *batch, value string) (err error) {
	b.spec.TimeMinimum, err = limitOf(value)
	if err == nil && b.spec.TimeMinimum == Unlimited {
		err = errors.New("a least time without an end, which Slurm refuses")
	}
	return err
}

func setWaitAllNodes(b *batch, value string) error {
	n, err := wholeInt(value, 0, 1)
	b.extra["wait_all_nodes"] = n == 1
	return err
}
