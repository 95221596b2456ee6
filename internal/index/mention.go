package index

import (
	"strings"
	"unicode/utf8"

	"cohop/internal/facts"
	"cohop/internal/text"
)

// What a file mentions decides what must be resolved again when another file
// changes. A mention is compared by its folded form, so that a constant and the
// path that a loader makes of it meet; files that mention a name are found by
// the index terms of their text, and by a list of their own for the few names
// that have no term.

// Fold is the form in which mentions and names are compared: ASCII letters
// small, '_', '-' and '$' dropped. It is s itself if nothing else is left.
func Fold(s string) string {
	same := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'A' && c <= 'Z' || c == '_' || c == '-' || c == '$' {
			same = false
			break
		}
	}
	if same {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			b = append(b, c+'a'-'A')
		case c != '_' && c != '-' && c != '$':
			b = append(b, c)
		}
	}
	if len(b) == 0 {
		return s
	}
	return string(b)
}

// EachMention calls f with every name that a file's imports and references
// hold, folded: whole, and the parts of what is joined by '.', ':', '/', '\' or
// blanks; "." for an import that names a folder by dots alone. A name may come
// more than once.
func EachMention(fa *facts.Facts, f func(name string)) {
	for i := range fa.Refs {
		r := &fa.Refs[i]
		eachPart(r.Name, f)
		eachPart(r.Qualifier, f)
	}
	for i := range fa.Imports {
		EachImported(&fa.Imports[i], f)
	}
}

// EachImported is EachMention of one import.
func EachImported(m *facts.Import, f func(name string)) {
	eachPart(m.Module, f)
	if m.Relative > 0 && m.Module == "" {
		f(".")
	}
	eachPart(m.Alias, f)
	for _, n := range m.Names {
		eachPart(n, f)
	}
}

func eachPart(s string, f func(string)) {
	if s == "" {
		return
	}
	if !strings.ContainsAny(s, "./:\\ {},") {
		f(Fold(s))
		return
	}
	if t := strings.TrimRight(s, "/"); t == "." || strings.HasSuffix(t, "..") {
		f(".")
	}
	// A segment of a path with its extension and without it.
	for seg := range strings.FieldsFuncSeq(s, func(r rune) bool {
		switch r {
		case '/', '\\', ':', ' ', '{', '}', ',':
			return true
		}
		return false
	}) {
		if seg == "." || seg == ".." {
			continue
		}
		f(Fold(seg))
		for i := 0; i < len(seg); i++ {
			if seg[i] == '.' {
				if i > 0 {
					f(Fold(seg[:i])) // up to any dot: a.test of a.test.ts
				}
			}
		}
		for part := range strings.SplitSeq(seg, ".") {
			if part != "" && len(part) < len(seg) {
				f(Fold(part))
			}
		}
	}
}

// MentionsOf calls f with the files that may mention a name: all that do, and
// some that do not. The order is any, and a file may come more than once.
func (v *View) MentionsOf(name string, f func(file int32)) {
	term, best := "", -1
	for _, run := range wordRuns(name) {
		key := text.Key(run)
		if key == "" {
			continue
		}
		if n := v.count(key); best < 0 || n < best {
			term, best = key, n
		}
	}
	if best < 0 {
		h := muteHash(Fold(name))
		for k, s := range v.segs {
			s.keyed(secMentions, h, s.Files(), func(i int32) {
				if g := v.toView(k, i); g >= 0 {
					f(g)
				}
			})
		}
		return
	}
	last := int32(-1)
	for _, p := range v.Postings(nil, term, Body) {
		if g := v.ChunkFile(p.Doc); g != last {
			f(g)
			last = g
		}
	}
}

// count is about how often a term stands in bodies.
func (v *View) count(term string) (n int) {
	for _, s := range v.segs {
		if i, ok := s.term(term); ok {
			n += s.count(i, Body)
		}
	}
	return n
}

// wordRuns cuts s as the splitter does: between what is no letter, digit, '_'
// or '$'.
func wordRuns(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool {
		return r < utf8.RuneSelf && !(r == '_' || r == '$' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	})
}

// addMentions lists the names that a file mentions and that no term finds.
func (b *Builder) addMentions(file uint32, fa *facts.Facts) {
	EachMention(fa, func(name string) {
		if len(name) > 2*utf8.UTFMax { // longer ones without a term are no names
			return
		}
		for _, run := range wordRuns(name) {
			if text.Key(run) != "" {
				return
			}
		}
		b.mentions = append(b.mentions, keyRec{muteHash(name), file})
	})
}

// nameHash is what a name is looked up by: its text.Key, or the name itself
// when it has none ("x", "+").
func nameHash(name string) uint64 {
	if key := text.Key(name); key != "" {
		return keyHash(key)
	}
	return muteHash(name)
}

// muteHash keys a name that has no term; the leading byte keeps it apart from
// all terms.
func muteHash(name string) uint64 { return keyHash("\x00" + name) }
