package slurm

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The functions here read values as sbatch does.

// leadingInt reads the number that text begins with, as strtol does. A number out of range becomes the nearest in it.
func leadingInt(text string) (n int64, rest string, ok bool) {
	text = strings.TrimLeft(text, whiteSpace)
	end := 0
	if end < len(text) && (text[0] == '-' || text[0] == '+') {
		end++
	}
	digits := end
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end == digits {
		return 0, text, false
	}
	n, _ = strconv.ParseInt(text[:end], 10, 64)
	return n, text[end:], true
}

// wholeInt reads a text that is a number and nothing else.
func wholeInt(text string, least, most int64) (int64, error) {
	n, rest, ok := leadingInt(text)
	if !ok || rest != "" || n < least || n > most {
		return 0, fmt.Errorf("%s is no number from %d to %d", strconv.Quote(abbreviate(text)), least, most)
	}
	return n, nil
}

// bytesOf reads an amount of memory: MiB, or with a unit, K to T. Bytes below a MiB are rounded up to one.
func bytesOf(text string) (int64, error) {
	n, unit, ok := leadingInt(text)
	if len(unit) == 2 && (unit[1] == 'B' || unit[1] == 'b') {
		unit = unit[:1]
	}
	shift := 0
	switch unit {
	case "K", "k":
		n = ceil(n, 1024)
	case "", "M", "m":
	case "G", "g":
		shift = 10
	case "T", "t":
		shift = 20
	default:
		ok = false
	}
	if !ok || n < 0 || n > math.MaxInt64/mebibyte>>shift {
		return 0, fmt.Errorf(`%s is no amount of memory: want MiB, or a unit such as "64G"`, strconv.Quote(abbreviate(text)))
	}
	return n << shift * mebibyte, nil
}

// spanOf reads a span of time: minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]].
func spanOf(text string) (time.Duration, error) {
	switch strings.ToUpper(text) {
	case "-1", "INFINITE", "UNLIMITED":
		return Unlimited, nil
	}
	days, clock, dashed := strings.Cut(text, "-")
	units := []time.Duration{time.Hour, time.Minute, time.Second}
	if !dashed {
		days, clock = "0", text
		if strings.Count(text, ":") < 2 {
			units = units[1:]
		}
	}
	total, ok := addSpan(0, days, 24*time.Hour)
	parts := strings.Split(clock, ":")
	if len(parts) > len(units) || dashed && clock == "" {
		parts, ok = nil, ok && clock == "" // "2-" is two days
	}
	for i, part := range parts {
		var good bool
		total, good = addSpan(total, part, units[i])
		ok = ok && good
	}
	if !ok {
		return 0, fmt.Errorf(`%s is no span of time: want minutes, "4:00:00", "2-12" or "UNLIMITED"`,
			strconv.Quote(abbreviate(text)))
	}
	return total, nil
}

// maxSpan is what Slurm can hold of seconds.
const maxSpan = math.MaxInt32 * time.Second

func addSpan(sum time.Duration, count string, unit time.Duration) (time.Duration, bool) {
	n, ok := parseIDNumber(count)
	if !ok || n > int64(maxSpan/unit) || sum+time.Duration(n)*unit > maxSpan {
		return sum, false
	}
	return sum + time.Duration(n)*unit, true
}

// limitOf reads a time limit, of which 0 is none.
func limitOf(text string) (time.Duration, error) {
	span, err := spanOf(text)
	if err == nil && span == 0 {
		span = Unlimited
	}
	return span, err
}

// nodesOf reads a number of nodes, "2", or a range, "2-4".
func nodesOf(text string) (least, most int, err error) {
	first, last, isRange := strings.Cut(text, "-")
	least, err = nodeCount(first)
	if isRange && strings.TrimLeft(first, whiteSpace) == "" {
		least, err = 1, nil
	}
	most = least
	if err == nil && isRange {
		most, err = nodeCount(last)
	}
	switch {
	case err != nil:
		err = fmt.Errorf(`%s is no number of nodes: want "2" or "2-4"`, strconv.Quote(abbreviate(text)))
	case most != 0 && most < least:
		err = fmt.Errorf("%s runs backwards", strconv.Quote(abbreviate(text)))
	}
	return least, most, err
}

func nodeCount(text string) (int, error) {
	n, rest, ok := leadingInt(text)
	rest, kilo := cutFold(rest, "k")
	rest, mega := cutFold(rest, "m")
	if kilo {
		n *= 1024
	}
	if mega {
		n *= 1024 * 1024
	}
	if !ok || strings.TrimLeft(rest, whiteSpace) != "" || n < 0 || n > maxCount32 {
		return 0, errors.New("no count")
	}
	return int(n), nil
}

// cutFold cuts prefix from text, in whatever case.
func cutFold(text, prefix string) (rest string, ok bool) {
	if len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
		return text[len(prefix):], true
	}
	return text, false
}

// moreSignals are those that sbatch knows by name, and JobSpec by number.
var moreSignals = map[string]string{"PIPE": "13", "CHLD": "17", "XCPU": "24"}

// warning is the value of --signal.
type warning struct {
	signal              string
	before              int64 // seconds
	script, reservation bool
}

// warningOf reads "[R][B][:]SIGNAL[@SECONDS]".
func warningOf(text string) (w warning, err error) {
	rest := text
	rest, w.reservation = cutFold(rest, "R")
	rest, w.script = cutFold(rest, "B")
	if !w.reservation {
		rest, w.reservation = cutFold(rest, "R")
	}
	name, seconds, timed := strings.Cut(strings.TrimPrefix(rest, ":"), "@")
	w.before = 60
	if timed {
		w.before, err = wholeInt(seconds, 0, math.MaxUint16)
	}
	short := strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(name)), "SIG")
	if number, ok := moreSignals[short]; ok {
		short = number
	}
	w.signal = short
	if _, bad := signalName(short); err != nil || bad != nil {
		return w, fmt.Errorf(`%s is no signal with a time: want one such as "USR1@300" or "B:TERM@60"`, strconv.Quote(abbreviate(text)))
	}
	return w, nil
}

// mailWords are sbatch's words for the occasions of a mail.
var mailWords = sync.OnceValue(func() map[string][]MailType {
	return map[string][]MailType{
		"BEGIN": {MailBegin}, "END": {MailEnd}, "FAIL": {MailFail}, "REQUEUE": {MailRequeue},
		"STAGE_OUT": {MailStageOut}, "ARRAY_TASKS": {MailArrayTasks}, "INVALID_DEPEND": {MailInvalidDependency},
		"TIME_LIMIT": {MailTimeLimit}, "TIME_LIMIT_90": {MailTimeLimit90}, "TIME_LIMIT_80": {MailTimeLimit80},
		"TIME_LIMIT_50": {MailTimeLimit50},
		"ALL":           {MailInvalidDependency, MailBegin, MailEnd, MailFail, MailRequeue, MailStageOut},
	}
})

// mailsOf reads a list of occasions. Words that sbatch does not know it drops, unless it knows none of them.
func mailsOf(text string) (types []MailType, dropped []string, err error) {
	for word := range strings.SplitSeq(text, ",") {
		some, ok := mailWords()[strings.ToUpper(word)]
		switch {
		case strings.EqualFold(word, "NONE"):
			return nil, nil, nil
		case ok:
			types = append(types, some...)
		case word != "":
			dropped = append(dropped, word)
		}
	}
	if len(types) == 0 {
		return nil, nil, fmt.Errorf("%s holds no occasion for a mail: want END, FAIL, ALL and the like", strconv.Quote(abbreviate(text)))
	}
	return types, dropped, nil
}

// withoutPackage is err without the package's name, to stand within another error.
func withoutPackage(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix(err.Error(), "slurm: "))
}
