package eval

import (
	"context"
	"encoding/base64"

	"cohop/internal/config"
	"cohop/rank"
)

// Tree names one state of one repository.
type Tree struct {
	Repo string // folder of the repository
	Rev  string // commit; "" the working tree
	Root string // the only folder searched; "" all
}

// Question is one task as an engine is asked it. It holds nothing of the
// answer.
type Question struct {
	ID      string // for messages only
	Text    string
	Intent  string         // auto | ask | change
	Without []string       // columns or groups that are switched off
	Config  *config.Config // instead of the engine's; nil: that
}

// Engine is what Run measures. Open is expected to cost much more than the
// questions asked of what it returns; it is called from several goroutines.
type Engine interface {
	Open(ctx context.Context, t Tree) (Snapshot, error)
}

// Snapshot is an opened tree. Run asks it one question at a time.
type Snapshot interface {
	Query(ctx context.Context, q Question) (Answer, error)
	Close() error
}

// Answer is a ranking that can be packed into several budgets. All results
// hold the same files in the same order.
type Answer interface {
	Pool() []string // every file that was scored
	Result(budget int) (*rank.Result, error)
}

// Featured is an Answer that also says what its columns said, for Tune.
type Featured interface {
	Answer
	// Features gives the names of the features and, in column order over the
	// files of Pool, their values: feature j of file i is x[j*len(Pool())+i].
	// promoted says which files stand before all others whatever their
	// score; nil: none.
	Features() (names []string, x []float32, promoted []bool)
}

// Lister is a Snapshot that knows its files. With it, answers that are not
// in the tree are told apart from answers that were not found.
type Lister interface {
	Has(path string) bool
}

// exact undoes the replacement of bytes that are not UTF-8.
func exact(path, b64 string) string {
	if b64 == "" {
		return path
	}
	b, err := base64.StdEncoding.DecodeString(b64)
	if err != nil {
		return path
	}
	return string(b)
}

func filePath(f *rank.File) string { return exact(f.Path, f.PathB64) }
func itemPath(i *rank.Item) string { return exact(i.Path, i.PathB64) }
