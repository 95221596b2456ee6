//go:build unix && !linux

package git

import "golang.org/x/sys/unix"

// openFolderOnly opens a folder to look things up in it.
const openFolderOnly = unix.O_RDONLY | unix.O_DIRECTORY
