package git

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// OID is the name of an object: its SHA-1, or the first 20 bytes of its SHA-256.
type OID [idLen]byte

// String gives 40 hexadecimal digits.
func (id OID) String() string { return hex.EncodeToString(id[:]) }

// IsZero reports whether id names nothing.
func (id OID) IsZero() bool { return id == OID{} }

// ParseOID reads 40 hexadecimal digits of either case, or the 64 of a SHA-256,
// of which the first 40 count.
func ParseOID(s string) (OID, error) {
	var id OID
	if len(s) != 2*len(id) && len(s) != 2*bySHA256.size() {
		return OID{}, fmt.Errorf("object id %q: want 40 hexadecimal digits, or 64", s)
	}
	if rest := s[2*len(id):]; strings.Trim(rest, "0123456789abcdefABCDEF") != "" {
		return OID{}, fmt.Errorf("object id %q: want hexadecimal digits", s)
	}
	s = s[:2*len(id)]
	if _, err := hex.Decode(id[:], []byte(s)); err != nil {
		return OID{}, fmt.Errorf("object id %q: %w", s, err)
	}
	return id, nil
}

// Sentinel errors; test with errors.Is.
var (
	ErrNotRepository   = errors.New("not a git repository")
	ErrUnsupported     = errors.New("unsupported repository")
	ErrNoCommits       = errors.New("no commits yet")         // HEAD names a branch that is not born
	ErrUnknownRevision = errors.New("unknown revision")       // no such branch, tag or id
	ErrAmbiguous       = errors.New("ambiguous abbreviation") // several objects begin with these digits
	ErrMissing         = errors.New("object is not here")     // partial or shallow clone, or damage
	ErrCorrupt         = errors.New("object is corrupt")
	ErrTooLarge        = errors.New("object is too large") // over MaxObject
	ErrNoFolder        = errors.New("no such folder")      // Tree: root is not a folder of the tree
)

// MaxObject is the largest object, in bytes, that a Reader inflates. Source
// files stay below 1 MB and the tree of a folder with 100,000 entries below
// 8 MB, so this only keeps memory bounded.
const MaxObject = 64 << 20

// MaxChanges is the most changes that a Commit carries. Sweeping commits
// (vendored imports, reformatting) say nothing about what belongs together, and
// only where they move files to is kept of them.
const MaxChanges = 2000

// MaxMessage is the most bytes kept of a commit's message.
const MaxMessage = 8 << 10

// ObjectType is the kind of an object, numbered as in packs.
type ObjectType uint8

// The types of objects.
const (
	TypeCommit ObjectType = 1
	TypeTree   ObjectType = 2
	TypeBlob   ObjectType = 3
	TypeTag    ObjectType = 4
)

func (t ObjectType) String() string {
	switch t {
	case TypeCommit:
		return "commit"
	case TypeTree:
		return "tree"
	case TypeBlob:
		return "blob"
	case TypeTag:
		return "tag"
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// Modes of tree entries. The bits below ModeType are permissions.
const (
	ModeType    = 0o170000
	ModeDir     = 0o040000
	ModeRegular = 0o100000
	ModeSymlink = 0o120000
	ModeGitlink = 0o160000 // a submodule's commit
)

// Entry is one file of a snapshot.
type Entry struct {
	Path      string // relative to the repository, with slashes, bytes as they are
	Mode      uint32 // as git has it: 0100644, 0100755, 0120000, 0160000
	ID        OID    // of the blob, or of the submodule's commit; when OnDisk: what git would name the content
	Size      int64  // bytes; -1: not known
	OnDisk    bool   // content must be read from the working tree
	Untracked bool   // in the working tree but not in the index
}

// FindEntry returns the place of path among entries, which are sorted by path, or
// where it would stand.
func FindEntry(entries []Entry, path string) (int, bool) {
	return slices.BinarySearchFunc(entries, path, func(e Entry, p string) int { return strings.Compare(e.Path, p) })
}

// IsRegular reports whether e is a plain file, executable or not.
func (e Entry) IsRegular() bool { return e.Mode&ModeType == ModeRegular }

// Change is one file that a commit changed.
type Change struct {
	Status byte   // 'A' added, 'M' modified (content, mode or type), 'D' deleted, 'R' renamed without a change of content
	Path   string // the path after the commit; for 'D' the one before
	Old    string // for 'R' the path before, otherwise ""
}

// Commit is one commit of a history.
type Commit struct {
	ID       OID
	Parents  []OID    // as replace refs, grafts, and shallow boundaries have them
	Time     int64    // committer's, seconds since 1970, clamped to [0, 2^33]
	Message  string   // at most MaxMessage bytes, cut at a rune
	Merge    bool     // more than one parent
	Huge     bool     // more than MaxChanges changes: Changes are the renames among them if they are many, else nil
	Boundary bool     // its parent is cut off or missing, or a tree could not be read: Changes is nil
	Changes  []Change // against the first parent, in path order; nil for merges
}

// compare orders ids by their bytes.
func (id OID) compare(other OID) int { return bytes.Compare(id[:], other[:]) }
