package repo_test

import (
	"os"
	"path/filepath"
	"testing"

	"cohop/internal/repo"
)

// TestAttributes: what .gitattributes says of a file beats the rules, and
// .rank.toml beats both.
func TestAttributes(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		".gitattributes": "# comment\n*.gen.py linguist-generated\nthird_party/ours/** -linguist-vendored\n" +
			"guide/** linguist-documentation=true\n/one.py linguist-vendored=true\n\"with space.py\" linguist-generated\n" +
			"folder linguist-vendored\nboth.py linguist-vendored linguist-generated\n*.c text=auto\n",
		"sub/.gitattributes":     "a.gen.py !linguist-generated\n/one.py -linguist-vendored\n*.py linguist-documentation\nb.py linguist-documentation=false\n",
		".rank.toml":             "[[roles]]\npattern = \"guide/real.py\"\nrole = \"source\"\n",
		"a.gen.py":               "x = 1\n",
		"sub/a.gen.py":           "x = 2\n",
		"sub/b.py":               "x = 3\n",
		"third_party/ours/a.py":  "x = 4\n",
		"third_party/other/a.py": "x = 5\n",
		"guide/a.py":             "x = 6\n",
		"guide/real.py":          "x = 7\n",
		"one.py":                 "x = 8\n",
		"deep/one.py":            "x = 9\n",
		"with space.py":          "x = 10\n",
		"folder/a.py":            "x = 11\n",
		"both.py":                "x = 12\n",
	}
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runGit(t, dir, "init", "-q")
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "-m", "all")
	want := map[string]string{
		"a.gen.py":               "generated",
		"sub/a.gen.py":           "documentation", // unspecified again, then the folder's own line
		"sub/b.py":               "source",
		"third_party/ours/a.py":  "source",
		"third_party/other/a.py": "vendored",
		"guide/a.py":             "documentation",
		"guide/real.py":          "source",
		"one.py":                 "vendored",
		"deep/one.py":            "source", // the pattern has a slash: only at the top
		"with space.py":          "generated",
		"folder/a.py":            "source", // an attribute of a folder is not its files'
		"both.py":                "vendored",
	}
	cache := t.TempDir()
	compare := func() {
		t.Helper()
		st, err := repo.Open(t.Context(), repo.Options{Path: dir, CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		for f := range st.View.Files() {
			if role, ok := want[st.View.Path(f)]; ok && st.View.Role(f) != role {
				t.Errorf("%s is %s, want %s", st.View.Path(f), st.View.Role(f), role)
			}
		}
	}
	compare()
	// An edit that nobody committed counts at once, for files that it does not touch.
	if err := os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("*.gen.py -linguist-generated\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"a.gen.py", "one.py", "with space.py", "both.py", "guide/a.py"} {
		want[p] = "source"
	}
	want["third_party/ours/a.py"] = "vendored"
	compare()
}
