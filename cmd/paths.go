package cmd

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"

	"cohop/rank"
)

// writePaths prints one path a line, its bytes as they are. A path that would
// not survive as a line is quoted as git ls-files quotes it.
func writePaths(w io.Writer, files []rank.File) error {
	var b bytes.Buffer
	for i := range files {
		p := files[i].Path
		if raw, err := base64.StdEncoding.DecodeString(files[i].PathB64); err == nil && len(raw) > 0 {
			p = string(raw)
		}
		b.WriteString(quotePath(p))
		b.WriteByte('\n')
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write paths: %w", err)
	}
	return nil
}

// quotePath is git's C-style quoting with core.quotePath off: paths that hold
// a control character, a quote or a backslash stand in quotes.
func quotePath(p string) string {
	special := false
	for i := 0; i < len(p); i++ {
		special = special || p[i] < 0x20 || p[i] == 0x7f || p[i] == '"' || p[i] == '\\'
	}
	if !special {
		return p
	}
	short := map[byte]byte{'\a': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\'}
	out := []byte{'"'}
	for i := 0; i < len(p); i++ {
		c := p[i]
		if e, ok := short[c]; ok {
			out = append(out, '\\', e)
		} else if c < 0x20 || c == 0x7f {
			out = fmt.Appendf(out, "\\%03o", c)
		} else {
			out = append(out, c)
		}
	}
	return string(append(out, '"'))
}
