// Package rank is the engine: one function from a task and a repository to the
// files that must be read or changed for it, packed into a token budget.
//
// A query's life: text.Parse splits the task; the text columns score all files
// and propose the first pool; its best files are the seeds from which hops and
// co-change start; precedent, mentions and literals add what they know; every
// column is then taken over the one pool and fused; the fused scores make a
// distribution over chunks whose nucleus says how much the task deserves; and
// the pack buys as much of it as the budget allows.
package rank

import (
	"io"

	"cohop/internal/config"
)

// Intents of a task.
const (
	Ask    = "ask"    // where is it: source first
	Change = "change" // what must be edited: tests and documents are welcome
	Auto   = "auto"   // guessed from the task
)

// MaxRun is the most files a result holds.
const MaxRun = 100

// Request is one question. The zero value of a field is its default.
type Request struct {
	Task string

	Repo   string // where to look for the repository; "" is the current folder
	Rev    string // revision to rank; "" is the working tree
	Root   string // the only folder indexed and searched
	Budget int    // tokens of the pack; 0 is the configuration's
	Top    int    // files in the result; 0 is 20
	Intent string // ask, change, auto

	Without []string // columns or groups switched off
	Fusion  string   // z or rrf; "" is the configuration's
	Seeds   []string // paths from which hops and co-change start too

	Session string // stream of questions that belong together; "" is none
	Fresh   bool   // forget what the session was about before this question

	Paths []string // gitignore-like patterns; only files that match one
	Langs []string // only files of these languages
	Roles []string // only files of these roles

	ConfigFile string         // laid over the repository's configuration
	Config     *config.Config // instead of any file, for tuning
	CacheDir   string         // "" is the user's cache folder
	NoCache    bool           // neither read nor write a cache
	Exact      bool           // build a segment for this very tree rather than overlay the nearest
	Progress   io.Writer      // lines for people while something takes long; nil: none
	Later      bool           // see repo.Options
}

// files is how many of n ranked files the result holds.
func (r *Request) files(n int) int {
	top := r.Top
	if top <= 0 {
		top = 20
	}
	return min(top, MaxRun, n)
}
