package render

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"cohop/rank"
)

// TextOptions says where text goes.
type TextOptions struct {
	// Width is the terminal's width in cells: the table is aligned, and
	// reasons are cut to it, paths never. 0 is for pipes and files: fields
	// are separated by one tab, and nothing is cut.
	Width int
	// Color allows colours and box drawing. Without it the output is what
	// the result holds and nothing else.
	Color bool
}

// Text writes the header, the ranked files with their reasons, and a map of
// the pack. Its lines are, with Width 0:
//
//	n_eff=… k=… ε=… …                          the figures
//	abstained: … / missing: … / nearest: … / warning: …   if there is any
//
//	rank ⇥ path ⇥ score ⇥ role ⇥ reason         one a file
//
//	path:start-end ⇥ tier ⇥ tokens ⇥ symbol ⇥ notes       one a piece of the pack
//	left out: …                                 if anything is
//
// The three parts are separated by an empty line.
func Text(w io.Writer, r *rank.Result, opt TextOptions) error {
	var b bytes.Buffer
	p := printer{b: &b, opt: opt}
	for i, line := range headerLines(r) {
		if i == 0 {
			line = p.paint(dim, line)
		} else if strings.HasPrefix(line, "warning: ") || strings.HasPrefix(line, "abstained: ") {
			line = p.paint(yellow, line)
		}
		p.line(line)
	}
	if len(r.Files) > 0 {
		p.line("")
		if opt.Width > 0 {
			p.table(r.Files)
		} else {
			for i := range r.Files {
				f := &r.Files[i]
				p.line(strconv.Itoa(f.Rank), path(f.Path, f.PathB64), score(f.Score), visible(f.Role), visible(f.Reason))
			}
		}
	}
	if len(r.Pack) > 0 || len(r.LeftOut) > 0 {
		p.line("")
		if opt.Width > 0 {
			p.tree(r)
		} else {
			for i := range r.Pack {
				it := &r.Pack[i]
				place := path(it.Path, it.PathB64)
				if it.EndLine > 0 {
					place += ":" + lines(it)
				}
				p.line(place, visible(it.Tier), strconv.Itoa(it.Tokens), visible(it.Symbol), notes(it))
			}
		}
		if s := leftOut(r.LeftOut); s != "" {
			p.line(p.paint(dim, s))
		}
	}
	return flush(w, "text", b.Bytes())
}

// Escape sequences of the few colours in use.
const (
	bold   = "1"
	dim    = "2"
	yellow = "33"
	cyan   = "36"
)

type printer struct {
	b   *bytes.Buffer
	opt TextOptions
}

// line writes fields separated by tabs, without empty ones at the end.
func (p *printer) line(fields ...string) {
	for len(fields) > 1 && fields[len(fields)-1] == "" {
		fields = fields[:len(fields)-1]
	}
	p.b.WriteString(strings.Join(fields, "\t"))
	p.b.WriteByte('\n')
}

func (p *printer) paint(color, s string) string {
	if !p.opt.Color || s == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

// table writes the files in aligned columns.
func (p *printer) table(files []rank.File) {
	const (
		gap       = 2  // blanks between columns
		leastText = 12 // a reason is not cut below this many cells, the line is longer instead
	)
	var wRank, wPath, wScore, wRole int
	for i := range files {
		f := &files[i]
		wRank = max(wRank, len(strconv.Itoa(f.Rank)))
		wScore = max(wScore, len(score(f.Score)))
		wRole = max(wRole, columns(visible(f.Role)))
		// One long path must not push every line beyond the edge: it sticks
		// out of its column instead.
		if c := columns(path(f.Path, f.PathB64)); c <= p.opt.Width/2 {
			wPath = max(wPath, c)
		}
	}
	for i := range files {
		f := &files[i]
		name := path(f.Path, f.PathB64)
		used := wRank + max(wPath, columns(name)) + wScore + wRole + 4*gap
		reason := cut(visible(f.Reason), max(leastText, p.opt.Width-used))
		sep := strings.Repeat(" ", gap)
		line := padLeft(strconv.Itoa(f.Rank), wRank) + sep +
			p.paint(bold, name) + strings.Repeat(" ", max(0, wPath-columns(name))) + sep +
			p.paint(cyan, padLeft(score(f.Score), wScore)) + sep +
			p.paint(dim, pad(visible(f.Role), wRole)) + sep + reason
		p.line(strings.TrimRight(line, " "))
	}
}

// tree writes the pack as a map: a line a file, below it a line a piece.
func (p *printer) tree(r *rank.Result) {
	branch, last := "  ", "  "
	if p.opt.Color {
		branch, last = "├─", "└─"
	}
	files := 0
	for i := range r.Pack {
		if i == 0 || !sameFile(&r.Pack[i], &r.Pack[i-1]) {
			files++
		}
	}
	if len(r.Pack) > 0 {
		p.line(fmt.Sprintf("pack: %d of %d tokens, %s of %s", r.Header.Tokens, r.Header.Budget,
			plural(len(r.Pack), "piece"), plural(files, "file")))
	}
	for from := 0; from < len(r.Pack); {
		to := from + 1
		for to < len(r.Pack) && sameFile(&r.Pack[from], &r.Pack[to]) {
			to++
		}
		items := r.Pack[from:to]
		p.line(p.paint(bold, path(items[0].Path, items[0].PathB64)))
		var wLines, wTier, wTokens int
		for i := range items {
			wLines = max(wLines, len(lines(&items[i])))
			wTier = max(wTier, columns(visible(items[i].Tier)))
			wTokens = max(wTokens, len(strconv.Itoa(items[i].Tokens)))
		}
		for i := range items {
			it := &items[i]
			mark := branch
			if i == len(items)-1 {
				mark = last
			}
			line := p.paint(dim, mark) + " " + padLeft(lines(it), wLines) + "  " + pad(visible(it.Tier), wTier) + "  " +
				padLeft(strconv.Itoa(it.Tokens), wTokens) + "  " + visible(it.Symbol)
			if n := notes(it); n != "" {
				line = strings.TrimRight(line, " ") + "  " + p.paint(dim, "("+n+")")
			}
			p.line(strings.TrimRight(line, " "))
		}
		from = to
	}
}

func sameFile(a, b *rank.Item) bool {
	return a.Path == b.Path && a.PathB64 == b.PathB64
}

// path returns a path fit to be shown.
func path(path, b64 string) string { return visible(exact(path, b64)) }

func score(s float64) string { return strconv.FormatFloat(s, 'f', 3, 64) }

// lines returns the lines of an item, as "12-40" or "12"; "-" if it has none.
func lines(it *rank.Item) string {
	if it.EndLine == 0 {
		return "-"
	}
	if it.StartLine == it.EndLine {
		return strconv.Itoa(it.StartLine)
	}
	return fmt.Sprintf("%d-%d", it.StartLine, it.EndLine)
}

// notes returns what else is to be known of an item.
func notes(it *rank.Item) string {
	var out []string
	if it.Exemplar {
		out = append(out, "exemplar")
	}
	if it.Shortened {
		out = append(out, fmt.Sprintf("of %d lines", it.FileLines))
	}
	return strings.Join(out, ", ")
}

// leftOut sums up by reason, in the order in which the reasons first come.
func leftOut(files []rank.LeftOut) string {
	var reasons []string
	n := map[string]int{}
	for _, f := range files {
		if n[f.Reason] == 0 {
			reasons = append(reasons, f.Reason)
		}
		n[f.Reason]++
	}
	if len(reasons) == 0 {
		return ""
	}
	for i, r := range reasons {
		reasons[i] = fmt.Sprintf("%d %s", n[r], visible(r))
	}
	return "left out: " + strings.Join(reasons, ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
