package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxSymbolic bounds a chain of symbolic refs; git's bound.
const maxSymbolic = 5

// maxPeel bounds tags of tags.
const maxPeel = 64

// readHead reads a ref file: a symbolic ref, or an id.
func readHead(name string) (symbolic string, id OID, ok bool) {
	text, err := readText(name)
	if err != nil {
		return "", OID{}, false
	}
	if target, is := strings.CutPrefix(text, "ref:"); is {
		target = strings.TrimSpace(target)
		return target, OID{}, strings.HasPrefix(target, "refs/")
	}
	// Anything may follow the id after white space, as in FETCH_HEAD.
	if i := strings.IndexAny(text, " \t\r\n"); i >= 0 {
		text = text[:i]
	}
	id, err = ParseOID(text)
	return "", id, err == nil
}

// safeRef refuses names that are no refs, above all such as would leave the
// git directory.
func safeRef(name string) bool {
	if name == "" || strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") ||
		strings.Contains(name, "..") || strings.Contains(name, "//") || strings.Contains(name, "@{") ||
		strings.ContainsAny(name, " ~^:?*[\\\x7f") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return strings.IndexFunc(name, func(c rune) bool { return c < ' ' }) < 0
}

// refFile gives the file of a loose ref: HEAD and a few others belong to the
// worktree, the rest is shared.
func (r *Repo) refFile(name string) string {
	return filepath.Join(r.refDir(name), filepath.FromSlash(name))
}

// refDir gives the git directory that a ref is kept in.
func (r *Repo) refDir(name string) string {
	if !strings.HasPrefix(name, "refs/") || strings.HasPrefix(name, "refs/bisect/") ||
		strings.HasPrefix(name, "refs/worktree/") || strings.HasPrefix(name, "refs/rewritten/") {
		return r.Dir
	}
	return r.CommonDir
}

// packedRefs reads the packed refs whose names begin with prefix.
func (r *Repo) packedRefs(prefix string) map[string]OID {
	refs := map[string]OID{}
	text, err := readText(filepath.Join(r.CommonDir, "packed-refs"))
	if err != nil {
		return refs
	}
	for line := range strings.Lines(text) {
		// "ID name"; other lines are comments and peeled tags.
		digits, name, ok := strings.Cut(line, " ")
		if !ok || !strings.HasPrefix(name, prefix) {
			continue
		}
		if id, err := ParseOID(digits); err == nil {
			refs[strings.TrimRight(name, "\r\n")] = id
		}
	}
	return refs
}

// errNoRef: there is no such ref.
var errNoRef = errors.New("no such ref")

// ref follows a ref to its id, and gives the name that it ends at.
func (r *Repo) ref(name string) (id OID, last string, err error) {
	for range maxSymbolic + 1 {
		if !safeRef(name) {
			return OID{}, name, errNoRef
		}
		if r.tables != nil {
			refs, err := r.tables.load(r.refDir(name))
			if err != nil {
				return OID{}, name, fmt.Errorf("ref %s: %w", name, err)
			}
			switch to := refs[name]; {
			case to.target != "":
				name = to.target
				continue
			case !to.id.IsZero():
				return to.id, name, nil
			case name == "HEAD" || strings.HasPrefix(name, "refs/"):
				return OID{}, name, errNoRef // of others, such as FETCH_HEAD, there are files
			}
		}
		file := r.refFile(name)
		// A symbolic link is an old form of a symbolic ref.
		if link, err := os.Readlink(file); err == nil && strings.HasPrefix(link, "refs/") {
			name = link
			continue
		}
		symbolic, id, ok := readHead(file)
		switch {
		case ok && symbolic != "":
			name = symbolic
			continue
		case ok:
			return id, name, nil
		}
		if id, ok := r.packedRefs(name)[name]; ok {
			return id, name, nil
		}
		if fi, err := os.Stat(file); err == nil && fi.Mode().IsRegular() {
			return OID{}, name, fmt.Errorf("ref %s: %w", name, ErrCorrupt)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) && !isNotDir(err) {
			return OID{}, name, fmt.Errorf("ref %s: %w", name, err)
		}
		return OID{}, name, errNoRef
	}
	return OID{}, name, fmt.Errorf("ref %s: symbolic refs without end: %w", name, ErrCorrupt)
}

// isNotDir reports whether a path failed for a part of it being a file.
func isNotDir(err error) bool {
	var pe *fs.PathError
	return errors.As(err, &pe) && strings.Contains(pe.Err.Error(), "not a directory")
}

// Head gives HEAD's commit and the full name of its branch, "" when detached.
// The error is ErrNoCommits, with the branch's name, before the first commit.
func (r *Repo) Head() (id OID, ref string, err error) {
	id, ref, err = r.ref("HEAD")
	if ref == "HEAD" {
		ref = ""
	}
	if errors.Is(err, errNoRef) {
		return OID{}, ref, fmt.Errorf("HEAD (%s): %w", ref, ErrNoCommits)
	}
	if err != nil {
		return OID{}, ref, fmt.Errorf("HEAD: %w", err)
	}
	return id, ref, nil
}

// Resolve gives the commit that a revision names: HEAD or @, a ref, tag,
// branch, or remote's branch by its full or short name, an id of 4 to 40
// digits or what git describe prints, followed by any of ~N, ^N, ^{commit},
// ^{} and ^0. The error is ErrUnknownRevision, ErrAmbiguous, ErrNoCommits, or
// about an object.
func (r *Repo) Resolve(rev string) (OID, error) {
	id, err := r.resolve(rev)
	if err != nil {
		return OID{}, fmt.Errorf("revision %q: %w", rev, err)
	}
	return id, nil
}

func (r *Repo) resolve(rev string) (OID, error) {
	end := strings.IndexAny(rev, "~^")
	if end < 0 {
		end = len(rev)
	}
	base, suffix := rev[:end], rev[end:]
	rd := r.NewReader()
	defer rd.Close()
	id, err := r.name(rd, base)
	if err != nil {
		return OID{}, err
	}
	if id, err = rd.peel(id); err != nil {
		return OID{}, err
	}
	for suffix != "" {
		op := suffix[0]
		suffix = suffix[1:]
		if op == '^' && strings.HasPrefix(suffix, "{") {
			what, rest, ok := strings.Cut(suffix[1:], "}")
			if !ok || what != "" && what != "commit" {
				return OID{}, fmt.Errorf("^{%s} does not name a commit: %w", what, ErrUnknownRevision)
			}
			suffix = rest
			continue
		}
		digits := len(suffix) - len(strings.TrimLeft(suffix, "0123456789"))
		n := 1
		if digits > 0 {
			if n, err = strconv.Atoi(suffix[:digits]); err != nil {
				return OID{}, fmt.Errorf("%s: %w", suffix[:digits], ErrUnknownRevision)
			}
			suffix = suffix[digits:]
		}
		if suffix != "" && suffix[0] != '~' && suffix[0] != '^' {
			return OID{}, ErrUnknownRevision
		}
		if op == '^' {
			if n > 0 {
				id, err = rd.parent(id, n)
			}
		} else {
			for ; n > 0 && err == nil; n-- {
				id, err = rd.parent(id, 1)
			}
		}
		if err != nil {
			return OID{}, err
		}
	}
	return id, nil
}

// name finds the object that a name without suffixes means.
func (r *Repo) name(rd *Reader, name string) (OID, error) {
	if id, err := ParseOID(name); err == nil {
		return id, nil
	}
	if name == "@" {
		name = "HEAD"
	}
	if name == "HEAD" {
		id, _, err := r.Head()
		return id, err
	}
	// In git's order. A file of the git directory is a ref only if its name
	// is written as theirs: FETCH_HEAD, not config.
	for _, form := range []string{"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s", "refs/remotes/%s/HEAD"} {
		full := strings.Replace(form, "%s", name, 1)
		if form == "%s" && !strings.HasPrefix(name, "refs/") && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
			continue
		}
		id, _, err := r.ref(full)
		if err == nil {
			return id, nil
		}
		if !errors.Is(err, errNoRef) {
			return OID{}, err
		}
	}
	hex := name
	if i := strings.LastIndex(name, "-g"); i > 0 {
		hex = name[i+2:] // git describe: tag, count, g and an abbreviated id
	}
	return r.abbreviated(rd, strings.ToLower(hex))
}

// maxCandidates bounds how many objects an abbreviation may fit before it is
// called ambiguous unseen.
const maxCandidates = 1000

// abbreviated finds the only commit, or tag of one, whose id begins with hex.
func (r *Repo) abbreviated(rd *Reader, hex string) (OID, error) {
	if len(hex) < 4 || len(hex) > 2*r.naming.size() || strings.Trim(hex, "0123456789abcdef") != "" {
		return OID{}, ErrUnknownRevision
	}
	hex = hex[:min(len(hex), 2*idLen)]
	var found OID
	all := r.store.prefixed(hex, maxCandidates)
	if len(all) == maxCandidates {
		return OID{}, ErrAmbiguous
	}
	for _, id := range all {
		if typ, _, err := rd.Size(id); err != nil || typ != TypeCommit && typ != TypeTag {
			continue
		}
		if _, err := rd.peel(id); err != nil {
			continue
		}
		if !found.IsZero() {
			return OID{}, ErrAmbiguous
		}
		found = id
	}
	if found.IsZero() {
		if len(all) > 0 {
			return OID{}, fmt.Errorf("not a commit: %w", ErrUnknownRevision)
		}
		return OID{}, ErrUnknownRevision
	}
	return found, nil
}
