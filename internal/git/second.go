package git

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// second is a second opinion: go-git's storage, for what the reader of this
// package cannot make sense of. One belongs to one Reader, for a storage that
// is shared between goroutines corrupts what it reads.
type second struct{ storage *filesystem.Storage }

// secondCache is small: only damaged repositories come here.
const secondCache = 8 << 20

// second reads an object through go-git.
func (rd *Reader) second(id OID) (typ ObjectType, data []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			typ, data, err = 0, nil, fmt.Errorf("%w: %v", ErrCorrupt, p)
		}
	}()
	if rd.repo.naming != bySHA1 {
		return 0, nil, ErrCorrupt // go-git does not read such
	}
	if rd.git == nil {
		rd.git = &second{filesystem.NewStorageWithOptions(
			osfs.New(rd.repo.CommonDir), cache.NewObjectLRU(secondCache),
			filesystem.Options{KeepDescriptors: true, ExclusiveAccess: true})}
	}
	o, err := rd.git.storage.EncodedObject(plumbing.AnyObject, plumbing.Hash(id))
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return 0, nil, ErrMissing
	}
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	if o.Size() > MaxObject {
		return 0, nil, ErrTooLarge
	}
	if o.Type() < plumbing.CommitObject || o.Type() > plumbing.TagObject {
		return 0, nil, ErrCorrupt
	}
	f, err := o.Reader()
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	defer f.Close()
	data = make([]byte, o.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return 0, nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	return ObjectType(o.Type()), data, nil
}

func (s *second) close() error {
	if s == nil {
		return nil
	}
	return s.storage.Close()
}
