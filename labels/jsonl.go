package labels

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxLine bounds one label or one TREC line. The longest bug report seen is
// well under 1 MiB; a longer line is far more likely not a label set at all.
const maxLine = 16 << 20

// ErrEmpty says that a set holds no usable label: every mean over it would
// be 0/0, so it is an error and not an empty success.
var ErrEmpty = errors.New("no usable label")

// Problem is a line that was skipped, and why.
type Problem struct {
	Name string // of the input, as given to Read
	Line int    // one-based
	Err  error
}

func (p Problem) Error() string { return fmt.Sprintf("%s:%d: %v", p.Name, p.Line, p.Err) }

func (p Problem) Unwrap() error { return p.Err }

// Read reads JSON Lines in their order. Unknown keys are ignored, blank
// lines are nothing, and a line that is no usable label or repeats an id is
// skipped and reported. name is used in messages only. The error is for the
// input as a whole: it cannot be read, or it wraps ErrEmpty.
func Read(r io.Reader, name string) ([]Label, []Problem, error) {
	set, _, problems, err := ReadLines(r, name)
	return set, problems, err
}

// ReadLines is Read with the one-based line of each label.
func ReadLines(r io.Reader, name string) ([]Label, []int, []Problem, error) {
	var (
		set      []Label
		lines    []int
		problems []Problem
		first    = map[string]int{} // id -> the line that has it
	)
	err := eachLine(r, func(n int, line []byte, tooLong bool) error {
		bad := func(err error) { problems = append(problems, Problem{name, n, err}) }
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if tooLong {
			bad(fmt.Errorf("longer than %d MiB", maxLine>>20))
			return nil
		}
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		l, err := parse(line)
		if err != nil {
			bad(err)
			return nil
		}
		if at, ok := first[l.ID]; ok {
			bad(fmt.Errorf("id %q stands already in line %d", l.ID, at))
			return nil
		}
		first[l.ID] = n
		set, lines = append(set, l), append(lines, n)
		return nil
	})
	if err != nil {
		return set, lines, problems, fmt.Errorf("read labels %s: %w", name, err)
	}
	if len(set) == 0 {
		return nil, nil, problems, fmt.Errorf("read labels %s: %w (%d bad lines)", name, ErrEmpty, len(problems))
	}
	return set, lines, problems, nil
}

func parse(line []byte) (Label, error) {
	var l Label
	if !utf8.Valid(line) {
		return l, errors.New("not UTF-8")
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return l, fmt.Errorf("not a label: %w", err)
	}
	return l, l.check()
}

// Write writes labels as JSON Lines in their order. What Read accepts comes
// back unchanged, without the keys that were unknown.
func Write(w io.Writer, set []Label) error {
	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false) // labels are read by people too
	for i := range set {
		l := set[i]
		l.Files = append([]string(nil), l.Files...)
		if err := l.check(); err != nil {
			return fmt.Errorf("write label %d: %w", i+1, err)
		}
		if err := enc.Encode(l); err != nil {
			return fmt.Errorf("write label %q: %w", l.ID, err)
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write labels: %w", err)
	}
	return nil
}

// eachLine calls f for each line with its one-based number and without its
// line end. Of a line beyond maxLine only the fact is passed on.
func eachLine(r io.Reader, f func(n int, line []byte, tooLong bool) error) error {
	b := bufio.NewReaderSize(r, 64<<10)
	var buf []byte
	for n := 1; ; n++ {
		buf = buf[:0]
		tooLong, any := false, false
		var err error
		for {
			var part []byte
			part, err = b.ReadSlice('\n')
			any = any || len(part) > 0
			if len(buf)+len(part) > maxLine {
				tooLong = true
			} else {
				buf = append(buf, part...)
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if err != nil && err != io.EOF {
			return err
		}
		if any {
			line := bytes.TrimSuffix(bytes.TrimSuffix(buf, []byte("\n")), []byte("\r"))
			if tooLong {
				line = nil
			}
			if ferr := f(n, line, tooLong); ferr != nil {
				return ferr
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}
