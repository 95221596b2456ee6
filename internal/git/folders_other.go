//go:build !linux

package git

// folderWatch takes folders' stats. Which file systems keep their times is not
// known here.
type folderWatch struct{}

func watchFolders(string) *folderWatch { return nil }

func (w *folderWatch) stat(string) (folderStat, bool) { return folderStat{}, false }
