package render

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"

	"cohop/rank"
)

// Tag is the last field of a run's lines.
const Tag = "cohop"

// scoreStep is the least difference between two scores of a run. trec_eval
// keeps scores in 32 bits: 1e-5 is told apart there up to 128, well beyond any
// fused score.
const scoreStep = 1e-5

// TREC writes the files as lines of a run, "qid Q0 docid rank score tag".
// trec_eval orders by score alone, so scores strictly decrease in the order of
// files: one that would print no lower than the score before it is lowered to
// one step below. Blanks, control characters, '%' and bytes that are not UTF-8
// are percent-encoded in paths and in qid.
func TREC(w io.Writer, qid string, files []rank.File) error {
	var b bytes.Buffer
	q := percent(qid)
	last := int64(math.MaxInt64)
	for i := range files {
		f := &files[i]
		steps := toSteps(f.Score)
		if steps >= last {
			steps = last - 1
		}
		last = steps
		sign, mag := "", steps
		if mag < 0 {
			sign, mag = "-", -mag
		}
		fmt.Fprintf(&b, "%s Q0 %s %d %s%d.%05d %s\n", q, percent(exact(f.Path, f.PathB64)), i+1, sign, mag/1e5, mag%1e5, Tag)
	}
	return flush(w, "run", b.Bytes())
}

// toSteps rounds a score to whole steps. What is not finite, and what no score
// reaches, is brought within bounds that leave room for lowering.
func toSteps(score float64) int64 {
	const most = 1e12
	if math.IsNaN(score) {
		return -most
	}
	return int64(math.Round(max(-most, min(most, score/scoreStep))))
}

// percent encodes the bytes that would break a line or a field, and '%'.
// Non-ASCII letters stay.
func percent(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i, r := range s {
		size := len(string(r))
		if r == '\uFFFD' && !strings.HasPrefix(s[i:], "\uFFFD") {
			size = 1 // a byte that is not UTF-8
		} else if r != '%' && r != ' ' && !hidden(r) && !unicode.IsSpace(r) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(s[i : i+size]) {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}
