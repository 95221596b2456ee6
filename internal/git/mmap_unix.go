//go:build unix

package git

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// mapping is a file's content, mapped read-only. It is unmapped when the
// mapping is no longer reachable, so a reader must keep it alive
// (runtime.KeepAlive) for as long as it looks at data.
type mapping struct{ data []byte }

// mapFile maps a whole file. git replaces packs by new files and never
// shortens them, so the content stays as it was.
func mapFile(name string) (*mapping, error) {
	f, fi, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := fi.Size()
	if size <= 0 || int64(int(size)) != size {
		return nil, fmt.Errorf("map %s: not of a usable size", name)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", name, err)
	}
	m := &mapping{data}
	runtime.AddCleanup(m, func(data []byte) { _ = unix.Munmap(data) }, data)
	return m, nil
}

// relax lets the system take the pages back.
func (m *mapping) relax() {
	if m != nil && len(m.data) > 0 {
		_ = unix.Madvise(m.data, unix.MADV_DONTNEED)
		runtime.KeepAlive(m)
	}
}
