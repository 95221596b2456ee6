package precise

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// A repository may be hostile, and so may what a shell's setup took over from
// it (direnv, an editor's task). The go command is therefore found and run so
// that nothing of the repository is executed or written:
//
//   - PATH is cut to absolute folders outside of the repository; a go that is,
//     or leads, inside is passed over;
//   - of the environment only what says where the user's files are goes on,
//     and of that only absolute paths outside of the repository;
//   - GOFLAGS, GOENV, GOROOT, GOCACHEPROG, GOAUTH and GIT_* go, so that no
//     -toolexec, no settings file, no helper program is taken from anywhere;
//   - GOPROXY, GOSUMDB and GOVCS are off: nothing is fetched;
//   - GOTOOLCHAIN=local: a toolchain line starts no other go;
//   - GOPACKAGESDRIVER=off and CGO_ENABLED=0: no driver, no pkg-config;
//   - -mod is said, GOWORK is off: neither go.mod nor go.sum nor go.work.sum
//     is written.

// goCommand is a go command and the environment that it is run in.
type goCommand struct {
	path string // of the program, links not followed
	dirs string // the PATH that it is found by
	env  []string
	temp string // to be removed; "" if there is none
	lent bool   // temp is the caller's, who removes it

	inside []os.FileInfo // folders that nothing is run from or written to
}

// inherited are the variables that go on when they are safe paths.
var inherited = []string{
	"HOME", "GOPATH", "GOMODCACHE", "XDG_CACHE_HOME", "TMPDIR",
	"USERPROFILE", "LOCALAPPDATA", "APPDATA", "SYSTEMROOT", "TEMP", "TMP", // Windows
}

// locked is set whatever the user's environment says. GOOS and GOARCH stay
// this system's, so that a tree has the same edges for all who ask.
var locked = []string{
	"GOFLAGS=", "GOENV=off", "GOWORK=off", "GO111MODULE=on",
	"GOPROXY=off", "GOSUMDB=off", "GONOSUMDB=*", "GOPRIVATE=", "GONOPROXY=none", "GOINSECURE=", "GOVCS=*:off", "GOAUTH=off",
	"GOTOOLCHAIN=local", "GOPACKAGESDRIVER=off", "GOCACHEPROG=", "GOEXPERIMENT=", "GODEBUG=",
	"CGO_ENABLED=0", "PKG_CONFIG=", "CC=", "CXX=", "GIT_TERMINAL_PROMPT=0",
	"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH,
}

// MakeTemp makes a folder for Input.Temp, outside of the repository; the caller
// removes it. It is for who runs Load in a process that may be ended before it
// cleans up.
func MakeTemp(in Input) (string, error) {
	g := &goCommand{inside: identities(in.forbidden())}
	return g.tempDir()
}

// forbidden are the folders that nothing is run from or written to.
func (in *Input) forbidden() []string { return append([]string{in.Root}, in.Private...) }

func identities(dirs []string) (inside []os.FileInfo) {
	for _, d := range dirs {
		if info, err := os.Stat(d); err == nil {
			inside = append(inside, info)
		}
	}
	return inside
}

// findGo finds the go command of the user's PATH outside of the folders in
// forbidden. What it needs a folder for goes to temp if that is given.
func findGo(forbidden []string, temp string) (*goCommand, error) {
	inside := identities(forbidden)
	g := &goCommand{inside: inside, temp: temp, lent: temp != ""}
	name := "go"
	if runtime.GOOS == "windows" {
		name = "go.exe"
	}
	var dirs []string
	for _, d := range filepath.SplitList(os.Getenv("PATH")) {
		if !outside(d, inside) {
			continue
		}
		prog := filepath.Join(d, name)
		if info, err := os.Stat(prog); err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			if !outside(prog, inside) {
				continue
			}
			if g.path == "" {
				g.path = prog
			}
		}
		dirs = append(dirs, d)
	}
	if g.path == "" {
		return nil, errors.New("find go: PATH has no go command outside of the repository: install Go, or put it into PATH")
	}
	g.dirs = strings.Join(dirs, string(filepath.ListSeparator))
	g.env = append(append(g.env, "PATH="+g.dirs), locked...)
	for _, k := range inherited {
		if v := os.Getenv(k); v != "" && outsideAll(v, inside) {
			g.env = append(g.env, k+"="+v)
		}
	}
	home := false
	for _, e := range g.env {
		home = home || strings.HasPrefix(e, "HOME=") || strings.HasPrefix(e, "USERPROFILE=") || strings.HasPrefix(e, "GOPATH=")
	}
	cache := os.Getenv("GOCACHE")
	if cache == "" || !filepath.IsAbs(cache) {
		cache = ""
		if d, err := os.UserCacheDir(); err == nil {
			cache = filepath.Join(d, "go-build")
		}
	}
	if !home || cache == "" || !outside(cache, inside) {
		// The user's own folders would be in the repository, or there are
		// none: go does without what was downloaded.
		t, err := g.tempDir()
		if err != nil {
			return nil, err
		}
		cache = filepath.Join(t, "cache")
		if !home {
			g.env = append(g.env, "GOPATH="+filepath.Join(t, "path"))
		}
	}
	g.env = append(g.env, "GOCACHE="+cache)
	return g, nil
}

// tempDir is a folder outside of the repository that close removes.
func (g *goCommand) tempDir() (string, error) {
	if g.temp != "" {
		return g.temp, nil
	}
	base := os.TempDir()
	if !outside(base, g.inside) && runtime.GOOS != "windows" {
		base = "/tmp" // TMPDIR says otherwise, and is not to be followed
	}
	if !outside(base, g.inside) {
		return "", fmt.Errorf("make a folder for go: the one for temporary files, %s, is in the repository: set TMPDIR to another", base)
	}
	t, err := os.MkdirTemp(base, "rank-go-*")
	if err != nil {
		return "", fmt.Errorf("make a folder for go: %w", err)
	}
	g.temp = t
	return t, nil
}

func (g *goCommand) close() {
	if g.temp != "" && !g.lent {
		os.RemoveAll(g.temp)
	}
}

// outsideAll is outside of every element of a list of paths.
func outsideAll(list string, inside []os.FileInfo) bool {
	for _, p := range filepath.SplitList(list) {
		if !outside(p, inside) {
			return false
		}
	}
	return true
}

// outside reports whether an absolute path, also with its links followed, is
// in none of the folders. What does not exist yet is judged by its nearest
// folder that does. Folders are told by identity, not by name: a file system
// may not mind case.
func outside(p string, inside []os.FileInfo) bool {
	if !filepath.IsAbs(p) {
		return false
	}
	ways := []string{filepath.Clean(p)}
	for d := ways[0]; ; d = filepath.Dir(d) {
		if real, err := filepath.EvalSymlinks(d); err == nil {
			ways = append(ways, real)
			break
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	for _, w := range ways {
		for d := w; ; d = filepath.Dir(d) {
			if info, err := os.Stat(d); err == nil {
				for _, f := range inside {
					if os.SameFile(info, f) {
						return false
					}
				}
			}
			if d == filepath.Dir(d) {
				break
			}
		}
	}
	return true
}

// pathMu is held while PATH is another one.
var pathMu sync.Mutex

// with calls f with the process's PATH cut: go/packages finds the go command
// by it, whatever environment the command is then given.
func (g *goCommand) with(f func()) error {
	pathMu.Lock()
	defer pathMu.Unlock()
	old, had := os.LookupEnv("PATH")
	if err := os.Setenv("PATH", g.dirs); err != nil {
		return fmt.Errorf("find go: %w", err)
	}
	defer func() {
		if had {
			os.Setenv("PATH", old)
		} else {
			os.Unsetenv("PATH")
		}
	}()
	f()
	return nil
}
