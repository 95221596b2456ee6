package rank

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/RoaringBitmap/roaring/v2"

	"cohop/adaptive"
	"cohop/fuse"
	"cohop/internal/repo"
	"cohop/internal/text"
)

// A session is a stream of questions that belong together. What it remembers
// is the smoothed score of the chunks it was about, keyed by path and symbol so
// that edits do not lose it, and digests of the texts it was given. It holds no
// task and no line of the repository. One stream is a session's name, the
// repository, and the filter of the question.
type session struct {
	stream string
	was    adaptive.Memory
	next   *adaptive.Memory // after Result, nil before and after an abstention
	given  map[string]bool  // digests of texts the session has; see Given
	fresh  []string         // digests to add
}

const (
	// recalled is how many of a session's best chunks bring their files into
	// the pool: what a follow-up can mean, not all that was ever in a pool.
	recalled = 48

	// maxGiven bounds the digests of a session: a pack holds about ten texts.
	maxGiven = 2000

	// headChunks is how many of the best chunks, of the task and of the
	// session each, tell whether the two are about the same.
	headChunks = 32

	// leanest is λ's floor for a task of which nothing but the pointing is
	// left. At .95 what little it says of its own no longer chooses among what
	// the session was about: doc/agents.md has the figures.
	leanest = 0.8

	// leanWords is how many content words beyond the first take the floor down
	// to a third: "what are its arguments" has one, a new topic that happens
	// to say "it" has five or more.
	leanWords = 3.0

	// antecedent is how many content words before a pronoun are what it
	// stands for: "compress large responses and cache them" points at nothing.
	antecedent = 4
)

// stored is a session on disk.
type stored struct {
	Floor float64   `json:"floor"`
	Keys  []string  `json:"keys"` // path, NUL, symbol
	Z     []float64 `json:"z"`
	Given []string  `json:"given,omitempty"`
}

// stream names what is kept for a request's session.
func (q *Query) stream() string {
	r := &q.req
	list := func(s []string) string {
		s = slices.Clone(s)
		slices.Sort(s)
		return strings.Join(s, "\x01")
	}
	return strings.Join([]string{"1", r.Session, r.Root, r.Rev, list(r.Paths), list(r.Langs), list(r.Roles)}, "\x00")
}

// openSession reads what the request's session remembers.
func (q *Query) openSession() {
	if q.req.Session == "" {
		return
	}
	s := &session{stream: q.stream(), given: map[string]bool{}}
	q.session = s
	if q.req.Fresh {
		return
	}
	var kept stored
	if b := q.eng.st.ReadSession(s.stream); b == nil || json.Unmarshal(b, &kept) != nil || len(kept.Keys) != len(kept.Z) {
		return
	}
	ok := func(x float64) bool { return math.Abs(x) < 1e6 } // also false for what is no number
	if !ok(kept.Floor) {
		return
	}
	s.was.Floor = kept.Floor
	for i, k := range kept.Keys {
		if ok(kept.Z[i]) {
			s.was.Entries = append(s.was.Entries, adaptive.Entry{Key: k, Z: kept.Z[i]})
		}
	}
	for _, g := range kept.Given {
		s.given[g] = true
	}
}

// recall adds the files that the session was about to the pool.
func (q *Query) recall(pool *roaring.Bitmap) {
	if q.session == nil {
		return
	}
	for _, k := range q.session.was.Top(recalled) {
		p, _, _ := strings.Cut(k, "\x00")
		if f, ok := q.eng.st.View.Find(p); ok && q.ok(f) {
			pool.Add(uint32(f))
		}
	}
}

// remembers tells whether a task that says nothing of its own may be taken as
// a follow-up of the session.
func (q *Query) remembers() bool {
	return q.session != nil && len(q.session.was.Entries) > 0 && len(q.pool) > 0 && points(q.req.Task)
}

// pointers are words that stand for what was spoken of before.
var pointers = map[string]bool{
	"it": true, "its": true, "that": true, "this": true, "they": true, "them": true, "their": true, "those": true, "these": true,
	"there": true, "same": true, "one": true, "ones": true, "above": true, "previous": true, "former": true, "latter": true,
	"itself": true, "here": true, "he": true, "both": true,
}

// conjunction tells whether "that" joins what follows to the word before it
// ("make sure that the parser …") and so points at nothing.
func conjunction(before string) bool {
	switch before {
	case "sure", "so", "such", "say", "says", "said", "means", "ensure", "check", "now", "fact", "think", "see", "shows", "assert", "know", "believe":
		return true
	}
	return false
}

// taskWords are the words of a short task, lower case.
func taskWords(task string) []string {
	return strings.FieldsFunc(strings.ToLower(task), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '\''
	})
}

// maxPointing is the most words of a task that may only point: longer ones
// bring their own subject, and their pronouns refer to it.
const maxPointing = 24

// points tells whether a task refers to something that it does not name: it
// has a pronoun or demonstrative with nothing before it that it could stand
// for, or begins as a continuation ("and in the tests?").
func points(task string) bool {
	words := taskWords(task)
	if len(words) == 0 || len(words) > maxPointing {
		return false
	}
	switch words[0] {
	case "and", "also", "but", "then", "what's", "again":
		return true
	case "why", "how":
		if len(words) <= 2 {
			return true
		}
	}
	content := 0
	for i, w := range words {
		w = strings.TrimSuffix(w, "'s")
		if content >= antecedent {
			return false
		}
		if !pointers[w] {
			if !text.Stop(w) {
				content++
			}
			continue
		}
		if w == "one" && (i == 0 || words[i-1] != "that" && words[i-1] != "this" && words[i-1] != "the" && words[i-1] != "there") {
			continue
		}
		if w == "there" && i+1 < len(words) && (words[i+1] == "is" || words[i+1] == "are" || words[i+1] == "a") || w == "there" && i > 0 && (words[i-1] == "is" || words[i-1] == "are") && (i+1 >= len(words) || words[i+1] != "one") {
			continue
		}
		if w == "that" && i > 0 && conjunction(words[i-1]) {
			continue
		}
		return true
	}
	return false
}

// lean is the least λ for the task: high when it points and says little of its
// own, falling with the words that the repository knows.
func (q *Query) lean() float64 {
	if !points(q.req.Task) {
		return 0
	}
	n := float64(len(q.task.Words) - len(q.evidence.missing))
	for _, id := range q.task.Idents {
		if id.Code {
			n += leanWords // names its subject
		}
	}
	n += leanWords * float64(len(q.task.Mentions))
	return leanest / (1 + 2*max(0, n-1)/leanWords)
}

// blend takes the pool's chunk scores into the session's memory, and moves the
// files' fused scores by as much as their best chunks were moved, so that the
// list and the pack tell the same.
func (q *Query) blend(r *Result, f *fused, s *chunkScore, z adaptive.Scores) adaptive.Scores {
	if q.session == nil || len(s.score) == 0 {
		return z
	}
	v := q.eng.st.View
	keys := make([]string, len(s.chunks))
	for i, c := range s.chunks {
		keys[i] = q.Paths[s.file[i]] + "\x00" + q.eng.symbolName(v.Chunk(c).Symbol)
	}
	lambda := 0.0
	if m := &q.session.was; len(m.Entries) > 0 {
		lambda = max(m.Agreement(keys, z, headChunks), q.lean())
	}
	out, next := q.session.was.Mix(keys, z, lambda)
	q.session.next = &next
	if lambda == 0 {
		return out
	}
	r.Header.Mem = round(lambda)
	sd := deviation(s.score, z.Z)
	own, now := make([]float64, len(q.pool)), make([]float64, len(q.pool))
	for i := range own {
		own[i], now[i] = math.Inf(-1), math.Inf(-1)
	}
	for i, p := range s.file {
		own[p], now[p] = max(own[p], z.Z[i]), max(now[p], out.Z[i])
	}
	for p := range f.score {
		if !math.IsInf(own[p], -1) {
			f.score[p] += sd * (now[p] - own[p])
		}
	}
	f.order = fuse.Order(f.score, func(i, j int) bool { return i < j })
	return out
}

// deviation is the unit that standard scores were made with: 1 when all are
// equal, since then any unit is as good.
func deviation(score, z []float64) float64 {
	lo, hi := 0, 0
	for i := range z {
		if z[i] < z[lo] {
			lo = i
		}
		if z[i] > z[hi] {
			hi = i
		}
	}
	if d := z[hi] - z[lo]; d > 0 {
		return (score[hi] - score[lo]) / d
	}
	return 1
}

// Given tells whether the session was given a text under this digest before.
func (q *Query) Given(digest string) bool { return q.session != nil && q.session.given[digest] }

// Give notes digests of texts that the session gets with this answer.
func (q *Query) Give(digests ...string) {
	if q.session != nil {
		q.session.fresh = append(q.session.fresh, digests...)
	}
}

// Keep writes what the session remembers after the last Result. A question
// that was not answered changes nothing. Without a session or a cache it does
// nothing.
func (q *Query) Keep() error {
	s := q.session
	if s == nil || s.next == nil {
		return nil
	}
	out := stored{Floor: round(s.next.Floor)}
	for _, e := range s.next.Entries {
		out.Keys, out.Z = append(out.Keys, e.Key), append(out.Z, round(e.Z))
	}
	for g := range s.given {
		out.Given = append(out.Given, g)
	}
	out.Given = append(out.Given, s.fresh...)
	slices.Sort(out.Given)
	out.Given = slices.Compact(out.Given)
	out.Given = out.Given[:min(len(out.Given), maxGiven)]
	b, err := json.Marshal(&out)
	if err != nil {
		return err
	}
	return q.eng.st.WriteSession(s.stream, b)
}

// Forget drops what a session remembers of the request's repository. With
// onlyGiven its focus stays and it is given texts anew: they are out of the
// client's view.
func Forget(ctx context.Context, req Request, onlyGiven bool) error {
	st, err := repo.Peek(ctx, repo.Options{Path: req.Repo, Root: req.Root, CacheDir: req.CacheDir, NoCache: req.NoCache})
	if err != nil {
		return err
	}
	defer st.Close()
	q := &Query{eng: &Engine{st: st}, req: req}
	if !onlyGiven {
		return st.DropSession(q.stream())
	}
	q.openSession()
	if q.session == nil || len(q.session.was.Entries) == 0 {
		return nil
	}
	q.session.given, q.session.next = nil, &q.session.was
	return q.Keep()
}
