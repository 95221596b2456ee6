package cmd

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"unicode/utf8"

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
// a control character, a quote or a backslash stand in quotes. What a terminal
// would obey or hide beyond ASCII (C1 controls, marks that turn the direction
// of text) is quoted byte by byte, as git does with core.quotePath on.
func quotePath(p string) string {
	special := false
	for _, r := range p {
		special = special || r == '"' || r == '\\' || obeyed(r)
	}
	if !special {
		return p
	}
	short := map[byte]byte{'\a': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\'}
	out := []byte{'"'}
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRuneInString(p[i:])
		for _, c := range []byte(p[i : i+n]) {
			if e, ok := short[c]; ok {
				out = append(out, '\\', e)
			} else if obeyed(r) {
				out = fmt.Appendf(out, "\\%03o", c)
			} else {
				out = append(out, c)
			}
		}
		i += n
	}
	return string(append(out, '"'))
}
