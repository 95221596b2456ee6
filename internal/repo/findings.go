package repo

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cohop/internal/facts"
	"cohop/internal/git"
)

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// forget is what makes the index and the log be read anew.
const forget = "rank index --gc --limit 0 has everything that is kept made anew"

// remedies say what mends the warnings of a State, by a part of their text.
// needs: it is the user's to do. said: findings of the doctor's own say it.
// partial is what mends it in a partial clone, where a plain fetch leaves out
// again what was left out before.
var remedies = []struct {
	part        string
	needs, said bool
	remedy      string
	partial     string
}{
	{part: "shallow clone:", said: true},
	{part: "not in this clone", said: true},
	{part: "cache cannot be written", said: true},
	{part: lostTrees, needs: true, remedy: "git fetch --refetch --no-filter brings them; " + forget},
	{part: ".rank.toml", needs: true, remedy: "mend it, or take it away; --config FILE is laid over it"},
	{part: bareTree, needs: true}, // says it
	{part: "working tree", needs: true, remedy: "core.worktree of its config, or the file gitdir of a linked worktree, says where it should be; git worktree prune forgets it"},
	{part: "alternate", needs: true, remedy: "objects/info/alternates names it; git fsck says what lacks without it"},
	{part: "pack cannot be read", needs: true, remedy: "git fsck says what lacks, and git fetch --refetch, or a new clone, has it"},
	{part: "missing or corrupt", needs: true, remedy: "git fsck says what lacks, and git fetch --refetch, or a new clone, has it; " + forget,
		partial: "git fetch --refetch --no-filter brings them; " + forget},
	{part: "tree is corrupt", needs: true, remedy: "git fsck says what lacks, and git fetch --refetch, or a new clone, has it"},
	{part: "not all untracked files", needs: true, remedy: ".gitignore or .rankignore leaves out those that are of no use"},
	{part: "cannot be read, the first is", needs: true, remedy: "its permissions, and those of the folders above it, say why; .rankignore leaves it out"},
	{part: "the index is not used", needs: true, remedy: "git reset makes it anew, and forgets what was staged"},
	{part: "HEAD", needs: true, remedy: "git fsck says what lacks"},
	{part: "sparse folder", needs: true, remedy: "git sparse-checkout reapply, or git fsck, says more"},
	{part: "cannot be kept", needs: true, remedy: "the disk may be full; rank index --gc frees some of it, --cache-dir names another"},
	{part: "time given", remedy: "rank index reads it all"},
	{part: "cannot be read (", needs: true, remedy: "its permissions, or git fsck, say why"},
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
	if n := d.Skipped.Absent; n > 0 {
		remedy := "git fsck says what it lacks, and a new clone has it"
		if s.Git.Partial {
			remedy = "git fetch --refetch --no-filter brings them"
		}
		be := "are"
		if n == 1 {
			be = "is"
		}
		add(true, "%s of the ranked tree %s not in this clone and ranked by path alone: %s", counted(n, "file"), be, remedy)
	}
	for _, w := range s.Warnings {
		s.warning(d, w)
	}
	if t := d.Typed; t != nil {
		for _, w := range t.Gaps() {
			add(false, "%s", w)
		}
	}
	k := &d.Skipped
	if k.Submodules > 0 {
		add(false, "%s not looked into: a submodule, or a repository inside this one, is ranked by itself, with --repo and its folder", are(k.Submodules, "folder"))
	}
	if k.TooLarge >= tooLargeFiles {
		add(false, "%s too large to be read and ranked by path alone: .rankignore leaves out those that are of no use (%s)", are(k.TooLarge, "file"), s.examples(facts.TooLarge, nil))
	}
	if k.Secret > 0 {
		add(false, "%s made to hold secrets, never opened and ranked by path alone: one that holds none is read under another name (%s)", are(k.Secret, "file"), s.examples(facts.Secret, nil))
	}
	s.pastFindings(d)
	for i := range d.Languages {
		l := &d.Languages[i]
		if l.Broken >= brokenFiles && float64(l.Broken) > brokenShare*float64(l.Files) {
			add(false, "%s: %d of %d files do not parse without errors; what could be read of them is indexed; templates, and files of another language under this ending, are left out by .rankignore", l.Lang, l.Broken, l.Files)
		}
		if l.Minified > 0 && l.Symbols > 0 { // pictures as text, and data, are not missed
			add(false, "%s: %s minified, and little is known of what they say: .rankignore leaves them out (%s)", named(l.Lang), are(l.Minified, "file"), s.examples(facts.Minified, &l.Lang))
		}
		if m := l.Imports; m != nil && m.Internal >= resolvedLeast && float64(m.Resolved) < resolvedShare*float64(m.Internal) {
			add(false, "%s: %d of %d imports that look internal lead to no file, so that hops know little (commonest: %s): what a build makes is not in the tree; [weights] hops in .rank.toml, or --without hops, leaves the column out",
				l.Lang, m.Internal-m.Resolved, m.Internal, strings.Join(m.Missed[:min(3, len(m.Missed))], ", "))
		}
	}
}

// shownFiles is how many files a finding names.
const shownFiles = 3

// examples names the first files with a flag, of a language if one is given.
func (s *State) examples(flag facts.Flags, lang *string) string {
	var names []string
	n := 0
	for f := range s.View.Files() {
		if s.View.Flags(f)&flag == 0 || lang != nil && s.View.Lang(f) != *lang {
			continue
		}
		if n++; n <= shownFiles {
			names = append(names, strings.ToValidUTF8(s.View.Path(f), "\uFFFD"))
		}
	}
	text := strings.Join(names, ", ")
	if n > shownFiles {
		text += fmt.Sprintf(" and %d more", n-shownFiles)
	}
	return text
}

// warned tells whether a warning of the State holds a part.
func (s *State) warned(part string) bool {
	return slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.Contains(w, part) })
}

// named is the name of a language, or what stands for none.
func named(lang string) string {
	if lang == "" {
		return "without a language"
	}
	return lang
}

// are is a number with its noun and its verb.
func are(n int, noun string) string {
	if n == 1 {
		return counted(n, noun) + " is"
	}
	return counted(n, noun) + " are"
}

// warning adds what a State warns of, with what mends it.
func (s *State) warning(d *Diagnosis, text string) {
	for _, r := range remedies {
		if !strings.Contains(text, r.part) {
			continue
		}
		if r.said || r.part == lostTrees && s.warned(lostChanges) { // it counts them
			return
		}
		remedy := r.remedy
		if s.Git.Partial && r.partial != "" {
			remedy = r.partial
		}
		if remedy != "" {
			text += ": " + remedy
		}
		d.Findings = append(d.Findings, Finding{r.needs, text})
		return
	}
	d.Findings = append(d.Findings, Finding{false, text})
}

// pastFindings says what the history is not good for.
func (s *State) pastFindings(d *Diagnosis) {
	add := func(format string, args ...any) {
		d.Findings = append(d.Findings, Finding{false, fmt.Sprintf(format, args...)})
	}
	h, most := &d.History, s.Config.CoChange.MaxFiles
	const mend = "[weights] cochange in .rank.toml, or --without cochange, leaves the column out"
	files := 0
	for i := range d.Languages {
		files += d.Languages[i].Files
	}
	ranked := h.Files[0] + h.Files[1] + h.Files[2]
	few := ranked < shortHistory
	switch {
	case s.Git.Shallow: // said
	case h.Commits == 0:
		add("there is no history: ranking by text, names and imports alone until there are commits")
	case few && (s.warned(lostChanges) || s.warned(lostCommits)): // said
	case few && h.Commits-h.Merges >= shortHistory:
		why := "the others touch nothing that is ranked"
		if s.Git.Partial { // the log is not read anew when trees arrive
			why += "; if it was read before their trees were here, " + forget
		}
		add("%d of %s tell of changes, so that precedent and co-change know little: %s", ranked, counted(h.Commits, "commit"), why)
	case few:
		add("the history is short (%s): precedent and co-change know little yet, and more with every commit; if it was cut when it was imported, git replace --graft joins the older one to it", counted(h.Commits, "commit"))
	case h.Small() < smallShare && h.Files[2] > h.Files[1]:
		add("most commits touch more than %d files (squashed history, or imported releases): co-change says little; %s", most, mend)
	case h.Small() < smallShare:
		add("%.0f %% of the commits touch 2 to %d files: co-change says little; %s", 100*h.Small(), most, mend)
	case float64(h.Covered) < coveredShare*float64(files):
		add("co-change knows %d of %d files: the others came with commits of more than %d files (squashed history, or an import) and changed alone since; if the older history is elsewhere, git replace --graft joins it to this one", h.Covered, files, most)
	}
}

// onDisk gives a file's bytes from the working tree if they are those of its
// blob, which may be damaged or not here; else nil.
func (s *State) onDisk(e *git.Entry) []byte {
	data, err := s.Git.ReadFile(e.Path, maxFile(e.Path))
	if err != nil || !s.Git.IsBlob(data, e.ID) {
		return nil
	}
	return data
}

// absent counts the files of the ranked tree whose blobs the clone lacks.
func (s *State) absent() (n int) {
	rd := s.Git.NewReader()
	defer rd.Close()
	for i := range s.Snapshot.Entries {
		if e := &s.Snapshot.Entries[i]; !e.OnDisk && e.IsRegular() {
			if _, _, err := rd.Size(e.ID); errors.Is(err, git.ErrMissing) && s.onDisk(e) == nil {
				n++
			}
		}
	}
	return n
}
