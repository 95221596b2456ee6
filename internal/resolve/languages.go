package resolve

import "cohop/internal/facts"

// languages says how each language resolves; those not listed are plain.
// Filled by init because the functions refer back to it.
var languages map[string]*language

// plain resolves imports as paths and references by name alone.
var plain = language{module: pathModule, open: true, inherits: true}

func init() {
	js := &language{module: jsModule, enter: jsEnter, strict: true}
	languages = map[string]*language{
		"python": {module: pyModule, sub: pySub, imports: pyImport, strict: true},
		"go":     {imports: goImport, enter: goEnter, strict: true},

		"javascript": js, "typescript": js, "tsx": js, "jsx": js, "vue": js, "svelte": js,
	}
	languages["cython"] = languages["python"]
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
