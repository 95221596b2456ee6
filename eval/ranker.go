package eval

import (
	"context"
	"io"

	"cohop/rank"
)

// Ranker is package rank as an Engine: what Run measures when nothing else is
// said.
type Ranker struct {
	Request  rank.Request // what every question has in common; Task, Repo, Rev and Root are set a question
	Progress io.Writer
}

// Open implements Engine.
func (r Ranker) Open(ctx context.Context, t Tree) (Snapshot, error) {
	req := r.Request
	req.Repo, req.Rev, req.Root, req.Exact = t.Repo, t.Rev, t.Root, true
	e, err := rank.Open(ctx, req)
	if err != nil {
		return nil, err
	}
	return &rankedTree{e: e, req: req}, nil
}

type rankedTree struct {
	e   *rank.Engine
	req rank.Request
}

// Has implements Lister.
func (t *rankedTree) Has(path string) bool {
	_, ok := t.e.State().View.Find(path)
	return ok
}

func (t *rankedTree) Close() error { t.e.Close(); return nil }

func (t *rankedTree) Query(ctx context.Context, q Question) (Answer, error) {
	req := t.req
	req.Task, req.Intent, req.Top = q.Text, q.Intent, RunDepth
	req.Without = append(append([]string(nil), t.req.Without...), q.Without...)
	if q.Config != nil {
		req.Config = q.Config
	}
	a, err := t.e.Query(ctx, req)
	if err != nil {
		return nil, err
	}
	return answer{a}, nil
}

type answer struct{ *rank.Query }

// Pool implements Answer.
func (a answer) Pool() []string { return a.Paths }

// Features implements Featured.
func (a answer) Features() (names []string, x []float32, promoted []bool) {
	f := a.Query.Features()
	return f.Names, f.X, f.Promoted
}

// Columns implements Columned.
func (a answer) Columns() (ids []string, raw [][]float64) {
	for i := range a.Query.Columns {
		ids, raw = append(ids, a.Query.Columns[i].ID), append(raw, a.Query.Columns[i].Raw)
	}
	return ids, raw
}
