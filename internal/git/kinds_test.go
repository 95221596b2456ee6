//go:build unix

package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kind is a way that a repository can be, made out of the one of kindRepo,
// which has a working tree and one pack.
type kind struct {
	name    string
	make    func(t *testing.T, dir string) string // gives the folder to open
	init    string                                // option of git init
	refused string                                // ErrUnsupported, and the reason
	warning string                                // part of a warning that there must be, "": there may be none
	damaged string                                // folder at the top that cannot be read
}

// kinds are those that other readers of repositories stumble over, beside
// the shapes, which are ways to store the same objects.
var kinds = []kind{
	{name: "plain", make: asItIs},
	{name: "folder below", make: func(_ *testing.T, dir string) string { return dir + "/dir/sub" }},
	{name: "shallow", warning: "shallow clone", make: func(t *testing.T, dir string) string { return clone(t, dir, "--depth=3") }},
	{name: "shallow, several boundaries", warning: "shallow clone", make: func(t *testing.T, dir string) string {
		return clone(t, dir, "--shallow-since=1500003500", "--no-single-branch")
	}},
	{name: "partial, past blobs missing", make: func(t *testing.T, dir string) string { return clone(t, dir, "--filter=blob:none") }},
	{name: "partial, bare", make: func(t *testing.T, dir string) string {
		return clone(t, dir, "--filter=blob:none", "--bare")
	}},
	{name: "linked worktree", make: func(t *testing.T, dir string) string { return linked(t, dir, dir+"-linked", "side") }},
	{name: "linked worktree inside the main one", make: func(t *testing.T, dir string) string { return linked(t, dir, dir+"/inside", "side") }},
	{name: "main one around a linked worktree", make: func(t *testing.T, dir string) string { linked(t, dir, dir+"/inside", "side"); return dir }},
	{name: "worktree of a bare repository", make: func(t *testing.T, dir string) string {
		return linked(t, clone(t, dir, "--bare"), dir+"-linked", "side")
	}},
	{name: "submodule", make: func(t *testing.T, dir string) string { return submodule(t, dir) }},
	{name: "repository around a submodule", make: func(t *testing.T, dir string) string { return filepath.Dir(submodule(t, dir)) }},
	{name: "worktree of a submodule", make: func(t *testing.T, dir string) string {
		return linked(t, submodule(t, dir), dir+"-linked", "side")
	}},
	{name: "bare", make: func(t *testing.T, dir string) string { return clone(t, dir, "--bare") }},
	{name: "mirror", make: func(t *testing.T, dir string) string { return clone(t, dir, "--mirror") }},
	{name: ".git is a symbolic link", make: func(t *testing.T, dir string) string {
		move(t, dir+"/.git", dir+"-git")
		return link(t, dir+"-git", dir+"/.git", dir)
	}},
	{name: "git directory elsewhere", make: func(t *testing.T, dir string) string {
		runGit(t, dir, "", "init", "-q", "--separate-git-dir", dir+"-git")
		return dir
	}},
	{name: "HEAD is a symbolic link", make: func(t *testing.T, dir string) string {
		remove(t, dir+"/.git/HEAD")
		return link(t, "refs/heads/main", dir+"/.git/HEAD", dir)
	}},
	{name: "alternates", make: func(t *testing.T, dir string) string { return clone(t, dir, "--shared") }},
	{name: "sparse checkout", make: gitRuns("sparse-checkout set --cone dir")},
	{name: "sparse checkout by patterns", make: gitRuns("sparse-checkout set --no-cone /dir/ /a.go")},
	{name: "sparse index", make: gitRuns("sparse-checkout set --cone --sparse-index dir")},
	{name: "extensions", make: gitRuns("config core.repositoryformatversion 1", "config extensions.preciousObjects true", "config extensions.worktreeConfig true",
		"config --worktree core.ignoreCase false")},
	{name: "relative worktrees", make: func(t *testing.T, dir string) string {
		to := dir + "-linked" // newer programs make it themselves, and set extensions.relativeWorktrees
		if wtCommand(dir, "worktree", "add", "-q", "--relative-paths", to, "side").Run() != nil {
			linked(t, dir, to, "side")
			write(t, to+"/.git", "gitdir: ../repo/.git/worktrees/repo-linked\n")
			write(t, dir+"/.git/worktrees/repo-linked/gitdir", "../../../../repo-linked/.git\n")
		}
		return to
	}},
	{name: "split index", make: gitRuns("config core.splitIndex true", "update-index --split-index", "config splitIndex.maxPercentChange 100")},
	{name: "index of version 3", make: gitRuns("update-index --index-version 2", "update-index --skip-worktree deep/file")},
	{name: "index of version 4", make: gitRuns("update-index --index-version 4")},
	{name: "no index", make: func(t *testing.T, dir string) string { return remove(t, dir+"/.git/index", dir) }},
	{name: "replace refs", make: func(t *testing.T, dir string) string {
		runGit(t, dir, "", "replace", "--graft", "main~1", "main~4")
		return dir
	}},
	{name: "replaced blob", make: func(t *testing.T, dir string) string {
		runGit(t, dir, "", "replace", "main:dir/sub/c.go", "main:deep/file")
		return dir
	}},
	{name: "grafts", make: func(t *testing.T, dir string) string {
		ids := strings.Fields(runGit(t, dir, "", "rev-parse", "main~1", "main~4"))
		write(t, dir+"/.git/info/grafts", strings.Join(ids, " ")+"\n")
		return dir
	}},
	{name: "odd values in the config", make: appendConfig("[pack]\n\twindow = 10k\n[remote.old]\n\turl = x\n[a \"b\\\"c\"] d\n")},
	{name: "config with a byte order mark", make: func(t *testing.T, dir string) string {
		b, err := os.ReadFile(dir + "/.git/config")
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir+"/.git/config", "\ufeff"+string(b))
		return dir
	}},
	{name: "odd times", make: oddTimes},
	{name: "orphan branch", make: gitRuns("checkout -q --orphan fresh")},
	{name: "detached HEAD", make: gitRuns("checkout -q --detach main~2")},
	{name: "packed refs", make: gitRuns("pack-refs --all --prune")},
	{name: "packed refs, some newer", make: gitRuns("pack-refs --all --prune", "branch -f side main~2", "tag -d light", "tag light main~3")},
	{name: "commit-graph", make: gitRuns("commit-graph write --reachable --changed-paths")},
	{name: "chain of commit-graphs", make: gitRuns("commit-graph write --reachable --split", "commit -q --allow-empty -m more", "commit-graph write --reachable --split=no-merge")},
	{name: "multi-pack index", make: gitRuns("commit -q --allow-empty -m more", "repack -dq", "multi-pack-index write")},
	{name: "multi-pack index with bitmaps", make: gitRuns("repack -adbq --write-midx")},
	{name: "cruft pack", make: gitRuns("checkout -q --detach", "commit -q --allow-empty -m dropped", "checkout -q main", "reflog expire --expire=now --all", "repack --cruft -dq")},
	{name: "kept and promised packs", make: func(t *testing.T, dir string) string {
		packs, _ := filepath.Glob(dir + "/.git/objects/pack/*.pack")
		for _, p := range packs {
			write(t, strings.TrimSuffix(p, "pack")+"keep", "")
		}
		commitFile(t, dir, "more", "more", "more")
		runGit(t, dir, "", "repack", "-adq")
		return dir
	}},
	{name: "nested repository", make: func(t *testing.T, dir string) string {
		runGit(t, dir, "", "clone", "-q", dir, "nested")
		return dir
	}},
	{name: "stray .git in a parent", make: func(t *testing.T, dir string) string {
		mkdir(t, dir+"/dir/.git")
		return dir + "/dir/sub"
	}},
	{name: "corrupt folder", damaged: "dir", warning: "changes of 1 commit cannot be read", make: func(t *testing.T, dir string) string {
		return spoil(t, dir, "main:dir")
	}},
	{name: "corrupt blob", make: func(t *testing.T, dir string) string {
		spoil(t, dir, "main:deep/file")
		rd := mustOpen(t, dir).NewReader()
		defer rd.Close()
		if _, data, err := rd.Object(mustID(t, runGit(t, dir, "", "rev-parse", "main:deep/file"))); !errors.Is(err, ErrCorrupt) {
			t.Errorf("a corrupt blob is %q, %v", data, err)
		}
		return dir
	}},
	{name: "format of version 2", refused: "version 2", make: gitRuns("config core.repositoryformatversion 2")},
	{name: "unheard-of names of objects", refused: "md5", make: appendConfig("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = md5\n")},
	{name: "SHA-256", init: "--object-format=sha256", make: asItIs},
	{name: "SHA-256, loose", init: "--object-format=sha256", make: func(t *testing.T, dir string) string { unpack(t, dir); return dir }},
	{name: "SHA-256, deltas by id, packed refs", init: "--object-format=sha256", make: gitRuns("-c repack.useDeltaBaseOffset=false repack -adfq --depth=50 --window=50", "pack-refs --all")},
	{name: "SHA-256, index of version 1", init: "--object-format=sha256", make: func(t *testing.T, dir string) string { reindex(t, dir, "1"); return dir }},
	{name: "SHA-256, split index of version 4", init: "--object-format=sha256", make: gitRuns("update-index --index-version 4", "config core.splitIndex true",
		"config splitIndex.maxPercentChange 100", "update-index --split-index")},
	{name: "SHA-256, sparse index", init: "--object-format=sha256", make: gitRuns("sparse-checkout set --cone --sparse-index dir")},
	{name: "SHA-256, shallow", init: "--object-format=sha256", warning: "shallow clone", make: func(t *testing.T, dir string) string { return clone(t, dir, "--depth=3") }},
	{name: "SHA-256, alternates, worktree", init: "--object-format=sha256", make: func(t *testing.T, dir string) string {
		return linked(t, clone(t, dir, "--shared"), dir+"-linked", "side")
	}},
	{name: "SHA-256, replace refs", init: "--object-format=sha256", make: gitRuns("replace --graft main~1 main~4")},
	{name: "SHA-256, corrupt folder", init: "--object-format=sha256", damaged: "dir", warning: "changes of 1 commit cannot be read", make: func(t *testing.T, dir string) string {
		return spoil(t, dir, "main:dir")
	}},
	{name: "unheard-of storage of refs", refused: "cloud", make: appendConfig("[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = cloud\n")},
	// The next need a git of 2.45 or later.
	{name: "reftable", init: "--ref-format=reftable", make: asItIs},
	{name: "reftable, many tables", init: "--ref-format=reftable", make: gitRuns("config reftable.geometricFactor 0", "tag t1 main~1", "branch -D other", "tag -d light", "tag light main~3",
		"branch other main~2", "update-ref refs/heads/side main", "symbolic-ref refs/heads/alias refs/heads/side")},
	{name: "reftable, joined", init: "--ref-format=reftable", make: gitRuns("tag t1 main~1", "tag -d light", "pack-refs --all")},
	{name: "reftable of thousands of refs", init: "--ref-format=reftable", make: manyRefs},
	{name: "reftable in small blocks", init: "--ref-format=reftable", make: func(t *testing.T, dir string) string {
		runGit(t, dir, "", "config", "reftable.blockSize", "256")
		return manyRefs(t, dir)
	}},
	{name: "reftable, detached HEAD", init: "--ref-format=reftable", make: gitRuns("checkout -q --detach main~2")},
	{name: "reftable, orphan branch", init: "--ref-format=reftable", make: gitRuns("checkout -q --orphan fresh")},
	{name: "reftable, linked worktree", init: "--ref-format=reftable", make: func(t *testing.T, dir string) string { return linked(t, dir, dir+"-linked", "side") }},
	{name: "reftable, replace refs", init: "--ref-format=reftable", make: gitRuns("replace --graft main~1 main~4")},
	{name: "reftable, SHA-256", init: "--ref-format=reftable --object-format=sha256", make: manyRefs},
}

// TestKinds holds what is read of each kind of repository against git:
// revisions, the files of HEAD, the history with the paths it changed, the
// objects, and the state of the working tree.
func TestKinds(t *testing.T) {
	wtIsolate(t)
	all := slices.Clone(kinds)
	for _, s := range shapes {
		all = append(all, kind{name: s.name, make: func(t *testing.T, dir string) string {
			dir = s.make(t, dir)
			if !isBare(t, dir) {
				runGit(t, dir, "", "reset", "-q", "--hard")
			}
			return dir
		}})
	}
	for _, k := range all {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			dir := k.make(t, kindRepo(t, k.init))
			if k.refused != "" {
				if _, err := Open(dir); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), k.refused) {
					t.Fatalf("%v, want %v: %s", err, ErrUnsupported, k.refused)
				}
				return
			}
			if !isBare(t, dir) {
				sameWorktree(t, dir, k.damaged)
			}
			sameRevisions(t, dir)
			sameFiles(t, dir, k.damaged)
			sameLog(t, dir, k.damaged)
			if _, err := os.Stat(dir + "/.git/refs/replace"); err != nil && k.damaged == "" && k.name != "corrupt blob" {
				sameSizes(t, dir)
			}
			r := mustOpen(t, dir)
			_, _ = r.Commits(t.Context(), firstID(r), nil, 0)
			if text := strings.Join(r.Warnings(), "; "); !strings.Contains(text, k.warning) || k.warning == "" && text != "" {
				t.Errorf("warnings %q, want %q", text, k.warning)
			}
		})
	}
}

// kindRepo makes a repository with all that a history can hold: odd names, a
// symbolic link, a submodule, merges of two and of three, tags of tags and of
// trees, a file that becomes a folder, one pack.
func kindRepo(t *testing.T, init string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "repo")
	args := append(strings.Fields("init -q -b main "+init), dir)
	if strings.Contains(init, "reftable") && wtCommand(base, args...).Run() != nil {
		t.Skip("this git makes no reftable")
	}
	runGit(t, base, "", args...)
	for _, set := range []string{"gc.auto 0", "uploadpack.allowFilter true", "advice.graftFileDeprecated false"} {
		runGit(t, dir, "", append([]string{"config"}, strings.Fields(set)...)...)
	}
	module := strings.Repeat("abcd", 10)
	if strings.Contains(init, "sha256") {
		module += strings.Repeat("0", 24)
	}
	var b strings.Builder
	n := 0
	commit := func(branch, parents string, changes ...string) {
		n++
		fmt.Fprintf(&b, "commit refs/heads/%s\nmark :%d\ncommitter N <n@example.com> %d +0100\ndata 9\ncommit %02d%s\n", branch, n, 1500000000+n*1000, n, parents)
		for _, c := range changes {
			if path, ok := strings.CutPrefix(c, "-"); ok {
				fmt.Fprintf(&b, "D %s\n", path)
				continue
			}
			if strings.HasPrefix(c, "M ") {
				b.WriteString(c)
				continue
			}
			text := fmt.Sprintf("text %d of %s\n", n, strings.Repeat(c, 20))
			fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", c, len(text), text)
		}
		b.WriteByte('\n')
	}
	commit("main", "", "a.go", "dir/b.go", "dir/sub/c.go", `"odd/new\nline"`, `"odd/\001control"`, `"odd/tab\there"`, `"odd/\303\251"`, `"odd/e\314\201"`, `"odd/\377\376"`, "deep/file", "zz", `"odd/quote\"s"`,
		"M 120000 inline link\ndata 4\na.go\n", "M 160000 "+module+" module\n", "M 100755 inline run.sh\ndata 2\nx\n\n")
	commit("main", "", "a.go", "dir/b.go")
	commit("main", "", "-zz", "zz/now/folder", "-deep/file", "deep/moved")
	commit("side", "\nfrom :2", "dir/side.go", "a.go")
	commit("other", "\nfrom :2", "other.go", "dir/sub/c.go")
	commit("main", "\nfrom :3", "dir/b.go", "deep/file")
	commit("main", "\nmerge :4", "merged.go")
	commit("main", "\nmerge :4\nmerge :5", "dir/sub/c.go")
	commit("main", "") // empty
	commit("main", "", "a.go", "dir/b.go", ".gitignore")
	runGit(t, dir, b.String(), "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet")
	for _, args := range []string{"tag light main~1", "tag -a -m x v1.0 main~2", "tag -a -m x tag-of-tag v1.0", "tag -a -m x tree-tag main^{tree}",
		"branch topic/one main~3", "update-ref refs/remotes/origin/dev main~4", "update-ref refs/odd/place side"} {
		runGit(t, dir, "", strings.Fields(args)...)
	}
	runGit(t, dir, "", "reset", "-q", "--hard")
	return dir
}

func asItIs(_ *testing.T, dir string) string { return dir }

// gitRuns gives the maker of what some git commands make.
func gitRuns(commands ...string) func(*testing.T, string) string {
	return func(t *testing.T, dir string) string {
		for _, c := range commands {
			runGit(t, dir, "", strings.Fields(c)...)
		}
		return dir
	}
}

// manyRefs makes more refs than a block holds.
func manyRefs(t *testing.T, dir string) string {
	t.Helper()
	id := strings.TrimSpace(runGit(t, dir, "", "rev-parse", "main~1"))
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "create refs/heads/many/branch-%d/of/a/team %s\n", i*7919, id)
	}
	runGit(t, dir, b.String(), "update-ref", "--stdin")
	runGit(t, dir, "", "pack-refs", "--all")
	return dir
}

func appendConfig(text string) func(*testing.T, string) string {
	return func(t *testing.T, dir string) string {
		b, err := os.ReadFile(dir + "/.git/config")
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir+"/.git/config", string(b)+text)
		return dir
	}
}

func clone(t *testing.T, dir string, args ...string) string {
	t.Helper()
	url := "file://" + dir
	if slices.Contains(args, "--shared") {
		url = dir
	}
	runGit(t, filepath.Dir(dir), "", append(append([]string{"clone", "-q"}, args...), url, dir+"-clone")...)
	return dir + "-clone"
}

func linked(t *testing.T, dir, to, branch string) string {
	t.Helper()
	if wtCommand(dir, "rev-parse", "-q", "--verify", "refs/heads/"+branch).Run() != nil {
		branch = "origin/" + branch
	}
	runGit(t, dir, "", "worktree", "add", "-q", "-f", to, branch)
	return to
}

func submodule(t *testing.T, dir string) string {
	t.Helper()
	super := dir + "-super"
	runGit(t, filepath.Dir(dir), "", "clone", "-q", dir, super)
	runGit(t, super, "", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", dir, "mod")
	runGit(t, super, "", "commit", "-q", "-m", "submodule")
	return super + "/mod"
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
}

// link makes a symbolic link, and remove removes a file; both give dir.
func link(t *testing.T, target, name, dir string) string {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
	return dir
}

func remove(t *testing.T, name string, dir ...string) string {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	return strings.Join(dir, "")
}

// oddTimes adds commits before 1970, before 1901, beyond 2038, 2106, and what
// a number holds, and one without a time.
func oddTimes(t *testing.T, dir string) string {
	t.Helper()
	parent := strings.TrimSpace(runGit(t, dir, "", "rev-parse", "main"))
	tree := strings.TrimSpace(runGit(t, dir, "", "rev-parse", "main^{tree}"))
	for _, when := range []string{"-100 +0000", "-3000000000 -0700", "0 +0000", "2147483648 +0000", "4294967296 +0000", "99999999999999 +0000", "99999999999999999999999 +0000", "", "12 +9999"} {
		raw := fmt.Sprintf("tree %s\nparent %s\nauthor A <a@example.com> %s\ncommitter C <c@example.com> %s\n\nat %s\n", tree, parent, when, when, when)
		parent = strings.TrimSpace(runGit(t, dir, raw, "hash-object", "-t", "commit", "-w", "--stdin", "--literally"))
	}
	runGit(t, dir, "", "update-ref", "refs/heads/main", parent)
	return dir
}

// spoil damages the only copy of an object.
func spoil(t *testing.T, dir, object string) string {
	t.Helper()
	unpack(t, dir)
	file := looseFile(dir, runGit(t, dir, "", "rev-parse", object))
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] ^= 0x55 // the checksum: the head of it still says what it was
	write(t, file, string(b))
	return dir
}

func isBare(t *testing.T, dir string) bool {
	t.Helper()
	return strings.TrimSpace(runGit(t, dir, "", "rev-parse", "--is-bare-repository")) == "true"
}

// firstID gives HEAD, or the branch main of an unborn HEAD.
func firstID(r *Repo) OID {
	if id, err := r.Resolve("HEAD"); err == nil {
		return id
	}
	id, _ := r.Resolve("main")
	return id
}
