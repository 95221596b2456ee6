package git

import (
	"cmp"
	"io/fs"
	"slices"
)

// diskStat is what the disk says of a path.
type diskStat struct {
	typ       fs.FileMode // type bits; 0: a regular file
	size      int64
	sec, nsec int64 // time of change
}

// mtime is the time of change in nanoseconds since 1970, as time.UnixNano
// counts it.
func (s *diskStat) mtime() int64 { return s.sec*1e9 + s.nsec }

// folderName is a name in a folder.
type folderName struct {
	name string
	typ  fs.FileMode // type bits
}

func sortNames(list []folderName) []folderName {
	slices.SortFunc(list, func(a, b folderName) int { return cmp.Compare(a.name, b.name) })
	return list
}
