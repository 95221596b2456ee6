package precise

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// taker takes the edges of one package.
type taker struct {
	c     *checker
	u     *unit
	info  *types.Info
	place map[*token.File]string // file → path in the tree, "" if it is none of it
}

// edges takes the edges of the files of a checked unit.
func (c *checker) edges(u *unit, files []*ast.File, info *types.Info) {
	t := &taker{c: c, u: u, info: info, place: map[*token.File]string{}}
	for _, f := range files {
		if p := t.at(f.FileStart); p != "" && below(p, c.in.Folder) {
			t.file(p, f)
		}
	}
}

func below(p, dir string) bool { return dir == "" || strings.HasPrefix(p, dir+"/") }

// at is the file of a position, whatever //line says.
func (t *taker) at(pos token.Pos) string {
	tf := t.c.fset.File(pos)
	if tf == nil {
		return ""
	}
	p, ok := t.place[tf]
	if !ok {
		if q, in := t.c.rel(tf.Name()); in {
			p = q
		}
		t.place[tf] = p
	}
	return p
}

// file takes the edges of one file.
func (t *taker) file(from string, f *ast.File) {
	called := map[*ast.Ident]bool{}
	foreign := map[*ast.Ident]bool{} // names of packages that are not to be had
	imported := map[*types.Package]*importUse{}
	var blank []*importUse
	for _, s := range f.Imports {
		at, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			continue
		}
		d := t.c.target(t.u, at)
		if d == nil || d.types == nil {
			continue
		}
		use := &importUse{unit: d, files: map[string]bool{}}
		imported[d.types] = use
		blank = append(blank, use)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if id := callee(n.Fun); id != nil {
				called[id] = true
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				if p, ok := t.info.Uses[x].(*types.PkgName); ok && !p.Imported().Complete() {
					foreign[n.Sel] = true
				}
			}
		}
		return true
	})
	count := File{Path: from}
	sum := map[Edge]float32{} // weights by edge without one
	add := func(to string, k Kind, w float32) {
		if to != "" && to != from {
			sum[Edge{From: from, To: to, Kind: k}] += w
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		id, ok := n.(*ast.Ident)
		if !ok || id == f.Name || id.Name == "_" {
			return true
		}
		o := t.info.Uses[id]
		if o == nil {
			if _, def := t.info.Defs[id]; !def {
				if !foreign[id] {
					count.Unknown++
				}
			}
			return true
		}
		if _, ok := o.(*types.PkgName); ok || !o.Pos().IsValid() || o.Pkg() == nil {
			return true
		}
		count.Known++
		to := t.at(o.Pos())
		if to == "" || to == from {
			return true
		}
		kind := Use
		if _, fn := o.(*types.Func); fn && called[id] {
			kind = Call
		}
		targets := append([]string{to}, t.c.twins(to, o)...)
		share := 1 / float32(len(targets))
		for _, g := range targets {
			add(g, kind, share)
			if use := imported[o.Pkg()]; use != nil {
				use.files[g] = true
			}
		}
		return true
	})
	for _, use := range blank {
		if len(use.files) > 0 {
			for g := range use.files {
				add(g, Import, 1)
			}
			continue
		}
		// Imported for what it does when it starts, or not used at all.
		var list []string
		for _, name := range use.unit.files {
			if p, in := t.c.rel(name); in && !strings.HasSuffix(p, "_test.go") {
				list = append(list, p)
			}
		}
		for _, g := range list {
			add(g, Import, 1/float32(len(list)))
		}
	}
	for e, w := range sum {
		if e.Weight = min(1, w); e.Weight >= leastWeight {
			t.u.edges = append(t.u.edges, e)
		}
	}
	t.u.typed = append(t.u.typed, count)
}

// leastWeight drops what is shared among too many files to say anything, as
// package resolve does.
const leastWeight = 0.02

// importUse is an import and the files that its use leads to.
type importUse struct {
	unit  *unit
	files map[string]bool
}

// callee is the name that is called: f, x.f, f[T].
func callee(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			return x.Sel
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// twins are the files beside a definition's that build constraints exclude and
// that define the same.
func (c *checker) twins(to string, o types.Object) []string {
	dir := path.Dir(to)
	c.twin.Lock()
	byName, ok := c.twinsOf[dir]
	if !ok {
		byName = c.excluded(dir)
		c.twinsOf[dir] = byName
	}
	c.twin.Unlock()
	if len(byName) == 0 {
		return nil
	}
	name := o.Name()
	if f, ok := o.(*types.Func); ok {
		if r := f.Signature().Recv(); r != nil {
			name = typeName(r.Type()) + "." + name
		} else if o.Parent() != o.Pkg().Scope() {
			return nil
		}
	} else if o.Parent() != o.Pkg().Scope() {
		return nil
	}
	list := byName[name]
	if slices.Contains(list, to) {
		return nil
	}
	return list
}

func typeName(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// excluded lists what the excluded files of a folder define: name, or type and
// method, to files in order.
func (c *checker) excluded(dir string) map[string][]string {
	out := map[string][]string{}
	for _, name := range c.ignored[dir] {
		p, in := c.rel(name)
		if !in || strings.HasSuffix(p, "_test.go") {
			continue
		}
		f := c.read(name)
		if f == nil {
			continue
		}
		put := func(n string) {
			if n != "_" && n != "init" && !slices.Contains(out[n], p) {
				out[n] = append(out[n], p)
			}
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil || len(d.Recv.List) == 0 {
					put(d.Name.Name)
				} else if id := receiver(d.Recv.List[0].Type); id != "" {
					put(id + "." + d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						put(s.Name.Name)
					case *ast.ValueSpec:
						for _, n := range s.Names {
							put(n.Name)
						}
					}
				}
			}
		}
	}
	return out
}

func receiver(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x.Name
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		default:
			return ""
		}
	}
}

// excludedFiles notes the excluded Go files of a unit of the tree by folder.
func (c *checker) excludedFiles(u *unit) {
	for _, name := range u.ignored {
		if strings.HasSuffix(name, ".go") {
			if p, in := c.rel(name); in {
				d := path.Dir(p)
				if !slices.Contains(c.ignored[d], name) {
					c.ignored[d] = append(c.ignored[d], filepath.Clean(name))
				}
			}
		}
	}
}
