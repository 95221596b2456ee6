package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"cohop/internal/repo"
	"cohop/rank"
)

// checkup holds the flags of rank doctor.
type checkup struct {
	place
	json bool
}

func doctorCommand() *cobra.Command {
	d := &checkup{}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what the repository gives to rank by, and what is wrong with it",
		Long: `doctor looks at everything that makes rankings good or bad: the kind of
repository, the languages with their parse failures and unresolved imports, the
history, the cache. It exits with 1 when something needs you.`,
		Args: noWords,
		RunE: runs(d.run),
	}
	c.Flags().SortFlags = false
	d.place.flags(c)
	c.Flags().BoolVar(&d.json, "json", false, "print JSON")
	return c
}

func (d *checkup) run(ctx context.Context, _ []string, _ io.Reader, stdout, stderr io.Writer) error {
	if err := d.place.check(); err != nil {
		return err
	}
	p := newProgress(stderr)
	opt := d.place.options()
	opt.Progress = p
	st, err := repo.Open(ctx, opt)
	p.done()
	if err != nil {
		return err
	}
	defer st.Close()
	got, err := st.Diagnose(ctx)
	if err != nil {
		return err
	}
	if w := rank.Barren(st); w != "" && st.View.Chunks() == 0 {
		got.Findings = append(got.Findings, repo.Finding{Needs: true, Text: w})
	}
	if d.json {
		enc := json.NewEncoder(stdout)
		enc.SetEscapeHTML(false)
		err = enc.Encode(got)
	} else {
		err = writeDiagnosis(stdout, st, got)
	}
	if err != nil {
		return err
	}
	for _, f := range got.Findings {
		if f.Needs {
			return said(exitFailed)
		}
	}
	return nil
}

func writeDiagnosis(w io.Writer, st *repo.State, d *repo.Diagnosis) error {
	var b strings.Builder
	rev := "no commits yet"
	if !st.Snapshot.Commit.IsZero() {
		rev = st.Snapshot.Commit.String()[:12]
		if st.Snapshot.Dirty {
			rev += ", modified"
		}
	}
	fmt.Fprintf(&b, "repository  %s (%s), %s\n", printable(st.Git.Name()), d.Kind, rev)
	fmt.Fprintf(&b, "tree        %s, %s", count(int(st.View.Files()), "file"), count(int(st.View.Chunks()), "chunk"))
	if d.Masked > 0 {
		fmt.Fprintf(&b, ", %s masked", count(d.Masked, "secret"))
	}
	h := &d.History
	fmt.Fprintf(&b, "\nhistory     %s, %d of them merges; %.0f%% of the others touch 2 to %d files\n",
		count(h.Commits, "commit"), h.Merges, 100*h.Small(), st.Config.CoChange.MaxFiles)
	writeSkips(&b, &d.Skipped)
	if d.CacheDir == "" {
		b.WriteString("cache       none\n")
	} else {
		fmt.Fprintf(&b, "cache       %s\n", printable(d.CacheDir))
		for _, p := range d.Cache {
			old := ""
			if !p.Current {
				old = ", of another version: rank index --gc removes it"
			}
			fmt.Fprintf(&b, "            %s: %s, %s%s\n", p.Name, count(p.Files, "file"), bytesText(p.Bytes), old)
		}
	}
	if t := d.Typed; t != nil {
		fmt.Fprintf(&b, "types       %s by go/types, %s", count(t.Files, "Go file"), count(t.Edges, "edge"))
		if t.Partial > 0 {
			fmt.Fprintf(&b, "; %d of them in part", t.Partial)
		}
		if t.Changed {
			b.WriteString("; what changed since goes by names: rank index --precise types it")
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	rows := [][]string{{"language", "files", "symbols", "errors", "by pattern", "skipped", "imports", "resolved"}}
	for i := range d.Languages {
		l := &d.Languages[i]
		name := l.Lang
		if name == "" {
			name = "(none)"
		}
		row := []string{name, strconv.Itoa(l.Files), strconv.Itoa(l.Symbols), strconv.Itoa(l.Broken), strconv.Itoa(l.Fallback), strconv.Itoa(l.Skipped)}
		if m := l.Imports; m != nil {
			row = append(row, strconv.Itoa(m.Internal), fmt.Sprintf("%.0f%%", 100*float64(m.Resolved)/float64(m.Internal)))
		}
		rows = append(rows, row)
	}
	if err := table(&b, rows); err != nil {
		return err
	}
	for i := range d.Languages {
		if m := d.Languages[i].Imports; m != nil && len(m.Missed) > 0 {
			fmt.Fprintf(&b, "%s, commonest unresolved: %s\n", m.Lang, printable(strings.Join(m.Missed, ", ")))
		}
	}
	for i, f := range d.Findings {
		if i == 0 {
			b.WriteByte('\n')
		}
		mark := "note"
		if f.Needs {
			mark = "needs you"
		}
		fmt.Fprintf(&b, "%s: %s\n", mark, printable(f.Text))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeSkips says what of the tree is not read, or not ranked, and why.
func writeSkips(b *strings.Builder, k *repo.Skips) {
	line := func(head string, parts []string) {
		parts = slices.DeleteFunc(parts, func(p string) bool { return strings.HasPrefix(p, "0 ") })
		if len(parts) > 0 {
			fmt.Fprintf(b, "%-12s%s\n", head, strings.Join(parts, ", "))
		}
	}
	line("path alone", []string{fmt.Sprintf("%d binary", k.Binary), fmt.Sprintf("%d too large", k.TooLarge),
		fmt.Sprintf("%d made to hold secrets", k.Secret), fmt.Sprintf("%d not in this clone", k.Absent)})
	line("left out", []string{count(k.Symlinks, "symbolic link"), count(k.Submodules, "submodule"),
		fmt.Sprintf("%d by .rankignore", k.Ignored), fmt.Sprintf("%d unreadable", k.Unreadable)})
}
