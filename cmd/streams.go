package cmd

import (
	"bytes"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// terminal tells whether a stream is one, and its width in cells.
func terminal(stream any) (width int, ok bool) {
	f, isFile := stream.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80 // what terminals that do not say have
	}
	return width, true
}

// dumb tells whether the terminal knows no escape sequences.
func dumb() bool { return os.Getenv("TERM") == "dumb" }

// colour is for terminals whose user has not said no (no-color.org).
func colour(stream any) bool {
	_, ok := terminal(stream)
	return ok && !dumb() && os.Getenv("NO_COLOR") == ""
}

// patience is how long work may take before a pipe's reader is told of it.
const patience = 500 * time.Millisecond

// progress passes on lines about work that takes long: to a terminal as one
// line that is written over, elsewhere as lines once patience is over.
type progress struct {
	w       io.Writer
	term    bool
	rewrite bool
	start   time.Time
	shown   bool
}

func newProgress(w io.Writer) *progress {
	_, isTerm := terminal(w)
	return &progress{w: w, term: isTerm, rewrite: isTerm && !dumb(), start: time.Now()}
}

// Write implements io.Writer; p holds whole lines.
func (p *progress) Write(b []byte) (int, error) {
	if !p.term && time.Since(p.start) < patience {
		return len(b), nil
	}
	if !p.rewrite {
		return p.w.Write(b)
	}
	line := bytes.TrimRight(b, "\n")
	if i := bytes.LastIndexByte(line, '\n'); i >= 0 {
		line = line[i+1:]
	}
	p.shown = true
	_, err := p.w.Write(append(append([]byte("\r\x1b[K"), line...), '\r'))
	return len(b), err
}

// done wipes the line that was written over.
func (p *progress) done() {
	if p.shown {
		p.shown = false
		_, _ = io.WriteString(p.w, "\r\x1b[K")
	}
}
