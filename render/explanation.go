package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"cohop/rank"
)

// Explanation writes how one file's place came about: its columns, the largest
// part first, and the evidence behind them.
func Explanation(w io.Writer, x *rank.Explanation) error {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s", path(x.Path, x.PathB64))
	lang := ""
	if x.Language != "" {
		lang = ", language " + visible(x.Language)
	}
	if x.Place > 0 {
		promoted := ""
		if x.Promoted {
			promoted = ", promoted by a rare literal"
		}
		line("place %d of %d, score %s, role %s%s%s", x.Place, x.Pool, score(x.Score), visible(x.Role), lang, promoted)
	} else if x.LeftOut != "" {
		line("not in the ranked tree: %s", visible(x.LeftOut))
	} else {
		line("not among the %s that were scored, role %s%s", plural(x.Pool, "file"), visible(x.Role), lang)
	}
	if x.Unread != "" {
		line("not read: %s", visible(x.Unread))
	}
	line("change %.2f, fusion %s", x.Intent, visible(x.Fusion))
	if len(x.Columns) > 0 {
		b.WriteByte('\n')
		columnTable(&b, x.Columns)
	}
	section := func(title string, n int, row func(i int)) {
		if n == 0 {
			return
		}
		line("\n%s", title)
		for i := range n {
			row(i)
		}
	}
	section("not proposed", len(x.Skipped), func(i int) {
		line("  %s %s", pad(visible(x.Skipped[i].Column), 16), visible(x.Skipped[i].Reason))
	})
	section("defines", len(x.Defines), func(i int) { line("  %s", visible(x.Defines[i])) })
	section("rare literals", len(x.Literals), func(i int) {
		l := &x.Literals[i]
		note := ""
		if l.Promotes {
			note = ", promotes"
		}
		line("  %s in %s%s", strconv.Quote(l.Text), plural(l.Files, "file"), note)
	})
	section(fmt.Sprintf("precedents (%d in all)", x.Voters), len(x.Precedents), func(i int) {
		p := &x.Precedents[i]
		line("  %.7s  %3.0f%%  %s, %s", p.ID, 100*p.Share, visible(p.Subject), plural(p.Files, "file"))
	})
	section("seeds", len(x.Seeds), func(i int) {
		note := ""
		if x.Seeds[i].Given {
			note = ", given"
		}
		line("  %s, weight %.2f%s", visible(x.Seeds[i].Path), x.Seeds[i].Weight, note)
	})
	edges := "edges to seeds"
	if x.Typed {
		edges += ", by types"
	}
	section(edges, len(x.Edges), func(i int) {
		e := &x.Edges[i]
		verb := "used by"
		if e.Uses {
			verb = "uses"
		}
		line("  %s %s, weight %.2f", verb, visible(e.Seed), e.Weight)
	})
	if len(x.Chain) > 2 {
		names := make([]string, len(x.Chain))
		for i, p := range x.Chain {
			names[i] = visible(p)
		}
		line("\nnearest seed by %d hops\n  %s", len(names)-1, strings.Join(names, " – "))
	}
	section("changed with seeds", len(x.Shared), func(i int) {
		s := &x.Shared[i]
		line("  %s: %d of its %s, of the file's %d", visible(s.Seed), s.Both, plural(s.OfSeed, "commit"), s.OfFile)
		for _, c := range s.Commits {
			line("    %.7s  %s", c.ID, visible(c.Subject))
		}
	})
	return flush(w, "explanation", b.Bytes())
}

// columnTable writes the columns of an explanation.
func columnTable(b *bytes.Buffer, cols []rank.ColumnPart) {
	const wNumber = 10 // "-12345.678"
	wName := len("column")
	for i := range cols {
		wName = max(wName, columns(visible(cols[i].ID)))
	}
	row := func(id, raw, z, weight, part string) {
		line := pad(id, wName)
		for _, s := range []string{raw, z, weight, part} {
			line += " " + padLeft(s, wNumber)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	row("column", "raw", "z", "weight", "part")
	sum := 0.0
	for i := range cols {
		c := &cols[i]
		row(visible(c.ID), number(c.Raw), strconv.FormatFloat(c.Z, 'f', 3, 64), number(c.Weight), signed(c.Part))
		sum += c.Part
	}
	row("sum", "", "", "", signed(sum))
}

// ExplanationJSON writes x as one line of its schema.
func ExplanationJSON(w io.Writer, x *rank.Explanation) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(x); err != nil {
		return fmt.Errorf("write explanation: %w", err)
	}
	return flush(w, "explanation", escape(b.Bytes()))
}
