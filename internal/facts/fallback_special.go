package facts

import "strings"

// Declarations of languages that start with no key word.

// specialErlang reads -module, -record, -include and functions: a name in
// column 0 with parentheses, to the full stop.
func specialErlang(w *fbWalker, i int) int {
	if !w.first(i) || w.toks[i].col != 0 {
		return i
	}
	stop := func(k int) int {
		for ; k < len(w.toks); k++ {
			if w.kind(k) == '.' && (k+1 >= len(w.toks) || w.first(k+1)) {
				return k + 1
			}
			if !w.spend() {
				return k
			}
		}
		return k
	}
	if w.kind(i) == '-' && w.kind(i+1) == tokWord && w.kind(i+2) == '(' {
		end := stop(i)
		attr := w.text(i + 1)
		w.name(i + 1)
		switch attr {
		case "module":
			w.pkg = w.text(i + 3)
			w.name(i + 3)
			w.add(w.pkg, KindModule, i, i+3, end, true)
		case "record":
			w.name(i + 3)
			w.add(w.text(i+3), KindStruct, i, i+3, end, true)
		case "define":
			w.name(i + 3)
			w.add(w.text(i+3), KindMacro, i, i+3, end, true)
		case "include", "include_lib":
			if w.kind(i+3) == tokString {
				w.imports = append(w.imports, Import{Module: unquote(w.text(i + 3)), Line: w.line(i), Relative: 1})
			}
		case "import":
			w.imports = append(w.imports, Import{Module: w.text(i + 3), Line: w.line(i)})
		case "behaviour", "behavior":
			w.bases = append(w.bases, pendingRef{int32(i + 3), -1, RefBase})
		}
		return end
	}
	if w.kind(i) == tokWord && w.kind(i+1) == '(' && w.class() != inCode { // else another clause
		end := stop(i)
		w.name(i)
		sym := w.add(w.text(i), KindFunction, i, i+1, end, true)
		w.push(end, sym, inCode)
		return i + 1
	}
	return i
}

// specialLisp reads (defn name …), (ns name …), (define (name …)).
func specialLisp(w *fbWalker, i int) int {
	if w.kind(i) != '(' || w.match[i] < 0 || w.kind(i+1) != tokWord {
		return i
	}
	kind := KindOther
	switch w.text(i + 1) {
	case "ns", "in-ns", "defpackage", "define-module":
		kind = KindModule
	case "defn", "defn-", "defun", "cl-defun", "defmulti", "defmethod", "cl-defmethod", "defgeneric", "define", "deftest", "defsubst", "cl-defgeneric":
		kind = KindFunction
	case "defmacro", "cl-defmacro", "define-syntax":
		kind = KindMacro
	case "defprotocol", "definterface":
		kind = KindInterface
	case "defrecord", "deftype", "defstruct", "cl-defstruct", "defclass":
		kind = KindStruct
	case "def", "defonce", "defvar", "defparameter", "defconst", "defcustom":
		kind = KindVar
	default:
		return i
	}
	n := i + 2
	for w.kind(n) == '^' || w.kind(n) == '{' && w.match[n] > 0 {
		if w.kind(n) == '{' {
			n = int(w.match[n]) + 1
			continue
		}
		n++
		if w.kind(n) == tokWord && w.kind(n+1) == tokWord {
			n++
		}
	}
	if w.kind(n) == '(' {
		n++
	}
	if w.kind(n) != tokWord {
		return i
	}
	end := int(w.match[i]) + 1
	name := w.text(n)
	w.name(n)
	if kind == KindModule {
		w.pkg = name
		w.add(name, kind, i, n, end, true)
		for k := n + 1; k < end; k++ { // (:require [a.b :as c])
			if w.kind(k) == tokWord && (w.kind(k-1) == '[' || w.kind(k-1) == '(') && w.src[w.toks[k].start] != ':' {
				im := Import{Module: w.text(k), Line: w.line(k)}
				if w.kind(k+1) == ':' && w.is(k+2, "as") {
					im.Alias = w.text(k + 3)
				}
				w.imports = append(w.imports, im)
			}
		}
		w.quiet(i, end, len(w.bases))
		return end
	}
	exported := !w.is(i+1, "defn-")
	w.name(i + 1)
	sym := w.add(name, kind, i, n, end, exported)
	w.push(end, sym, inCode)
	return n + 1
}

// specialML reads let, val, member, module and type of OCaml and F#.
func specialML(w *fbWalker, i int) int {
	if w.is(i, "mutable") && w.ocamlMember(i+1) {
		i++
	}
	if w.ocamlMember(i) {
		w.add(w.text(i), KindField, i, i, i+1, true)
		w.name(i)
		return i + 1
	}
	if !w.first(i) || w.kind(i) != tokWord || w.class() == inCode {
		return i
	}
	k := i + 1
	kind := KindFunction
	switch w.text(i) {
	case "let", "and", "val", "external":
	case "member", "override", "abstract", "default", "static", "method":
		kind = KindMethod
	case "module":
		kind = KindModule
	case "type", "exception":
		kind = KindType
		if w.id == "fsharp" {
			kind = KindStruct // it has members
		}
	case "class":
		kind = KindClass
	default:
		return i
	}
	for w.in(k, w.lang.mods) || w.is(k, "rec") || w.is(k, "inline") || w.is(k, "private") || w.is(k, "mutable") || w.is(k, "nonrec") || w.is(k, "member") || w.is(k, "type") {
		if w.is(k, "type") {
			kind = KindInterface
		}
		k++
	}
	// type 'a t, type ('a, 'b) t
	if w.kind(k) == '(' && w.match[k] > 0 && kind == KindType && w.id == "ocaml" {
		k = int(w.match[k]) + 1
	}
	if kind == KindType && w.kind(k) == tokWord && w.kind(k+1) == tokWord && !w.first(k+1) && !w.is(k+1, "of") && w.id == "ocaml" {
		k++
	}
	if w.kind(k) == tokWord && w.kind(k+1) == '.' && w.kind(k+2) == tokWord && kind == KindMethod {
		k += 2
	}
	if w.kind(k) != tokWord {
		return i
	}
	name := w.text(k)
	if kind == KindModule && w.id == "fsharp" {
		full, next := w.dotted(k)
		name = full
		k = next - 1
		if w.toks[i].col == 0 && w.pkg == "" {
			w.pkg = full
		}
	}
	if kind == KindFunction && (w.kind(k+1) == '=' || w.kind(k+1) == ':') && !w.is(k+2, "fun") && !w.is(k+2, "function") && w.is(i, "let") {
		kind = KindVar
	}
	w.name(k)
	end := w.indentEnd(i, k+1)
	sig := k
	for sig+1 < end && w.kind(sig) != '=' && !w.first(sig+1) {
		sig++
	}
	class := inCode
	if kind == KindModule || kind == KindClass || kind == KindType || kind == KindInterface || kind == KindStruct {
		class = inType
		if kind == KindModule && w.kind(sig) != '=' {
			class = inFile
		}
	}
	sym := w.add(name, kind, i, sig, end, true)
	w.push(end, sym, class)
	return k + 1
}

// ocamlMember says whether token i names a constructor or a field of the type
// around it.
func (w *fbWalker) ocamlMember(i int) bool {
	if w.id != "ocaml" || i == 0 || w.kind(i) != tokWord || w.class() != inType {
		return false
	}
	if p := w.parent(); p < 0 || w.syms[p].Kind != KindType {
		return false
	}
	if upper(w.text(i)[0]) {
		return (w.kind(i-1) == '|' || w.kind(i-1) == '=') && w.kind(i+1) != '.'
	}
	return w.kind(i+1) == ':' && (w.kind(i-1) == '{' || w.kind(i-1) == ';' || w.is(i-1, "mutable"))
}

// specialSQL reads CREATE … name.
func specialSQL(w *fbWalker, i int) int {
	if !strings.EqualFold(w.text(i), "create") {
		return i
	}
	kind := KindOther
	k := i + 1
	for ; k < i+8 && k < len(w.toks); k++ {
		switch strings.ToLower(w.text(k)) {
		case "or", "replace", "temp", "temporary", "unique", "materialized", "if", "not", "exists", "global", "local", "unlogged", "external", "recursive", "definer", "aggregate", "constraint", "concurrently":
			continue
		case "table", "view", "type":
			kind = KindStruct
			continue
		case "function", "procedure", "trigger":
			kind = KindFunction
			continue
		case "index", "schema", "sequence", "database", "extension", "role", "policy", "domain":
			kind = KindVar
			continue
		}
		break
	}
	name, next := w.dotted(k)
	if kind == KindOther || name == "" {
		if w.kind(k) != tokString || kind == KindOther {
			return i
		}
		name, next = unquote(w.text(k)), k+1
	}
	name = name[strings.LastIndexByte(name, '.')+1:]
	end := next
	for end < len(w.toks) && w.kind(end) != ';' {
		if w.kind(end) == '(' && w.match[end] > 0 {
			end = int(w.match[end])
		}
		end++
		if !w.spend() {
			break
		}
	}
	for t := k; t < next; t++ {
		w.name(t)
	}
	end = min(end+1, len(w.toks))
	w.add(name, kind, i, next-1, end, true)
	return end
}

// specialHCL reads blocks: resource "type" "name" { … }, variable "x" { … }.
func specialHCL(w *fbWalker, i int) int {
	if w.kind(i) != tokWord || w.class() != inFile {
		return i
	}
	if w.kind(i+1) == '=' {
		end := w.exprEnd(i, i+2)
		w.name(i)
		w.add(w.text(i), KindKey, i, i+1, end, true)
		return end
	}
	k := i + 1
	for (w.kind(k) == tokString || w.kind(k) == tokWord) && !w.first(k) {
		k++
	}
	if w.kind(k) != '{' || w.match[k] < 0 {
		return i
	}
	end := int(w.match[k]) + 1
	name := w.text(i)
	if k > i+1 {
		name = unquote(w.text(k - 1))
		if w.is(i, "module") {
			for s := k + 1; s < end-1; s++ {
				if w.is(s, "source") && w.kind(s+1) == '=' && w.kind(s+2) == tokString {
					w.imports = append(w.imports, Import{Module: unquote(w.text(s + 2)), Line: w.line(s), Relative: 1})
					break
				}
			}
		}
	}
	sym := w.add(name, KindStruct, i, k, end, true)
	w.push(end, sym, inCode)
	return k + 1
}

// specialMake reads targets and variables.
func specialMake(w *fbWalker, i int) int {
	if w.kind(i) != tokWord || !w.first(i) || w.toks[i].col != 0 {
		return i
	}
	if w.is(i, "include") || w.is(i, "sinclude") {
		if w.kind(i+1) == tokWord && !w.first(i+1) {
			w.imports = append(w.imports, Import{Module: w.text(i + 1), Line: w.line(i), Relative: 1})
		}
		return i
	}
	name, k := w.text(i), i+1
	end := w.indentEnd(i, i+1)
	switch {
	case w.kind(k) == ':' && !w.first(k):
		if w.src[w.toks[i].start] == '.' {
			return i
		}
		w.name(i)
		sym := w.add(name, KindFunction, i, k, end, true)
		w.push(end, sym, inCode)
		return k + 1
	case w.kind(k) == '=' || w.kind(k) == tokOp && !w.first(k) || w.kind(k) == '?' && w.kind(k+1) == '=':
		w.name(i)
		w.add(name, KindVar, i, k, end, true)
		return k + 1
	}
	return i
}

// specialGraphQL reads the fields of types, with their arguments, and the
// values of enumerations.
func specialGraphQL(w *fbWalker, i int) int {
	if w.kind(i) != tokWord {
		return i
	}
	switch w.class() {
	case inEnum:
		k := i
		for ; k < len(w.toks) && w.kind(k) != '}'; k++ {
			switch {
			case w.kind(k) == '@': // @deprecated(reason: "…")
				if k += 1; w.kind(k+1) == '(' && w.match[k+1] > 0 {
					k = int(w.match[k+1])
				}
			case w.kind(k) == tokWord:
				w.name(k)
				w.add(w.text(k), KindField, k, k, k+1, true)
			}
		}
		return k
	case inType:
		k := i + 1
		if w.kind(k) == '(' && w.match[k] > 0 {
			k = int(w.match[k]) + 1
		}
		if w.kind(k) != ':' {
			return i
		}
		end := k + 1
		for end < len(w.toks) && !w.first(end) && w.kind(end) != '}' {
			end++
		}
		w.name(i)
		w.add(w.text(i), KindField, i, end-1, end, true)
		return k + 1
	}
	return i
}
