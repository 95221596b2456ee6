package similarity

import (
	"math"
	"path"
	"strings"

	"cohop/internal/index"
	"cohop/internal/text"
)

const (
	looseCase   = 0.6 // an identifier that matches only without its case and separators
	wrongOwner  = 0.5 // its qualifier names another owner than the symbol's
	phrase      = 0.7 // adjacent plain words that make an identifier when joined
	titleBonus  = 1.5 // an identifier of the first line
	fenceShare  = 0.4 // one that only examples and traces hold
	besideNamed = 0.7 // in the folder of the file that is named by it
	maxDefs     = 400 // definers beyond which a name says nothing
)

// Definition is the definition column: for each file the weight of the task's
// identifiers that it defines, each divided by √(number of files that do).
// The map holds files that define any.
func Definition(v *index.View, t *text.Task, p Params, role func(f int32) float64) map[int32]float64 {
	out := map[int32]float64{}
	bare := len(t.Idents) == 1 && len(t.Words) == 1
	best := map[int32]float64{}
	for i := range t.Idents {
		d := &t.Idents[i]
		w := 1.0
		if !d.Code && !bare {
			w = p.PlainWord
			if d.Name != strings.ToLower(d.Name) {
				w = math.Sqrt(p.PlainWord) // capitalised: half way to a name
			}
		}
		if d.Title {
			w *= titleBonus
		}
		if d.Fenced {
			w *= fenceShare
		}
		define(v, d.Key, d.Name, d.Qualifier, w, best, role, out)
	}
	for _, ph := range t.Phrases {
		define(v, ph, "", "", phrase, best, role, out)
	}
	return out
}

// define adds the definers of one key; best is scratch.
func define(v *index.View, key, name, qual string, w float64, best map[int32]float64, role func(f int32) float64, out map[int32]float64) {
	ids := v.Definers(key)
	if len(ids) == 0 || len(ids) > maxDefs {
		return
	}
	clear(best)
	for _, id := range ids {
		s := v.Symbol(id)
		g := s.Kind.Weight()
		if name != "" && s.Name != name {
			g *= looseCase
		}
		if qual != "" && !owns(v, &s, qual) {
			g *= wrongOwner
		}
		if r := role(s.File); r < 1 {
			g *= r
		}
		best[s.File] = math.Max(best[s.File], g)
	}
	// A test or a vendored copy that defines the name too does not make it
	// less the source's: definers are counted by their role's share.
	count := 0.0
	for _, f := range sortedKeys(best) {
		count += math.Min(1, role(f))
	}
	share := w / math.Sqrt(math.Max(1, count))
	yieldParts(v, name, key, best)
	for f, g := range best {
		out[f] += share * g
	}
}

// yieldParts lowers what else defines a name in the folder of the file that is
// named by it: the parts of a partial class and its extensions beside the file
// of the class itself.
func yieldParts(v *index.View, name, key string, best map[int32]float64) {
	if len(best) < 2 {
		return
	}
	named := map[string]bool{} // folders that have such a file
	for f := range best {
		if dir, ok := namedBy(v.Path(f), name, key); ok {
			named[dir] = true
		}
	}
	if len(named) == 0 {
		return
	}
	for f := range best {
		if dir, ok := namedBy(v.Path(f), name, key); !ok && named[dir] {
			best[f] *= besideNamed
		}
	}
}

// namedBy tells whether a file's whole stem is a name, and gives its folder.
func namedBy(p, name, key string) (dir string, ok bool) {
	dir, base := path.Split(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return dir, strings.EqualFold(stem, name) || text.Key(stem) == key
}

// owns tells whether the last part of a qualifier names the symbol's parent,
// its file or its folder.
func owns(v *index.View, s *index.Symbol, qual string) bool {
	last := qual[strings.LastIndexByte(qual, '.')+1:]
	if s.Parent >= 0 && strings.EqualFold(v.Symbol(s.Parent).Name, last) {
		return true
	}
	p := v.Path(s.File)
	base := path.Base(p)
	stem, _, _ := strings.Cut(base, ".")
	return strings.EqualFold(stem, last) || strings.EqualFold(path.Base(path.Dir(p)), last)
}
