package slurm_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// openTerminal returns both sides of a terminal: what is written to the second can be read from the first.
func openTerminal(t *testing.T) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.Close() })
	var number, locked int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &locked, syscall.TIOCGPTN: &number} {
		if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), request, uintptr(unsafe.Pointer(value))); failed != 0 {
			t.Fatal(failed)
		}
	}
	if terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return screen, terminal
}

// TestShowProgressOnTerminal: one line, drawn anew after each read, and left whole.
func TestShowProgressOnTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	screen, terminal := openTerminal(t)
	written := make(chan string)
	go func() {
		text, _ := io.ReadAll(screen) // fails when the terminal is closed
		written <- string(text)
	}()
	inBubble(t, func(t *testing.T, b *bed) {
		ids := []slurm.JobID{b.submit(t, "sleep 300"), b.submit(t, "sleep 600")}
		if _, err := b.WaitAll(t.Context(), ids, slurm.ShowProgress(terminal)); err != nil {
			t.Error(err)
		}
	}, slurmtest.WithCompletingTime(0))
	terminal.Close()
	shown, ok := strings.CutSuffix(<-written, "\r\n")
	if !ok || strings.Contains(shown, "\n") {
		t.Fatalf("not one line: %q", shown)
	}
	var last time.Duration
	draws := strings.Split(shown, "\r\x1b[2K\x1b[?7l")
	for i, draw := range draws[1:] {
		_, at, _ := strings.Cut(strings.TrimSuffix(draw, "\x1b[?7h"), " · ")
		took, err := time.ParseDuration(at)
		if err != nil || took < last || i > 0 && took == last {
			t.Errorf("draw %d is %q", i, draw)
		}
		last = took
	}
	if len(draws) < 10 || draws[0] != "" || !strings.HasPrefix(draws[len(draws)-1], "2 jobs: 2 completed · 10m") {
		t.Errorf("%d draws, the last %q", len(draws), draws[len(draws)-1])
	}
}
