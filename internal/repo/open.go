package repo

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/adrg/xdg"

	"cohop/cochange"
	"cohop/internal/config"
	"cohop/internal/facts"
	"cohop/internal/git"
	"cohop/internal/history"
	"cohop/internal/index"
)

// Options say what to open.
type Options struct {
	Path       string // where to start looking for the repository; "" is the current folder
	Rev        string // revision to rank; "" is the working tree, or HEAD of a bare repository
	Root       string // only this folder is indexed; "" is all
	CacheDir   string // "" is the user's cache folder
	NoCache    bool   // neither read nor write a cache
	ConfigFile string // laid over the repository's configuration
	Exact      bool   // build a segment for this very tree rather than overlay the nearest
	NoHistory  bool   // do not read the history
	Plain      bool   // do not use edges that were typed (Retype)
	Progress   io.Writer

	// Later says that somebody else does what cannot be kept in pieces and does
	// not fit before the context's deadline (State.Unfinished tells). Without,
	// it is done when all the rest is kept, whatever the time.
	Later bool
}

// State is a repository ready to be ranked. It is safe for concurrent use.
type State struct {
	Git      *git.Repo
	Config   *config.Config
	Snapshot *git.Snapshot
	View     *index.View
	History  *history.View // nil when there is none
	CoChange *cochange.Log // of History
	Warnings []string

	opt        Options
	cache      *cache
	entries    []git.Entry     // the files of View, in its order
	baseKey    string          // names the segment that View is, or is laid over; "" if it is not kept
	typed      *index.Types    // the typed edges that View has, nil if there are none
	typedBelow bool            // they are of the base, and what differs has others
	typesTag   string          // tells them from others; "" for none
	workPath   string          // where typed edges of a view that no commit names are kept
	attributes []attributeRule // roles by .gitattributes
	closers    []func()
	until      time.Time   // when reading files must end; zero: never
	untilPast  time.Time   // when reading the history must have begun
	end        time.Time   // when the answer must be there
	extracted  int         // files that were read in a hurry, see ahead
	past       *pastAhead  // nil if none was begun
	behind     func()      // waits for what is being written, see settle
	late       []git.Entry // files that were not read for want of time
	cut        bool        // something was left out for want of time
	blind      bool        // there is a history, and it cannot be read
	lost       losses      // files that could not be read
	baseLost   *lostNote   // what the segment of baseKey lacks, nil: nothing

	lacks map[int32]bool // files of View that could not be read; true: their blobs are not here
}

// maxFile is the size in bytes of the largest file that is read, by what its
// path tells of it.
func maxFile(path string) int64 { return int64(facts.Limit(facts.Language(path, nil))) + 1 }

// Open finds the repository, reads the snapshot that opt names, and makes what
// is missing of its facts, index and history. Errors wrap those of package
// git; everything short of "no repository" or "no such revision" is a warning
// in the State.
func Open(ctx context.Context, opt Options) (s *State, err error) {
	if opt.Path == "" {
		opt.Path = "."
	}
	if opt.Root != "" {
		opt.Root = strings.Trim(filepath.ToSlash(filepath.Clean(opt.Root)), "/")
		if opt.Root == "." {
			opt.Root = ""
		}
	}
	r, err := git.Open(opt.Path)
	if err != nil {
		return nil, err
	}
	s = &State{Git: r, opt: opt}
	s.closers = append(s.closers, func() { r.Close() })
	defer func() {
		if err != nil {
			s.Close()
			s = nil
		}
	}()
	defer s.settle()
	s.gitWarnings()
	if err = s.readConfig(ctx); err != nil {
		return s, err
	}
	var cacheErr error
	s.cache = &cache{}
	if !opt.NoCache {
		s.cache, cacheErr = openCache(opt.CacheDir, r.CommonDir)
	}
	if _, hurried := ctx.Deadline(); opt.Exact && !hurried {
		s.closers = append(s.closers, s.cache.mark())
	}
	if err = s.readSnapshot(ctx); err != nil {
		return s, err
	}
	if cacheErr != nil {
		s.warn("the cache cannot be written (%v): working without it; set XDG_CACHE_HOME or --cache-dir to a folder that can", cause(cacheErr))
	}
	s.setDeadline(ctx)
	if err = s.buildView(ctx); err != nil {
		return s, err
	}
	if !opt.NoHistory && !s.Snapshot.Commit.IsZero() {
		if err = s.readHistory(ctx); err != nil {
			return s, err
		}
		s.gitWarnings() // of the history
		s.warnTreeless()
	}
	return s, nil
}

// gitWarnings adds what the repository has come to warn of.
func (s *State) gitWarnings() {
	for _, w := range s.Git.Warnings() {
		s.warn("%s", w)
	}
}

// Close releases maps and readers; the State and its View must not be used
// afterwards.
func (s *State) Close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
	s.closers = nil
}

func (s *State) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	if !slices.Contains(s.Warnings, w) {
		s.Warnings = append(s.Warnings, w)
	}
}

// cause strips what os adds before the reason.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func (s *State) progress(format string, args ...any) {
	if s.opt.Progress != nil {
		fmt.Fprintf(s.opt.Progress, format+"\n", args...)
	}
}

// UserConfigFile is where a user's own settings live.
func UserConfigFile() string { return filepath.Join(xdg.ConfigHome, "cohop", "rank.toml") }

// readConfig merges the shipped values, the user's, the repository's (from the
// working tree, else HEAD, never from the ranked revision) and opt.ConfigFile.
func (s *State) readConfig(ctx context.Context) error {
	s.Config = config.Default()
	if b, err := ReadConfig(UserConfigFile()); err == nil {
		if err := s.Config.Merge(UserConfigFile(), string(b)); err != nil {
			return err
		}
	}
	if b, name := s.repoConfig(); b != nil {
		if err := s.Config.Merge(name, string(b)); err != nil {
			return err
		}
	}
	if s.opt.ConfigFile != "" {
		b, err := ReadConfig(s.opt.ConfigFile)
		if err != nil {
			return fmt.Errorf("read configuration: %w", err)
		}
		if err := s.Config.Merge(s.opt.ConfigFile, string(b)); err != nil {
			return err
		}
	}
	return nil
}

const maxConfig = 1 << 20

// ReadConfig reads a file of settings that the user names. It may be a pipe.
func ReadConfig(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(b) > maxConfig {
		err = fmt.Errorf("read %s: more than %d bytes are no settings", name, maxConfig)
	}
	return b, err
}

func (s *State) repoConfig() (b []byte, name string) {
	if s.Git.Worktree != "" {
		b, err := s.Git.ReadFile(".rank.toml", maxConfig)
		if err == nil {
			return b, ".rank.toml"
		}
		if !errors.Is(err, fs.ErrNotExist) {
			s.warn(".rank.toml is not used: %v", cause(err))
		}
		return nil, ""
	}
	head, _, err := s.Git.Head()
	if err != nil {
		return nil, ""
	}
	rd := s.Git.NewReader()
	defer rd.Close()
	entries, _, _, err := rd.Tree(head, "")
	if err != nil {
		return nil, ""
	}
	i, ok := git.FindEntry(entries, ".rank.toml")
	if !ok {
		return nil, ""
	}
	_, data, err := rd.Object(entries[i].ID)
	if err == nil && len(data) <= maxConfig {
		return slices.Clone(data), ".rank.toml at HEAD"
	}
	if err == nil {
		err = git.ErrTooLarge
	}
	s.warn(".rank.toml at HEAD is not used: %v", cause(err))
	return nil, ""
}

// bareTree begins the warning of a working tree without files of HEAD, as git
// clone --no-checkout leaves one.
const bareTree = "the working tree"

func (s *State) readSnapshot(ctx context.Context) (err error) {
	rev := s.opt.Rev
	if rev == "" && s.Git.Bare {
		rev = "HEAD"
	}
	if rev == "" {
		folders, keep := s.folders()
		s.Snapshot, err = s.Git.WorkingTree(ctx, git.WorktreeOptions{Root: s.opt.Root, Untracked: true, MaxSizeOf: maxFile, Folders: folders})
		keep()
	} else {
		var id git.OID
		id, err = s.Git.Resolve(rev)
		if errors.Is(err, git.ErrNoCommits) {
			s.Snapshot, err = &git.Snapshot{}, nil
			return nil
		}
		if err == nil {
			s.Snapshot, err = s.Git.AtCommit(ctx, id, s.opt.Root)
		}
	}
	if err != nil {
		return err
	}
	s.Warnings = append(s.Warnings, s.Snapshot.Warnings...)
	if k := s.Snapshot; rev == "" && k.Deleted > 0 && len(k.Entries) <= k.Untracked {
		is := "is empty"
		if len(k.Entries) > 0 {
			is = "holds no file of HEAD"
		}
		s.warn("%s %s: git checkout HEAD -- . brings its files, and --rev HEAD ranks them as committed", bareTree, is)
	}
	s.readAttributes()
	return nil
}

// segKey names the segment of a tree: everything that its bytes depend on.
func (s *State) segKey() string {
	h := sha256.New()
	var n [8]byte
	for _, v := range []int64{facts.Version, index.FormatVersion, edgesVersion} {
		binary.LittleEndian.PutUint64(n[:], uint64(v))
		h.Write(n[:])
	}
	h.Write(s.Snapshot.Tree[:])
	h.Write([]byte(s.Snapshot.Rules)) // the tree that is indexed lacks what they leave out
	h.Write([]byte(s.settingsKey()))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// settingsKey names the settings that a segment depends on besides its tree.
func (s *State) settingsKey() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q", s.opt.Root)
	for _, r := range s.Config.Roles {
		fmt.Fprintf(&b, " %q=%q", r.Pattern, r.Role)
	}
	b.WriteString(s.attributesKey())
	return b.String()
}

// quiet is how long a run takes before it says how far it is, and how often it
// does.
const quiet = 500 * time.Millisecond
