package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cohop/rank"
)

// late is a context whose time is over while it is not.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Now(), true }

// TestUnfinishedIsBegun: whatever a run with a deadline did not get to is begun
// in the background, once at a time, and the warning says so.
func TestUnfinishedIsBegun(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git builds the fixtures")
	}
	home := t.TempDir()
	dir := filepath.Join(home, "shop")
	if err := buildShop(dir, append(os.Environ(), gitEnv(home)...)); err != nil {
		t.Fatal(err)
	}
	var started [][]string
	var fail error
	asks := func(cache string) *query {
		q := &query{top: 5, background: func(_ string, args ...string) error {
			started = append(started, args)
			return fail
		}}
		q.set = func(string) bool { return false }
		q.repo, q.cacheDir, q.deadline, q.intent = dir, cache, time.Hour, rank.Auto
		return q
	}
	last := func(r *rank.Result, err error) string {
		t.Helper()
		if err != nil || len(r.Header.Warnings) == 0 {
			t.Fatalf("%v %+v", err, r)
		}
		return r.Header.Warnings[len(r.Header.Warnings)-1]
	}
	hurried := func(q *query) (*rank.Result, error) { return q.ask(late{t.Context()}, "sessions expire", io.Discard) }
	names := func(q *query) (*rank.Result, error) {
		ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		return q.answer(ctx, "sessions expire", io.Discard)
	}
	for what, run := range map[string]func(*query) (*rank.Result, error){"joined": hurried, "names": names} {
		cache := t.TempDir()
		started, fail = nil, nil
		want := []string{"index", "--repo", dir, "--cache-dir", cache}
		for range 2 { // the second finds the first one's process at work
			w := last(run(asks(cache)))
			if !strings.Contains(w, "in the background") || !strings.Contains(w, "rank index") {
				t.Errorf("%s: %q", what, w)
			}
			if len(started) != 1 || !slices.Equal(started[0], want) {
				t.Errorf("%s: started %q, want %q", what, started, want)
			}
		}
		cache = t.TempDir()
		started, fail = nil, errors.New("no more processes")
		if w := last(run(asks(cache))); strings.Contains(w, "background") || !strings.Contains(w, "rank index --repo") || len(started) != 1 {
			t.Errorf("%s: %d starts: %q", what, len(started), w)
		}
		started, fail = nil, nil
		q := asks("")
		q.noCache = true
		if w := last(names(q)); !strings.Contains(w, "--no-cache") || len(started) != 0 {
			t.Errorf("%s: %d starts: %q", what, len(started), w)
		}
	}
	// What is finished starts nothing.
	cache := t.TempDir()
	started = nil
	for range 2 {
		r, err := asks(cache).ask(t.Context(), "sessions expire", io.Discard)
		if err != nil || len(r.Header.Warnings) != 0 || r.Header.Confidence == nil || len(started) != 0 {
			t.Errorf("%v, %d starts, %q", err, len(started), r.Header.Warnings)
		}
	}
	if r, err := hurried(asks(cache)); err != nil || len(r.Header.Warnings) != 0 || len(started) != 0 {
		t.Errorf("%v, %d starts, %q", err, len(started), r.Header.Warnings)
	}
	// An answer by names alone then says that time was short, not the index.
	q := asks(cache)
	q.deadline = time.Millisecond
	if r, err := names(q); err != nil || len(started) != 0 || len(r.Header.Warnings) != 2 || r.Header.Warnings[0] != rank.NamesInTime ||
		!strings.Contains(r.Header.Warnings[1], "nothing is being built") || !strings.Contains(r.Header.Warnings[1], "--deadline 1s") {
		t.Errorf("%v, %d starts, %q", err, len(started), r.Header.Warnings)
	}
	// With time enough for a query it is the tree that is new: that is begun.
	q = asks(cache)
	q.deadline = time.Minute
	if w := last(names(q)); !strings.Contains(w, "in the background") || len(started) != 1 {
		t.Errorf("%d starts, %q", len(started), w)
	}
}
