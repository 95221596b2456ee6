package rank_test

import (
	"fmt"
	"strings"
	"testing"

	"cohop/rank"
)

const copyright = "/* Copyright of the office. Permission to use, copy, modify and distribute is granted. */\n"

// A header that only declares says what its source does; one with types is
// what must be read itself.
func TestSourceBeforeItsHeader(t *testing.T) {
	files := office().with(tree{
		"src/punycode.h": copyright + "/* Encodes an international domain name as ASCII; the trailing zero counts. */\nlong puny_encode(const char* from, char* to);\n",
		"src/punycode.c": copyright + "#include \"punycode.h\"\n\nlong puny_encode(const char* from, char* to) {\n" + repeat(40, "  to[%d] = from[%d] ^ 1;") + "  return 0;\n}\n",
		"src/ledger.h":   copyright + "/* Sheets of the ledger, one an evening. */\nstruct leaf {\n  int day;\n  long sum;\n};\nlong ledger_close(struct leaf* page);\n",
		"src/ledger.c":   copyright + "#include \"ledger.h\"\n\nlong ledger_close(struct leaf* p) {\n" + repeat(40, "  p->sum += %d;") + "  return p->sum;\n}\n",
	})
	dir := build(t, commit{msg: "Start", files: files})
	wantFirst(t, ask(t, dir, "punycode: encode an international domain name as ASCII"), "src/punycode.c")
	r := ask(t, dir, "sheets of the ledger, one an evening", intent(rank.Ask))
	wantFirst(t, r, "src/ledger.h")
	if x := r.Files[0].Signals["priors.role"].Raw; x != 0 {
		t.Errorf("a header with a type yields by %g to its source", x)
	}
}

// Of twins for two platforms the one of the platform that most files are for
// answers, unless the task names the other or only the other's text fits.
func TestTwinOfTheMainPlatform(t *testing.T) {
	files := office().with(tree{
		"src/darwin/pipe.c": "/* A pipe between processes: opens the pipe, reads the pipe, closes the pipe between processes. */\nint pipe_open(int process) {\n  return mach_port(process);\n}\n",
		"src/posix/pipe.c":  "/* A pipe between processes. */\nint pipe_open(int process) {\n" + repeat(30, "  process += %d;") + "  return process;\n}\n",
	})
	for i := range 6 {
		files[fmt.Sprintf("src/posix/clock_%d.c", i)] = fmt.Sprintf("int clock_%d(void) {\n  return %d;\n}\n", i, i)
	}
	dir := build(t, commit{msg: "Start", files: files})
	for task, want := range map[string]string{
		"how does a pipe between processes work":          "src/posix/pipe.c",
		"how does a pipe between processes work on macos": "src/darwin/pipe.c",
		"pipe: where is mach port asked for":              "src/darwin/pipe.c",
	} {
		var twins []rank.File
		for _, f := range ask(t, dir, task, intent(rank.Ask)).Files {
			if strings.HasSuffix(f.Path, "/pipe.c") {
				twins = append(twins, f)
			}
		}
		if len(twins) != 2 || twins[0].Path != want {
			t.Fatalf("%q: %s first, want %s and its twin", task, twins[0].Path, want)
		}
		// By text alone they may be in this order as well.
		prior := func(i int) float64 { return twins[i].Signals["priors.role"].Raw }
		if yields := want == "src/posix/pipe.c" || strings.Contains(task, "macos"); yields != (prior(1) < prior(0)) {
			t.Errorf("%q: priors %g of the first and %g of its twin", task, prior(0), prior(1))
		}
	}
}

// A name that the tree does not hold, but whose parts name one file, is
// answered by it; parts that stand apart are no evidence.
func TestNameByItsParts(t *testing.T) {
	dir := town(t)
	if r := ask(t, dir, "TimetableTicket"); !r.Header.Abstained {
		t.Errorf("TimetableTicket: no file is named by both, want no answer, got %s", r.Files[0].Path)
	}
	r := ask(t, dir, "TramsConductor")
	if r.Header.Abstained || len(r.Files) == 0 || !strings.HasPrefix(r.Files[0].Path, "trams/conductor_") {
		t.Errorf("TramsConductor: abstained %v, want one of trams/conductor_*.py first", r.Header.Abstained)
	}
	if len(r.Header.Missing) != 1 {
		t.Errorf("TramsConductor: missing %q, want the name itself", r.Header.Missing)
	}
}

// The parts of a partial class come after the file that is named by it.
func TestPartialClass(t *testing.T) {
	part := "namespace Office;\n\n/// LedgerWriter, LedgerWriter.\npublic static partial class LedgerWriter\n{\n    // LedgerWriter writes\n%s}\n"
	dir := build(t, commit{msg: "Start", files: office().with(tree{
		"src/LedgerWriter+Draft.cs": fmt.Sprintf(part, "    // A LedgerWriter of drafts, for a LedgerWriter of drafts\n"),
		"src/LedgerWriter.Json.cs":  fmt.Sprintf(part, "    // as JSON\n"),
		"src/LedgerWriter.cs":       fmt.Sprintf(part, "    // by page and day\n"),
	})})
	wantFirst(t, ask(t, dir, "LedgerWriter"), "src/LedgerWriter.cs")
}
