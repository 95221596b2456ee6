package precise

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxListed is the largest file that the go command may be led to: it keeps in
// memory all that comes before the end of the imports, and that may be one
// comment.
const maxListed = 64 << 20

// opened reports whether the go command, when it lists packages, opens a file
// of that name: it looks for build constraints in all of these.
func opened(name string) bool {
	switch filepath.Ext(name) {
	case ".go", ".c", ".cc", ".cxx", ".cpp", ".m", ".h", ".hh", ".hpp", ".hxx", ".f", ".F", ".for", ".f90", ".s", ".S", ".sx", ".swig", ".swigcxx":
		return true
	}
	switch name {
	case "go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt":
		return true
	}
	return false
}

// special refuses a tree that the go command might wait in: it opens what is
// named like a source, and of a pipe nobody writes to that never returns. Of
// what is in the folders nothing but the type is looked at, also of files that
// git does not know, since the go command does not ask git. Folders that ./...
// passes over are passed over; what an import leads to in them, and in replaced
// modules elsewhere, is left to the caller's deadline.
func special(ctx context.Context, root string) error {
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return nil // go cannot read it either
		}
		name := d.Name()
		if d.IsDir() {
			if p != root && (name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !opened(name) {
			return nil
		}
		info, err := os.Stat(p) // go follows links
		if err != nil || info.IsDir() {
			return nil
		}
		at := p
		if rel, err := filepath.Rel(root, p); err == nil {
			at = filepath.ToSlash(rel)
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is named like a source and is a %s, which go would wait for: remove it", at, kindOf(info.Mode()))
		}
		if info.Size() > maxListed {
			return fmt.Errorf("%s has %d MiB, more than go is given to read: remove it", at, info.Size()>>20)
		}
		return nil
	})
}

// kindOf names what is no regular file.
func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}
