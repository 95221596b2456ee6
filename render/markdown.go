package render

import (
	"bytes"
	"io"

	"cohop/rank"
)

// Markdown writes the header's lines, an empty line, and the packed context.
// The context below the empty line is what the header's tokens count, byte
// for byte.
func Markdown(w io.Writer, r *rank.Result) error {
	var b bytes.Buffer
	for _, line := range headerLines(r) {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	if len(r.Pack) > 0 {
		b.WriteByte('\n')
		b.Write(rank.Body(r.Pack))
	}
	return flush(w, "markdown", b.Bytes())
}
