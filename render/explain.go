package render

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"cohop/rank"
)

// Explain writes how the score of one ranked file came about: each column's
// raw value, z and part, the largest part first, ties by name; then the sums
// of the groups. It fails if path is not among the result's files.
func Explain(w io.Writer, r *rank.Result, name string) error {
	i := slices.IndexFunc(r.Files, func(f rank.File) bool {
		return f.Path == name || exact(f.Path, f.PathB64) == name || path(f.Path, f.PathB64) == name
	})
	if i < 0 {
		return fmt.Errorf("explain %q: not among the %s ranked; a larger --files lists more", name, plural(len(r.Files), "file"))
	}
	f := &r.Files[i]
	var leaves, groups []string
	for id := range f.Signals {
		if isGroup(f.Signals, id) {
			groups = append(groups, id)
		} else {
			leaves = append(leaves, id)
		}
	}
	wName := len("column")
	for _, ids := range [][]string{leaves, groups} {
		slices.SortFunc(ids, func(a, b string) int {
			return cmp.Or(cmp.Compare(math.Abs(f.Signals[b].Part), math.Abs(f.Signals[a].Part)), cmp.Compare(a, b))
		})
		for _, id := range ids {
			wName = max(wName, columns(visible(id)))
		}
	}

	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nrank %d of %d, score %s, role %s", path(f.Path, f.PathB64), f.Rank, len(r.Files), score(f.Score), visible(f.Role))
	if f.Language != "" {
		fmt.Fprintf(&b, ", language %s", visible(f.Language))
	}
	if f.Promoted {
		b.WriteString(", promoted by a rare literal")
	}
	fmt.Fprintf(&b, "\n%s\n\n", visible(f.Reason))
	const wNumber = 10 // "-12345.678"
	row := func(id, raw, z, part string) {
		line := pad(id, wName) + " " + padLeft(raw, wNumber) + " " + padLeft(z, wNumber) + " " + padLeft(part, wNumber)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	figures := func(id string) {
		s := f.Signals[id]
		row(visible(id), number(s.Raw), strconv.FormatFloat(s.Z, 'f', 3, 64), signed(s.Part))
	}
	row("column", "raw", "z", "part")
	sum := 0.0
	for _, id := range leaves {
		figures(id)
		sum += f.Signals[id].Part
	}
	row("sum", "", "", signed(sum))
	if len(groups) > 0 {
		b.WriteString("\n")
		row("group", "", "", "part")
		for _, id := range groups {
			row(visible(id), "", "", signed(f.Signals[id].Part))
		}
	}
	return flush(w, "explanation", b.Bytes())
}

// isGroup reports whether id is a group whose members are listed too.
func isGroup(signals map[string]rank.Signal, id string) bool {
	for other := range signals {
		if strings.HasPrefix(other, id+".") {
			return true
		}
	}
	return false
}

// number writes a raw value, which may be of any size, in few digits.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

func signed(v float64) string {
	s := strconv.FormatFloat(v, 'f', 3, 64)
	if s == "-0.000" {
		s = "0.000"
	}
	if v > 0 && s != "0.000" {
		s = "+" + s
	}
	return s
}
