package git

import "context"

// Reader reads objects. It is for one goroutine at a time.
type Reader struct{}

// NewReader gives a reader with a cache of its own.
func (r *Repo) NewReader() *Reader { panic("later") }

// Close drops the cache.
func (rd *Reader) Close() error { panic("later") }

// Object gives an object's type and content; data is valid until the next call.
func (rd *Reader) Object(id OID) (typ ObjectType, data []byte, err error) { panic("later") }

// Size gives an object's type and size in bytes without inflating all of it.
func (rd *Reader) Size(id OID) (ObjectType, int64, error) { panic("later") }

// Tree lists the files of a commit or tree below root ("": all).
func (rd *Reader) Tree(commitOrTree OID, root string) (entries []Entry, tree OID, warnings []string, err error) {
	panic("later")
}

// Commits gives the ancestors of from, parents first.
func (r *Repo) Commits(ctx context.Context, from OID, known func(OID) bool, limit int) ([]Commit, error) {
	panic("later")
}
