package agent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cohop/rank"
)

// TestSpeaks measures how often the hook has something to say to tasks with
// known answers, and that it is silent on what no repository answers:
//
//	RANK_CORPORA=DIR RANK_LABELS=DIR go test ./agent -run Speaks -v
//
// RANK_EVERY=4 takes every fourth label: most have a commit of their own, whose
// tree has to be indexed.
//
// A label's tree is ranked at its commit, since the hook's working tree would
// have to be checked out for each; all else is what the hook does.
func TestSpeaks(t *testing.T) {
	root, labels := os.Getenv("RANK_CORPORA"), os.Getenv("RANK_LABELS")
	if root == "" || labels == "" {
		t.Skip("RANK_CORPORA and RANK_LABELS name the folders of repositories and labels")
	}
	cache := os.Getenv("RANK_CORPORA_CACHE")
	if cache == "" {
		cache = t.TempDir()
	}
	h := Hook{Client: Claude}
	var sure []float64
	says := func(e *rank.Engine, req rank.Request) bool {
		if idle(req.Task) {
			return false
		}
		q, err := e.Query(t.Context(), req)
		if err != nil {
			t.Fatalf("%q: %v", req.Task, err)
		}
		r, err := q.Result(HookBudget)
		if err != nil {
			t.Fatalf("%q: %v", req.Task, err)
		}
		if c := r.Header.Confidence; c != nil && !r.Header.Abstained {
			sure = append(sure, *c)
		}
		return h.worth(r) && h.compose(r, nil).ok
	}
	spread := func() string {
		slices.Sort(sure)
		if len(sure) == 0 {
			return "no confidence"
		}
		at := func(p float64) float64 { return sure[int(p*float64(len(sure)-1))] }
		s := fmt.Sprintf("confidence p1 %.3f p5 %.3f p50 %.3f p95 %.3f", at(.01), at(.05), at(.5), at(.95))
		sure = nil
		return s
	}
	type label struct{ ID, Repo, Commit, Root, Text string }
	read := func(name string) (out []label) {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		s := bufio.NewScanner(f)
		s.Buffer(nil, 8<<20)
		for s.Scan() {
			var l label
			if err := json.Unmarshal(s.Bytes(), &l); err != nil {
				t.Fatal(err)
			}
			out = append(out, l)
		}
		return out
	}
	every, err := strconv.Atoi(os.Getenv("RANK_EVERY"))
	if err != nil || every < 1 {
		every = 1
	}
	files, _ := filepath.Glob(filepath.Join(labels, "*.jsonl"))
	if len(files) == 0 {
		t.Fatal("no labels")
	}
	var e *rank.Engine
	var at rank.Request
	open := func(req rank.Request) {
		if e != nil && req.Repo == at.Repo && req.Rev == at.Rev && req.Root == at.Root {
			return
		}
		if e != nil {
			e.Close()
		}
		var err error
		if e, err = rank.Open(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		at = req
	}
	// What no repository answers, in three that are small, middling and large.
	off := read(filepath.Join("..", "eval", "testdata", "offtopic.jsonl"))
	n, silent := 0, 0
	for _, r := range strings.Fields("pallets/flask spf13/cobra tokio-rs/tokio") {
		req := rank.Request{Repo: filepath.Join(root, r), CacheDir: cache}
		open(req)
		for _, l := range off {
			req.Task = l.Text
			n++
			if !says(e, req) {
				silent++
			} else {
				t.Logf("spoke in %s: %.80q", r, l.Text)
			}
		}
	}
	lo, hi := wilson(silent, n)
	t.Logf("off topic: silent on %d of %d, %.1f %% [%.1f, %.1f]", silent, n, 100*float64(silent)/float64(n), 100*lo, 100*hi)
	t.Log(spread())
	for _, name := range files {
		n, spoke := 0, 0
		for i, l := range read(name) {
			if i%every != 0 {
				continue
			}
			req := rank.Request{Repo: filepath.Join(root, l.Repo), Rev: l.Commit, Root: l.Root, CacheDir: cache}
			open(req)
			req.Task = l.Text
			n++
			if says(e, req) {
				spoke++
			} else {
				t.Logf("silent: %s %.100q", l.ID, l.Text)
			}
		}
		lo, hi := wilson(spoke, n)
		t.Logf("%s: speaks on %d of %d, %.1f %% [%.1f, %.1f]", filepath.Base(name), spoke, n, 100*float64(spoke)/float64(n), 100*lo, 100*hi)
		t.Log(spread())
		if float64(spoke) < 0.95*float64(n) {
			t.Errorf("%s: silent too often", name)
		}
	}
}
