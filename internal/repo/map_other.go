//go:build !unix

package repo

import "os"

func mapFile(path string) (*mapping, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return &mapping{data: data, info: info}, nil
}

func inode(os.FileInfo) uint64 { return 0 }
