package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/adrg/xdg"
)

// Install puts the hook, the MCP server, the skill and a note into a client's
// settings, or takes them out again. What others wrote stays as it is, to the
// byte; a file that does not parse is refused, and then no file is touched.
type Install struct {
	Client  string
	Kinds   []string // nil: all that the client has a place for
	Dir     string   // the project's top, or the user's home
	User    bool     // for the user, in all projects
	Command string   // "": rank, found by PATH
	Skill   string   // the skill's text
	Remove  bool
	DryRun  bool
	State   string // where what was there before is kept; "": the user's state folder
}

// Done says what was done to one file.
type Done struct {
	File string
	What string // written | made | taken out | put back | removed | as it was
	Diff string
}

// AsItWas is what is said of a file that is not changed.
const AsItWas = "as it was"

// maxSettings bounds a settings file.
const maxSettings = 16 << 20

// record is what is kept of a file to put it back: it may hold what the file
// held, so it is for the user's eyes alone.
type record struct {
	File     string         `json:"file"`
	Existed  bool           `json:"existed"`
	Original []byte         `json:"original"`
	Written  string         `json:"written"` // digest of what was written last
	Made     map[string]int `json:"made"`    // by place of the change: keys that it made
	Kinds    []string       `json:"kinds"`   // that are in
	Dirs     []string       `json:"dirs"`    // folders that were made, the deepest first
}

func (in *Install) recordPath(file string) string {
	dir := in.State
	if dir == "" {
		dir = filepath.Join(xdg.StateHome, "cohop", "install")
	}
	sum := sha256.Sum256([]byte(file))
	return filepath.Join(dir, hex.EncodeToString(sum[:12])+".json")
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// target is one file and what is to be done to it.
type target struct {
	file    string // as the client names it
	real    string // behind symbolic links
	was     []byte
	existed bool
	mode    fs.FileMode
	changes []change
	rec     *record
	now     []byte
	gone    bool
	what    string
}

// Run does it, and reports on every file in the order in which it is done.
func (in *Install) Run() ([]Done, error) {
	list, err := in.changes()
	if err != nil {
		return nil, err
	}
	var targets []*target
	for _, c := range list {
		i := slices.IndexFunc(targets, func(t *target) bool { return t.file == c.file })
		if i < 0 {
			t, err := in.open(c.file)
			if err != nil {
				return nil, err
			}
			targets = append(targets, t)
			i = len(targets) - 1
		}
		targets[i].changes = append(targets[i].changes, c)
	}
	for _, t := range targets { // all is planned before anything is written
		plan := in.plan
		if in.Remove {
			plan = in.planRemoval
		}
		if err := plan(t); err != nil {
			return nil, fmt.Errorf("%s is left as it is: %w", t.file, err)
		}
	}
	if in.Remove {
		slices.Reverse(targets) // folders empty from the last that was made
	}
	var out []Done
	for _, t := range targets {
		d := Done{File: t.file, What: t.what}
		if t.gone || !bytes.Equal(t.was, t.now) || !t.existed {
			d.Diff = diff(t.file, t.was, t.now)
		}
		if !in.DryRun {
			if err := in.write(t); err != nil {
				return out, err
			}
		}
		out = append(out, d)
	}
	return out, nil
}

// open reads a file and what is kept of it.
func (in *Install) open(file string) (*target, error) {
	t := &target{file: file, real: file, mode: 0o644}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		t.real = real
	} else if info, lerr := os.Lstat(file); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("open %s: it is a link to nothing: %w", file, err)
	}
	info, err := os.Stat(t.real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("open settings: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("open %s: it is no file", file)
	case info.Size() > maxSettings:
		return nil, fmt.Errorf("open %s: it is larger than any settings file", file)
	default:
		t.existed, t.mode = true, info.Mode().Perm()
		if t.was, err = os.ReadFile(t.real); err != nil {
			return nil, fmt.Errorf("read settings: %w", err)
		}
	}
	t.rec = in.readRecord(t.real)
	return t, nil
}

func (in *Install) readRecord(file string) *record {
	f, err := os.Open(in.recordPath(file))
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 2*maxSettings))
	if err != nil {
		return nil
	}
	var r record
	if json.Unmarshal(b, &r) != nil || r.File != file {
		return nil
	}
	return &r
}

func (c change) place(i int) string { return c.kind + " " + strconv.Itoa(i) }

// plan puts the changes into a file's text.
func (in *Install) plan(t *target) error {
	b := t.was
	if t.rec == nil || t.rec.Written != hashOf(t.was) || !t.existed {
		// What is there now is what removal brings back, unless it holds
		// something of ours that a lost record knew of.
		made := map[string]int{}
		if t.rec != nil && t.existed {
			made = t.rec.Made
		}
		t.rec = &record{File: t.real, Existed: t.existed, Original: t.was, Made: made}
	}
	if len(bytes.TrimSpace(b)) == 0 && t.changes[0].seed != "" {
		b = []byte(t.changes[0].seed)
	}
	for i, c := range t.changes {
		out, made, err := c.do(b)
		if err != nil {
			return err
		}
		if made > 0 {
			t.rec.Made[c.place(i)] = made
		}
		if !slices.Contains(t.rec.Kinds, c.kind) {
			t.rec.Kinds = append(t.rec.Kinds, c.kind)
		}
		b = out
	}
	t.now, t.what = b, "written"
	if t.existed && bytes.Equal(b, t.was) {
		t.what = AsItWas
	} else if !t.existed {
		t.what = "made"
	}
	return nil
}

// planRemoval takes the changes out of a file's text. A file that is as it was
// left becomes what it was before.
func (in *Install) planRemoval(t *target) error {
	t.now, t.what = t.was, AsItWas
	if !t.existed {
		return nil
	}
	var kinds []string
	for _, c := range t.changes {
		if !slices.Contains(kinds, c.kind) {
			kinds = append(kinds, c.kind)
		}
	}
	if t.rec != nil && t.rec.Written == hashOf(t.was) && !slices.ContainsFunc(t.rec.Kinds, func(k string) bool { return !slices.Contains(kinds, k) }) {
		t.now, t.gone, t.what = t.rec.Original, !t.rec.Existed, "put back"
		if t.gone {
			t.now, t.what = nil, "removed"
		}
		t.rec.Kinds = nil
		return nil
	}
	b := t.was
	for i, c := range slices.Backward(t.changes) {
		made := 0
		if t.rec != nil {
			made = t.rec.Made[c.place(i)]
		}
		out, err := c.undo(b, made)
		if err != nil {
			return err
		}
		b = out
	}
	if t.rec != nil {
		t.rec.Kinds = slices.DeleteFunc(t.rec.Kinds, func(k string) bool { return slices.Contains(kinds, k) })
	}
	if bytes.Equal(b, t.was) {
		return nil
	}
	t.now, t.what = b, "taken out"
	made := t.rec != nil && !t.rec.Existed
	if t.changes[0].sole && b == nil || made && (len(bytes.TrimSpace(b)) == 0 || string(bytes.TrimSpace(b)) == "{}") {
		t.gone, t.now, t.what = true, nil, "removed"
	}
	return nil
}

// write brings a plan to disk: what was there before is kept first.
func (in *Install) write(t *target) error {
	if t.rec != nil {
		if in.Remove && len(t.rec.Kinds) == 0 {
			defer os.Remove(in.recordPath(t.real))
		} else {
			if t.existed && bytes.Equal(t.was, t.now) && t.rec.Written == "" && !in.Remove {
				// Ours was there before: there is nothing to go back to.
				return nil
			}
			t.rec.Written = hashOf(t.now)
			if !t.existed && !in.Remove {
				t.rec.Dirs = absent(filepath.Dir(t.real))
			}
			b, err := json.Marshal(t.rec)
			if err != nil {
				return fmt.Errorf("keep what was there: %w", err)
			}
			if err := replaceFile(in.recordPath(t.real), b, 0o600); err != nil {
				return fmt.Errorf("keep what was there: %w", err)
			}
		}
	}
	switch {
	case t.gone:
		if err := os.Remove(t.real); err != nil {
			return fmt.Errorf("remove settings: %w", err)
		}
		if t.rec != nil {
			for _, d := range t.rec.Dirs {
				if os.Remove(d) != nil { // somebody else's file is in it
					break
				}
			}
		}
	case t.existed && bytes.Equal(t.was, t.now), !t.existed && in.Remove:
	default:
		if err := replaceFile(t.real, t.now, t.mode); err != nil {
			return fmt.Errorf("write settings: %w", err)
		}
	}
	return nil
}

// absent lists the folders that have to be made for dir, the deepest first.
func absent(dir string) (out []string) {
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			return out
		}
		out = append(out, dir)
		dir = filepath.Dir(dir)
	}
}

// replaceFile writes a file beside its place and renames it into it.
func replaceFile(name string, b []byte, mode fs.FileMode) (err error) {
	dir := filepath.Dir(name)
	perm := fs.FileMode(0o755)
	if mode == 0o600 {
		perm = 0o700
	}
	if err := os.MkdirAll(dir, perm); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".rank-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(b); err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	return err
}

// checkTOML refuses a text that is no TOML.
func checkTOML(b []byte) error {
	var v map[string]any
	if _, err := toml.Decode(string(b), &v); err != nil {
		var p toml.ParseError
		if errors.As(err, &p) {
			return fmt.Errorf("line %d: %s", p.Position.Line, p.Message)
		}
		return err
	}
	return nil
}

// shownContext is how many lines around a change a diff shows.
const shownContext = 2

// diff shows what changes from a to b: the lines between what both begin and
// end with. Settings change in one place, so nothing finer is needed.
func diff(name string, a, b []byte) string {
	x, y := linesOf(a), linesOf(b)
	head := 0
	for head < len(x) && head < len(y) && x[head] == y[head] {
		head++
	}
	tail := 0
	for tail < len(x)-head && tail < len(y)-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	var s strings.Builder
	fmt.Fprintf(&s, "--- %s\n+++ %s\n", name, name)
	line := func(mark, l string) {
		s.WriteString(mark)
		s.WriteString(strings.TrimRight(l, "\r\n"))
		s.WriteByte('\n')
	}
	from := max(0, head-shownContext)
	fmt.Fprintf(&s, "@@ line %d @@\n", from+1)
	for _, l := range x[from:head] {
		line("  ", l)
	}
	for _, l := range x[head : len(x)-tail] {
		line("- ", l)
	}
	for _, l := range y[head : len(y)-tail] {
		line("+ ", l)
	}
	for _, l := range x[len(x)-tail : min(len(x), len(x)-tail+shownContext)] {
		line("  ", l)
	}
	return s.String()
}

func linesOf(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	out := strings.SplitAfter(string(b), "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}
