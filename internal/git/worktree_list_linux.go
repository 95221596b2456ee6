package git

import (
	"encoding/binary"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openFolderOnly opens a folder to look things up in it, which needs no right
// to list it.
const openFolderOnly = unix.O_PATH | unix.O_DIRECTORY

// folderLister lists folders. It reads the kernel's records itself: one string
// a folder, where os.ReadDir makes an object a name. It is for one goroutine.
type folderLister struct{ buf []byte }

const (
	// Of a record: inode u64, offset u64, length u16, type u8, name, NUL.
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

// read lists a folder in name order, in the memory of list. stat is that of the
// folder which was listed: what its path leads to may have changed since the
// caller looked.
func (l *folderLister) read(dir string, list []folderName) (out []folderName, stat folderStat, err error) {
	if l.buf == nil {
		l.buf = make([]byte, 32<<10)
	}
	list = list[:0]
	fd, err := openRetry(unix.AT_FDCWD, dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW)
	if err != nil {
		return nil, stat, &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil {
		stat = folderStatOf(&st)
	}
	for {
		n, err := unix.Getdents(fd, l.buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return sortNames(list), stat, &fs.PathError{Op: "readdir", Path: dir, Err: err}
		}
		if n == 0 {
			return sortNames(list), stat, nil
		}
		text := string(l.buf[:n])
		for at := 0; at+direntName < n; {
			size := int(binary.NativeEndian.Uint16(l.buf[at+direntLength:]))
			if size <= direntName || at+size > n {
				break
			}
			end := at + direntName
			for end < at+size && text[end] != 0 {
				end++
			}
			name := text[at+direntName : end]
			typ := direntMode(l.buf[at+direntType])
			at += size
			if name == "." || name == ".." {
				continue
			}
			if typ == unknownType {
				info, err := os.Lstat(dir + "/" + name)
				if err != nil {
					continue // it went away
				}
				typ = info.Mode().Type()
			}
			list = append(list, folderName{name, typ})
		}
	}
}

const unknownType = fs.FileMode(1)

func direntMode(t byte) fs.FileMode {
	switch t {
	case unix.DT_REG:
		return 0
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	case unix.DT_UNKNOWN:
		return unknownType // some file systems do not tell
	}
	return fs.ModeIrregular
}

// The layout above is the kernel's on every machine: no padding depends on the
// size of a word.
var _ = [1]struct{}{}[unsafe.Offsetof(unix.Dirent{}.Name)-direntName]
