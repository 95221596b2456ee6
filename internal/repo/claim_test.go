package repo_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cohop/internal/repo"
	"cohop/rank"
)

// age makes what was claimed in a cache look like long ago.
func age(t *testing.T, cache string) {
	t.Helper()
	marks, err := filepath.Glob(filepath.Join(cache, "*", "indexing"))
	if err != nil || len(marks) != 1 {
		t.Fatalf("%v %q", err, marks)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(marks[0], old, old); err != nil {
		t.Fatal(err)
	}
}

// One process at a time is started to build an index.
func TestClaim(t *testing.T) {
	dir, _ := sample(t, 31, 6)
	cache := t.TempDir()
	claim := func(when string, want bool) {
		t.Helper()
		if got, err := repo.Claim(dir, cache); err != nil || got != want {
			t.Errorf("%s: claimed %v, want %v (%v)", when, got, want, err)
		}
	}
	claim("at first", true)
	claim("when one was just started", false)
	age(t, cache)
	claim("when that one is gone", true)
	age(t, cache)
	st, err := repo.Open(t.Context(), repo.Options{Path: dir, CacheDir: cache, Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	claim("while one builds", false)
	st.Close()
	claim("when it ended", true)
	age(t, cache)
	if st, err = repo.Open(t.Context(), repo.Options{Path: dir, CacheDir: cache}); err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	claim("while another one asks", true)
	if st.Unfinished() || st.Incomplete() {
		t.Error("an unhurried run is not complete")
	}

	if _, err := repo.Claim(t.TempDir(), cache); err == nil {
		t.Error("a folder that is no repository is claimed")
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := repo.Claim(dir, plain); err == nil {
		t.Error("claimed where nothing can be kept")
	}
}

// What is not read in time is said once and of the files that are ranked,
// whatever the working tree has of the commit that its index is laid over.
func TestLateOnce(t *testing.T) {
	for _, c := range []struct {
		what               string
		gone, edited, more int
	}{{"clean", 0, 0, 0}, {"one deleted", 1, 0, 0}, {"some edited", 0, 3, 0}, {"all of it", 2, 2, 2}} {
		dir, p := sample(t, 32, 60)
		var paths []string
		for name := range p.files {
			if strings.Contains(name, ".") {
				paths = append(paths, name)
			}
		}
		slices.Sort(paths)
		for _, name := range paths[:c.gone] {
			if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
				t.Fatal(err)
			}
		}
		for i, name := range paths[c.gone : c.gone+c.edited] {
			put(t, dir, filepath.FromSlash(name), fmt.Sprintf("edited %d\n", i))
		}
		for i := range c.more {
			put(t, dir, fmt.Sprintf("more%d.py", i), fmt.Sprintf("def more_%d():\n    return 1\n", i))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		st, err := repo.Open(repo.Late(ctx), repo.Options{Path: dir, CacheDir: t.TempDir(), Later: true})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, w := range st.Warnings {
			if !strings.Contains(w, "not read in the time given: ranked by path alone") {
				continue
			}
			said++
			var late, files int
			if _, err := fmt.Sscanf(w, "%d of %d files", &late, &files); err != nil || late == 0 || late > files || files != int(st.View.Files()) {
				t.Errorf("%s: %d files: %q", c.what, st.View.Files(), w)
			}
		}
		if said != 1 {
			t.Errorf("%s: said %d times: %q", c.what, said, st.Warnings)
		}
		st.Close()
	}
}

// An answer from less than the repository has gives no confidence.
func TestIncompleteConfidence(t *testing.T) {
	dir, _ := sample(t, 33, 40)
	confident := func(ctx context.Context, req rank.Request) bool {
		t.Helper()
		req.Task = task
		e, err := rank.Open(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		q, err := e.Query(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		r, err := q.Result(0)
		if err != nil || r.Header.Abstained {
			t.Fatalf("%v, abstained: %v", err, r.Header.Abstained)
		}
		if len(r.Signs().Names) == 0 {
			t.Error("no signs")
		}
		return r.Header.Confidence != nil
	}
	hurry, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	cache := t.TempDir()
	if confident(repo.Late(hurry), rank.Request{Repo: dir, CacheDir: cache, Later: true}) {
		t.Error("files were not read, and it is confident")
	}
	// An index, and no time for the history.
	st, err := repo.Open(t.Context(), repo.Options{Path: dir, CacheDir: cache, NoHistory: true})
	if err != nil {
		t.Fatal(err)
	}
	st.Close()
	if confident(repo.Late(hurry), rank.Request{Repo: dir, CacheDir: cache, Later: true}) {
		t.Error("the history was not read, and it is confident")
	}
	if !confident(t.Context(), rank.Request{Repo: dir, CacheDir: cache}) || !confident(repo.Late(hurry), rank.Request{Repo: dir, CacheDir: cache, Later: true}) {
		t.Error("all is there, and there is no confidence")
	}
	// A clone without its files.
	part := filepath.Join(t.TempDir(), "part.git")
	runGit(t, dir, "config", "uploadpack.allowFilter", "true")
	runGit(t, dir, "clone", "-q", "--bare", "--filter=blob:none", "file://"+dir, part)
	cache = t.TempDir()
	for _, when := range []string{"cold", "warm"} {
		if confident(t.Context(), rank.Request{Repo: part, CacheDir: cache}) {
			t.Error(when + ": the files are not here, and it is confident")
		}
	}
}
