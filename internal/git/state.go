package git

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
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

// Boundary names where the history of a shallow clone is cut off, in 16
// hexadecimal digits; "" when it is not.
func (r *Repo) Boundary() string {
	if !r.Shallow {
		return ""
	}
	ids := make([]OID, 0, len(r.shallow))
	for id := range r.shallow {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, OID.compare)
	h := sha256.New()
	for _, id := range ids {
		h.Write(id[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
