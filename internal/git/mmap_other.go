//go:build !unix

package git

import "os"

// mapping is a file's content; where files cannot be mapped it is read.
type mapping struct{ data []byte }

func mapFile(name string) (*mapping, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return &mapping{data}, nil
}

func (m *mapping) relax() {}
