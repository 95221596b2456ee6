package rank

import (
	"strconv"
	"strings"
	"unicode"
)

// Body formats packed items as the Markdown whose tokens the budget counts:
// a heading a file, then its items in line order, bodies and signatures
// fenced. Items must be grouped by file, as in Result.Pack.
func Body(pack []Item) []byte {
	var out []byte
	for i := range pack {
		// Names that are not UTF-8 may look the same and be two files.
		if it := &pack[i]; i == 0 || it.Path != pack[i-1].Path || it.PathB64 != pack[i-1].PathB64 {
			out = appendHead(out, it)
		}
		out = appendItem(out, &pack[i])
	}
	return out
}

// appendHead writes the heading of a file.
func appendHead(out []byte, it *Item) []byte {
	out = append(out, "## "...)
	out = append(out, printable(it.Path)...)
	if it.FileLines > 0 {
		out = append(out, " ("...)
		out = strconv.AppendInt(out, int64(it.FileLines), 10)
		out = append(out, " lines)"...)
	}
	return append(out, '\n')
}

// appendItem writes one item: its lines and symbol, and its text in a fence
// that no line of the text can close.
func appendItem(out []byte, it *Item) []byte {
	if it.EndLine > 0 {
		out = strconv.AppendInt(out, int64(it.StartLine), 10)
		if it.EndLine != it.StartLine {
			out = append(out, '-')
			out = strconv.AppendInt(out, int64(it.EndLine), 10)
		}
	} else {
		out = append(out, '-')
	}
	if it.Symbol != "" {
		out = append(out, ' ')
		out = append(out, printable(it.Symbol)...)
	}
	if it.Exemplar {
		out = append(out, " (exemplar)"...)
	}
	if it.Tier == TierSignature {
		out = append(out, " …"...)
	}
	out = append(out, '\n')
	if it.Text == "" {
		return out
	}
	fence := fenceFor(it.Text)
	out = append(out, fence...)
	out = append(out, fenceTag(it.Language)...)
	out = append(out, '\n')
	out = append(out, it.Text...)
	if !strings.HasSuffix(it.Text, "\n") {
		out = append(out, '\n')
	}
	out = append(out, fence...)
	return append(out, '\n')
}

// fenceFor returns a run of backticks longer than any in the text, at least
// three.
func fenceFor(s string) string {
	longest, run := 2, 0
	for i := 0; i < len(s); i++ {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

func fenceTag(lang string) string {
	for i := 0; i < len(lang); i++ {
		if c := lang[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '.') {
			return ""
		}
	}
	if lang == "text" {
		return ""
	}
	return lang
}

// printable makes control characters of a name visible, so that it cannot
// break its line, turn its direction, or speak to a terminal.
func printable(s string) string {
	if strings.IndexFunc(s, control) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if control(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func control(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}
