package labels

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestReadReportsByLineAndKeepsTheRest(t *testing.T) {
	in := "\xef\xbb\xbf" + strings.Join([]string{
		`{"id":"a","text":"find the parser","files":["p.go","p.go","q.go"],"root":"./","unknown":{"x":1}}`,
		``,
		`{"id":"b","text":"t","files":[]}`,
		`{"id":"a","text":"again","files":["x"]}`,
		`not json`,
		`{"id":"c d","text":"t","files":["x"]}`,
		`{"id":"e","text":"t","files":["/etc/passwd"]}`,
		`{"id":"f","text":"t","files":["a/../b"]}`,
		`{"id":"g","text":"t","files":["b"],"repo":"../outside"}`,
		`{"id":"h","text":"t","files":["lib/b"],"root":"src"}`,
		`{"id":"i","text":"t","files":["b"],"intent":"guess"}`,
		`{"id":"j","text":"t","files":["b"],"spans":[{"path":"b","start":3,"end":2}]}`,
		`{"id":"k","text":" ","files":["b"]}`,
		`{"id":"l","text":"t","files":["b"],"commit":"-x"}`,
		`null`,
		`{"id":"m","text":"t` + "\xff" + `","files":["b"]}`,
		`{"id":"z","text":"u","files":["src/b c.go"],"root":"src/","repo":"o/r","intent":"change","commit":"abc","spans":[{"path":"src/b c.go","start":1,"end":2}],"tags":["go"]}` + "\r",
	}, "\n")
	set, problems, err := Read(strings.NewReader(in), "in.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	want := []Label{
		{ID: "a", Text: "find the parser", Files: []string{"p.go", "q.go"}},
		{ID: "z", Text: "u", Files: []string{"src/b c.go"}, Root: "src", Repo: "o/r", Intent: "change", Commit: "abc",
			Spans: []Span{{"src/b c.go", 1, 2}}, Tags: []string{"go"}},
	}
	if !reflect.DeepEqual(set, want) {
		t.Errorf("labels %+v, want %+v", set, want)
	}
	var lines []int
	for _, p := range problems {
		lines = append(lines, p.Line)
	}
	if w := []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}; !reflect.DeepEqual(lines, w) {
		t.Errorf("problems in lines %v, want %v", lines, w)
	}
	if got := problems[1].Error(); got != `in.jsonl:4: id "a" stands already in line 1` {
		t.Errorf("duplicate reported as %q", got)
	}

	var out bytes.Buffer
	if err := Write(&out, set); err != nil {
		t.Fatal(err)
	}
	again, problems, err := Read(&out, "again")
	if err != nil || len(problems) > 0 || !reflect.DeepEqual(again, set) {
		t.Errorf("round trip: %+v %v %v", again, problems, err)
	}
}

func TestReadEmptyIsAnError(t *testing.T) {
	for _, in := range []string{"", "\n\n", "{}\n", "[1]\n"} {
		if _, _, err := Read(strings.NewReader(in), "x"); !errors.Is(err, ErrEmpty) {
			t.Errorf("%q: %v, want ErrEmpty", in, err)
		}
	}
}

func TestReadSkipsOverlongLine(t *testing.T) {
	in := `{"id":"a","text":"` + strings.Repeat("x", maxLine) + `","files":["b"]}` + "\n" + `{"id":"b","text":"t","files":["b"]}`
	set, problems, err := Read(strings.NewReader(in), "x")
	if err != nil || len(set) != 1 || set[0].ID != "b" || len(problems) != 1 || problems[0].Line != 1 {
		t.Errorf("%d labels, problems %v, error %v", len(set), problems, err)
	}
}

func TestWriteRefusesWhatReadWould(t *testing.T) {
	if err := Write(&bytes.Buffer{}, []Label{{ID: "a", Text: "t"}}); err == nil {
		t.Error("a label without files was written")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"id":"a","text":"t","files":["b"],"spans":[{"path":"b","start":1,"end":1}]}`))
	f.Add([]byte("{}\n\r\n\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		set, _, err := Read(bytes.NewReader(in), "fuzz")
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := Write(&out, set); err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		again, problems, err := Read(&out, "again")
		if err != nil || len(problems) > 0 || len(again) != len(set) {
			t.Fatalf("round trip: %v %v", problems, err)
		}
	})
}
