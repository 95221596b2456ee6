package git

import (
	"encoding/binary"
	"hash/crc32"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// Folders remembers what the folders of a working tree held, so that the next
// look need not list those that did not change: a folder whose device, inode,
// time of change and time of its own change are those of before holds the names
// that it held. (What git calls the untracked cache, but for names instead of
// outcomes: nothing here depends on the index or on rules.)
//
// A folder that changed within settled of being listed is not remembered, since
// a change to come might bear the same time. Only file systems that are known
// to keep these times are trusted (see trusted). It is for one WorkingTree at a
// time; the zero value remembers nothing.
type Folders struct {
	known   map[string]*folderSeen
	seen    map[string]*folderSeen // what this look found
	changed bool
	partial bool         // the look ended early
	clock   func() int64 // nanoseconds since 1970; nil: the system's
}

func (f *Folders) now() int64 {
	if f.clock != nil {
		return f.clock()
	}
	return time.Now().UnixNano()
}

// folderSeen is one folder as it was.
type folderSeen struct {
	stat  folderStat
	names []byte // a byte of type, a varint of length, and the name, in name order
}

// folderStat is what must not have changed. Times are in nanoseconds.
type folderStat struct {
	dev, ino     uint64
	mtime, ctime int64
}

const (
	foldersMagic = "COHOPFO1"
	// settled is how old a folder's last change must be, in nanoseconds:
	// longer than the tick of any trusted file system.
	settled = 2_000_000_000
)

// ReadFolders decodes what Encode made; nothing is remembered if b does not
// check.
func ReadFolders(b []byte) *Folders {
	f := &Folders{}
	if len(b) < len(foldersMagic)+4 || string(b[:len(foldersMagic)]) != foldersMagic ||
		crc32.Checksum(b[:len(b)-4], castagnoli) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return f
	}
	text := b[len(foldersMagic) : len(b)-4]
	next := func() ([]byte, bool) {
		n, k := binary.Uvarint(text)
		if k <= 0 || n > uint64(len(text)-k) {
			return nil, false
		}
		out := text[k : k+int(n)]
		text = text[k+int(n):]
		return out, true
	}
	known := map[string]*folderSeen{}
	for len(text) > 0 {
		path, ok := next()
		if !ok || len(text) < 32 {
			return f
		}
		var s folderSeen
		for i, at := range []*uint64{&s.stat.dev, &s.stat.ino} {
			*at = binary.LittleEndian.Uint64(text[8*i:])
		}
		s.stat.mtime, s.stat.ctime = int64(binary.LittleEndian.Uint64(text[16:])), int64(binary.LittleEndian.Uint64(text[24:]))
		text = text[32:]
		if s.names, ok = next(); !ok {
			return f
		}
		known[string(path)] = &s
	}
	f.known = known
	return f
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Encode gives what the last look found, nil if that is what was known before,
// or only part of it.
func (f *Folders) Encode() []byte {
	if f.partial || !f.changed && len(f.seen) == len(f.known) {
		return nil
	}
	out := []byte(foldersMagic)
	for _, path := range slices.Sorted(maps.Keys(f.seen)) {
		s := f.seen[path]
		out = binary.AppendUvarint(out, uint64(len(path)))
		out = append(out, path...)
		for _, x := range []uint64{s.stat.dev, s.stat.ino, uint64(s.stat.mtime), uint64(s.stat.ctime)} {
			out = binary.LittleEndian.AppendUint64(out, x)
		}
		out = binary.AppendUvarint(out, uint64(len(s.names)))
		out = append(out, s.names...)
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

// recall gives the names of a folder that did not change, in the memory of list.
func (f *Folders) recall(path string, stat folderStat, list []folderName) ([]folderName, bool) {
	s := f.known[path]
	if s == nil || s.stat != stat {
		return list, false
	}
	list = list[:0]
	text := string(s.names)
	for at := 0; at < len(text); {
		typ := namedType(text[at])
		n, k := binary.Uvarint(s.names[at+1:])
		if at += 1 + k; k <= 0 || n == 0 || n > uint64(len(text)-at) {
			return list, false
		}
		list = append(list, folderName{text[at : at+int(n)], typ})
		at += int(n)
	}
	f.note(path, s)
	return list, true
}

// learn notes the names of a folder that was listed after stat was taken, at
// the time now.
func (f *Folders) learn(path string, stat folderStat, now int64, list []folderName) {
	if max(stat.mtime, stat.ctime) > now-settled {
		return
	}
	s := &folderSeen{stat: stat}
	for _, e := range list {
		s.names = append(s.names, typeByte(e.typ))
		s.names = binary.AppendUvarint(s.names, uint64(len(e.name)))
		s.names = append(s.names, e.name...)
	}
	f.changed = true
	f.note(path, s)
}

func (f *Folders) note(path string, s *folderSeen) {
	if f.seen == nil {
		f.seen = make(map[string]*folderSeen, len(f.known))
	}
	f.seen[path] = s
}

func typeByte(t fs.FileMode) byte {
	switch {
	case t == 0:
		return 'f'
	case t&fs.ModeDir != 0:
		return 'd'
	case t&fs.ModeSymlink != 0:
		return 'l'
	}
	return 'o'
}

func namedType(b byte) fs.FileMode {
	switch b {
	case 'f':
		return 0
	case 'd':
		return fs.ModeDir
	case 'l':
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}
