package git

import "golang.org/x/sys/unix"

// trusted file systems set a folder's times whenever a name in it comes, goes
// or is renamed, in ticks of less than settled. What is shared over a network or
// with another system is not among them.
var trusted = map[int64]bool{
	unix.EXT4_SUPER_MAGIC:      true, // ext2 and ext3 too
	unix.XFS_SUPER_MAGIC:       true,
	unix.BTRFS_SUPER_MAGIC:     true,
	unix.F2FS_SUPER_MAGIC:      true,
	unix.TMPFS_MAGIC:           true,
	unix.OVERLAYFS_SUPER_MAGIC: true,
}

// folderWatch takes folders' stats; nil where they are not to be trusted.
type folderWatch struct{ dev uint64 }

func watchFolders(top string) *folderWatch {
	var f unix.Statfs_t
	var st unix.Stat_t
	if unix.Statfs(top, &f) != nil || !trusted[int64(f.Type)] || unix.Stat(top, &st) != nil {
		return nil
	}
	return &folderWatch{uint64(st.Dev)}
}

// stat tells what must not change of a folder. What is mounted inside the tree
// is of another device, of which nothing is known.
func (w *folderWatch) stat(dir string) (folderStat, bool) {
	if w == nil {
		return folderStat{}, false
	}
	var st unix.Stat_t
	if unix.Lstat(dir, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR || uint64(st.Dev) != w.dev {
		return folderStat{}, false
	}
	return folderStatOf(&st), true
}

func folderStatOf(st *unix.Stat_t) folderStat {
	return folderStat{dev: uint64(st.Dev), ino: st.Ino, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano()}
}
