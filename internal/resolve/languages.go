package resolve

import (
	"slices"
	"strings"

	"cohop/internal/facts"
)

// languages says how each language resolves; those not listed are plain.
// Filled by init because the functions refer back to it.
var languages map[string]*language

// plain resolves imports as paths and references by name alone.
var plain = language{module: pathModule, open: true, inherits: true}

func init() {
	js := &language{module: jsModule, enter: jsEnter, strict: true}
	c := &language{module: cModule, enter: cEnter, open: true, inherits: true}
	java := &language{imports: jvmImport(&jvmStyle), enter: namedEnter(&jvmStyle), nearest: true, strict: true, inherits: true, sees: kotlinSees, choose: kotlinChoose}
	languages = map[string]*language{
		"python": {module: pyModule, sub: pySub, imports: pyImport, strict: true},
		"go":     {imports: goImport, enter: goEnter, own: goOwn, strict: true},
		"rust":   {imports: rustImport, module: rustModule, export: rustExport, strict: true},
		"ruby":   {module: rubyModule, special: rubyConstant, open: true, inherits: true},
		"swift":  {imports: swiftImport, enter: swiftEnter, own: swiftRef, inherits: true, nearest: true},
		"elixir": {imports: elixirImport, special: elixirModule, qualifier: elixirQualifier, open: true},
		"csharp": {imports: csImport, enter: namedEnter(&csStyle), nearest: true, strict: true, inherits: true, sees: csSees, choose: csChoose, special: csQualified},
		"php":    {imports: phpImport, enter: namedEnter(&phpStyle), nearest: true, qualifier: phpQualifier, strict: true, inherits: true},
		"scala":  {imports: jvmImport(&scalaStyle), enter: namedEnter(&scalaStyle), nearest: true, strict: true, inherits: true},

		"java": java, "kotlin": java, "groovy": java,
		"javascript": js, "typescript": js, "tsx": js, "jsx": js, "vue": js, "svelte": js,
		"c": c, "cpp": c, "objc": c, "cuda": c,

		"lua":      {module: tried(true, ".lua", "/init.lua"), open: true},
		"bash":     {module: shellModule, open: true},
		"haskell":  {module: haskellModule, open: true},
		"zig":      {module: zigModule},
		"protobuf": {module: protoModule, open: true},
		"solidity": {module: tried(false, ""), open: true},
		"dart":     {module: dartModule, open: true, inherits: true},
		"perl":     {module: tried(true, ".pm", ".pl", ""), open: true},
		"r":        {module: tried(false, "", ".R", ".r"), open: true},
		"julia":    {module: tried(false, "", ".jl"), open: true},
		"ocaml":    {module: ocamlModule, open: true},
		"erlang":   {module: tried(false, "", ".erl", ".hrl"), open: true},
		"clojure":  {module: tried(true, ".clj", ".cljs", ".cljc"), open: true},
		"hcl":      {module: hclModule},
		"css":      {module: styleModule}, "scss": {module: styleModule},
		"html":     {module: pageModule},
		"markdown": {module: markdownModule}, "rst": {module: markdownModule}, "asciidoc": {module: markdownModule},
	}
	languages["cython"], languages["notebook"] = languages["python"], languages["python"]
	languages["astro"] = js
	languages["sass"], languages["less"] = languages["scss"], languages["scss"]
}

// pyImport also binds the head of a dotted module: import a.b lets a.x mean
// what package a holds.
func pyImport(w *worker, sc *scope, im *facts.Import) (resolved, internal bool) {
	resolved, internal = w.modular(sc, im)
	if len(im.Names) == 0 && im.Alias == "" && im.Relative == 0 {
		for i := range len(im.Module) {
			if im.Module[i] == '.' {
				head := *im
				head.Module = im.Module[:i]
				files, _ := pyModule(w, sc.f, &head)
				sc.set(head.Module, binding{files: files, module: true})
				break
			}
		}
	}
	return resolved, internal
}

// dartModule resolves package:name/x.dart below lib, and relative paths.
func dartModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	p, ok := strings.CutPrefix(im.Module, "package:")
	if !ok {
		if strings.HasPrefix(im.Module, "dart:") {
			return nil, false
		}
		return pathModule(w, f, im)
	}
	name, rest, _ := strings.Cut(p, "/")
	for _, g := range w.s.near(f, w.s.suffix("lib/"+rest)) {
		d := strings.TrimSuffix(w.s.path[g], "lib/"+rest)
		if _, b := splitPath(strings.TrimSuffix(d, "/")); b == name || b == "" {
			return []int32{g}, true
		}
	}
	return nil, false
}

// protoModule finds an import from a root that only the compiler's flags know,
// which may be the folder that the repository is checked out in.
func protoModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	if out, in := protoTried(w, f, im); len(out) > 0 || in {
		return out, in
	}
	if _, rest, ok := strings.Cut(im.Module, "/"); ok && strings.Contains(rest, "/") {
		if out := w.s.find(rest); out != nil {
			return out, true
		}
	}
	return nil, false
}

var protoTried = tried(false, "")

// rubyConstant finds the file of a constant, A::B first by the path that
// autoload gives it, then by its definition.
func rubyConstant(w *worker, sc *scope, r *facts.Ref) []int32 {
	if r.Name[0] < 'A' || r.Name[0] > 'Z' || w.declares(sc.f, r.Name) {
		return nil
	}
	if q := r.Qualifier; q != "" && q[0] >= 'A' && q[0] <= 'Z' {
		if out := rubyByPath(w, sc, q+"::"+r.Name); len(out) > 0 {
			return out
		}
	}
	return rubyByPath(w, sc, r.Name)
}

// rubyByPath finds the files whose path is that of the constant and that
// define it, the nearest first.
func rubyByPath(w *worker, sc *scope, full string) []int32 {
	key := "rc:" + full
	all, ok := w.memo[key]
	if !ok {
		defs := definersOf(w.s, lastPart(full), w.s.fam[sc.f])
		for _, f := range w.s.suffix(underscore(full) + ".rb") {
			if slices.Contains(defs, f) {
				all = append(all, f)
			}
		}
		if len(all) > 1 {
			if src := w.sources(all); len(src) > 0 {
				all = src
			}
		}
		w.memo[key] = all
	}
	out := w.s.near(sc.f, all)
	if len(out) > maxGuess {
		return nil
	}
	return out
}
