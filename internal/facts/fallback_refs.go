package facts

import "strings"

// references lists the uses of names: calls, types, bases, annotations.
// They are distinct by (Name, Qualifier, Scope, Kind) in order of first
// occurrence, at most maxFallbackRefs.
func (w *fbWalker) references() []Ref {
	type key struct {
		name, qualifier string
		scope           int32
		kind            RefKind
	}
	seen := make(map[key]int32)
	var refs []Ref
	put := func(name, qualifier string, scope int32, kind RefKind) {
		if len(name) < 2 || len(name) > 120 {
			return
		}
		k := key{name, qualifier, scope, kind}
		if at, ok := seen[k]; ok {
			refs[at].N++
			return
		}
		if len(refs) >= maxFallbackRefs {
			return
		}
		seen[k] = int32(len(refs))
		refs = append(refs, Ref{Name: name, Qualifier: qualifier, Scope: scope, Kind: kind, N: 1})
	}
	special := make(map[int32]pendingRef, len(w.bases))
	for _, b := range w.bases {
		special[b.tok] = b
	}
	var vars swiftTypes
	if w.id == "swift" {
		vars = w.swiftVars()
	}
	l := w.lang
	w.eachToken(func(i int, open []int32) {
		if w.toks[i].kind == tokString && l.lex.shell {
			scope := innermost(open)
			w.substitutions(i, func(name string) { put(name, "", scope, RefCall) })
		}
		if w.toks[i].kind != tokWord {
			return
		}
		scope := innermost(open)
		if b, ok := special[int32(i)]; ok {
			if b.sym >= 0 {
				scope = b.sym
			}
			put(w.text(i), w.qualifier(i), scope, b.kind)
			return
		}
		if w.in(i, l.skip) || w.in(i, l.mods) {
			return
		}
		if kind, ok := w.use(i); ok {
			q := w.qualifier(i)
			if q != "" && vars != nil {
				q = vars.qualifier(q, open)
			}
			put(w.text(i), q, scope, kind)
		}
	})
	return refs
}

// use classifies an identifier that is not declared here.
func (w *fbWalker) use(i int) (RefKind, bool) {
	l := w.lang
	if i > 0 && w.kind(i-1) == '@' && l.attrs == '@' && w.adjacent(i) {
		return RefDecorator, true
	}
	if i > 0 && w.kind(i-1) == tokWord && (w.is(i-1, "goto")) {
		return 0, false
	}
	if _, key := l.words[w.text(i)]; key && w.kind(i+1) != '(' {
		return 0, false
	}
	next := i + 1
	switch w.kind(next) {
	case '(':
		if w.adjacent(next) || !w.first(next) && w.toks[next].start-w.toks[i].end == 1 && !l.newline {
			return RefCall, true
		}
	case '<':
		if l.angles && w.adjacent(next) {
			if e := w.angle(next); e > next && w.kind(e) == '(' {
				return RefCall, true
			}
		}
	case '[':
		if w.id == "scala" && w.match[next] > 0 && w.adjacent(next) && w.kind(int(w.match[next])+1) == '(' {
			return RefCall, true
		}
	case '{':
		// launch { }; not a return type before a body
		if c := w.src[w.toks[i].start]; l.brace && !w.first(next) && c >= 'a' && w.kind(i-1) != ':' && w.kind(i-1) != tokArrow {
			return RefCall, true
		}
	case '!':
		if w.id == "rust" || w.id == "elixir" {
			return RefCall, true
		}
	case tokString:
		if w.id == "lua" && !w.first(next) {
			return RefCall, true
		}
	}
	c := w.src[w.toks[i].start]
	if c >= 'A' && c <= 'Z' {
		if (w.kind(i+1) == '.' || w.kind(i+1) == '\\') && w.kind(i+2) == tokWord && w.id == "elixir" {
			if d := w.src[w.toks[i+2].start]; d >= 'A' && d <= 'Z' {
				return 0, false // inside of a module's name
			}
		}
		return RefUse, true
	}
	if l.allUses && (w.toks[i].end-w.toks[i].start) > 2 {
		return RefCall, true
	}
	if w.kind(i-1) == '.' && (w.id == "elixir" || w.id == "lua" || w.id == "zig" || w.id == "scala") && i > 1 && w.kind(i-2) == tokWord {
		if w.id == "elixir" && w.kind(next) != '/' && w.kind(next) != tokWord {
			return 0, false
		}
		return RefUse, true
	}
	return 0, false
}

// qualifier is what stands before a dot, :: or -> directly before token i: a
// plain name, or a dotted path of upper-case names (modules).
func (w *fbWalker) qualifier(i int) string {
	sep := func(k int) bool {
		switch w.kind(k) {
		case '.', tokColons, tokArrow, '\\':
			return true
		case ':':
			return w.id == "lua"
		}
		return false
	}
	name := func(k int) bool { return w.kind(k) == tokWord || w.kind(k) == tokName }
	if i < 2 || !sep(i-1) || !w.adjacent(i) || !name(i-2) || !w.adjacent(i-1) && !w.first(i-1) {
		return ""
	}
	first := i - 2
	for n := 0; n < 16 && first >= 2 && sep(first-1) && w.adjacent(first) && name(first-2); n++ {
		first -= 2
	}
	if first > 0 && sep(first-1) && w.kind(first-1) != '\\' {
		return "" // the result of an expression
	}
	q := string(w.src[w.toks[first].start:w.toks[i-2].end])
	if first == i-2 {
		return q
	}
	if c := q[0]; c >= 'A' && c <= 'Z' && len(q) <= 120 && !strings.ContainsAny(q, " \n") {
		return q
	}
	return ""
}

// substitutions finds the commands in $( ) inside of a shell literal.
func (w *fbWalker) substitutions(i int, found func(string)) {
	text := w.text(i)
	for {
		at := strings.Index(text, "$(")
		if at < 0 {
			return
		}
		text = strings.TrimLeft(text[at+2:], " (")
		end := 0
		for end < len(text) && (text[end] == '_' || text[end] == '-' || text[end] == ':' || text[end] >= '0' && text[end] <= '9' || text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
			end++
		}
		if name := text[:end]; name != "" && !w.lang.skip[name] {
			found(name)
		}
	}
}
