package git

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// maxTime is the last second that a commit may have been made, in the year
// 2242: odd clocks have written the year 3170843.
const maxTime = 1 << 33

// maxParents bounds the parents of one commit; the widest known merge has 66.
const maxParents = 1 << 12

// commitHead is a commit without its message.
type commitHead struct {
	tree    OID
	parents []OID
	time    int64
	message []byte // points into the object
}

// parseCommit reads a commit object. Only the tree must be there.
func parseCommit(b []byte) (commitHead, bool) {
	var c commitHead
	for len(b) > 0 && b[0] != '\n' {
		line := b
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			line, b = b[:i], b[i+1:]
		} else {
			b = nil
		}
		key, value, _ := bytes.Cut(line, []byte{' '})
		switch string(key) {
		case "tree":
			if id, err := ParseOID(string(value)); err == nil && c.tree.IsZero() {
				c.tree = id
			}
		case "parent":
			if id, err := ParseOID(string(value)); err == nil && len(c.parents) < maxParents {
				c.parents = append(c.parents, id)
			}
		case "committer":
			c.time = parseTime(value)
		}
	}
	if len(b) > 0 {
		c.message = b[1:]
	}
	return c, !c.tree.IsZero()
}

// parseTime reads the seconds behind "name <mail>", clamped; 0 if unreadable.
func parseTime(ident []byte) int64 {
	ident = bytes.TrimLeft(ident[bytes.LastIndexByte(ident, '>')+1:], " ")
	var t int64
	for _, c := range ident {
		if c < '0' || c > '9' {
			break
		}
		if t = t*10 + int64(c-'0'); t > maxTime {
			return maxTime
		}
	}
	return t
}

// cutMessage keeps at most MaxMessage bytes, ending at a rune.
func cutMessage(b []byte) string {
	if len(b) <= MaxMessage {
		return string(b)
	}
	n := MaxMessage
	for k := 0; k < utf8.UTFMax-1 && n > 0 && !utf8.RuneStart(b[n]); k++ {
		n--
	}
	return string(b[:n])
}

// commit reads a commit, with the parents that it is meant to have; its
// message is valid until the next call. cut: parents are missing by a shallow
// boundary.
func (rd *Reader) commit(id OID) (c commitHead, cut bool, err error) {
	typ, data, err := rd.Object(id)
	if err != nil {
		return c, false, err
	}
	if typ != TypeCommit {
		return c, false, fmt.Errorf("object %s is a %s, not a commit: %w", id, typ, ErrUnknownRevision)
	}
	c, ok := parseCommit(data)
	if !ok {
		return c, false, fmt.Errorf("commit %s: %w", id, ErrCorrupt)
	}
	if rd.repo.shallow[id] {
		cut = len(c.parents) > 0
		c.parents = nil
	} else if parents, ok := rd.repo.grafts[id]; ok {
		c.parents = parents
	}
	return c, cut, nil
}

// Message gives a commit's message, at most MaxMessage bytes of it, as Commits
// does.
func (rd *Reader) Message(id OID) (string, error) {
	c, _, err := rd.commit(id)
	if err != nil {
		return "", err
	}
	return cutMessage(c.message), nil
}

// parent gives the n-th parent of a commit, counted from one.
func (rd *Reader) parent(id OID, n int) (OID, error) {
	c, _, err := rd.commit(id)
	if err != nil {
		return OID{}, err
	}
	if n > len(c.parents) {
		return OID{}, fmt.Errorf("commit %s has %d parents here: %w", id, len(c.parents), ErrUnknownRevision)
	}
	return c.parents[n-1], nil
}

// peel follows tags to the commit they name.
func (rd *Reader) peel(id OID) (OID, error) {
	for range maxPeel {
		typ, data, err := rd.Object(id)
		if err != nil {
			return OID{}, err
		}
		switch typ {
		case TypeCommit:
			return id, nil
		case TypeTag:
			line, _, _ := bytes.Cut(data, []byte{'\n'})
			to, ok := bytes.CutPrefix(line, []byte("object "))
			if !ok {
				return OID{}, fmt.Errorf("tag %s: %w", id, ErrCorrupt)
			}
			if id, err = ParseOID(string(to)); err != nil {
				return OID{}, fmt.Errorf("tag %s: %w", id, ErrCorrupt)
			}
		default:
			return OID{}, fmt.Errorf("object %s is a %s, not a commit: %w", id, typ, ErrUnknownRevision)
		}
	}
	return OID{}, fmt.Errorf("tag %s: tags without end: %w", id, ErrCorrupt)
}
