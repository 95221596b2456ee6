package labels

import (
	"path"
	"regexp"
	"strings"
	"unicode"
)

// What is taken out of a message: it names people, machines or the change
// itself, and no user would type it.
var (
	link    = regexp.MustCompile(`(?i)\b(?:https?|ftp|git|ssh)://[^\s<>()\[\]"'` + "`" + `]+`)
	mail    = regexp.MustCompile(`<?\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+>?`)
	hash    = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`)
	request = regexp.MustCompile(`\s*\((?:#|!|GH-)\d+\)`) // "(#123)": the number of the change's own request
	trailer = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+: \S|^(?i:bug|issue|closes|fixes|refs|references|cc|git-svn-id|rev|differential revision): ?\S*$`)
	spaces  = regexp.MustCompile(`[ \t]+`)
	blanks  = regexp.MustCompile(`\n{3,}`)
)

// CleanMessage restates a commit's message as a task: without trailers,
// addresses, links, ids of commits and the number of its own request.
func CleanMessage(msg string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(strings.ToValidUTF8(msg, ""), "\r\n", "\n")) {
		line = strings.TrimRight(line, "\n \t")
		if trailer.MatchString(strings.TrimSpace(line)) {
			continue
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return CleanText(b.String())
}

// CleanText takes addresses, links, ids of commits and numbers of requests out
// of a text and leaves its lines.
func CleanText(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\r\n", "\n")
	s = link.ReplaceAllString(s, "")
	s = mail.ReplaceAllString(s, "")
	s = hash.ReplaceAllStringFunc(s, func(h string) string {
		// "defaced" and "1234567" are a word and a number.
		if len(h) < 40 && (!strings.ContainsAny(h, "0123456789") || !strings.ContainsAny(h, "abcdef")) {
			return h
		}
		return ""
	})
	s = request.ReplaceAllString(s, "")
	var b strings.Builder
	for line := range strings.Lines(s) {
		text := strings.TrimSpace(line)
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		b.WriteString(indent)
		b.WriteString(spaces.ReplaceAllString(text, " "))
		b.WriteByte('\n')
	}
	return strings.TrimSpace(blanks.ReplaceAllString(b.String(), "\n\n"))
}

// words counts the words of a text that hold a letter.
func words(s string) int {
	n := 0
	for _, f := range strings.Fields(s) {
		if strings.IndexFunc(f, unicode.IsLetter) >= 0 {
			n++
		}
	}
	return n
}

// Names tells whether a task names the path of an answer: in full, by its
// file name, by its last folder and stem, or as a module. A stem alone is a
// word like others ("parser") and names nothing. The comparison minds no case.
func Names(text, file string) bool {
	text, file = strings.ToLower(text), strings.ToLower(file)
	base := path.Base(file)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	if (ext != "" && stem != "" || len(base) > 8) && holds(text, base) {
		return true
	}
	dir := path.Base(path.Dir(file))
	if dir == "." || dir == "/" {
		return false
	}
	if holds(text, dir+"/"+base) || stem != "" && holds(text, dir+"/"+stem) {
		return true
	}
	// A package's own file is named by its folder's path: foo.bar is
	// foo/bar/__init__.py too.
	module := path.Join(path.Dir(file), stem)
	switch stem {
	case "__init__", "index", "mod":
		module = path.Dir(file)
	}
	parts := strings.Split(module, "/")
	if len(parts) < 2 {
		return false
	}
	for _, sep := range []string{".", "::"} {
		// Two parts are also how a member is written (parser.parse), so three
		// are asked for where there are three.
		n := min(3, len(parts))
		if holds(text, strings.Join(parts[len(parts)-n:], sep)) {
			return true
		}
	}
	return false
}

// holds tells whether s stands in text as a word of its own.
func holds(text, s string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], s)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(s)
		if (i == 0 || !inName(text[i-1])) && (end == len(text) || !inName(text[end])) {
			return true
		}
		at = i + 1
	}
}

func inName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c >= 0x80
}
