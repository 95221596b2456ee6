package text

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxTask caps the bytes of a task that are read; what follows is dropped and
// Task.Truncated says so.
const MaxTask = 64 << 10

// Weighted is an index term of a task and how often it stands there.
type Weighted struct {
	Term string
	N    int
}

// Ident is a name in a task that may be a symbol's.
type Ident struct {
	Name      string
	Qualifier string // what stands before it: "a.b" in a.b.Name, "" if nothing
	Key       string // text.Key(Name)
	Code      bool   // written as code: backticked, snake_case, camelCase, dotted, called
	Title     bool   // stands in the title
	Fenced    bool   // stands in code fences and traces alone
	N         int
}

// Quote is a literal of a task: a quoted string, a flag, a number, an error
// code, a route.
type Quote struct {
	Text   string
	Fenced bool // stands in code fences and traces alone
}

// Mention names a file: a path, a module path or a stack frame.
type Mention struct {
	Path   string // with slashes; a module path has its dots replaced and no extension
	Line   int    // 0 if none
	Module bool
	Frame  bool // from a stack trace
	Fenced bool // from a code fence
}

// Task is a task in words, split into what the columns ask for. Its slices are
// sorted or in order of first occurrence, so that the same text gives the same
// Task.
type Task struct {
	Text      string
	Truncated bool
	All       []Weighted // every content term, by term
	Title     []Weighted // of the first line
	Code      []Weighted // of code-like words and code spans
	Prose     []Weighted // of what stands outside code fences and stack traces
	Words     []string   // content words as written, lower case, in order of first occurrence
	Idents    []Ident    // in order of first occurrence
	Phrases   []string   // keys of two or three adjacent content words joined: "flathashmap"
	Joined    []Joined   // ways to write those of the title as one word, in order of first occurrence
	Literals  []Quote    // in order of first occurrence
	Mentions  []Mention
	Shape     Shape
}

// Joined is one word that adjacent words of a task may be written as.
type Joined struct {
	Term  string   // as the index has it
	Words []string // their own terms
	Short bool     // made of initials
}

// Shape is what the intent is guessed from.
type Shape struct {
	Words    int    // in the whole text
	Lines    int    // that are not blank
	First    string // first word, lower case
	Question bool   // asks: a question word first, or a question mark at the end
	Fences   bool   // holds a code fence or a stack trace
	Title    int    // words of the first line
}

// Parse splits a task.
func Parse(task string) *Task {
	t := &Task{Text: task}
	if len(task) > MaxTask {
		cut := MaxTask
		for cut > 0 && !utf8.RuneStart(task[cut]) {
			cut--
		}
		task, t.Truncated = task[:cut], true
	}
	p := parser{t: t, all: map[string]int{}, title: map[string]int{}, code: map[string]int{}, prose: map[string]int{},
		ident: map[string]int{}, word: map[string]bool{}, phrase: map[string]bool{}, lit: map[string]int{}, seen: map[Mention]bool{}}
	inFence := false
	first := true
	for line := range strings.Lines(task) {
		line = strings.TrimRight(line, "\r\n")
		trim := strings.TrimSpace(line)
		if strings.HasPrefix(trim, "```") || strings.HasPrefix(trim, "~~~") {
			inFence = !inFence
			t.Shape.Fences = true
			continue
		}
		if trim == "" || strings.HasPrefix(trim, "<!--") && strings.HasSuffix(trim, "-->") {
			continue
		}
		t.Shape.Lines++
		p.line(line, first, inFence)
		first = false
	}
	t.All, t.Title, t.Code, t.Prose = sorted(p.all), sorted(p.title), sorted(p.code), sorted(p.prose)
	t.Shape.Question = t.Shape.Question || strings.HasSuffix(strings.TrimSpace(task), "?") || questionWords[t.Shape.First]
	return t
}

func sorted(m map[string]int) []Weighted {
	out := make([]Weighted, 0, len(m))
	for t, n := range m {
		out = append(out, Weighted{t, n})
	}
	slices.SortFunc(out, func(a, b Weighted) int { return cmp.Compare(a.Term, b.Term) })
	return out
}

type parser struct {
	t            *Task
	sp           Splitter
	fenced       bool // the line is in a code fence or a stack trace
	all, title   map[string]int
	code, prose  map[string]int
	ident, lit   map[string]int
	word, phrase map[string]bool
	run          []string // adjacent plain words, lower case
	seen         map[Mention]bool
}

// line reads one line: spans of code first, then its words.
func (p *parser) line(s string, title, fenced bool) {
	frame := p.frame(s)
	if frame {
		p.t.Shape.Fences = true
	}
	p.fenced = fenced || frame
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '`' && !fenced:
			if j := strings.IndexByte(s[i+1:], '`'); j > 0 {
				span := s[i+1 : i+1+j]
				p.literal(span)
				p.words(span, title, true)
				i += j + 2
				continue
			}
		case c == '"' || c == '\'' && (i == 0 || !isWordByte(s[i-1])):
			if j := strings.IndexByte(s[i+1:], c); j > 0 && j <= 120 && (i+2+j >= len(s) || !isWordByte(s[i+2+j])) {
				p.literal(s[i+1 : i+1+j])
			}
		}
		// The stretch up to the next backtick is plain (or all of a fenced line).
		j := i + 1
		for j < len(s) && (fenced || s[j] != '`') && s[j] != '"' && s[j] != '\'' {
			j++
		}
		p.words(s[i:j], title, false)
		i = j
	}
}

func isWordByte(c byte) bool { return c < 128 && wordByte[c] || c >= 128 }

// words reads a stretch of text token by token; a token is a run without
// blanks.
func (p *parser) words(s string, title, code bool) {
	for _, tok := range strings.FieldsFunc(s, unicode.IsSpace) {
		p.t.Shape.Words++
		if title {
			p.t.Shape.Title++
		}
		tag := strings.HasPrefix(tok, "<")
		ends := strings.ContainsAny(tok[len(tok)-1:], ",;!?)]}")
		tok = strings.Trim(tok, ",;!?()[]{}<>*|\"'")
		bare := strings.TrimRight(tok, ".:")
		if bare == "" {
			continue
		}
		if p.t.Shape.First == "" {
			first := strings.TrimLeftFunc(bare, func(r rune) bool { return !unicode.IsLetter(r) })
			if i := strings.IndexFunc(first, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
				first = first[:i]
			}
			p.t.Shape.First = strings.ToLower(first)
		}
		if strings.Contains(tok, "://") {
			p.url(bare)
			continue
		}
		p.mention(bare, false)
		if !tag {
			p.flags(bare)
		}
		p.chain(bare, title, code)
		if last := tok[len(tok)-1]; last == '.' || last == ':' || ends {
			p.run = p.run[:0]
		}
	}
}

// chain splits a token into names joined by '.', '::', '->', '#', '/' and
// takes each as a term source and an identifier.
func (p *parser) chain(bare string, title, code bool) {
	qual := ""
	dotted := false
	rest := bare
	for rest != "" {
		start := strings.IndexFunc(rest, isNameRune)
		if start < 0 {
			break
		}
		sep := rest[:start]
		rest = rest[start:]
		end := strings.IndexFunc(rest, func(r rune) bool { return !isNameRune(r) })
		if end < 0 {
			end = len(rest)
		}
		name := rest[:end]
		rest = rest[end:]
		if !(sep == "." || sep == "::" || sep == "->" || sep == "#") {
			qual = ""
		}
		joined := rest != "" && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, "->") || strings.HasPrefix(rest, "#")) && len(rest) > 2
		dotted = qual != "" || joined
		called := strings.HasPrefix(rest, "(")
		looks := code || dotted || called || codeLike(name)
		p.name(name, qual, title, looks)
		if qual != "" {
			qual += "." + name
		} else {
			qual = name
		}
	}
}

func isNameRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == 0x200C || r == 0x200D
}

// codeLike tells names that prose does not hold: with an underscore inside, a
// capital after a small letter, or a digit beside letters.
func codeLike(w string) bool {
	lower, digit, letter := false, false, false
	for i, r := range w {
		switch {
		case r == '_' || r == '$':
			return true
		case unicode.IsUpper(r):
			if lower {
				return true
			}
			letter = true
		case unicode.IsDigit(r):
			digit = i > 0 || digit
		default:
			lower, letter = true, true
		}
	}
	return digit && letter
}

// name takes one name: its terms, and itself as an identifier.
func (p *parser) name(w, qual string, title, code bool) {
	low := strings.ToLower(w)
	stop := stopWords[low] && !(code && codeLike(w))
	key := ""
	p.sp.Each([]byte(w), func(t []byte, whole bool) {
		term := string(t)
		key = term
		if stop || !whole && stopWords[term] && code {
			return
		}
		p.all[term]++
		if !p.fenced {
			p.prose[term]++
		}
		if title {
			p.title[term]++
		}
		if code {
			p.code[term]++
		}
	})
	if stop || key == "" {
		p.run = p.run[:0]
		return
	}
	if !p.word[low] {
		p.word[low] = true
		p.t.Words = append(p.t.Words, low)
	}
	if isNumber(w) {
		return
	}
	p.adjacent(low, plain(w), title)
	id := qual + "\x00" + w
	if i, ok := p.ident[id]; ok {
		d := &p.t.Idents[i]
		d.N++
		d.Code = d.Code || code
		d.Title = d.Title || title
		d.Fenced = d.Fenced && p.fenced
		return
	}
	p.ident[id] = len(p.t.Idents)
	p.t.Idents = append(p.t.Idents, Ident{Name: w, Qualifier: qual, Key: key, Code: code, Title: title, Fenced: p.fenced, N: 1})
}

// maxPhrases bounds the phrases of a task: a long one repeats itself.
const maxPhrases = 300

// adjacent takes a word that follows the run of plain words and joins it with
// the one or two before it.
func (p *parser) adjacent(low string, plain, title bool) {
	if !plain {
		p.run = p.run[:0]
		return
	}
	p.run = append(p.run, low)
	if len(p.run) > 3 {
		p.run = p.run[1:]
	}
	for n := 2; n <= len(p.run); n++ {
		joined := strings.Join(p.run[len(p.run)-n:], "")
		if key := Key(joined); key != "" && !p.phrase[key] && len(p.phrase) < maxPhrases {
			p.phrase[key] = true
			p.t.Phrases = append(p.t.Phrases, key)
			if title {
				p.join(p.run[len(p.run)-n:], key)
			}
		}
	}
}

// join notes how adjacent words may be written as one: "thread pool" as
// threadpool or tp, "file system events" also as fsevents.
func (p *parser) join(words []string, key string) {
	terms := make([]string, len(words))
	initials := ""
	for i, w := range words {
		if terms[i] = Key(w); terms[i] == "" {
			return
		}
		_, n := utf8.DecodeRuneInString(w)
		if i > 1 { // of three words, the last may stand in full
			p.t.Joined = append(p.t.Joined, Joined{Term: initials + terms[i], Words: terms, Short: true})
		}
		initials += w[:n]
	}
	p.t.Joined = append(p.t.Joined, Joined{Term: key, Words: terms}, Joined{Term: initials, Words: terms, Short: true})
}

// plain tells words of letters alone.
func plain(w string) bool {
	for _, r := range w {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

func isNumber(w string) bool {
	for i := 0; i < len(w); i++ {
		if w[i] < '0' || w[i] > '9' {
			return false
		}
	}
	return true
}

// flags takes --long-flags, routes (/export) and error codes (E1234, ABC-123).
func (p *parser) flags(w string) {
	switch {
	case strings.HasPrefix(w, "--") && len(w) > 4:
		name, _, _ := strings.Cut(w, "=")
		p.literal(name)
	case len(w) > 2 && w[0] == '/' && !strings.Contains(w, "//"):
		p.literal(w)
	case isErrorCode(w), len(w) >= 3 && isNumber(w):
		p.literal(w)
	}
}

// isErrorCode: capitals, maybe a dash, then at least two digits.
func isErrorCode(w string) bool {
	i := 0
	for i < len(w) && w[i] >= 'A' && w[i] <= 'Z' {
		i++
	}
	if i == 0 || i > 8 {
		return false
	}
	if i < len(w) && w[i] == '-' {
		i++
	}
	d := i
	for i < len(w) && w[i] >= '0' && w[i] <= '9' {
		i++
	}
	return i == len(w) && i-d >= 2
}

// literal keeps what is distinctive enough to be looked up exactly.
func (p *parser) literal(s string) {
	s = strings.TrimSpace(s)
	if len(s) < 3 || len(s) > 120 {
		return
	}
	if i, ok := p.lit[s]; ok {
		p.t.Literals[i].Fenced = p.t.Literals[i].Fenced && p.fenced
		return
	}
	p.lit[s] = len(p.t.Literals)
	p.t.Literals = append(p.t.Literals, Quote{Text: s, Fenced: p.fenced})
}

// url takes only the path of a link that leads to a source file.
func (p *parser) url(u string) {
	_, rest, _ := strings.Cut(u, "://")
	rest, _, _ = strings.Cut(rest, "?")
	path, frag, _ := strings.Cut(rest, "#")
	for _, mark := range []string{"/blob/", "/tree/", "/src/"} {
		if _, tail, ok := strings.Cut(path, mark); ok {
			if _, file, ok := strings.Cut(tail, "/"); ok && pathLike(file) {
				p.addMention(Mention{Path: file, Line: number(strings.TrimPrefix(frag, "L"))})
			}
		}
	}
}

// stopWords carry no evidence: function words, and words of asking.
var stopWords = set(`a about above after again all also am an and any are as at be because been before being below between both but by
can cannot could did do does doing don during each either else etc ever every few for from further get gets getting got had has have having he her here hers him his
how i if in instead into is isn it its itself just let like made make makes many may me might more most much must my need needs no nor not now of off on once one only or other our out
over own per please same see seems shall she should since so some such than that the their them then there these they this those through to too
under until up upon us use used uses using very via want was way we were what when where whether which while who whom whose why will with within without would yes yet you your
work works working happen happens happening e.g i.e ie eg vs thing things something anything currently actually really still even`)

var questionWords = set(`how what where which who why when does is are can do should could would`)

func set(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// Stop tells whether the lower-case word w is no evidence.
func Stop(w string) bool { return stopWords[w] }
