package facts

import "strings"

// specialCSS reads what style sheets define by key word: mixins, functions,
// key frames, and variables.
func specialCSS(w *fbWalker, i int) int {
	if w.kind(i) == '@' && (w.is(i+1, "mixin") || w.is(i+1, "function") || w.is(i+1, "keyframes")) && w.kind(i+2) == tokWord {
		w.name(i + 2)
		return w.body(i, i+2, i+3, w.text(i+2), KindFunction, true, inCode)
	}
	if w.kind(i) == tokWord && w.kind(i+1) == ':' && strings.HasPrefix(w.text(i), "$") && w.class() == inFile {
		w.name(i)
		w.add(w.text(i)[1:], KindVar, i, i+1, w.varEnd(i, i+2), true)
		return i + 2
	}
	return i
}

// afterCSS adds the classes and ids that rules are for, and custom
// properties, each where it stands first: the rules after that add to it.
func afterCSS(w *fbWalker) {
	seen := map[string]bool{}
	from := 0 // of the selectors or the declaration at hand
	for i := range w.toks {
		switch w.kind(i) {
		case ';', '}':
			from = i + 1
		case ':':
			if n := w.text(i - 1); i-1 == from && strings.HasPrefix(n, "--") && !seen[n] {
				seen[n] = true
				end := w.varEnd(i-1, i+1)
				w.add(n[2:], KindVar, i-1, i-1, end, true)
			}
		case '{':
			end := i + 1
			if m := int(w.match[i]); m > i {
				end = m + 1
			}
			for k := from; k+1 < i; k++ {
				c := w.kind(k)
				if c != '.' && c != '#' || !w.adjacent(k+1) || w.kind(k+1) != tokWord && w.kind(k+1) != tokName {
					continue
				}
				if n := w.text(k + 1); !seen[n] {
					seen[n] = true
					w.name(k + 1)
					w.add(n, KindField, from, i, end, true)
				}
			}
			from = i + 1
		}
	}
}
