package rank

import (
	"context"
	"os"
	"testing"
)

func benchRequest(b *testing.B) Request {
	repo := os.Getenv("RANK_BENCH_REPO")
	if repo == "" {
		b.Skip("set RANK_BENCH_REPO to a repository, RANK_BENCH_TASK to a task file")
	}
	task, err := os.ReadFile(os.Getenv("RANK_BENCH_TASK"))
	if err != nil {
		b.Fatal(err)
	}
	return Request{Task: string(task), Repo: repo}
}

// BenchmarkWarm is a whole warm query: open, rank, pack, close.
func BenchmarkWarm(b *testing.B) {
	req := benchRequest(b)
	for b.Loop() {
		if _, err := Rank(context.Background(), req); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen is what a one-shot query does before its question.
func BenchmarkOpen(b *testing.B) {
	req := benchRequest(b)
	for b.Loop() {
		e, err := Open(context.Background(), req)
		if err != nil {
			b.Fatal(err)
		}
		e.Close()
	}
}

// BenchmarkQuery is one question of an open engine.
func BenchmarkQuery(b *testing.B) {
	req := benchRequest(b)
	e, err := Open(context.Background(), req)
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	for b.Loop() {
		q, err := e.Query(context.Background(), req)
		if err == nil {
			_, err = q.Result(0)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
