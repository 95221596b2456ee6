package facts

import "strings"

// Elixir and Haskell.

func elixirLang() *fbLang {
	return &fbLang{
		lex: lexSpec{
			line: []string{"#"}, sigil: true, tail: "?!",
			quotes: []quote{{open: `"""`, close: `"""`, escape: '\\', multi: true, interp: "#{"}, {open: `'''`, close: `'''`, escape: '\\', multi: true}, {open: `"`, close: `"`, escape: '\\', multi: true, interp: "#{"}, {open: `'`, close: `'`, escape: '\\', multi: true}},
		},
		words:    decls("def:func defp:func defmacro:macro defmacrop:macro defguard:macro defguardp:macro defdelegate:func defn:func test:test describe:test"),
		skip:     set("if else unless case cond do end fn when and or not in for with try rescue catch after raise reraise throw receive quote unquote unquote_splicing import alias require use nil true false def defp defmodule defmacro defstruct is_nil is_binary is_atom is_list is_map is_integer is_function to_string inspect length elem self assert refute"),
		private:  set("defp defmacrop defguardp"),
		indent:   true,
		closers:  "end do else rescue catch after when |>",
		importer: importElixir,
		special:  specialElixir,
		after:    afterElixir,
	}
}

// specialElixir reads modules, protocols, implementations, structs, types
// and callbacks.
func specialElixir(w *fbWalker, i int) int {
	if w.kind(i) == '@' {
		switch {
		case w.is(i+1, "type"), w.is(i+1, "typep"), w.is(i+1, "opaque"), w.is(i+1, "callback"), w.is(i+1, "macrocallback"):
			if w.kind(i+2) == tokWord && w.class() != inCode {
				kind := KindType
				if strings.HasSuffix(w.text(i+1), "callback") {
					kind = KindMethod
				}
				w.name(i + 2)
				end := w.indentEnd(i, i+3)
				w.add(w.text(i+2), kind, i, end-1, end, !w.is(i+1, "typep"))
				return i + 3
			}
		case w.kind(i+1) == tokWord && w.class() == inType && w.kind(i+2) != '.' && !w.first(i+2) && w.kind(i+2) != ')' && w.kind(i+2) != ',' && w.kind(i+2) != tokEOF:
			end := w.indentEnd(i, i+2)
			w.name(i + 1)
			sym := w.add(w.text(i+1), KindConst, i, i+1, end, false)
			w.push(end, sym, inCode)
			return i + 2
		}
		return i
	}
	kind := KindModule
	form := w.text(i)
	switch form {
	case "defmodule":
	case "defprotocol":
		kind = KindInterface
	case "defimpl":
		kind = KindOther
	case "defstruct", "defexception", "embedded_schema", "schema":
		if w.class() != inType {
			return i
		}
		p := w.parent()
		if p < 0 {
			return i
		}
		end := w.indentEnd(i, i+1)
		name := w.syms[p].Name
		if at := strings.LastIndexByte(name, '.'); at >= 0 {
			name = name[at+1:]
		}
		w.add(name, KindStruct, i, i, end, true)
		return i + 1
	default:
		return i
	}
	name, k := w.dotted(i + 1)
	if name == "" {
		return i
	}
	full := name
	if p := w.parent(); p >= 0 && kind == KindModule && !strings.HasPrefix(name, "__MODULE__") {
		full = w.syms[p].Name + "." + name
	}
	if w.pkg == "" && kind != KindOther {
		w.pkg = name
	}
	if kind == KindOther {
		w.bases = append(w.bases, pendingRef{int32(k - 1), -1, RefBase})
	} else {
		for t := i + 1; t < k; t++ {
			w.name(t)
		}
	}
	end := w.indentEnd(i, k)
	sig := k
	for sig < end && !w.is(sig, "do") && !w.first(sig+1) {
		sig++
	}
	sym := w.add(full, kind, i, sig, end, true)
	w.push(end, sym, inType)
	return k
}

// afterElixir joins the clauses of a function: neighbours of one name in one
// module are one symbol.
func afterElixir(w *fbWalker) {
	mergeClauses(w, func(a, b *Symbol) bool {
		return a.Kind == b.Kind && (a.Kind == KindMethod || a.Kind == KindFunction || a.Kind == KindMacro)
	})
}

// mergeClauses joins neighbouring symbols of one name and parent.
func mergeClauses(w *fbWalker, same func(a, b *Symbol) bool) {
	last := map[int32]int{} // parent → its latest child
	keep := make([]int32, len(w.syms))
	n := 0
	for i := range w.syms {
		s := w.syms[i]
		if s.Parent >= 0 {
			s.Parent = keep[s.Parent]
		}
		if at, ok := last[s.Parent]; ok && w.syms[at].Name == s.Name && same(&w.syms[at], &s) {
			p := &w.syms[at]
			p.End = max(p.End, s.End)
			w.to[at] = max(w.to[at], w.to[i])
			keep[i] = int32(at)
			continue
		}
		keep[i] = int32(n)
		last[s.Parent] = n
		w.syms[n], w.from[n], w.to[n] = s, w.from[i], w.to[i]
		n++
	}
	w.syms, w.from, w.to = w.syms[:n], w.from[:n], w.to[:n]
	for i := range w.bases {
		if b := w.bases[i].sym; b >= 0 && int(b) < len(keep) {
			w.bases[i].sym = keep[b]
		}
	}
}

func haskellLang() *fbLang {
	return &fbLang{
		lex: lexSpec{
			line: []string{"--"}, block: [][2]string{{"{-", "-}"}}, nested: true, char: true, prime: true, dashes: true, directive: true,
			quotes: []quote{dqMulti},
		},
		words:   map[string]declKind{},
		skip:    set("if then else case of let in where do data type newtype class instance deriving import module qualified as hiding forall infixl infixr infix return pure otherwise not id const flip fst snd show map filter foldr foldl length null head tail String Int Integer Bool Char Double Maybe Just Nothing True False Either Left Right IO Monad Functor Applicative Show Eq Ord"),
		indent:  true,
		allUses: true, upper: false,
		importer: importHaskell,
		special:  specialHaskell,
		after:    afterHaskell,
	}
}

// specialHaskell reads declarations at column 0 and what types and classes
// hold.
func specialHaskell(w *fbWalker, i int) int {
	if w.kind(i) == tokDirect {
		return i + 1
	}
	if w.kind(i) != tokWord || !w.first(i) {
		return i
	}
	col := w.toks[i].col
	if col > 0 {
		if w.class() == inType { // class methods
			if w.kind(i+1) == tokColons || w.kind(i+1) == ',' && w.kind(i+3) == tokColons {
				return w.haskellSig(i, KindMethod)
			}
		}
		return i
	}
	end := 0
	switch w.text(i) {
	case "data", "newtype":
		k := i + 1
		for w.is(k, "family") || w.is(k, "instance") {
			k++
		}
		n := w.haskellHead(k)
		if n < 0 {
			return i
		}
		end = w.indentEnd(i, i+1)
		kind := KindStruct
		w.name(n)
		sym := w.add(w.text(n), kind, i, n, end, true)
		w.push(end, sym, inCode)
		w.constructors(n+1, end)
		return n + 1
	case "type", "class":
		k := i + 1
		class := w.is(i, "class")
		if w.is(k, "family") || w.is(k, "instance") || w.is(k, "role") {
			k++
		}
		n := w.haskellHead(k)
		if n < 0 {
			return i
		}
		end = w.indentEnd(i, i+1)
		kind := KindType
		if class {
			kind = KindInterface
		}
		w.name(n)
		sig := n
		for sig+1 < end && !w.is(sig, "where") && !w.first(sig+1) {
			sig++
		}
		sym := w.add(w.text(n), kind, i, sig, end, true)
		scope := inCode
		if class {
			scope = inType
		}
		w.push(end, sym, scope)
		return n + 1
	case "instance", "deriving":
		k := i + 1
		for w.is(k, "instance") || w.is(k, "stock") || w.is(k, "newtype") || w.is(k, "anyclass") {
			k++
		}
		n := w.haskellHead(k)
		if n < 0 {
			return i
		}
		end = w.indentEnd(i, i+1)
		// The type the instance is for names it; the class is a base.
		t := n + 1
		for t < end && w.kind(t) != tokWord && !w.is(t, "where") {
			t++
		}
		name := w.text(n)
		if t < end && w.kind(t) == tokWord && !w.is(t, "where") {
			name = w.text(t)
		}
		sym := w.add(name, KindOther, i, t, end, true)
		w.bases = append(w.bases, pendingRef{int32(n), sym, RefBase})
		w.push(end, sym, inCode)
		return n + 1
	case "import", "module", "infixl", "infixr", "infix", "foreign", "default", "pattern":
		return i
	}
	if w.kind(i+1) == tokColons || w.kind(i+1) == ',' && w.kind(i+2) == tokWord {
		return w.haskellSig(i, KindFunction)
	}
	// An equation. Operators defined infix are left alone.
	switch w.kind(i + 1) {
	case tokOp, '+', '*', '/', '<', '>', '$', '&', '^', '.', '!', '%', '?', '~', '-', '`', tokArrow:
		return i
	}
	end = w.indentEnd(i, i+1)
	eq := false
	for k := i + 1; k < min(end, i+200); k++ {
		if m := int(w.match[k]); m > k {
			k = m
			continue
		}
		if w.kind(k) == '=' || w.kind(k) == '|' {
			eq = true
			break
		}
		if w.kind(k) == '$' {
			break
		}
	}
	if c := w.src[w.toks[i].start]; !eq || c >= 'A' && c <= 'Z' {
		return i
	}
	w.name(i)
	sym := w.add(w.text(i), KindFunction, i, i, end, true)
	w.push(end, sym, inCode)
	return i + 1
}

// haskellSig reads "a, b :: T".
func (w *fbWalker) haskellSig(i int, kind Kind) int {
	end := w.indentEnd(i, i+1)
	for k := i; k < end && w.kind(k) != tokColons; k++ {
		if w.kind(k) == tokWord {
			w.name(k)
			w.add(w.text(k), kind, i, end-1, end, true)
		}
	}
	return i + 1
}

// haskellHead finds the name in "(Ctx a) => Name a b", -1 if none.
func (w *fbWalker) haskellHead(k int) int {
	n := -1
	for j := k; j < min(k+80, len(w.toks)); j++ {
		if w.first(j) && w.toks[j].col == 0 {
			break
		}
		switch w.kind(j) {
		case '(', '[', '{':
			if m := int(w.match[j]); m > 0 {
				if n < 0 && w.kind(m+1) != tokFat && w.kind(j+1) == tokWord {
					n = j + 1 // data (Name a)
				}
				j = m
			}
			continue
		case tokFat:
			n = -1
			continue
		case '=', '|', tokColons:
			return n
		case tokWord:
			if w.is(j, "where") || w.is(j, "deriving") {
				return n
			}
			if c := w.src[w.toks[j].start]; n < 0 && c >= 'A' && c <= 'Z' {
				n = j
			}
		}
	}
	return n
}

// constructors records those of a data declaration and their record fields.
func (w *fbWalker) constructors(k, end int) {
	gadt := -1 // tokens before which a where body lists constructors
	for ; k < end; k++ {
		switch {
		case w.is(k, "deriving"):
			return
		case w.is(k, "where"):
			gadt = k
		case (w.kind(k) == '=' || w.kind(k) == '|' && gadt < 0) && w.kind(k+1) == tokWord:
			n := k + 1
			if w.is(n, "forall") {
				for n < end && w.kind(n) != '.' {
					n++
				}
				n++
			}
			if n < end && w.kind(n) == tokWord {
				w.name(n)
				w.add(w.text(n), KindConst, n, n, n+1, true)
			}
			k = n
		case gadt > 0 && w.first(k) && w.kind(k) == tokWord && w.kind(k+1) == tokColons:
			w.name(k)
			w.add(w.text(k), KindConst, k, k, k+1, true)
		case w.kind(k) == '{' && w.match[k] > int32(k):
			for f := k + 1; f < int(w.match[k]); f++ {
				if w.kind(f) == tokWord && (w.kind(f+1) == tokColons || w.kind(f+1) == ',') && (w.kind(f-1) == '{' || w.kind(f-1) == ',') && w.fieldRun(f) {
					w.name(f)
					w.add(w.text(f), KindField, f, f, f+1, true)
				} else if m := int(w.match[f]); m > f {
					f = m
				}
			}
			k = int(w.match[k])
		case w.match[k] > int32(k):
			k = int(w.match[k])
		}
	}
}

// fieldRun reports whether names separated by commas lead to "::".
func (w *fbWalker) fieldRun(k int) bool {
	for n := 0; n < 32; n++ {
		switch w.kind(k + 1) {
		case tokColons:
			return true
		case ',':
			k += 2
			if kk := w.kind(k); kk != tokWord && kk != tokName {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// afterHaskell joins a signature with the equations below it.
func afterHaskell(w *fbWalker) {
	mergeClauses(w, func(a, b *Symbol) bool { return a.Kind == KindFunction && b.Kind == KindFunction })
}
