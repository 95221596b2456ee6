package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cohop/internal/repo"
	"cohop/rank"
)

const (
	// HookDeadline is the hook's own; clients end hooks after 10 to 30 s and
	// drop what they wrote, and a user waits for every one of them.
	HookDeadline = 3 * time.Second

	// HookBudget is what a prompt's context may cost in tokens.
	HookBudget = 2000

	// HookConfidence is the probability that the pack holds all that is needed
	// below which the hook keeps silent: what it would say is then likelier to
	// lead astray than to help. Of tasks with known answers one in a hundred has
	// less than .08.
	HookConfidence = 0.05

	// hookChars is below the 10,000 at which a client moves a text into a file.
	hookChars = 9000

	// codexTokens is below the 2,500 at which Codex does so.
	codexTokens = 2400

	// maxEvent bounds stdin: a pasted log is a prompt too.
	maxEvent = 8 << 20

	// reserve is kept of the deadline for writing the answer.
	reserve = 150 * time.Millisecond
)

// Hook answers one event of a client.
type Hook struct {
	Client   string
	Deadline time.Duration // 0: HookDeadline
	Budget   int           // tokens; 0: HookBudget
	CacheDir string
	NoCache  bool

	// Confidence is what an answer must have at least, in [0,1]; 0:
	// HookConfidence.
	Confidence float64

	// Start runs this program with other arguments behind the client's back,
	// to get an index built that the hook has no time for; nil: it is not.
	Start func(dir string, args ...string) error
}

// Run reads an event from stdin and writes what the client's model should
// know to stdout, or nothing. It never fails and is over by the deadline: what
// goes wrong is one line on stderr.
func (h *Hook) Run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) {
	limit := cmp.Or(h.Deadline, HookDeadline)
	ctx, cancel := context.WithTimeout(ctx, max(limit-reserve, limit/2))
	defer cancel()
	type outcome struct {
		b   []byte
		err error
	}
	done := make(chan outcome, 1)
	quick := make(chan standIn, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- outcome{nil, fmt.Errorf("internal fault: %v", p)}
			}
		}()
		b, err := h.answer(ctx, stdin, quick)
		done <- outcome{b, err}
	}()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
		o.err = ctx.Err()
	}
	if o.b == nil && errors.Is(o.err, context.DeadlineExceeded) {
		o.err = fmt.Errorf("no answer within %v: rank index prepares one", limit)
		select {
		case s := <-quick:
			h.warm(s.dir) // before this process is gone
			o.b = s.b
		default:
		}
	}
	if o.b != nil {
		if _, err := stdout.Write(o.b); err != nil {
			o.err = err
		}
	}
	if o.err != nil {
		fmt.Fprintf(stderr, "rank hook: %s\n", strings.ReplaceAll(plain(o.err.Error()), "\n", " "))
	}
}

// standIn is for an answer that comes too late, where there is no index yet.
type standIn struct {
	b   []byte // what names alone tell, nil if that is nothing
	dir string // whose index has to be built
}

// answer is Run without a deadline of its own. What can stand in for it goes to
// quick.
func (h *Hook) answer(ctx context.Context, stdin io.Reader, quick chan<- standIn) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(stdin, maxEvent+1))
	if err != nil {
		return nil, fmt.Errorf("read event: %w", err)
	}
	if len(b) > maxEvent {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", errEvent, maxEvent)
	}
	e, err := parseEvent(h.Client, b)
	if err != nil {
		return nil, err
	}
	if e.kind == deaf {
		return nil, nil
	}
	if e.cwd != "" && !filepath.IsAbs(e.cwd) {
		return nil, fmt.Errorf("%w: cwd is no absolute path", errEvent)
	}
	req := rank.Request{Repo: e.cwd, Task: e.prompt, Budget: cmp.Or(h.Budget, HookBudget), CacheDir: h.CacheDir, NoCache: h.NoCache}
	if e.kind == prompted || e.kind == started {
		req.Session = e.session // helpers have a context of their own
	}
	var text string
	if e.kind == started {
		text, err = h.start(ctx, e, req)
		if err != nil || e.prompt == "" {
			return h.shape(e, text, err)
		}
		// Copilot gives the first prompt with the start and takes no context later.
		if more, err := h.prompt(ctx, e, req, quick); err == nil && more != "" {
			text = more
		}
		return h.shape(e, text, nil)
	}
	if strings.TrimSpace(e.prompt) == "" { // a helper that is given no task to look at
		text, err = about(ctx, req)
		return h.shape(e, text, err)
	}
	text, err = h.prompt(ctx, e, req, quick)
	return h.shape(e, text, err)
}

func (h *Hook) shape(e *event, text string, err error) ([]byte, error) {
	if err != nil || text == "" {
		return nil, err
	}
	return e.answer(h.Client, text)
}

func (h *Hook) bounds() bounds {
	b := bounds{chars: hookChars, body: cmp.Or(h.Budget, HookBudget)}
	if h.Client == Codex {
		b.tokens = codexTokens
	}
	return b
}

// start warms the index behind the session's back and says what the
// repository is.
func (h *Hook) start(ctx context.Context, e *event, req rank.Request) (string, error) {
	line, err := about(ctx, req)
	if err != nil {
		return "", err
	}
	if e.session != "" {
		switch e.source {
		case "clear":
			err = rank.Forget(ctx, req, false)
		case "compact":
			err = rank.Forget(ctx, req, true)
		}
		if err != nil {
			return "", err
		}
	}
	h.warm(e.cwd)
	return line, nil
}

// warm has the index built by a process that outlives this one. That it
// cannot be started costs the next prompt time and nothing else.
func (h *Hook) warm(dir string) {
	if h.Start == nil || h.NoCache {
		return
	}
	args := []string{"index"}
	if h.CacheDir != "" {
		args = append(args, "--cache-dir", h.CacheDir)
	}
	_ = h.Start(dir, args...)
}

// shownLanguages is how many languages the line about a repository names.
const shownLanguages = 3

// about says in one line what the repository is.
func about(ctx context.Context, req rank.Request) (string, error) {
	st, err := repo.Peek(ctx, repo.Options{Path: req.Repo, CacheDir: req.CacheDir, NoCache: req.NoCache})
	if err != nil {
		return "", err
	}
	defer st.Close()
	n := len(st.Snapshot.Entries)
	if n == 0 {
		return "", nil
	}
	counts := st.Languages()
	var langs []string
	for l := range counts {
		langs = append(langs, l)
	}
	slices.SortFunc(langs, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b)) })
	var parts []string
	for _, l := range langs[:min(shownLanguages, len(langs))] {
		parts = append(parts, fmt.Sprintf("%s %d", cmp.Or(l, "other"), counts[l]))
	}
	files := "1 file"
	if n != 1 {
		files = fmt.Sprintf("%d files", n)
	}
	return fmt.Sprintf("Repository %s: %s (%s). The command `rank TASK` lists the files a task needs.\n", name(st.Git.Name()), files, strings.Join(parts, ", ")), nil
}

// prompt ranks what the user said. It is "" when there is nothing worth saying.
func (h *Hook) prompt(ctx context.Context, e *event, req rank.Request, quick chan<- standIn) (string, error) {
	if idle(e.prompt) {
		return "", nil
	}
	if h.NoCache || !repo.Warm(req.Repo, req.CacheDir) {
		r, err := rank.Quick(ctx, req)
		if err != nil {
			return "", err
		}
		in := standIn{dir: e.cwd}
		if c := h.compose(r, nil); c.ok {
			if in.b, err = e.answer(h.Client, c.text); err != nil {
				return "", err
			}
		}
		quick <- in
	}
	eng, err := rank.Open(ctx, req)
	if err != nil {
		return "", err
	}
	defer eng.Close()
	q, err := eng.Query(ctx, req)
	if err != nil {
		return "", err
	}
	// Whether it is worth saying is judged at the budget that confidence is
	// used to: a small one leaves much out of any answer.
	r, err := q.Result(max(req.Budget, HookBudget))
	if err != nil || !h.worth(r) {
		return "", err
	}
	if req.Budget < HookBudget {
		if r, err = q.Result(req.Budget); err != nil {
			return "", err
		}
	}
	// Texts that the session has cost nothing again: others take their place.
	budget := req.Budget
	for i := range r.Pack {
		if it := &r.Pack[i]; it.Tier == rank.TierBody && q.Given(digest(it)) {
			budget += it.Tokens
		}
	}
	var c composed
	for b := budget; ; {
		if b != req.Budget {
			if r, err = q.Result(b); err != nil {
				return "", err
			}
			r.Header.Budget = req.Budget
		}
		if c = h.compose(r, q.Given); !c.cut {
			break
		}
		if b = tighter(b); b == 0 {
			break
		}
	}
	if !c.ok || ctx.Err() != nil { // nobody gets the text
		return "", ctx.Err()
	}
	q.Give(c.given...)
	// What cannot be kept is no reason to be silent: the next prompt is
	// answered as if it were the first.
	_ = q.Keep()
	return c.text, nil
}

// worth tells whether an answer is worth a prompt's tokens. Confidence was
// fitted on tasks that stand for themselves, so it says nothing of follow-ups.
func (h *Hook) worth(r *rank.Result) bool {
	x := &r.Header
	return !x.Abstained && (x.Confidence == nil || x.Mem > 0 || *x.Confidence >= cmp.Or(h.Confidence, HookConfidence))
}

// compose makes the text for an answer, which is not ok when there is nothing
// to say.
func (h *Hook) compose(r *rank.Result, known func(string) bool) composed {
	if r.Header.Abstained || len(r.Pack) == 0 {
		return composed{}
	}
	intro := "Files of this repository that the prompt bears on, by text, history and structure:\n"
	return compose(r, pieces(r.Pack, known), intro, "", h.bounds(), true)
}
