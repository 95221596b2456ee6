package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Repo is an opened repository. It is safe for concurrent use.
type Repo struct {
	Dir       string // git directory: HEAD and index
	CommonDir string // shared by linked worktrees: objects, refs, config; otherwise Dir
	Worktree  string // top of the working tree; "" when bare
	Bare      bool   // there is no working tree
	Shallow   bool   // history is cut off
	Partial   bool   // a partial clone, or what was one: objects may be missing
	Linked    bool   // a linked worktree

	naming  naming
	tables  *refStacks // nil: refs are files
	store   *store
	replace map[OID]OID   // refs/replace
	grafts  map[OID][]OID // parents by decree
	shallow map[OID]bool  // commits whose parents were not fetched

	mu       sync.Mutex
	warnings map[string]bool
}

// Open finds the repository that path is in, going upwards from path to the
// root of the file system: a .git folder, a .git file that names one, or a
// bare repository. A .git folder that is no repository is passed over. The
// error is ErrNotRepository, ErrUnsupported, or the file system's.
func Open(path string) (*Repo, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open repository %s: %w", path, err)
	}
	// Upwards is along the real path, as for a program that stands in it.
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, fmt.Errorf("open repository %s: %w", path, err)
	}
	if fi, err := os.Stat(abs); err != nil {
		return nil, fmt.Errorf("open repository %s: %w", path, err)
	} else if !fi.IsDir() {
		abs = filepath.Dir(abs)
	}
	for dir := abs; ; {
		r, err := openAt(dir)
		if err != nil {
			return nil, fmt.Errorf("open repository %s: %w", path, err)
		}
		if r != nil {
			return r, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil, fmt.Errorf("open repository %s: %w", path, ErrNotRepository)
		}
		dir = up
	}
}

// openAt opens the repository whose working tree or git directory is dir; nil
// if there is none.
func openAt(dir string) (*Repo, error) {
	dot := filepath.Join(dir, ".git")
	if fi, err := os.Stat(dot); err == nil {
		if fi.IsDir() {
			if common := commonDir(dot); common != "" {
				return openDir(dot, common, dir)
			}
		} else if fi.Mode().IsRegular() {
			target, err := gitFile(dot)
			if err != nil {
				return nil, err
			}
			common := commonDir(target)
			if common == "" {
				return nil, fmt.Errorf("%w: %s names %s, which is none", ErrNotRepository, dot, target)
			}
			return openDir(target, common, dir)
		}
	}
	if common := commonDir(dir); common != "" {
		return openDir(dir, common, "")
	}
	return nil, nil
}

// gitFile reads the path that a .git file names.
func gitFile(name string) (string, error) {
	text, err := readText(name)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	target, ok := strings.CutPrefix(text, "gitdir: ")
	target = strings.TrimRight(target, "\r\n")
	if !ok || target == "" {
		return "", fmt.Errorf("%w: %s does not name a git directory", ErrNotRepository, name)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(name), target)
	}
	return filepath.Clean(target), nil
}

// commonDir reports whether dir is a git directory (it has HEAD, and objects
// and refs in its common directory) and gives that directory, else "".
func commonDir(dir string) string {
	// HEAD: a symbolic link into refs, a symbolic ref, or an id.
	head := filepath.Join(dir, "HEAD")
	if link, err := os.Readlink(head); err == nil {
		if !strings.HasPrefix(link, "refs/") {
			if _, _, ok := readHead(head); !ok {
				return ""
			}
		}
	} else if _, _, ok := readHead(head); !ok {
		return ""
	}
	common := dir
	if text, err := readText(filepath.Join(dir, "commondir")); err == nil {
		common = strings.TrimRight(text, "\r\n")
		if !filepath.IsAbs(common) {
			common = filepath.Join(dir, common)
		}
		common = filepath.Clean(common)
	}
	for _, sub := range []string{"objects", "refs"} {
		// reftable keeps a plain file or an empty folder in place of refs.
		if _, err := os.Stat(filepath.Join(common, sub)); err != nil {
			return ""
		}
	}
	return common
}

// openDir opens the git directory dir. work is the folder that holds it as
// .git, "" when dir was found as itself.
func openDir(dir, common, work string) (*Repo, error) {
	r := &Repo{Dir: dir, CommonDir: common, Linked: common != dir, warnings: map[string]bool{}}
	text, err := readText(filepath.Join(common, "config"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read config: %w", err)
	}
	c := readFormat(text)
	if c.version > 1 {
		return nil, fmt.Errorf("%w: repository format version %d; 0 and 1 are known", ErrUnsupported, c.version)
	}
	switch c.objectFormat {
	case "", "sha1":
	case "sha256":
		r.naming = bySHA256
	default:
		return nil, fmt.Errorf("%w: its objects are named by %s; SHA-1 and SHA-256 are known", ErrUnsupported, c.objectFormat)
	}
	switch c.refStorage {
	case "", "files":
	case "reftable":
		r.tables = &refStacks{ids: r.naming}
	default:
		return nil, fmt.Errorf("%w: its refs are stored as %s; files and reftable are known (git refs migrate --ref-format=files)", ErrUnsupported, c.refStorage)
	}
	if c.worktreeConfig {
		if text, err := readText(filepath.Join(dir, "config.worktree")); err == nil {
			own := readFormat(text)
			if own.bare != nil {
				c.bare = own.bare
			}
			if own.worktree != "" {
				c.worktree = own.worktree
			}
		}
	}
	switch {
	case r.Linked: // the shared core.bare and core.worktree are the main one's
		r.Worktree = work
		if work == "" { // opened by its git directory: gitdir names its .git file
			if text, err := readText(filepath.Join(dir, "gitdir")); err == nil {
				r.Worktree = filepath.Dir(absolute(dir, strings.TrimRight(text, "\r\n")))
			}
		}
	case c.bare != nil && *c.bare:
	case c.worktree != "":
		r.Worktree = absolute(dir, c.worktree)
	case work != "":
		r.Worktree = work
	case filepath.Base(dir) == ".git":
		r.Worktree = filepath.Dir(dir)
	}
	if r.Worktree != "" {
		if fi, err := os.Stat(r.Worktree); err != nil || !fi.IsDir() {
			r.warn(fmt.Sprintf("working tree %s is not here; read as a bare repository", r.Worktree))
			r.Worktree = ""
		}
	}
	r.Bare = r.Worktree == ""
	r.store = openStore(filepath.Join(common, "objects"), r.naming, r.warn)
	r.grafts, r.shallow = map[OID][]OID{}, map[OID]bool{}
	r.readGrafts()
	r.readShallow()
	r.readReplace()
	r.Partial = c.partial // what it lacks, if anything, is said when it is asked for
	return r, nil
}

func absolute(base, name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(base, name)
	}
	return filepath.Clean(name)
}

// Close forgets what is mapped; it is unmapped once no Reader uses it. No new
// Reader may be made afterwards.
func (r *Repo) Close() error {
	r.store.packs.Store(&[]*pack{})
	return nil
}

// warn notes something that is not here.
func (r *Repo) warn(text string) {
	r.mu.Lock()
	r.warnings[text] = true
	r.mu.Unlock()
}

// Warnings says what of the repository is not here, each once, sorted.
func (r *Repo) Warnings() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]string, 0, len(r.warnings))
	for w := range r.warnings {
		list = append(list, w)
	}
	slices.Sort(list)
	return list
}

// readShallow reads the commits whose parents were not fetched.
func (r *Repo) readShallow() {
	text, err := readText(filepath.Join(r.CommonDir, "shallow"))
	if err != nil {
		return
	}
	for line := range strings.Lines(text) {
		if id, err := ParseOID(strings.TrimSpace(line)); err == nil {
			r.shallow[id] = true
			r.Shallow = true
		}
	}
	if r.Shallow {
		r.warn("shallow clone: history is cut off")
	}
}

// readGrafts reads info/grafts: lines of a commit and its parents by decree.
func (r *Repo) readGrafts() {
	text, err := readText(filepath.Join(r.CommonDir, "info", "grafts"))
	if err != nil {
		return
	}
next:
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		ids := make([]OID, 0, len(words))
		for _, w := range words {
			id, err := ParseOID(w)
			if err != nil {
				continue next
			}
			ids = append(ids, id)
		}
		r.grafts[ids[0]] = slices.Clip(ids[1:])
	}
}

// readReplace reads refs/replace/ID: the object that stands for ID.
func (r *Repo) readReplace() {
	const dir = "refs/replace/"
	r.replace = map[OID]OID{}
	if r.tables != nil {
		refs, err := r.tables.load(r.CommonDir)
		if err != nil {
			r.warn(fmt.Sprintf("replacements are not known: %v", err))
		}
		for name, to := range refs {
			if from, err := ParseOID(strings.TrimPrefix(name, dir)); err == nil && strings.HasPrefix(name, dir) && !to.id.IsZero() {
				r.replace[from] = to.id
			}
		}
		return
	}
	for name, id := range r.packedRefs(dir) {
		if from, err := ParseOID(name[len(dir):]); err == nil {
			r.replace[from] = id
		}
	}
	files, _ := os.ReadDir(filepath.Join(r.CommonDir, filepath.FromSlash(dir)))
	for _, f := range files {
		from, err := ParseOID(f.Name())
		if err != nil {
			continue
		}
		if _, id, ok := readHead(filepath.Join(r.CommonDir, filepath.FromSlash(dir), f.Name())); ok && !id.IsZero() {
			r.replace[from] = id
		}
	}
}

// maxReplace bounds a chain of replacements; git's bound.
const maxReplace = 5

// replaced gives the id of the object that stands for id.
func (r *Repo) replaced(id OID) OID {
	if len(r.replace) == 0 {
		return id
	}
	for range maxReplace {
		to, ok := r.replace[id]
		if !ok {
			break
		}
		id = to
	}
	return id
}

// configFacts is what is needed of a config file.
type configFacts struct {
	version        int
	bare           *bool
	worktree       string
	objectFormat   string
	refStorage     string
	worktreeConfig bool
	partial        bool
}

// readFormat reads the few settings that matter, and never fails: what it
// does not understand, it passes over. Includes are not followed; git does not
// follow them for these either, but for core.bare and core.worktree.
func readFormat(text string) configFacts {
	var c configFacts
	parseConfig(text, func(key, value string) {
		on, _ := configBool(value)
		switch key {
		case "core.repositoryformatversion":
			if n, err := strconv.Atoi(value); err == nil {
				c.version = n
			}
		case "core.bare":
			c.bare = &on
		case "core.worktree":
			c.worktree = value
		case "extensions.objectformat":
			c.objectFormat = strings.ToLower(value)
		case "extensions.refstorage":
			c.refStorage = strings.ToLower(value)
		case "extensions.worktreeconfig":
			c.worktreeConfig = on
		case "extensions.partialclone":
			c.partial = true
		default: // remote.NAME.promisor
			c.partial = c.partial || on && strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".promisor")
		}
	})
	return c
}
