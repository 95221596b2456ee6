package git

import (
	"bytes"
	"strings"
)

// Names of the files that hold ignore rules for the folder they stand in.
// Both have the same syntax. gitIgnoreName keeps untracked files out;
// rankIgnoreName keeps tracked files out as well. A file is left out when
// either says so: neither takes back what the other ignores.
const (
	gitIgnoreName  = ".gitignore"
	rankIgnoreName = ".rankignore"
)

// maxIgnoreFile bounds the bytes read of one file of ignore rules.
const maxIgnoreFile = 1 << 20

// Ignore answers gitignore(5) for one tree. It is for one goroutine.
//
// The last rule of the nearest file that matches decides; a file below an
// ignored folder is ignored whatever the rules say of the file itself.
type Ignore struct {
	name    string // of the file in each folder
	read    func(path string) []byte
	fold    bool
	outside [][]Pattern // rules from outside the tree, strongest first
	dirs    map[string]*ignoreDir
}

// ignoreDir is what applies inside one folder.
type ignoreDir struct {
	ignored  bool       // the folder itself is
	parent   *ignoreDir // next folder up that has rules
	base     string     // "" or a path that ends in a slash
	patterns []Pattern
}

// NewIgnore makes the rules of a tree: in each folder the file called name,
// read through read by its slash-separated path (nil: there is none), and
// rules from outside the tree, the content of whole files, strongest first.
// fold ignores ASCII case.
func NewIgnore(name string, read func(path string) []byte, fold bool, outside ...[]byte) *Ignore {
	g := &Ignore{name: name, read: read, fold: fold, dirs: map[string]*ignoreDir{}}
	for _, data := range outside {
		if p := parsePatterns(data, fold); len(p) > 0 {
			g.outside = append(g.outside, p)
		}
	}
	return g
}

// Match reports whether path, or a folder above it, is ignored. path is
// relative to the top of the tree, slash-separated, without a slash at either
// end.
func (g *Ignore) Match(path string, isDir bool) bool {
	return g.match(g.dir(parentDir(path)), path, isDir)
}

// match is Match for a path directly inside the folder of d.
func (g *Ignore) match(d *ignoreDir, path string, isDir bool) bool {
	if d.ignored {
		return true
	}
	for ; d != nil; d = d.parent {
		if ignored, found := lastMatch(d.patterns, path[len(d.base):], isDir); found {
			return ignored
		}
	}
	for _, patterns := range g.outside {
		if ignored, found := lastMatch(patterns, path, isDir); found {
			return ignored
		}
	}
	return false
}

func lastMatch(patterns []Pattern, path string, isDir bool) (ignored, found bool) {
	for i := len(patterns) - 1; i >= 0; i-- {
		if patterns[i].Match(path, isDir) {
			return !patterns[i].Negate, true
		}
	}
	return false, false
}

// dir gives the rules inside a folder, remembering those of all folders asked.
func (g *Ignore) dir(path string) *ignoreDir {
	if d := g.dirs[path]; d != nil {
		return d
	}
	var d *ignoreDir
	if path == "" {
		d = g.push(nil, "")
	} else {
		d = g.enter(g.dir(parentDir(path)), path)
	}
	g.dirs[path] = d
	return d
}

// enter gives the rules inside a folder from those of its parent (nil: path
// is the top).
func (g *Ignore) enter(parent *ignoreDir, path string) *ignoreDir {
	if parent != nil && parent.ignored {
		return parent
	}
	if parent != nil && g.match(parent, path, true) {
		return &ignoreDir{ignored: true}
	}
	return g.push(parent, path)
}

// push is enter for a folder that is not ignored.
func (g *Ignore) push(parent *ignoreDir, path string) *ignoreDir {
	base := ""
	if path != "" {
		base = path + "/"
	}
	patterns := parsePatterns(g.read(base+g.name), g.fold)
	if parent != nil && len(patterns) == 0 {
		return parent
	}
	return &ignoreDir{parent: parent, base: base, patterns: patterns}
}

// parsePatterns compiles a file of ignore rules. An UTF-8 byte order mark and
// carriage returns at line ends are not part of them.
func parsePatterns(data []byte, fold bool) []Pattern {
	var patterns []Pattern
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for line := range bytes.Lines(data) {
		if n := len(line); line[n-1] == '\n' {
			line = bytes.TrimSuffix(line[:n-1], []byte("\r"))
		}
		if p, ok := compilePattern(string(line), fold); ok {
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// parentDir gives the folder of a slash-separated path, "" for the top.
func parentDir(path string) string {
	return path[:max(0, strings.LastIndexByte(path, '/'))]
}
