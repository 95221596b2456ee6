package repo

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"cohop/internal/facts"
	"cohop/internal/git"
)

// Attributes of .gitattributes that say what a file is for:
// linguist-vendored, linguist-generated and linguist-documentation, set, or
// unset against our own rules. As in git, the last line that matches wins, and
// a folder's file goes before those above it; unlike an ignored folder, an
// attribute of a folder is not one of the files in it. The files are those of
// the ranked tree; info/attributes and macros are not read.

const (
	// maxAttributes bounds one .gitattributes, maxAttributeFiles how many are
	// read: what is beyond is machine-made.
	maxAttributes     = 1 << 18
	maxAttributeFiles = 500
)

// linguist maps attributes to the roles they give, in the order in which they
// are asked.
var linguist = []struct {
	name string
	role facts.Role
}{
	{"linguist-vendored", facts.Vendored},
	{"linguist-generated", facts.GeneratedCode},
	{"linguist-documentation", facts.Documentation},
}

// attributeRule is one line, for files in or below dir.
type attributeRule struct {
	dir     string // "" or with a slash at its end
	pattern git.Pattern
	text    string  // for the key of settings
	states  [3]int8 // per linguist: 1 set, -1 unset, 2 unspecified, 0 not named
}

// parseAttributes reads the lines of one file that name a linguist attribute.
func parseAttributes(dir, text string) []attributeRule {
	if dir != "" {
		dir += "/"
	}
	var out []attributeRule
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if !strings.Contains(line, "linguist-") || line[0] == '#' || strings.HasPrefix(line, "[attr]") {
			continue
		}
		pattern, rest := line, ""
		if line[0] == '"' {
			end := strings.IndexByte(line[1:], '"')
			if end < 0 {
				continue
			}
			pattern, rest = line[1:1+end], line[2+end:]
		} else if i := strings.IndexAny(line, " \t"); i >= 0 {
			pattern, rest = line[:i], line[i:]
		}
		if strings.HasPrefix(pattern, "!") {
			continue // git forbids negative patterns here
		}
		r := attributeRule{dir: dir, text: line}
		for _, f := range strings.Fields(rest) {
			name, value, has := strings.Cut(f, "=")
			state := int8(1)
			switch {
			case strings.HasPrefix(name, "-"):
				name, state = name[1:], -1
			case strings.HasPrefix(name, "!"):
				name, state = name[1:], 2
			case has && (value == "false" || value == "0" || value == "no"):
				state = -1
			}
			for i := range linguist {
				if linguist[i].name == name {
					r.states[i] = state
				}
			}
		}
		p, ok := git.CompilePattern(pattern)
		if ok && r.states != [3]int8{} {
			r.pattern = p
			out = append(out, r)
		}
	}
	return out
}

// readAttributes gathers the rules of the snapshot, those above first.
func (s *State) readAttributes() {
	var found []*git.Entry
	for i := range s.Snapshot.Entries {
		if e := &s.Snapshot.Entries[i]; path.Base(e.Path) == ".gitattributes" {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return
	}
	slices.SortStableFunc(found, func(a, b *git.Entry) int {
		return strings.Count(a.Path, "/") - strings.Count(b.Path, "/")
	})
	if len(found) > maxAttributeFiles {
		s.warn("%d .gitattributes: the %d nearest the top are read", len(found), maxAttributeFiles)
		found = found[:maxAttributeFiles]
	}
	rd := s.Git.NewReader()
	defer rd.Close()
	for _, e := range found {
		b, err := s.read(rd, e)
		if err != nil || len(b) > maxAttributes {
			s.warn("%s cannot be read: what it says of vendored and generated files is not known", e.Path)
			continue
		}
		dir, _ := path.Split(e.Path)
		s.attributes = append(s.attributes, parseAttributes(strings.TrimSuffix(dir, "/"), string(b))...)
	}
}

// attributeRole is the role that the attributes give a file; "" if none.
// denied says that the rules' own role is one that the attributes deny.
func (s *State) attributeRole(p string, own facts.Role) (role facts.Role, denied bool) {
	var states [3]int8
	for i := range s.attributes {
		r := &s.attributes[i]
		rel, ok := strings.CutPrefix(p, r.dir)
		if !ok || !r.pattern.Match(rel, false) {
			continue
		}
		for k, st := range r.states {
			if st != 0 {
				states[k] = st
			}
		}
	}
	for k, st := range states {
		switch {
		case st == 1:
			return linguist[k].role, false
		case st == -1 && own == linguist[k].role:
			denied = true
		}
	}
	return "", denied
}

// attributesKey is the part of the settings' key that the attributes are.
func (s *State) attributesKey() string {
	var b strings.Builder
	for i := range s.attributes {
		fmt.Fprintf(&b, " %q:%q", s.attributes[i].dir, s.attributes[i].text)
	}
	return b.String()
}
