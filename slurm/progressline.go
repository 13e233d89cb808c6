package slurm

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// ShowProgress makes a wait for jobs show how they stand:
//
//	jobs, err := client.WaitAll(ctx, ids, slurm.ShowProgress(os.Stderr))
//
// If w is a terminal, that is one line, which is drawn anew after each read and ends with the wait:
//
//	128 jobs: 3 pending, 100 running, 24 completed, 1 failed · 12m03s
//
// Otherwise it is a line for each change, without any control characters. Failures to write are ignored. Other text that
// is written to the terminal meanwhile lands behind the line. An option shows one wait; it must not be shared by waits that
// run at once.
func ShowProgress(w io.Writer) lro.WaitOption {
	return OnTally((&progressLine{w: w, terminal: isTerminal(w)}).show)
}

// isTerminal takes each character device for a terminal, which is right but for /dev/null, where it does not matter.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

type progressLine struct {
	w        io.Writer
	terminal bool
	drawn    string // the last text, without the time
}

func (l *progressLine) show(t Tally) {
	if len(t.Counts) == 0 && t.Err == nil && !t.Ended {
		return // nothing has been seen yet
	}
	text := t.String()
	if t.Err != nil {
		text += ", and the last read failed: " + foreign.Line(t.Err.Error(), 120)
	}
	line := text + " · " + clock(t.Elapsed)
	switch {
	case l.terminal && t.Ended:
		if l.drawn != "" {
			line = "\n"
		} else {
			line = ""
		}
	case l.terminal:
		// Back to the start, clear the line, and do not wrap: a line that has become two cannot be drawn anew.
		line = "\r\x1b[2K\x1b[?7l" + line + "\x1b[?7h"
	case t.Ended || text == l.drawn:
		line = ""
	default:
		line += "\n"
	}
	if l.drawn = text; line != "" {
		_, _ = io.WriteString(l.w, line)
	}
}

// clock writes a span as "8s", "12m03s" or "2h00m07s".
func clock(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm%02ds", s/3600, s/60%60, s%60)
}
