package resolve

import (
	"strings"

	"cohop/internal/facts"
)

// pathModule resolves an import that names a path: beside the file, from the
// root, or by the only path of the tree that ends with it.
func pathModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	p := strings.TrimSpace(im.Module)
	if p == "" || len(p) > 512 {
		return nil, false
	}
	if i := strings.IndexAny(p, "#?"); i >= 0 {
		p = p[:i]
	}
	rel := strings.HasPrefix(p, ".") || strings.HasPrefix(p, "/")
	if q, ok := joinPath(w.s.dir[f], p); ok && !strings.HasPrefix(p, "/") {
		if out := w.s.find(q); out != nil {
			return out, true
		}
	}
	if out := w.s.find(strings.TrimPrefix(p, "/")); out != nil {
		return out, true
	}
	return nil, rel
}
