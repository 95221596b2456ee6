package cmd

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// warn writes warnings for formats that have no place for them.
func warn(stderr io.Writer, warnings []string) {
	for _, w := range warnings {
		fmt.Fprintf(stderr, "rank: warning: %s\n", printable(w))
	}
}

// printable writes out what a terminal would obey: names come from
// repositories that may mean harm.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if obeyed(r) {
			return '\ufffd'
		}
		return r
	}, s)
}

// obeyed reports whether a terminal would obey or hide r, or break a line at
// it.
func obeyed(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// tame passes text on to a terminal without what it would obey, line ends and
// tabs aside: source is shown on it, not run by it.
type tame struct{ w io.Writer }

func (t tame) Write(b []byte) (int, error) {
	text := strings.Map(func(r rune) rune {
		if obeyed(r) && r != '\n' && r != '\t' {
			return '\ufffd'
		}
		return r
	}, string(b))
	if _, err := io.WriteString(t.w, text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// maxError is the most bytes of an error that are shown: it may quote a name
// or a task of any length.
const maxError = 4 << 10

// printableText is printable for a text of several lines.
func printableText(s string) string {
	if len(s) > maxError {
		s = strings.ToValidUTF8(s[:maxError], "") + " …"
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = printable(strings.ReplaceAll(lines[i], "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

// table writes rows with their columns aligned: the first to the left, the
// others to the right, since they are figures.
func table(w io.Writer, rows [][]string) error {
	var width []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], len([]rune(c)))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		var line strings.Builder
		for i, c := range r {
			if i == 0 {
				fmt.Fprintf(&line, "%-*s", width[0], c)
			} else {
				fmt.Fprintf(&line, "  %*s", width[i], c)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// bytesText tells a size in the unit that fits.
func bytesText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
