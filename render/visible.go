package render

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// visible returns s with everything that a terminal would obey, hide or break
// the line at written out: control characters (so escape sequences), bytes
// that are not UTF-8, line separators, and the marks that turn the direction
// of text. The result is one line. A backslash stays as it is.
func visible(s string) string {
	clean := true
	for _, r := range s {
		if hidden(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == utf8.RuneError || !hidden(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// hidden reports whether visible must write r out. The replacement character
// is among them only to be looked at: a byte that is not UTF-8 decodes to it.
func hidden(r rune) bool {
	return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// exact returns the bytes of a path: those of b64 if there are any, since path
// is then only what of them can be shown.
func exact(path, b64 string) string {
	if b64 != "" {
		if b, err := base64.StdEncoding.DecodeString(b64); err == nil {
			return string(b)
		}
	}
	return path
}

// columns returns the number of terminal cells that s takes: two for wide East
// Asian characters and emoji, none for combining marks.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += cells(r)
	}
	return n
}

func cells(r rune) int {
	if r < 0x300 { // no combining and no wide characters below
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cut returns s in at most n cells; what is cut is shown by an ellipsis.
func cut(s string, n int) string {
	if columns(s) <= n {
		return s
	}
	used := 0
	for i, r := range s {
		c := cells(r)
		if used+c > n-1 { // one cell for the ellipsis
			if n < 1 {
				return ""
			}
			return strings.TrimRight(s[:i], " ") + "…"
		}
		used += c
	}
	return s
}

// pad returns s followed by blanks up to n cells.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-columns(s)))
}

// padLeft returns s preceded by blanks up to n cells.
func padLeft(s string, n int) string {
	return strings.Repeat(" ", max(0, n-columns(s))) + s
}
