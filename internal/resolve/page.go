package resolve

import (
	"strings"

	"cohop/internal/facts"
)

// templateEnds are what engines put behind the name of a template.
var templateEnds = []string{"", ".html", ".blade.php", ".html.erb", ".html.twig", ".jinja", ".jinja2", ".j2", ".hbs", ".tmpl", ".gohtml", ".ejs", ".liquid", ".leaf", ".html.heex", ".erb"}

// pageModule resolves what a page takes in: a path beside it or from the root,
// else a template named from a root that only the engine knows, dots for
// slashes in Blade, a leading underscore for partials in Rails.
func pageModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	if out, in := pathModule(w, f, im); len(out) > 0 {
		return out, in
	}
	p, ok := cleanLink(im.Module)
	if !ok {
		return nil, false
	}
	p = strings.TrimLeft(p, "./")
	if i := strings.LastIndex(p, "::"); i >= 0 { // mail::layout
		p = p[i+2:]
	}
	if p == "" {
		return nil, false
	}
	names := []string{p}
	if strings.HasSuffix(w.s.path[f], ".blade.php") || !strings.Contains(p, "/") && strings.Count(p, ".") > 1 {
		names = append(names, strings.ReplaceAll(p, ".", "/"))
	}
	d, base := splitPath(p)
	names = append(names, at(d, "_"+base))
	for _, n := range names {
		for _, e := range templateEnds {
			if e == "" && !strings.Contains(n, ".") {
				continue // a bare name needs its ending
			}
			if out := w.tail(f, n+e); len(out) > 0 {
				return out, true
			}
		}
	}
	return nil, false
}
