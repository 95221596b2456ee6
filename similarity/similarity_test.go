package similarity

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"cohop/internal/facts"
	"cohop/internal/index"
	"cohop/internal/text"
)

// doc is one file of a tiny view: its text by chunk, the names that it defines,
// and what stands in its comments and between its quotes.
type doc struct {
	path     string
	chunks   []string
	symbols  []facts.Symbol
	docs     string
	literals []string
}

// view indexes the files, which stand in path order, without any grammar: all
// terms are those that the splitter makes.
func view(t testing.TB, docs ...doc) *index.View {
	t.Helper()
	b := index.NewBuilder()
	for _, d := range docs {
		f := &facts.Facts{Lang: "go", Symbols: d.symbols}
		names := ""
		for _, s := range d.symbols {
			names += s.Name + " "
		}
		fields := append(slices.Clone(d.chunks), names, d.docs)
		for _, s := range fields {
			f.Terms = append(f.Terms, text.Terms(s)...)
		}
		slices.Sort(f.Terms)
		f.Terms = slices.Compact(f.Terms)
		count := func(s string) (list []facts.TF) {
			terms := text.Terms(s)
			for i, x := range f.Terms {
				n := int32(0)
				for _, y := range terms {
					if x == y {
						n++
					}
				}
				if n > 0 {
					list = append(list, facts.TF{Term: int32(i), N: n})
				}
			}
			return list
		}
		for i, s := range d.chunks {
			body := count(s)
			c := facts.Chunk{Start: int32(i + 1), End: int32(i + 1), Symbol: -1}
			for _, x := range body {
				c.Len += x.N
			}
			f.Chunks, f.Body = append(f.Chunks, c), append(f.Body, body)
		}
		f.Names, f.Docs = count(names), count(d.docs)
		for _, s := range d.literals {
			f.Literals = append(f.Literals, text.LiteralHash(s))
		}
		slices.Sort(f.Literals)
		if _, err := b.Add(index.Doc{Path: d.path, Role: "source", Facts: f}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return index.NewView(s)
}

// plain are parameters whose arithmetic is short: no length normalisation, and
// fields that weigh 1, 2, 4 and 8.
func plain() Params {
	p := Params{K1: 1, ChunkK1: 1, QueryK: 3, PlainWord: 0.25}
	p.Weight[index.Body], p.Weight[index.Names], p.Weight[index.Docs], p.Weight[index.Path] = 1, 2, 4, 8
	return p
}

func near(t testing.TB, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func find(t testing.TB, v *index.View, path string) int32 {
	t.Helper()
	f, ok := v.Find(path)
	if !ok {
		t.Fatalf("no %s", path)
	}
	return f
}

// harbour is three files, of which two hold "ferry".
func harbour(t testing.TB) *index.View {
	return view(t,
		doc{path: "dock.go", chunks: []string{"ferry ferry mast", "mast"}},
		doc{path: "ferry.go", chunks: []string{"ferry"}, symbols: []facts.Symbol{{Name: "Ferry", Kind: facts.KindStruct, Parent: -1}}, docs: "ferry"},
		doc{path: "soup.go", chunks: []string{"soup", "salt"}},
	)
}

func TestFileScores(t *testing.T) {
	v := harbour(t)
	task := &text.Task{All: []text.Weighted{{Term: "ferry", N: 1}, {Term: "mast", N: 2}, {Term: "whale", N: 1}}, Title: []text.Weighted{{Term: "mast", N: 1}}}
	s := Score(v, task, plain())

	ferry := math.Log(1 + (3-2+.5)/(2+.5)) // in 2 of 3 files
	mast := math.Log(1 + (3-1+.5)/(1+.5))
	once, twice := 1.0, 4*2/(3+2.0) // (k+1)·n/(k+n), k = 3
	near(t, "idf of ferry", s.IDF["ferry"], ferry)
	near(t, "the greatest idf", s.MaxIDF, mast)
	if _, ok := s.IDF["whale"]; ok {
		t.Error("a term that no file holds has an idf")
	}
	near(t, "mass", s.Mass, once*ferry+twice*mast)

	// tf' = 1·2 of ferry and 1·(1+1) of mast, whose two chunks are one body.
	near(t, "dock.go", s.File[0], once*ferry*2/(1+2)+twice*mast*2/(1+2))
	// tf' = 1·1 body + 2·1 names + 4·1 comments + 8·1 path = 15
	near(t, "ferry.go", s.File[1], once*ferry*15/(1+15))
	near(t, "soup.go", s.File[2], 0)
	near(t, "title of dock.go", s.Title[0], once*mast*2/(1+2)) // the title says it once
	near(t, "title of ferry.go", s.Title[1], 0)
	near(t, "path of ferry.go", s.Path[1], once*ferry*1/(1+1))
	near(t, "path of dock.go", s.Path[0], 0)
}

func TestChunkScores(t *testing.T) {
	v := harbour(t)
	task := &text.Task{All: []text.Weighted{{Term: "ferry", N: 1}, {Term: "mast", N: 1}}, Code: []text.Weighted{{Term: "mast", N: 1}}}
	s := Score(v, task, plain())
	ferry, mast := s.IDF["ferry"], s.IDF["mast"] // of files
	if len(s.Chunk) != 5 || ferry == 0 || mast == 0 {
		t.Fatalf("%d chunks, idf %v", len(s.Chunk), s.IDF)
	}
	near(t, "dock.go, first", s.Chunk[0], ferry*2/(2+1)+mast*1/(1+1))
	near(t, "dock.go, second", s.Chunk[1], mast*1/(1+1))
	near(t, "ferry.go", s.Chunk[2], ferry*1/(1+1))
	near(t, "soup.go", s.Chunk[3]+s.Chunk[4], 0)
	near(t, "code of the first", s.ChunkCode[0], mast*1/(1+1))
	near(t, "code of ferry.go", s.ChunkCode[2], 0)
}

// With b = 1 a frequency counts by what it is of the average length.
func TestLengthNormalisation(t *testing.T) {
	v := view(t,
		doc{path: "a.go", chunks: []string{"mast"}},                                       // 1 term
		doc{path: "b.go", chunks: []string{"mast salt salt salt salt salt salt", "salt"}}, // 7 + 1
	)
	p := plain()
	p.B, p.ChunkB = 1, 1
	s := Score(v, &text.Task{All: []text.Weighted{{Term: "mast", N: 1}}}, p)
	w := math.Log(1 + .5/(2+.5)) // both files hold it
	avg := (1 + 8) / 2.0         // of files
	tf := 1 / (1 / avg)
	near(t, "a.go", s.File[0], w*tf/(1+tf))
	tf = 1 / (8 / avg)
	near(t, "b.go", s.File[1], w*tf/(1+tf))
	avg = (1 + 7 + 1) / 3.0 // of chunks
	near(t, "chunk of a.go", s.Chunk[0], w*1/(1+1/avg))
	near(t, "chunk of b.go", s.Chunk[1], w*1/(1+7/avg))
}

func TestPathMatch(t *testing.T) {
	v := view(t,
		doc{path: "harbour/ferry_mast.go"}, doc{path: "harbour/index.go"}, doc{path: "kitchen/soup.go"})
	task := &text.Task{All: []text.Weighted{{Term: "ferry", N: 1}, {Term: "harbour", N: 1}}}
	p := plain()
	s := Score(v, task, p)
	m := NewPathMatch(v, task, s, func(int32) float64 { return 1 })
	of := func(path string) float64 { return m.Of(find(t, v, path), path) }

	ferry, harbour := s.IDF["ferry"], s.IDF["harbour"]
	if ferry == 0 || harbour == 0 {
		t.Fatalf("idf %v", s.IDF)
	}
	mass := ferry + harbour
	// Each stands once: tf/(1+tf) = ½. Of the stem's two parts one is the
	// task's, which is ferry's share of its mass; the folder is all of one part.
	folder := math.Sqrt(harbour / mass * 1)
	near(t, "ferry_mast.go", of("harbour/ferry_mast.go"), (ferry+harbour)/2/s.Mass+nameShare*(math.Sqrt(ferry/mass*(1.0/2))+dirShare*folder))
	near(t, "index.go", of("harbour/index.go"), harbour/2/s.Mass+nameShare*folder) // the folder speaks for it
	near(t, "soup.go", of("kitchen/soup.go"), 0)

	// What the title says counts thrice.
	task.Title = []text.Weighted{{Term: "ferry", N: 1}}
	m = NewPathMatch(v, task, s, func(int32) float64 { return 1 })
	near(t, "share of the stem", m.share("ferry"), math.Sqrt(3*ferry/(3*ferry+harbour)))
}

func source(int32) float64 { return 1 }

func TestDefinition(t *testing.T) {
	sym := func(kind facts.Kind, names ...string) (list []facts.Symbol) {
		for _, n := range names {
			list = append(list, facts.Symbol{Name: n, Kind: kind, Parent: -1})
		}
		return list
	}
	inner := append(sym(facts.KindStruct, "Store"), facts.Symbol{Name: "Close", Kind: facts.KindMethod, Parent: 0})
	v := view(t,
		doc{path: "a.go", symbols: sym(facts.KindStruct, "SameSite")},
		doc{path: "b.go", symbols: sym(facts.KindFunction, "same_site", "SameSite")},
		doc{path: "c.go", symbols: inner},
		doc{path: "d.go", symbols: sym(facts.KindMethod, "Close")},
		doc{path: "e.go", symbols: sym(facts.KindStruct, "FlatHashMap")},
	)
	ident := func(name string, mod ...func(*text.Ident)) *text.Task {
		d := text.Ident{Name: name, Key: text.Key(name), Code: true}
		for _, m := range mod {
			m(&d)
		}
		return &text.Task{Words: []string{"two", "words"}, Idents: []text.Ident{d}}
	}
	half := func(f int32) float64 { // a.go is a test
		if f == 0 {
			return 0.5
		}
		return 1
	}
	for _, c := range []struct {
		name string
		task *text.Task
		role func(int32) float64
		want map[int32]float64
	}{
		{"one of two definers", ident("SameSite"), source, map[int32]float64{0: 1 / math.Sqrt2, 1: .9 / math.Sqrt2}},
		{"loosely", ident("samesite"), source, map[int32]float64{0: looseCase / math.Sqrt2, 1: .9 * looseCase / math.Sqrt2}},
		{"in the title", ident("SameSite", func(d *text.Ident) { d.Title = true }), source, map[int32]float64{0: titleBonus / math.Sqrt2, 1: titleBonus * .9 / math.Sqrt2}},
		{"in an example", ident("FlatHashMap", func(d *text.Ident) { d.Fenced = true }), source, map[int32]float64{4: fenceShare}},
		{"a test counts half", ident("SameSite"), half, map[int32]float64{0: .5 / math.Sqrt(1.5), 1: .9 / math.Sqrt(1.5)}},
		{"of an owner", ident("Close", func(d *text.Ident) { d.Qualifier = "db.store" }), source, map[int32]float64{2: .7 / math.Sqrt2, 3: .7 * wrongOwner / math.Sqrt2}},
		{"a plain word", ident("store", func(d *text.Ident) { d.Code = false }), source, map[int32]float64{2: .25 * looseCase}},
		{"capitalised", ident("Store", func(d *text.Ident) { d.Code = false }), source, map[int32]float64{2: .5}}, // √¼
		{"words joined", &text.Task{Phrases: []string{text.Key("FlatHashMap")}}, source, map[int32]float64{4: phrase}},
		{"nobody's", ident("Whale"), source, map[int32]float64{}},
	} {
		got := Definition(v, c.task, plain(), c.role)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
			continue
		}
		for f, x := range c.want {
			near(t, fmt.Sprintf("%s, file %d", c.name, f), got[f], x)
		}
	}

	// A task of one bare word is about what the word names.
	bare := ident("Store", func(d *text.Ident) { d.Code = false })
	bare.Words = []string{"store"}
	near(t, "a bare word", Definition(v, bare, plain(), source)[2], 1)
}

func TestMentions(t *testing.T) {
	v := view(t, doc{path: "app/__init__.py"}, doc{path: "app/conf.py"}, doc{path: "lib/conf.py"}, doc{path: "lib/deep/parse.py"})
	for _, c := range []struct {
		name string
		of   []text.Mention
		want map[string]float64
	}{
		{"the whole path", []text.Mention{{Path: "app/conf.py"}}, map[string]float64{"app/conf.py": certainty[2]}},
		{"three parts", []text.Mention{{Path: "lib/deep/parse.py"}}, map[string]float64{"lib/deep/parse.py": 1}},
		{"a name that two have", []text.Mention{{Path: "conf.py"}}, map[string]float64{"app/conf.py": certainty[1] / 2, "lib/conf.py": certainty[1] / 2}},
		{"a module", []text.Mention{{Path: "lib/deep/parse", Module: true}}, map[string]float64{"lib/deep/parse.py": proseModule}},
		{"a member of one", []text.Mention{{Path: "lib/conf/Reader", Module: true}}, map[string]float64{"lib/conf.py": proseModule * certainty[2]}},
		{"a common name", []text.Mention{{Path: "self/conf", Module: true}}, nil},
		// The innermost frame of the tree weighs what a path does.
		{"a trace", []text.Mention{{Path: "app/conf.py", Frame: true}, {Path: "lib/deep/parse.py", Frame: true}, {Path: "site/requests.py", Frame: true}},
			map[string]float64{"app/conf.py": frameWeight * certainty[2], "lib/deep/parse.py": lastFrameWeight}},
		{"nothing", nil, nil},
	} {
		got := Mentions(v, &text.Task{Mentions: c.of})
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		for p, x := range c.want {
			near(t, c.name+", "+p, got[find(t, v, p)], x)
		}
	}
}

func TestCommonTail(t *testing.T) {
	for _, c := range []struct {
		file, want string
		n          int
	}{
		{"a/b/c.go", "b/c.go", 2}, {"a/b/c.go", "c.go", 1}, {"a/b/c.go", "b/c", 2}, {"a/b/c.go", "x/c.go", 1}, {"a/b/c.go", "bc.go", 0},
		{"a/b/__init__.py", "a/b", 2}, {"a/b/index.js", "b", 1}, {"c.go", "a/c.go", 1}, {"c.go", "", 0},
	} {
		if got := commonTail(c.file, c.want); got != c.n {
			t.Errorf("commonTail(%q, %q) = %d, want %d", c.file, c.want, got, c.n)
		}
	}
}

func TestLiterals(t *testing.T) {
	v := view(t,
		doc{path: "a.go", chunks: []string{"cookie strict"}, literals: []string{"SameSite=None", "/export"}},
		doc{path: "b.go", chunks: []string{"SameSite None"}, literals: []string{"/export"}},
		doc{path: "c.go", chunks: []string{"soup of the day"}, literals: []string{"soup of the day"}},
		doc{path: "d.go", chunks: []string{"the day of soup"}},
	)
	got := func(most int, quotes ...text.Quote) (out []string) {
		for _, l := range Literals(v, &text.Task{Literals: quotes}, most) {
			out = append(out, fmt.Sprint(l.Text, l.Files))
		}
		return out
	}
	for _, c := range []struct {
		most   int
		quotes []text.Quote
		want   []string
	}{
		{3, []text.Quote{{Text: "/export"}, {Text: "SameSite=None"}}, []string{"SameSite=None[0]", "/export[0 1]"}}, // the rarest first
		{1, []text.Quote{{Text: "/export"}}, nil},                                    // too many hold it
		{3, []text.Quote{{Text: "/export", Fenced: true}}, nil},                      // an example's route
		{2, []text.Quote{{Text: "soup of the day"}}, []string{"soup of the day[2]"}}, // in two files, once quoted
		{1, []text.Quote{{Text: "soup of the day"}}, nil},                            // its words are as common
		{3, []text.Quote{{Text: "whale"}}, nil},
	} {
		if x := got(c.most, c.quotes...); !slices.Equal(x, c.want) {
			t.Errorf("%v, at most %d: %q, want %q", c.quotes, c.most, x, c.want)
		}
	}
}

// Names that call the title's words by another form match by them.
func TestPathKin(t *testing.T) {
	v := view(t,
		doc{path: "src/file.c"}, doc{path: "src/fs.c"}, doc{path: "src/pool.c"}, doc{path: "src/rest.c"}, doc{path: "src/serialized.c"}, doc{path: "src/serializer.c"},
		doc{path: "src/system.c"}, doc{path: "src/thread.c"}, doc{path: "src/threadpool.c"}, doc{path: "src/value.c"}, doc{path: "src/view.rs"})
	of := func(task, path string) float64 {
		tk := text.Parse(task)
		return NewPathMatch(v, tk, Score(v, tk, plain()), func(int32) float64 { return 1 }).Of(find(t, v, path), path)
	}
	best := func(task, want string, than ...string) {
		t.Helper()
		for _, p := range than {
			if a, b := of(task, want), of(task, p); a <= b {
				t.Errorf("%q: %s has %g, %s has %g: want more", task, want, a, p, b)
			}
		}
	}
	best("the thread pool", "src/threadpool.c", "src/thread.c", "src/pool.c")
	best("file system", "src/fs.c", "src/rest.c")
	best("how values are serialized", "src/serializer.c", "src/rest.c", "src/fs.c")
	for task, p := range map[string]string{
		"restore backups": "src/rest.c",  // an agent of three letters is none
		"remove systems":  "src/view.rs", // initials are no extension
		"thread of pools": "src/threadpool.c",
	} {
		if x := of(task, p); x != 0 {
			t.Errorf("%q: %s has %g, want 0", task, p, x)
		}
	}
}
