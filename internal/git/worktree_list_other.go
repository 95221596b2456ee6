//go:build !linux

package git

import "os"

// folderLister lists folders. It is for one goroutine.
type folderLister struct{}

// read lists a folder in name order, in the memory of list. Its stat is not
// known here.
func (l *folderLister) read(dir string, list []folderName) ([]folderName, folderStat, error) {
	entries, err := os.ReadDir(dir)
	list = list[:0]
	for _, e := range entries {
		list = append(list, folderName{e.Name(), e.Type()})
	}
	return sortNames(list), folderStat{}, err
}
