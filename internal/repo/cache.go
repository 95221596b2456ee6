package repo

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/adrg/xdg"
	"github.com/gofrs/flock"
)

// lockWait is how long a process waits for another one that writes the cache
// before it does the work for itself, in memory.
const lockWait = 20 * time.Second

// cache is a repository's folder of derived files; dir is "" when there is
// none, and every method then does nothing.
type cache struct {
	dir string

	mu   sync.Mutex
	held int // how often lock was taken and not released
	file *flock.Flock
}

// CacheRoot returns the folder below which every repository has its own.
func CacheRoot() string { return filepath.Join(xdg.CacheHome, "cohop") }

// openCache makes the folder of a repository, named by its common git
// directory. An error is a reason to work without.
func openCache(root, commonDir string) (*cache, error) {
	if root == "" {
		root = CacheRoot()
	}
	abs, err := filepath.Abs(commonDir)
	if err != nil {
		return &cache{}, err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	sum := sha256.Sum256([]byte(abs))
	dir := filepath.Join(root, hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &cache{}, err
	}
	return &cache{dir: dir}, nil
}

// Bounds of what readKept reads, in bytes: names and stamps with what their
// trees lacked; names of folders, counts by language; what a hurried run
// compared.
const (
	maxNote  = 1 << 20
	maxLook  = 256 << 20
	maxBegun = 1 << 30
)

// readKept reads a small file of the cache. Whatever else stands in its place, a
// link, a device, a file beyond limit bytes, is none of ours.
func readKept(path string, limit int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > limit) {
		err = fmt.Errorf("read cache: %s is no file of at most %d bytes", path, limit)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// sub makes a folder in the cache and returns its path, "" if it cannot.
func (c *cache) sub(name string) string {
	if c == nil || c.dir == "" {
		return ""
	}
	dir := filepath.Join(c.dir, name)
	if os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	return dir
}

// lock takes the writer's lock; a process that has it may take it again, so that
// it does not keep out what is written behind (see flushBehind). It returns a nil
// release when another process keeps it for longer than wait or the folder cannot
// be written: the caller then works in memory. Any goroutine may release. The
// system frees the lock of a process that dies.
func (c *cache) lock(wait time.Duration) (release func()) {
	if c.dir == "" {
		return nil
	}
	deadline := time.Now().Add(wait)
	for {
		ok, err := c.tryLock()
		if err != nil {
			return nil
		}
		if ok {
			return c.unlock
		}
		if !time.Now().Before(deadline) {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (c *cache) tryLock() (ok bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == 0 {
		l := flock.New(filepath.Join(c.dir, "lock"))
		if ok, err = l.TryLock(); !ok {
			_ = l.Close()
			return false, err
		}
		c.file = l
	}
	c.held++
	return true, nil
}

func (c *cache) unlock() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held--; c.held == 0 {
		_ = c.file.Unlock()
	}
}

// writeAtomic writes a file beside its place and renames it, so that a reader
// sees the whole file or none.
func writeAtomic(path string, parts ...[]byte) error { return writeStream(path, slices.Values(parts)) }

// writeStream is writeAtomic of parts that are not all in memory at once.
func writeStream(path string, parts iter.Seq[[]byte]) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return fmt.Errorf("write cache: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 1<<18)
	for b := range parts {
		if _, err = w.Write(b); err != nil {
			return fmt.Errorf("write cache: %w", err)
		}
	}
	if err = w.Flush(); err != nil {
		return fmt.Errorf("write cache: %w", err)
	}
	if err = f.Close(); err != nil {
		return fmt.Errorf("write cache: %w", err)
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("write cache: %w", err)
	}
	return nil
}

// keep is writeAtomic of a file that openChecked reads: what was just made is
// known to be right.
func keep(path string, data []byte) error {
	if err := writeAtomic(path, data); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(data)) {
		stamp(path, info, nil)
	}
	return nil
}

// sweepTemp removes what killed writers left; the caller holds the lock.
func sweepTemp(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".tmp-") {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// numbered lists the files NNNNNN.ext of a folder in order, and the number
// that the next one gets.
func numbered(dir, ext string) (paths []string, next int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, 1
	}
	next = 1
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ext)
		if !ok || len(name) != 6 || !e.Type().IsRegular() {
			continue
		}
		n := 0
		for _, c := range []byte(name) {
			if c < '0' || c > '9' {
				n = -1
				break
			}
			n = n*10 + int(c-'0')
		}
		if n < 0 {
			continue
		}
		paths = append(paths, filepath.Join(dir, e.Name()))
		next = max(next, n+1)
	}
	slices.Sort(paths)
	return paths, next
}

func numberedName(dir string, n int, ext string) string {
	return filepath.Join(dir, fmt.Sprintf("%06d%s", n, ext))
}

// mapping is a file's bytes, mapped where the system can.
type mapping struct {
	data  []byte
	info  os.FileInfo
	note  []byte // what is noted of it, see openChecked
	unmap func()
}

func (m *mapping) close() {
	if m != nil && m.unmap != nil {
		m.unmap()
		m.unmap = nil
	}
}

func notExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
