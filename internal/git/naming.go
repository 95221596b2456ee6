package git

import (
	"crypto/sha1"
	"crypto/sha256"
	"hash"
	"strconv"
)

// naming is how a repository names its objects. In memory every id is an OID
// of 20 bytes: of a SHA-256 repository, the first 20 of its 32. That is an
// abbreviation that git itself takes, and 160 bits tell objects apart as well
// as those of SHA-1 do; on disk ids have their full length.
type naming uint8

const (
	bySHA1 naming = iota
	bySHA256
)

// idLen is the length of an OID.
const idLen = 20

// size is the length in bytes of an id on disk, and of the checksum behind a
// file.
func (n naming) size() int {
	if n == bySHA256 {
		return sha256.Size
	}
	return sha1.Size
}

func (n naming) new() hash.Hash {
	if n == bySHA256 {
		return sha256.New()
	}
	return sha1.New()
}

// sum gives the checksum of the content of a file.
func (n naming) sum(data []byte) []byte {
	h := n.new()
	h.Write(data)
	return h.Sum(nil)
}

// blobID gives the id that git gives a blob of this content.
func (n naming) blobID(data []byte) OID {
	h := n.new()
	var head [32]byte
	h.Write(append(strconv.AppendInt(append(head[:0], "blob "...), int64(len(data)), 10), 0))
	h.Write(data)
	var sum [sha256.Size]byte
	return OID(h.Sum(sum[:0]))
}

// IsBlob reports whether git would give a file of this content the id.
func (r *Repo) IsBlob(data []byte, id OID) bool { return r.naming.blobID(data) == id }
