// Package config holds every constant of ranking and packing that a user may
// set: the shipped values, what .rank.toml may say, and how the two merge. It
// is pure: others read the files.
package config

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
)

// Columns are the fixed ids of the signals, in the order in which they are
// computed and shown. A group is what stands before the dot.
var Columns = []string{
	"similarity.file", "similarity.chunk", "similarity.title", "similarity.code",
	"path", "definition", "hops", "cochange", "precedent", "mention",
	"priors.role", "priors.centrality", "priors.heat",
}

// Literal is the id under which the promotion by rare literals is switched.
const Literal = "literal"

// Group returns the group of a column: what stands before the dot.
func Group(column string) string { g, _, _ := strings.Cut(column, "."); return g }

// Expand turns ids and groups of columns into ids; an unknown one is an error
// that names what there is.
func Expand(ids []string) (map[string]bool, error) {
	out := map[string]bool{}
	for _, id := range ids {
		id = strings.TrimSpace(id)
		if id == "" {
			continue
		}
		found := id == Literal
		if found {
			out[id] = true
		}
		for _, c := range Columns {
			if c == id || Group(c) == id {
				out[c], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("unknown column %q: the columns are %s, %s, and the groups similarity and priors",
				id, strings.Join(Columns, ", "), Literal)
		}
	}
	return out, nil
}

// Config is everything that may be set. Field tags are the names in .rank.toml.
type Config struct {
	Weights  map[string]float64 `toml:"weights"` // weight of a column's z-score
	Priors   Priors             `toml:"priors"`
	Intent   Intent             `toml:"intent"`
	Text     Text               `toml:"text"`
	Seeds    Seeds              `toml:"seeds"`
	Hops     Hops               `toml:"hops"`
	CoChange CoChange           `toml:"cochange"`
	Past     Precedent          `toml:"precedent"`
	Fusion   Fusion             `toml:"fusion"`
	Pool     Pool               `toml:"pool"`
	Adaptive Adaptive           `toml:"adaptive"`
	Pack     Pack               `toml:"pack"`
	Abstain  Abstain            `toml:"abstain"`
	// Confidence is the logistic model of rank/confidence.go: the weight of a
	// sign, and "bias". Empty: no confidence is given.
	Confidence map[string]float64 `toml:"confidence"`
	Roles      []Role             `toml:"roles"` // first match wins
}

// Priors add to the fused score by role, in units of the score; a role that is
// not listed adds 0.
type Priors struct {
	Ask    map[string]float64 `toml:"ask"`
	Change map[string]float64 `toml:"change"`
	Named  map[string]float64 `toml:"named"`  // added to change when the task's title names the role
	Report map[string]float64 `toml:"report"` // added to change by how much the task is a report of a symptom
}

// Intent tells how the guess between ask and change is made: a logistic model
// over the shape of the task. Positive speaks for change.
type Intent struct {
	Bias        float64 `toml:"bias"`
	Verb        float64 `toml:"verb"`         // first word is an imperative of changing (fix, add, remove, …)
	Question    float64 `toml:"question"`     // asks
	Lines       float64 `toml:"lines"`        // log2 of the number of lines
	Words       float64 `toml:"words"`        // log2 of the number of words
	Fences      float64 `toml:"fences"`       // holds a fence or a stack trace
	ReportWords float64 `toml:"report_words"` // a task of so many words is half a report
	ReportScale float64 `toml:"report_scale"`
	Scope       float64 `toml:"scope"` // starts with "scope: " or "verb(scope): "
}

// Text sets BM25 and BM25F (Robertson, Zaragoza 2009).
type Text struct {
	K1         float64 `toml:"k1"`
	B          float64 `toml:"b"`
	ChunkK1    float64 `toml:"chunk_k1"`
	ChunkB     float64 `toml:"chunk_b"`
	QueryK     float64 `toml:"query_k"`     // saturation of a term's count in the task
	BodyWeight float64 `toml:"body_weight"` // field weights of BM25F
	NameWeight float64 `toml:"name_weight"`
	DocWeight  float64 `toml:"doc_weight"`
	PathWeight float64 `toml:"path_weight"`
	PlainWord  float64 `toml:"plain_word"` // what a plain lower-case word counts as a defined identifier
}

// Seeds are the files that hops and co-change start from.
type Seeds struct {
	Count int `toml:"count"` // best files by the text columns
}

// Hops sets the graph column.
type Hops struct {
	Max     int     `toml:"max"`     // farther counts as none
	Spread  bool    `toml:"spread"`  // spread over edges damped by degree instead of the distance
	Steps   int     `toml:"steps"`   // of spreading
	Damping float64 `toml:"damping"` // what a step keeps
	Sibling float64 `toml:"sibling"` // what a file beside a seed gets of its weight
}

// CoChange sets the co-edit column.
type CoChange struct {
	HalfLifeDays     float64 `toml:"half_life_days"`
	MinFiles         int     `toml:"min_files"`
	MaxFiles         int     `toml:"max_files"`
	LongHalfLifeDays float64 `toml:"long_half_life_days"` // of the first seeds' second say
	HeatDays         float64 `toml:"heat_half_life_days"` // half-life of priors.heat
}

// Precedent sets the column of commits whose messages resemble the task.
type Precedent struct {
	Top          int     `toml:"top"`      // commits that vote
	Exponent     float64 `toml:"exponent"` // of the score of a vote
	HalfLifeDays float64 `toml:"half_life_days"`
	MaxFiles     int     `toml:"max_files"` // commits of more files do not vote
	Recent       float64 `toml:"recent"`    // weight of recent commits that resemble the title
	RecentDays   float64 `toml:"recent_half_life_days"`
}

// Fusion sets how columns are joined.
type Fusion struct {
	Method       string  `toml:"method"` // z | rrf
	Clip         float64 `toml:"clip"`   // of a z-score
	RRFK         float64 `toml:"rrf_k"`
	LiteralFiles int     `toml:"literal_files"` // files that may hold a promoting literal
}

// Pool sets how many files are scored by every column.
type Pool struct {
	Size int `toml:"size"`
}

// Adaptive sets the softmax and its nucleus.
type Adaptive struct {
	Tau         float64 `toml:"tau"`
	P           float64 `toml:"p"`
	KMin        int     `toml:"k_min"`
	ChunkWeight float64 `toml:"chunk_weight"` // of a chunk's own z-score beside its file's score
}

// Pack sets what a token budget buys.
type Pack struct {
	Budget    int     `toml:"budget"`
	Body      float64 `toml:"body"` // share of ŵ that a tier is worth
	Signature float64 `toml:"signature"`
	Path      float64 `toml:"path"`
	Temper    float64 `toml:"temper"` // exponent of ŵ in a chunk's value: below 1 the pack spreads wider than the nucleus
	Repeat    float64 `toml:"repeat"` // what the second chunk of a file is worth beside the first of another; the third half of that, the fourth a third; see rank/fill.go
	DirCap    int     `toml:"dir_cap"`
	Exemplar  bool    `toml:"exemplar"`
}

// Abstain sets when there is no answer.
type Abstain struct {
	Evidence float64 `toml:"evidence"` // least summed idf of words in names while nothing but names is indexed

	// Log-odds that the task is about the repository: abstain below 0. See
	// rank/abstain.go for what is weighed. A large bias never abstains.
	Bias    float64 `toml:"bias"`
	Named   float64 `toml:"named"`
	Held    float64 `toml:"held"`
	Past    float64 `toml:"past"`
	Missing float64 `toml:"missing"`
	Share   float64 `toml:"share"`
}

// Role gives the files of a gitignore-like pattern a role.
type Role struct {
	Pattern string `toml:"pattern"`
	Role    string `toml:"role"`
}

//go:embed shipped.toml
var shipped string

//go:embed calibrated.toml
var calibrated string

var parseShipped = sync.OnceValue(func() Config {
	c := builtin()
	for _, f := range [...]struct{ name, text string }{{"shipped.toml", shipped}, {"calibrated.toml", calibrated}} {
		if _, err := toml.Decode(f.text, &c); err != nil {
			panic("config: " + f.name + ": " + err.Error())
		}
	}
	return c
})

// Default returns the shipped configuration, the caller's own copy.
func Default() *Config {
	c := parseShipped()
	c.own()
	return &c
}

// own gives c maps and slices of its own.
func (c *Config) own() {
	c.Weights = maps.Clone(c.Weights)
	c.Priors.Ask, c.Priors.Change = maps.Clone(c.Priors.Ask), maps.Clone(c.Priors.Change)
	c.Priors.Report, c.Priors.Named = maps.Clone(c.Priors.Report), maps.Clone(c.Priors.Named)
	c.Roles, c.Confidence = slices.Clone(c.Roles), maps.Clone(c.Confidence)
}

// builtin holds the constants that the fit does not set.
func builtin() Config {
	return Config{
		Intent:   Intent{Bias: -1, Verb: 3, Question: -2, Lines: 1.5, Words: 0.2, Fences: 2, Scope: 2, ReportWords: 70, ReportScale: 25},
		Text:     Text{K1: 1.2, B: 0.6, ChunkK1: 1.2, ChunkB: 0.5, QueryK: 3, BodyWeight: 1, NameWeight: 2, DocWeight: 0.5, PathWeight: 3, PlainWord: 0.3},
		Seeds:    Seeds{Count: 5},
		Hops:     Hops{Max: 3, Spread: true, Steps: 2, Damping: 0.5, Sibling: 0.15},
		CoChange: CoChange{HalfLifeDays: 180, MinFiles: 2, MaxFiles: 15, LongHalfLifeDays: 700, HeatDays: 365},
		Past:     Precedent{Top: 100, Exponent: 2, HalfLifeDays: 3650, MaxFiles: 50, Recent: 2, RecentDays: 365},
		Fusion:   Fusion{Method: "z", Clip: 8, RRFK: 60, LiteralFiles: 3},
		Pool:     Pool{Size: 300},
		Adaptive: Adaptive{Tau: 1.28, P: 0.9, KMin: 5, ChunkWeight: 0.5},
		Pack:     Pack{Budget: 8000, Body: 1, Signature: 0.35, Path: 0.1, Temper: 0.9, Repeat: 0.1, DirCap: 3, Exemplar: true},
		Abstain:  Abstain{Evidence: 2},
	}
}

// Merge lays TOML text over c. An unknown key, column or role, or a value out
// of range is an *Error that names it, and leaves c as it was.
func (c *Config) Merge(name, text string) error {
	next := *c
	next.own()
	next.Roles = nil
	text = strings.TrimPrefix(text, "\ufeff")
	if deep(text) {
		return &Error{name, fmt.Sprintf("over %d brackets are open at once, or dots in a line: no setting needs that", maxDepth)}
	}
	md, err := toml.Decode(text, &next)
	if err != nil {
		return &Error{name, err.Error()}
	}
	if un := md.Undecoded(); len(un) > 0 {
		return &Error{name, unknownKey(un[0])}
	}
	// Of next alone: the roles of c are of another file.
	if err := next.checkNames(); err != nil {
		return &Error{name, err.Error()}
	}
	next.Roles = append(next.Roles, c.Roles...)
	if err := next.check(); err != nil {
		return &Error{name, err.Error()}
	}
	*c = next
	return nil
}

// maxDepth bounds the brackets that are open at once and the dots of a line:
// the decoder takes time in the cube of either, and the file may be anybody's.
const maxDepth = 100

// deep says whether text is over maxDepth. Quotes and comments count as well:
// no configuration comes near.
func deep(text string) bool {
	open, dots := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '{', '[':
			open++
		case '}', ']':
			open = max(0, open-1)
		case '.':
			dots++
		case '\n':
			dots = 0
		}
		if open > maxDepth || dots > maxDepth {
			return true
		}
	}
	return false
}

// most bounds every number that has no range of its own: larger ones are no
// weights but mistakes, and their sums would not be finite.
const most = 1e6

// finite tells the first number below v that is none to calculate with: TOML
// knows nan and inf, and a repository's file must not bring a program down.
func finite(name string, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Float64:
		if x := v.Float(); !(math.Abs(x) <= most) {
			return fmt.Errorf("%s = %v: want a number between %v and %v", name, x, -most, most)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if err := finite(strings.TrimPrefix(name+"."+v.Type().Field(i).Tag.Get("toml"), "."), v.Field(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			if err := finite(fmt.Sprintf("%s.%q", name, k.String()), v.MapIndex(k)); err != nil {
				return err
			}
		}
	}
	return nil
}

// check tells the first value that cannot be worked with.
func (c *Config) check() error {
	if err := finite("", reflect.ValueOf(*c)); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(c.Weights)) {
		if w := c.Weights[id]; math.Abs(w) > 1000 {
			return fmt.Errorf("weights.%q = %v: want a number between -1000 and 1000", id, w)
		}
	}
	for _, r := range []struct {
		name     string
		v        float64
		min, max float64
	}{
		{"text.k1", c.Text.K1, 0, 100}, {"text.b", c.Text.B, 0, 1},
		{"text.chunk_k1", c.Text.ChunkK1, 0, 100}, {"text.chunk_b", c.Text.ChunkB, 0, 1},
		// A field of no weight would still count as one that holds a term.
		{"text.body_weight", c.Text.BodyWeight, 0.001, 1000}, {"text.name_weight", c.Text.NameWeight, 0.001, 1000},
		{"text.doc_weight", c.Text.DocWeight, 0.001, 1000}, {"text.path_weight", c.Text.PathWeight, 0.001, 1000},
		{"text.query_k", c.Text.QueryK, 0, most}, {"text.plain_word", c.Text.PlainWord, 0, 100},
		{"seeds.count", float64(c.Seeds.Count), 0, 100},
		{"hops.max", float64(c.Hops.Max), 0, 6}, {"hops.steps", float64(c.Hops.Steps), 1, 6}, {"hops.damping", c.Hops.Damping, 0, 1},
		{"cochange.half_life_days", c.CoChange.HalfLifeDays, 0.01, 1e6},
		{"cochange.long_half_life_days", c.CoChange.LongHalfLifeDays, 0.01, 1e6}, {"precedent.recent_half_life_days", c.Past.RecentDays, 0.01, 1e6},
		{"precedent.recent", c.Past.Recent, 0, 1000}, {"hops.sibling", c.Hops.Sibling, 0, 100}, {"intent.report_scale", c.Intent.ReportScale, 0.01, 1e6},
		{"cochange.heat_half_life_days", c.CoChange.HeatDays, 0.01, 1e6},
		{"cochange.min_files", float64(c.CoChange.MinFiles), 2, 1e6}, {"cochange.max_files", float64(c.CoChange.MaxFiles), 2, 1e6},
		{"precedent.top", float64(c.Past.Top), 1, 1e5}, {"precedent.half_life_days", c.Past.HalfLifeDays, 0.01, 1e6},
		{"precedent.exponent", c.Past.Exponent, 0, 10}, {"precedent.max_files", float64(c.Past.MaxFiles), 0, most},
		{"fusion.clip", c.Fusion.Clip, 0.1, 1e6}, {"fusion.rrf_k", c.Fusion.RRFK, 0, 1e6},
		{"fusion.literal_files", float64(c.Fusion.LiteralFiles), 0, 8}, // the index knows no commoner ones
		{"pool.size", float64(c.Pool.Size), 1, 100000},
		{"adaptive.tau", c.Adaptive.Tau, 0.01, 1000}, {"adaptive.p", c.Adaptive.P, 0.01, 1}, {"adaptive.k_min", float64(c.Adaptive.KMin), 1, 1000},
		{"pack.body", c.Pack.Body, 0, 1e6}, {"pack.signature", c.Pack.Signature, 0, 1e6}, {"pack.path", c.Pack.Path, 0, 1e6}, {"pack.repeat", c.Pack.Repeat, 0, 1},
		{"pack.temper", c.Pack.Temper, 0, 10}, {"pack.budget", float64(c.Pack.Budget), 1, 1e9},
		{"pack.dir_cap", float64(c.Pack.DirCap), 1, 1e6},
	} {
		if !(r.v >= r.min && r.v <= r.max) {
			return fmt.Errorf("%s = %v: want %v to %v", r.name, r.v, r.min, r.max)
		}
	}
	if c.Fusion.Method != "z" && c.Fusion.Method != "rrf" {
		return fmt.Errorf("fusion.method = %q: want z or rrf", c.Fusion.Method)
	}
	return nil
}
