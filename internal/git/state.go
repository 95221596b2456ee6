package git

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// ObjectsStamp tells the object stores that the repository reads from, its own
// and borrowed ones, from what they were: the names, sizes and times of packs,
// and the times of the folders of loose objects, which change with the names in
// them. It reads no object, and at most 257 folders' times a store. Equal
// stamps mean equal objects but for changes within one tick of the file
// system's clock.
func (r *Repo) ObjectsStamp() (sum [16]byte) {
	h := sha256.New()
	for _, dir := range r.store.dirs {
		stampFolder(h, dir, true)
		stampFolder(h, filepath.Join(dir, "pack"), false)
	}
	copy(sum[:], h.Sum(nil))
	return sum
}

// stampFolder adds a folder and what is in it, or only the folders of loose
// objects in it.
func stampFolder(h hash.Hash, dir string, loose bool) {
	var b []byte
	add := func(name string, info os.FileInfo) {
		b = append(append(b[:0], name...), 0)
		if !info.IsDir() {
			b = binary.LittleEndian.AppendUint64(b, uint64(info.Size()))
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(info.ModTime().UnixNano()))
		h.Write(b)
	}
	if info, err := os.Stat(dir); err == nil {
		add(dir, info)
	}
	files, _ := os.ReadDir(dir) // in order of name
	for _, f := range files {
		if loose && (len(f.Name()) != 2 || !f.IsDir()) {
			continue
		}
		if info, err := f.Info(); err == nil {
			add(f.Name(), info)
		}
	}
}

// HasObject tells whether an object is here and can be read. One that is too
// large to be read is here.
func (rd *Reader) HasObject(id OID) bool {
	_, size, err := rd.Size(id)
	if err != nil {
		return false
	}
	if size > MaxObject {
		return true
	}
	_, _, err = rd.Object(id)
	return err == nil
}

// HasTreeOf tells whether the top of a commit's tree is here.
func (rd *Reader) HasTreeOf(commit OID) bool {
	tree, _, err := rd.commitTree(commit)
	if err == nil {
		_, _, err = rd.Size(tree)
	}
	return err == nil
}

// Boundary names what makes a history another one than its commits' own: where
// a shallow clone is cut off, replaced objects and grafts. It is 16 hexadecimal
// digits, "" when there is nothing of the kind.
func (r *Repo) Boundary() string {
	if !r.Shallow && len(r.replace)+len(r.grafts) == 0 {
		return ""
	}
	h := sha256.New()
	if r.Shallow {
		for _, id := range slices.SortedFunc(maps.Keys(r.shallow), OID.compare) {
			h.Write(id[:])
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(r.replace), OID.compare) {
		by := r.replace[id]
		fmt.Fprintf(h, "replace %s %s\n", id, by)
	}
	for _, id := range slices.SortedFunc(maps.Keys(r.grafts), OID.compare) {
		fmt.Fprintf(h, "graft %s %v\n", id, r.grafts[id])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
