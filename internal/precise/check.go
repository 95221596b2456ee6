package precise

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"sync"
)

// maxSource is the largest Go file that is parsed: generated tables come near
// to it, sources of people do not.
const maxSource = 16 << 20

// checker types the packages of one tree.
type checker struct {
	in       Input
	fset     *token.FileSet
	sizes    types.Sizes
	units    map[string]*unit
	order    []*unit          // of units, as they were met
	full     []*unit          // whose edges are wanted
	inTree   map[string]*unit // import path → the package of the tree
	packages int
	failed   []string
	mu       sync.Mutex
	missing  map[string]bool
	ignored  map[string][]string // folder of the tree → excluded Go files, in order
	twin     sync.Mutex
	twinsOf  map[string]map[string][]string // folder → name → excluded files that define it
}

func newChecker(in Input) *checker {
	return &checker{
		in: in, fset: token.NewFileSet(), sizes: types.SizesFor("gc", runtime.GOARCH),
		units: map[string]*unit{}, inTree: map[string]*unit{}, missing: map[string]bool{},
		ignored: map[string][]string{}, twinsOf: map[string]map[string][]string{},
	}
}

// state is how far a unit is.
type state struct {
	parsed  []*ast.File // declarations alone, until it is checked
	needs   []*unit     // that it imports, those alone that it mentions
	users   []*unit     // the other way
	waiting int         // needs that are not checked
	types   *types.Package
	edges   []Edge
	typed   []File
	seen    bool
	mark    uint8 // of the search for cycles
}

// read parses a file, nil if it cannot be read. What is no plain file is not
// opened: a pipe would never end.
func (c *checker) read(name string) *ast.File {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	src, err := io.ReadAll(io.LimitReader(f, maxSource))
	f.Close()
	if err != nil {
		return nil
	}
	a, _ := parser.ParseFile(c.fset, name, src, parser.SkipObjectResolution)
	if a == nil || a.Name == nil {
		return nil
	}
	return a
}

// check types all that is wanted and what it needs.
func (c *checker) check(ctx context.Context) error {
	list, err := c.gather(ctx)
	if err != nil {
		return err
	}
	for _, u := range c.order {
		if u.tree {
			c.excludedFiles(u)
		}
	}
	list = c.sort(list)
	return c.run(ctx, list)
}

// gather finds the packages that are needed, parsing those that are not full.
func (c *checker) gather(ctx context.Context) (all []*unit, err error) {
	wave := slices.Clone(c.full)
	for _, u := range wave {
		u.seen = true
	}
	for len(wave) > 0 {
		if err := c.parallel(ctx, wave, func(u *unit) {
			if !u.full {
				c.declarations(u)
			}
		}); err != nil {
			return nil, err
		}
		all = append(all, wave...)
		var next []*unit
		for _, u := range wave {
			if u.full {
				paths := make([]string, 0, len(u.imports))
				for at := range u.imports {
					paths = append(paths, at)
				}
				slices.Sort(paths)
				for _, at := range paths {
					if d := c.target(u, at); d != nil && d != u {
						u.needs = append(u.needs, d)
					}
				}
			}
			for _, d := range u.needs {
				if !d.seen {
					d.seen = true
					next = append(next, d)
				}
			}
		}
		wave = next
	}
	return all, nil
}

// declarations parses a unit without the bodies of its functions, and drops
// the imports that only they mention.
func (c *checker) declarations(u *unit) {
	for _, name := range u.files {
		f := c.read(name)
		if f == nil {
			continue
		}
		used := map[string]bool{}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				d.Body = nil
			case *ast.GenDecl:
				if d.Tok == token.IMPORT {
					continue
				}
			}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncLit:
					n.Body = &ast.BlockStmt{}
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok {
						used[x.Name] = true
					}
				}
				return true
			})
		}
		f.Imports, f.Comments, f.Unresolved = nil, nil, nil
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.IMPORT {
				continue
			}
			g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool {
				i, ok := s.(*ast.ImportSpec)
				if !ok {
					return true
				}
				at, err := strconv.Unquote(i.Path.Value)
				if err != nil {
					return true
				}
				d := c.target(u, at)
				local := path.Base(at)
				if d != nil && d.name != "" {
					local = d.name
				}
				if i.Name != nil {
					local = i.Name.Name
				}
				if local != "." && !used[local] {
					return true
				}
				if d != nil && d != u && !slices.Contains(u.needs, d) {
					u.needs = append(u.needs, d)
				}
				return false
			})
		}
		f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
			g, ok := d.(*ast.GenDecl)
			return ok && len(g.Specs) == 0 // without its one import it has no end, which go/types asks for
		})
		u.parsed = append(u.parsed, f)
	}
}

// sort puts what is imported before its importers. A need that closes a cycle,
// which modules of one tree can make together, is let go of.
func (c *checker) sort(all []*unit) (out []*unit) {
	type frame struct {
		u *unit
		i int
	}
	for _, root := range all {
		if root.mark != 0 {
			continue
		}
		root.mark = 1
		stack := []frame{{root, 0}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.i == len(top.u.needs) {
				top.u.mark = 2
				out = append(out, top.u)
				stack = stack[:len(stack)-1]
				continue
			}
			d := top.u.needs[top.i]
			switch d.mark {
			case 0:
				d.mark = 1
				stack = append(stack, frame{d, 0})
				top = nil
			case 1:
				top.u.needs = slices.Delete(slices.Clone(top.u.needs), top.i, top.i+1)
				continue
			}
			if top != nil {
				top.i++
			} else {
				stack[len(stack)-2].i++
			}
		}
	}
	return out
}

// parallel calls f for each unit, as many at a time as there are processors.
func (c *checker) parallel(ctx context.Context, list []*unit, f func(u *unit)) error {
	var wg sync.WaitGroup
	in := make(chan *unit)
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for u := range in {
				f(u)
				c.alive()
			}
		}()
	}
	defer wg.Wait()
	defer close(in)
	for _, u := range list {
		select {
		case in <- u:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// run checks the units of a sorted list, each when what it needs is done. When
// ctx ends it returns at once: who is in the middle of a package stops after
// it.
func (c *checker) run(ctx context.Context, list []*unit) error {
	ready := make(chan *unit, len(list))
	done := make(chan *unit, len(list))
	for _, u := range list {
		u.waiting = len(u.needs)
		for _, d := range u.needs {
			d.users = append(d.users, u)
		}
	}
	for _, u := range list {
		if u.waiting == 0 {
			ready <- u
		}
	}
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for u := range ready {
				if ctx.Err() == nil {
					c.one(u)
					c.alive()
				}
				done <- u
			}
		}()
	}
	defer close(ready)
	for range list {
		select {
		case u := <-done:
			for _, v := range u.users {
				if v.waiting--; v.waiting == 0 {
					ready <- v
				}
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// one checks one unit. go/types is robust, but trees are strange: a panic costs
// the package, not the run.
func (c *checker) one(u *unit) {
	defer func() {
		if recover() != nil {
			u.edges, u.typed = nil, nil
		}
	}()
	files := u.parsed
	if u.full {
		for _, name := range u.files {
			if f := c.read(name); f != nil {
				files = append(files, f)
			}
		}
	}
	u.parsed = nil
	conf := types.Config{
		Importer: importer{c, u}, Sizes: c.sizes, IgnoreFuncBodies: !u.full, FakeImportC: true,
		Error: func(error) {}, // what is known in spite of errors is wanted
	}
	var info *types.Info
	if u.full {
		info = &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}}
	}
	pkg := types.NewPackage(u.path, u.name)
	u.types = pkg
	_ = types.NewChecker(&conf, c.fset, pkg, info).Files(files)
	pkg.MarkComplete()
	if u.full {
		c.edges(u, files, info)
	}
}

// importer gives a unit what it imports.
type importer struct {
	c *checker
	u *unit
}

var errMissing = errors.New("not to be had")

// Import implements types.Importer.
func (i importer) Import(at string) (*types.Package, error) {
	if at == "unsafe" {
		return types.Unsafe, nil
	}
	if d := i.c.target(i.u, at); d != nil && d.types != nil && slices.Contains(i.u.needs, d) {
		return d.types, nil
	}
	if i.u.full {
		i.c.mu.Lock()
		i.c.missing[at] = true
		i.c.mu.Unlock()
	}
	return nil, fmt.Errorf("import %q: %w", at, errMissing)
}
