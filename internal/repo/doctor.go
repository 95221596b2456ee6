package repo

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	if b, err := os.ReadFile(filepath.Join(dir, s.latestName())); err == nil {
		names = append(names, filepath.Base(strings.TrimSpace(string(b))))
	}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, strings.TrimSuffix(name, ".seg")+statsExt))
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

// Finding is something that the doctor says. A finding that needs the user is
// one that they can do something about.
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

	// smallShare is the least share of commits of 2–15 files that healthy
	// histories were seen to have.
	smallShare = 0.15

	// resolvedShare is the least share of resolved imports that hops can be
	// trusted at.
	resolvedShare, resolvedLeast = 0.5, 10
)

// Diagnose looks at everything that makes rankings good or bad.
func (s *State) Diagnose() (*Diagnosis, error) {
	d := &Diagnosis{Schema: DoctorSchema, Kind: kindOf(s.Git), CacheDir: s.cache.dir, Languages: []LanguageReport{}, Cache: []CachePart{}, Findings: []Finding{}}
	langs, masked := s.languages()
	d.Languages, d.Masked = append(d.Languages, langs...), masked
	d.History = s.history()
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

func (s *State) history() (h HistoryReport) {
	if s.History == nil {
		return h
	}
	h.Commits, h.Merges = int(s.History.N), s.History.Merges()
	none := 0
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
		default:
			h.Files[2]++
		}
	}
	h.Empty = max(0, none-h.Merges)
	return h
}

// absent counts the files of the ranked tree whose blobs the clone lacks.
func (s *State) absent() (n int) {
	rd := s.Git.NewReader()
	defer rd.Close()
	for i := range s.Snapshot.Entries {
		if e := &s.Snapshot.Entries[i]; !e.OnDisk && e.IsRegular() {
			if _, _, err := rd.Size(e.ID); errors.Is(err, git.ErrMissing) {
				n++
			}
		}
	}
	return n
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func (s *State) findings(d *Diagnosis) {
	add := func(needs bool, format string, args ...any) {
		d.Findings = append(d.Findings, Finding{needs, fmt.Sprintf(format, args...)})
	}
	if s.Git.Shallow {
		add(true, "the clone is shallow: precedent and co-change see %s; git fetch --unshallow brings the rest", counted(d.History.Commits, "commit"))
	}
	if s.cache.dir == "" && !s.opt.NoCache {
		add(true, "there is no cache that can be written: every query reads everything anew; set XDG_CACHE_HOME or --cache-dir to a folder that can")
	}
	if n := s.absent(); n > 0 {
		remedy := "git fsck says what it lacks, and a new clone has it"
		if s.Git.Partial {
			remedy = "git fetch --refetch --no-filter brings them, and rank index --gc --limit 1 forgets what was built without them"
		}
		be := "are"
		if n == 1 {
			be = "is"
		}
		add(true, "%s of the ranked tree %s not in this clone and ranked by path alone: %s", counted(n, "file"), be, remedy)
	}
	for _, w := range s.Warnings {
		add(false, "%s", w)
	}
	if t := d.Typed; t != nil {
		for _, w := range t.Gaps() {
			add(false, "%s", w)
		}
	}
	h := &d.History
	switch ranked := h.Files[0] + h.Files[1] + h.Files[2]; {
	case s.Git.Shallow: // said
	case h.Commits == 0:
		add(false, "there is no history: ranking by text, names and imports alone")
	case ranked < shortHistory:
		add(false, "the history is short (%s): precedent and co-change know little yet", counted(h.Commits, "commit"))
	case h.Small() < smallShare && h.Files[2] > h.Files[1]:
		add(false, "most commits touch more than %d files (squashed history, or imported releases): co-change says little", s.Config.CoChange.MaxFiles)
	case h.Small() < smallShare:
		add(false, "%.0f %% of the commits touch 2 to %d files: co-change says little", 100*h.Small(), s.Config.CoChange.MaxFiles)
	}
	for i := range d.Languages {
		l := &d.Languages[i]
		if l.Broken >= brokenFiles && float64(l.Broken) > brokenShare*float64(l.Files) {
			add(false, "%s: %d of %d files do not parse without errors; what could be read of them is indexed", l.Lang, l.Broken, l.Files)
		}
		if m := l.Imports; m != nil && m.Internal >= resolvedLeast && float64(m.Resolved) < resolvedShare*float64(m.Internal) {
			add(false, "%s: %d of %d imports that look internal lead to no file: hops know little; commonest: %s",
				l.Lang, m.Internal-m.Resolved, m.Internal, strings.Join(m.Missed[:min(3, len(m.Missed))], ", "))
		}
	}
}
