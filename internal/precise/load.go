package precise

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// metadata is all that the go command is asked for. Without NeedTypes,
// NeedExportFile and NeedCompiledGoFiles it compiles nothing and runs no cgo.
const metadata = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedForTest

// unit is one package as it is typed. A unit is shared by the modules whose
// listings show the same package.
type unit struct {
	id, path, name string
	files          []string // absolute
	ignored        []string // excluded by build constraints
	imports        map[string]*unit
	full           bool // of the tree: bodies are checked, edges are taken
	tree           bool // of the tree, and not below a vendor folder

	state
}

// list reads the packages of the module in dir, relative to the tree.
func (c *checker) list(ctx context.Context, g *goCommand, dir string) error {
	abs := filepath.Join(c.in.Root, filepath.FromSlash(dir))
	pattern := "./..."
	if f := c.in.Folder; f != "" && f != dir {
		rest := f
		if dir != "" {
			rest = strings.TrimPrefix(f, dir+"/")
		}
		if rest != f || dir == "" { // the folder is below the module
			if info, err := os.Lstat(filepath.Join(abs, filepath.FromSlash(rest))); err == nil && info.IsDir() {
				pattern = "./" + rest + "/..."
			}
		}
	}
	mods := []string{"-mod=readonly"}
	if _, err := os.Lstat(filepath.Join(abs, "vendor", "modules.txt")); err == nil {
		mods = []string{"-mod=vendor", "-mod=readonly"}
	}
	var roots []*packages.Package
	var err error
	for _, m := range mods {
		if roots, err = load(ctx, g, abs, pattern, m); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil && ctx.Err() == nil {
		// What go.mod requires cannot be resolved: a module that was never
		// downloaded, a go of the future. The packages of the tree are there
		// all the same.
		if bare, berr := c.bare(ctx, g, abs, pattern); berr == nil {
			c.join(bare)
		}
	}
	if err != nil {
		return err
	}
	c.join(roots)
	return nil
}

// bare lists the packages of a module as if it required nothing, by a go.mod
// of its own that lies elsewhere.
func (c *checker) bare(ctx context.Context, g *goCommand, dir, pattern string) ([]*packages.Package, error) {
	src, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("read go.mod: %w", err)
	}
	name := modulePath(string(src))
	if name == "" {
		return nil, errors.New("go.mod names no module")
	}
	tmp, err := g.tempDir()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(tmp, "bare.mod")
	if err := os.WriteFile(file, fmt.Appendf(nil, "module %s\n\ngo 1.21\n", name), 0o600); err != nil {
		return nil, fmt.Errorf("write a go.mod: %w", err)
	}
	return load(ctx, g, dir, pattern, "-mod=readonly", "-modfile="+file)
}

// modulePath is the module that a go.mod names, "" if it is none that may be
// written down again.
func modulePath(src string) string {
	for line := range strings.Lines(src) {
		line, _, _ = strings.Cut(line, "//")
		f := strings.Fields(line)
		if len(f) == 2 && f[0] == "module" {
			p := strings.Trim(f[1], "\"`")
			if strings.ContainsAny(p, "\"`\\()") {
				return ""
			}
			return p
		}
	}
	return ""
}

// load asks the go command. An error that is the whole answer is one.
func load(ctx context.Context, g *goCommand, dir, pattern string, flags ...string) (roots []*packages.Package, err error) {
	cfg := &packages.Config{Context: ctx, Mode: metadata, Dir: dir, Env: g.env, BuildFlags: flags, Tests: true, Logf: func(string, ...any) {}}
	if perr := g.with(func() { roots, err = packages.Load(cfg, pattern) }); perr != nil {
		return nil, perr
	}
	if err == nil && len(roots) == 1 && len(roots[0].GoFiles) == 0 && len(roots[0].Errors) > 0 {
		err = errors.New(roots[0].Errors[0].Msg)
	}
	return roots, err
}

// join makes units of a listing.
func (c *checker) join(roots []*packages.Package) {
	made := map[*packages.Package]*unit{}
	var of func(p *packages.Package) *unit
	of = func(p *packages.Package) *unit {
		if u := made[p]; u != nil {
			return u
		}
		dir := ""
		if len(p.GoFiles) > 0 {
			dir = filepath.Dir(p.GoFiles[0])
		}
		key := fmt.Sprintf("%s\x00%s\x00%d", p.ID, dir, len(p.GoFiles))
		u := c.units[key]
		if u == nil {
			u = &unit{id: p.ID, path: p.PkgPath, name: p.Name, ignored: p.IgnoredFiles, imports: map[string]*unit{}}
			for _, f := range p.GoFiles {
				if strings.HasSuffix(f, ".go") {
					u.files = append(u.files, f)
				}
			}
			c.units[key] = u
			c.order = append(c.order, u)
		}
		made[p] = u
		// In order: what it meets first decides the order of all that follows.
		for _, at := range slices.Sorted(maps.Keys(p.Imports)) {
			d := of(p.Imports[at])
			if had := u.imports[at]; had == nil || len(had.files) == 0 {
				u.imports[at] = d
			}
		}
		return u
	}
	tested := map[string]bool{} // packages that there is a variant of with its tests
	for _, p := range roots {
		if p.ForTest != "" && p.ID == p.ForTest+" ["+p.ForTest+".test]" {
			tested[p.ForTest] = true
		}
	}
	for _, p := range roots {
		u := of(p)
		if strings.HasSuffix(p.ID, ".test") && p.Name == "main" || len(u.files) == 0 {
			continue // the program that runs tests
		}
		where, _ := c.rel(u.files[0])
		if where == "" || slices.Contains(strings.Split(path.Dir(where), "/"), "vendor") {
			continue
		}
		u.tree = true
		if p.ID == p.PkgPath {
			if had := c.inTree[p.PkgPath]; had == nil && p.Name != "main" {
				c.inTree[p.PkgPath] = u
			}
			c.packages++
		}
		if tested[p.PkgPath] && p.ID == p.PkgPath || u.full {
			continue
		}
		u.full = true
		c.full = append(c.full, u)
	}
}

// target is the unit that an import of u leads to, nil if it is not to be had.
func (c *checker) target(u *unit, at string) *unit {
	d := u.imports[at]
	if d != nil && d.tree {
		return d
	}
	if d == nil || len(d.files) == 0 || !c.vendored(d) {
		p := at
		if d != nil && d.path != "" {
			p = d.path
		}
		if own := c.inTree[p]; own != nil && own != u {
			if d == nil || !strings.Contains(d.id, " [") { // not what a test rebuilt
				return own
			}
		}
	}
	if d == nil || len(d.files) == 0 {
		return nil
	}
	return d
}

// vendored reports whether a package lies in a vendor folder of the tree: its
// copy there is what is built.
func (c *checker) vendored(d *unit) bool {
	rest, ok := strings.CutPrefix(d.files[0], c.in.Root)
	return ok && strings.Contains(filepath.ToSlash(rest), "/vendor/")
}
