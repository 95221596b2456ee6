// Package render writes a rank.Result: as text for people and pipes, as
// Markdown for models, as JSON for programs, as a TREC run for evaluation, and
// as an account of one file's score.
//
// Every function builds its output in memory and writes it once, so that what
// fails to be formatted leaves nothing half written. Output depends on the
// result and the options alone: no clock, no terminal, no environment. Text
// written for people never carries a control character of a path or of
// a file's text to the terminal; see visible.go. Markdown and JSON hold source
// text as it is, since their readers are programs; JSON in the escapes that keep
// it harmless where it is shown.
package render

import (
	"fmt"
	"io"
)

// flush writes what a renderer has built.
func flush(w io.Writer, what string, b []byte) error {
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	return nil
}
