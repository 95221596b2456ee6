package repo

import (
	"context"
	"testing"
	"time"
)

// past is a context whose time for reading is over while it is not.
type past struct{ context.Context }

func (past) Deadline() (time.Time, bool) { return time.Now(), true }

// Late returns ctx as one that Open must hurry for.
func Late(ctx context.Context) context.Context { return past{ctx} }

// ShortHistory has hurried runs take n commits of a history at first, until the
// test is over.
func ShortHistory(t *testing.T, n int) {
	firstCommits = n
	t.Cleanup(func() { firstCommits = FirstCommits })
}
