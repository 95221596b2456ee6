package labels

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scored is one file of a ranking.
type Scored struct {
	Path  string
	Score float64
}

// Ranking is the answer of a system to one task, best first.
type Ranking struct {
	ID    string
	Files []Scored
}

// Judged is the right answer to one task.
type Judged struct {
	ID    string
	Files []string
}

// maxScore bounds a score: evaluators hold it in a float32, and room must be
// left below it to keep equal scores apart.
const maxScore = 1e30

// WriteRun writes a TREC run, "qid Q0 docid rank score tag", tasks and files
// in their order. Evaluators order by the score alone and read it as a
// float32, so scores are written strictly decreasing at that precision: one
// that does not fall below its predecessor becomes the next smaller number.
// Ids and tag must be one word; paths are encoded as EncodePath does.
func WriteRun(w io.Writer, tag string, run []Ranking) error {
	if tag == "" || !oneWord(tag) {
		return fmt.Errorf("write run: tag %q is not one word", tag)
	}
	b := bufio.NewWriter(w)
	for _, r := range run {
		if r.ID == "" || !oneWord(r.ID) {
			return fmt.Errorf("write run: id %q is not one word", r.ID)
		}
		last := float32(math.Inf(1))
		seen := make(map[string]bool, len(r.Files))
		for i, f := range r.Files {
			switch {
			case f.Path == "":
				return fmt.Errorf("write run: %s: file %d has no path", r.ID, i+1)
			case seen[f.Path]:
				return fmt.Errorf("write run: %s: %q is ranked twice", r.ID, f.Path)
			case !(math.Abs(f.Score) <= maxScore): // also NaN
				return fmt.Errorf("write run: %s: %q has score %v", r.ID, f.Path, f.Score)
			}
			seen[f.Path] = true
			s := float32(f.Score)
			if s >= last {
				s = math.Nextafter32(last, float32(math.Inf(-1)))
			}
			last = s
			fmt.Fprintf(b, "%s Q0 %s %d %s %s\n", r.ID, EncodePath(f.Path), i+1,
				strconv.FormatFloat(float64(s), 'g', -1, 32), tag)
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	return nil
}

// ReadRun reads a TREC run: tasks in order of their first line, files by
// falling score, equal scores by path. name is used in messages only.
func ReadRun(r io.Reader, name string) ([]Ranking, error) {
	var run []Ranking
	at := map[string]int{}
	seen := map[[2]string]bool{}
	err := eachFields(r, name, 6, func(f []string) error {
		doc := DecodePath(f[2])
		s, err := strconv.ParseFloat(f[4], 64)
		if err != nil || math.IsNaN(s) {
			return fmt.Errorf("score %q is not a number", f[4])
		}
		if seen[[2]string{f[0], doc}] {
			return fmt.Errorf("%q stands twice for %s", doc, f[0])
		}
		seen[[2]string{f[0], doc}] = true
		i, ok := at[f[0]]
		if !ok {
			i = len(run)
			at[f[0]] = i
			run = append(run, Ranking{ID: f[0]})
		}
		run[i].Files = append(run[i].Files, Scored{doc, s})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	for _, r := range run {
		slices.SortFunc(r.Files, func(a, b Scored) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Path, b.Path))
		})
	}
	return run, nil
}

// WriteQrels writes the answers of labels as TREC qrels, "qid 0 docid rel",
// in their order; every file has relevance 1.
func WriteQrels(w io.Writer, set []Label) error {
	b := bufio.NewWriter(w)
	for _, l := range set {
		if l.ID == "" || !oneWord(l.ID) {
			return fmt.Errorf("write qrels: id %q is not one word", l.ID)
		}
		for _, f := range l.Files {
			if f == "" {
				return fmt.Errorf("write qrels: %s: a file has no path", l.ID)
			}
			fmt.Fprintf(b, "%s 0 %s 1\n", l.ID, EncodePath(f))
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write qrels: %w", err)
	}
	return nil
}

// ReadQrels reads TREC qrels: tasks in order of their first line, the files
// judged above 0 in order of their lines. A task judged only 0 stays, with
// no file. name is used in messages only.
func ReadQrels(r io.Reader, name string) ([]Judged, error) {
	var all []Judged
	at := map[string]int{}
	seen := map[[2]string]bool{}
	err := eachFields(r, name, 4, func(f []string) error {
		doc := DecodePath(f[2])
		rel, err := strconv.Atoi(f[3])
		if err != nil {
			return fmt.Errorf("relevance %q is not a whole number", f[3])
		}
		if seen[[2]string{f[0], doc}] {
			return fmt.Errorf("%q is judged twice for %s", doc, f[0])
		}
		seen[[2]string{f[0], doc}] = true
		i, ok := at[f[0]]
		if !ok {
			i = len(all)
			at[f[0]] = i
			all = append(all, Judged{ID: f[0]})
		}
		if rel > 0 {
			all[i].Files = append(all[i].Files, doc)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read qrels: %w", err)
	}
	return all, nil
}

func eachFields(r io.Reader, name string, want int, f func([]string) error) error {
	return eachLine(r, func(n int, line []byte, tooLong bool) error {
		fields := strings.Fields(string(line))
		var err error
		switch {
		case tooLong:
			err = errors.New("line too long")
		case len(fields) == 0:
			return nil
		case len(fields) != want:
			err = fmt.Errorf("want %d fields, have %d", want, len(fields))
		default:
			err = f(fields)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		return nil
	})
}

const hexDigits = "0123456789ABCDEF"

// EncodePath makes a path one field of a TREC line: every byte of a blank
// (in Unicode's sense, since readers split on those too), of a control
// character, of "%" and of what is not UTF-8 becomes %XX.
func EncodePath(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRuneInString(p[i:])
		if r == utf8.RuneError && n == 1 || r == '%' || unicode.IsSpace(r) || unicode.IsControl(r) {
			for _, c := range []byte(p[i : i+n]) {
				b.WriteByte('%')
				b.WriteByte(hexDigits[c>>4])
				b.WriteByte(hexDigits[c&15])
			}
		} else {
			b.WriteString(p[i : i+n])
		}
		i += n
	}
	return b.String()
}

// DecodePath undoes EncodePath. A "%" without two hexadecimal digits stays.
func DecodePath(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if hi, lo := unhex(s[i+1]), unhex(s[i+2]); hi >= 0 && lo >= 0 {
				b = append(b, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
