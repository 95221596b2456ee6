package repo

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"cohop/internal/facts"
	"cohop/internal/git"
	"cohop/internal/index"
	"cohop/internal/resolve"
)

// statsExt ends the file beside a segment that says how its imports fared.
const statsExt = ".json"

// mostMissed is how many unresolved imports a language keeps for the doctor.
const mostMissed = 10

// importStats is the content of that file: figures for people, not read by
// any query.
type importStats struct {
	Languages []LanguageImports `json:"languages"`
}

// LanguageImports says how the imports of one language fared that look as if
// they lead to files of the tree.
type LanguageImports struct {
	Lang     string   `json:"lang"`
	Internal int      `json:"internal"`
	Resolved int      `json:"resolved"`
	Missed   []string `json:"missed,omitempty"` // the commonest that led nowhere
}

func keptStats(stats []resolve.Stat) importStats {
	out := importStats{Languages: []LanguageImports{}}
	for _, s := range stats {
		l := LanguageImports{Lang: s.Lang, Internal: s.Internal, Resolved: s.Resolved}
		for name := range s.Missed {
			l.Missed = append(l.Missed, name)
		}
		slices.SortFunc(l.Missed, func(a, b string) int {
			return cmp.Or(cmp.Compare(s.Missed[b], s.Missed[a]), cmp.Compare(a, b))
		})
		l.Missed = l.Missed[:min(len(l.Missed), mostMissed)]
		out.Languages = append(out.Languages, l)
	}
	slices.SortFunc(out.Languages, func(a, b LanguageImports) int { return cmp.Compare(a.Lang, b.Lang) })
	return out
}

// keepStats writes the figures of a fresh segment beside it. Nothing depends
// on them, so that they cannot be kept is no matter.
func keepStats(segment string, stats []resolve.Stat) {
	if segment == "" {
		return
	}
	b, err := json.Marshal(keptStats(stats))
	if err != nil {
		return
	}
	_ = writeAtomic(strings.TrimSuffix(segment, ".seg")+statsExt, append(b, '\n'))
}

// readStats finds the figures of the segment that the State's view is made of:
// its tree's, else those of the latest segment, over which it is laid.
func (s *State) readStats() []LanguageImports {
	dir := s.cache.sub(fmt.Sprintf("tree-%d", index.FormatVersion))
	if dir == "" {
		return nil
	}
	names := []string{s.segKey() + ".seg"}
	if b, err := readKept(filepath.Join(dir, s.latestName()), maxNote); err == nil {
		names = append(names, filepath.Base(strings.TrimSpace(string(b))))
	}
	for _, name := range names {
		b, err := readKept(filepath.Join(dir, strings.TrimSuffix(name, ".seg")+statsExt), maxLook)
		if err != nil {
			continue
		}
		var kept importStats
		if json.Unmarshal(b, &kept) == nil {
			return kept.Languages
		}
	}
	return nil
}

// LanguageReport is what the index holds of one language.
type LanguageReport struct {
	Lang     string           `json:"language"` // "" for files whose language is not known
	Files    int              `json:"files"`
	Symbols  int              `json:"symbols"`
	Broken   int              `json:"broken"`   // files that the grammar found errors in
	Fallback int              `json:"fallback"` // files whose definitions came from regular expressions
	Skipped  int              `json:"skipped"`  // binary, too large, or made to hold secrets: ranked by path alone
	Minified int              `json:"minified"`
	Imports  *LanguageImports `json:"imports,omitempty"` // nil: none look internal, or not known
}

// HistoryReport is what the log holds of the ranked commit's ancestors.
type HistoryReport struct {
	Commits int    `json:"commits"`
	Merges  int    `json:"merges"`
	Files   [3]int `json:"touched"` // commits, merges aside, that touched one file, 2 to 15, more
	Empty   int    `json:"empty"`   // that touched nothing that counts
	Covered int    `json:"covered"` // files of the tree that a commit of 2 to 15 touched
}

// Small returns the share of the commits with files that touched 2 to 15 of
// them: those that co-change is read from.
func (h HistoryReport) Small() float64 {
	n := h.Files[0] + h.Files[1] + h.Files[2]
	if n == 0 {
		return 0
	}
	return float64(h.Files[1]) / float64(n)
}

// Skips counts what is ranked by its path alone, for want of text, and what is
// not ranked at all.
type Skips struct {
	Binary   int `json:"binary"`
	TooLarge int `json:"too_large"`
	Secret   int `json:"secret"` // files made to hold secrets
	Absent   int `json:"absent"` // their blobs are not in the clone

	Symlinks   int `json:"symlinks"`
	Submodules int `json:"submodules"` // and repositories inside the working tree
	Ignored    int `json:"ignored"`    // by .rankignore
	Unreadable int `json:"unreadable"`
}

// Finding is something that the doctor says. One that needs the user says that
// something is wrong which nobody else can mend; others may name what can be
// done as well, and nothing is wrong as long as it is not.
type Finding struct {
	Needs bool   `json:"needs"`
	Text  string `json:"text"`
}

// DoctorSchema names the version of Diagnosis's JSON.
const DoctorSchema = "rank-doctor/1"

// Diagnosis is a repository as the ranker sees it.
type Diagnosis struct {
	Schema    string           `json:"schema"`
	Kind      string           `json:"kind"`
	Languages []LanguageReport `json:"languages"` // most files first
	Masked    int              `json:"masked"`    // secrets masked in the index
	Skipped   Skips            `json:"skipped"`
	History   HistoryReport    `json:"history"`
	CacheDir  string           `json:"cache_dir"`
	Cache     []CachePart      `json:"cache"`
	Typed     *Precise         `json:"typed,omitempty"` // what the edges of Go files were typed with; nil: they are found by names
	Findings  []Finding        `json:"findings"`        // those that need the user first
}

const (
	// shortHistory is when precedents and co-changes begin to mean
	// something.
	shortHistory = 50

	// brokenShare of a language's files with parse errors, in at least
	// brokenFiles of them, is more than the usual few templates.
	brokenShare, brokenFiles = 0.2, 5

	// tooLargeFiles that are not read are more than a dump or two.
	tooLargeFiles = 5

	// smallShare is the least share of commits of 2–15 files that healthy
	// histories were seen to have.
	smallShare = 0.15

	// coveredShare is the least share of a tree's files that co-change must
	// know something of; less is what an import, or squashing, leaves.
	coveredShare = 0.25

	// resolvedShare is the least share of resolved imports that hops can be
	// trusted at.
	resolvedShare, resolvedLeast = 0.5, 10
)

// Diagnose looks at everything that makes rankings good or bad. It walks the
// history once more, for a log that is kept does not tell what could not be
// read when it was made.
func (s *State) Diagnose(ctx context.Context) (*Diagnosis, error) {
	if !s.Snapshot.Commit.IsZero() && !s.opt.NoHistory {
		if _, err := s.Git.Commits(ctx, s.Snapshot.Commit, nil, 0); err != nil && ctx.Err() != nil {
			return nil, err
		}
	}
	s.gitWarnings()
	d := &Diagnosis{Schema: DoctorSchema, Kind: kindOf(s.Git), CacheDir: s.cache.dir, Languages: []LanguageReport{}, Cache: []CachePart{}, Findings: []Finding{}}
	langs, masked := s.languages()
	d.Languages, d.Masked = append(d.Languages, langs...), masked
	d.History = s.history()
	d.Skipped = s.skips()
	d.Typed = s.Typed()
	parts, err := CacheParts(s.cache.dir)
	if err != nil {
		return nil, err
	}
	d.Cache = append(d.Cache, parts...)
	s.findings(d)
	slices.SortStableFunc(d.Findings, func(a, b Finding) int {
		switch {
		case a.Needs == b.Needs:
			return 0
		case a.Needs:
			return -1
		}
		return 1
	})
	return d, nil
}

func kindOf(r *git.Repo) string {
	kinds := []string{"working tree"}
	if r.Bare {
		kinds[0] = "bare"
	} else if r.Linked {
		kinds[0] = "linked worktree"
	}
	if r.Shallow {
		kinds = append(kinds, "shallow clone")
	}
	if r.Partial {
		kinds = append(kinds, "partial clone")
	}
	if r.Sparse() {
		kinds = append(kinds, "sparse checkout")
	}
	if r.Borrows() {
		kinds = append(kinds, "borrowing objects")
	}
	return strings.Join(kinds, ", ")
}

func (s *State) languages() (out []LanguageReport, masked int) {
	byLang := map[string]*LanguageReport{}
	v := s.View
	for f := range v.Files() {
		lang := v.Lang(f)
		l := byLang[lang]
		if l == nil {
			l = &LanguageReport{Lang: lang}
			byLang[lang] = l
		}
		l.Files++
		l.Symbols += len(v.SymbolsOf(f))
		masked += int(v.Masked(f))
		flags := v.Flags(f)
		count := func(n *int, bits facts.Flags) {
			if flags&bits != 0 {
				*n++
			}
		}
		count(&l.Broken, facts.ParseError)
		count(&l.Fallback, facts.Fallback)
		count(&l.Skipped, facts.Binary|facts.TooLarge|facts.Secret)
		count(&l.Minified, facts.Minified)
	}
	stats := s.readStats()
	for i := range stats {
		if l := byLang[stats[i].Lang]; l != nil && stats[i].Internal > 0 {
			l.Imports = &stats[i]
		}
	}
	for _, l := range byLang {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b LanguageReport) int {
		return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Lang, b.Lang))
	})
	return out, masked
}

func (s *State) skips() (k Skips) {
	for f := range s.View.Files() {
		switch flags := s.View.Flags(f); {
		case flags&facts.Secret != 0:
			k.Secret++
		case flags&facts.TooLarge != 0:
			k.TooLarge++
		case flags&facts.Binary != 0:
			k.Binary++
		}
	}
	k.Absent = s.absent()
	k.Symlinks, k.Submodules = s.Snapshot.Symlinks, s.Snapshot.Submodules
	k.Ignored, k.Unreadable = s.Snapshot.Ignored, s.Snapshot.Skipped
	return k
}

func (s *State) history() (h HistoryReport) {
	if s.History == nil {
		return h
	}
	h.Commits, h.Merges = int(s.History.N), s.History.Merges()
	none := 0
	covered := make([]bool, s.View.Files())
	for c := range int32(len(s.History.When)) {
		if !s.History.Alive(c) {
			continue
		}
		switch n := int(s.History.Size[c]); {
		case n == 0:
			none++
		case n == 1:
			h.Files[0]++
		case n <= s.Config.CoChange.MaxFiles:
			h.Files[1]++
			for _, f := range s.History.Files(c) {
				covered[f] = true
			}
		default:
			h.Files[2]++
		}
	}
	h.Empty = max(0, none-h.Merges)
	for _, is := range covered {
		if is {
			h.Covered++
		}
	}
	return h
}
