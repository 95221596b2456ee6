package labels

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

const patch = `diff --git a/src/cart.go b/src/cart.go
index 1..2 100644
--- a/src/cart.go
+++ b/src/cart.go
@@ -10,6 +10,7 @@ func total() {
 ten
 eleven
-twelve
+twelve again
+and more
 thirteen
 fourteen
 fifteen
@@ -40,2 +42,3 @@
 forty
+after forty
 forty-one
diff --git a/new.go b/new.go
new file mode 100644
--- /dev/null
+++ b/new.go
@@ -0,0 +1 @@
+x
diff --git "a/odd name.go" "b/odd name.go"
--- a/odd name.go
+++ b/odd name.go
@@ -1 +1 @@
--- not a header
+x
`

func TestImportSWE(t *testing.T) {
	files, spans := patchFiles(patch)
	if want := []string{"src/cart.go", "odd name.go"}; !slices.Equal(files, want) {
		t.Errorf("files %q, want %q", files, want)
	}
	// The first hunk starts at line 10, so "twelve" is line 12; the second adds
	// behind line 40.
	if want := []Span{{"src/cart.go", 12, 12}, {"src/cart.go", 40, 40}, {"odd name.go", 1, 1}}; !reflect.DeepEqual(spans, want) {
		t.Errorf("spans %v, want %v", spans, want)
	}
	in := `{"instance_id":"o__r-1","repo":"o/r","base_commit":"abc","problem_statement":"It breaks","patch":"--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"}
{"instance_id":"o__r-2","repo":"o/r","base_commit":"abc","problem_statement":"Only adds","patch":"--- /dev/null\n+++ b/y.py\n@@ -0,0 +1 @@\n+b\n"}
nonsense`
	set, problems, err := ImportSWE(strings.NewReader(in), "swe")
	if err != nil || len(set) != 1 || len(problems) != 2 || problems[0].Line != 2 {
		t.Fatalf("%v %v %v", set, problems, err)
	}
	want := Label{ID: "o__r-1", Repo: "o/r", Commit: "abc", Intent: "change", Text: "It breaks", Files: []string{"x.py"}, Spans: []Span{{"x.py", 1, 1}}}
	if !reflect.DeepEqual(set[0], want) {
		t.Errorf("%+v, want %+v", set[0], want)
	}
}

func TestImportTrackers(t *testing.T) {
	github := `{"number":1,"title":"Totals are off","body":"by a cent"}
{"number":2,"title":"Round half up","body":"Closes #1","base":{"sha":"aaa"},"merge_commit_sha":"bbb","files":[{"filename":"a.go","status":"modified"},{"filename":"n.go","status":"added"},{"filename":"c.go","previous_filename":"b.go","status":"renamed"}]}
{"number":3,"title":"Read the rate once","body":"","baseRefOid":"ccc","closingIssuesReferences":[],"mergeCommit":{"oid":"ddd"},"files":[{"path":"d.go","additions":1}]}
{"number":4,"title":"No file known","base":{"sha":"aaa"}}`
	gitlab := `[{"iid":1,"title":"Totals are off","description":"by a cent"},
{"iid":2,"title":"Round half up","description":"Closes #1","diff_refs":{"base_sha":"aaa"},"merge_commit_sha":"bbb","closes_issues":[{"iid":1}],"changes":[{"old_path":"a.go","new_path":"a.go"},{"old_path":"b.go","new_path":"c.go"},{"old_path":"n.go","new_file":true}]}]`
	for name, in := range map[string]string{"github": github, "gitlab": gitlab} {
		list, problems, err := ReadIssues(strings.NewReader(in), name)
		if err != nil || len(problems) > 0 {
			t.Fatal(name, problems, err)
		}
		set, problems, err := ImportTracker(list, name, "acme/shop")
		if err != nil {
			t.Fatal(name, err)
		}
		want := Label{ID: "shop-2", Repo: "acme/shop", Commit: "aaa", Answer: "bbb", Intent: "change", Tags: []string{"request"},
			Text: "Totals are off\n\nby a cent", Files: []string{"a.go", "b.go"}}
		if !reflect.DeepEqual(set[0], want) {
			t.Errorf("%s: %+v, want %+v", name, set[0], want)
		}
		if name == "github" {
			if len(set) != 2 || set[1].ID != "shop-3" || !slices.Contains(set[1].Tags, "request-text") || set[1].Text != "Read the rate once" || len(problems) != 1 {
				t.Errorf("%s: %+v, %v", name, set, problems)
			}
		}
	}
}

func TestImportTREC(t *testing.T) {
	qrels := "1 0 a.go 1\n1 0 b.go 0\n2 0 c%20d.go 2\n3 0 x 0\n"
	blocks := "<top>\n<num> Number: 1 </num>\n<title> round totals\n<desc> Description:\nlonger\n</top>\n\n<top>\n<num>2\n<title>\n<desc>\nwhere is\nthe tax?\n</top>\n<top>\n<num>3\n<title>nothing\n</top>\n"
	lines := "1\tround totals\n2\twhere is\tthe tax?\n3\tnothing\nno tab\n"
	for name, in := range map[string]string{"blocks": blocks, "lines": lines} {
		set, problems, err := ImportTREC(strings.NewReader(in), strings.NewReader(qrels), name, "abc", "")
		if err != nil || len(set) != 2 {
			t.Fatal(name, set, problems, err)
		}
		if set[0].ID != "1" && name == "lines" || set[0].Text != "round totals" || !slices.Equal(set[0].Files, []string{"a.go"}) || set[0].Commit != "abc" {
			t.Errorf("%s: %+v", name, set[0])
		}
		if strings.Join(strings.Fields(set[1].Text), " ") != "where is the tax?" || !slices.Equal(set[1].Files, []string{"c d.go"}) {
			t.Errorf("%s: %+v", name, set[1])
		}
		if len(problems) == 0 {
			t.Errorf("%s: nothing said of topic 3", name)
		}
	}
}

func FuzzImport(f *testing.F) {
	f.Add(patch)
	f.Add("<top>\n<num>1\n</top>\n1\ta")
	f.Add(`[{"number":1,"title":"x","base":{},"files":[""]}]`)
	f.Fuzz(func(t *testing.T, s string) {
		files, spans := patchFiles(s)
		for _, sp := range spans {
			if sp.Start < 1 || sp.End < sp.Start || !slices.Contains(files, sp.Path) {
				t.Errorf("span %v of %q", sp, files)
			}
		}
		for _, imp := range []func() ([]Label, []Problem, error){
			func() ([]Label, []Problem, error) { return ImportSWE(strings.NewReader(s), "x") },
			func() ([]Label, []Problem, error) {
				return ImportTREC(strings.NewReader(s), strings.NewReader("1 0 a 1"), "x", "", "")
			},
			func() ([]Label, []Problem, error) {
				list, problems, err := ReadIssues(strings.NewReader(s), "x")
				if err != nil {
					return nil, problems, err
				}
				return ImportTracker(list, "x", "o/r")
			},
		} {
			set, _, err := imp()
			if (err == nil) != (len(set) > 0) {
				t.Errorf("%d labels, %v", len(set), err)
			}
			for i := range set {
				if err := set[i].check(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
