package redact

import "bytes"

// How much a key's name says of its value.
const (
	innocent = iota
	suspect  // "token", "api_key": the value must look random
	certain  // "secret": the value must not be plainly a word
	shouted  // "password": the same, and short values count
)

const (
	maxKey    = 64      // bytes looked back for a key
	maxValue  = 4 << 10 // bytes looked forward for a value
	maxJudged = 256     // bytes of an unquoted value that are judged: keeps a=a=a=… linear
	maxBlank  = 16      // blanks between key, sign and value
	maxType   = 48      // bytes of a type between key and '='
)

// keyword ends the name of a key that holds a secret. The name is compared in
// lower case without '_' and '-', so api_key, API-KEY and apiKey are one.
type keyword struct {
	tail  string
	whole bool // must begin a word of the name: "pass", but not "bypass"
	level int
	kind  string
}

var keywords = []keyword{
	{"password", false, shouted, "password"},
	{"passwd", false, shouted, "password"},
	{"passphrase", false, shouted, "password"},
	{"passcode", false, shouted, "password"},
	{"pwd", true, certain, "password"},
	{"pass", true, certain, "password"},
	{"secret", false, certain, "secret"},
	{"secretkey", false, certain, "secret"},
	{"privatekey", false, certain, "secret"},
	{"token", false, suspect, "token"},
	{"apikey", false, suspect, "key"},
	{"secretaccesskey", false, certain, "secret"},
	{"accesskey", false, suspect, "key"},
	{"accountkey", false, suspect, "key"},
	{"storagekey", false, suspect, "key"},
	{"authkey", false, suspect, "key"},
	{"encryptionkey", false, suspect, "key"},
	{"signingkey", false, suspect, "key"},
	{"masterkey", false, suspect, "key"},
	{"sessionkey", false, suspect, "key"},
	{"hmackey", false, suspect, "key"},
	{"appkey", true, suspect, "key"},
	{"auth", true, suspect, "credential"},
	{"sig", true, suspect, "credential"},
	{"bearer", true, suspect, "credential"},
	{"authorization", false, suspect, "credential"},
	{"credential", false, suspect, "credential"},
	{"credentials", false, suspect, "credential"},
}

// neutral endings say nothing of a key: SECRET_KEY_BASE, password_hash.
var neutral = []string{"base", "value", "hash", "hex", "dev", "prod", "production", "staging", "test"}

// lastLetters holds the letters that a keyword or a neutral ending ends with:
// most names fail here.
var lastLetters = func() (t [256]bool) {
	for _, k := range keywords {
		t[k.tail[len(k.tail)-1]] = true
	}
	for _, n := range neutral {
		t[n[len(n)-1]] = true
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c-'a'+'A'] = t[c]
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = true
	}
	return t
}()

// classify says what a key's name promises.
func classify(key []byte) (level int, kind string) {
	if len(key) < 3 || !lastLetters[key[len(key)-1]] {
		return innocent, ""
	}
	var norm [maxKey]byte
	var begins uint64 // bit i: a word of the name begins at norm[i]
	n := 0
	prev := uint16(under)
	for _, c := range key {
		k := class[c]
		if k&alnum != 0 && n < maxKey {
			if prev&alnum == 0 || prev&lower != 0 && k&upper != 0 || prev&digit != 0 && k&letter != 0 {
				begins |= 1 << n
			}
			if k&upper != 0 {
				c += 'a' - 'A'
			}
			norm[n] = c
			n++
		}
		prev = k
	}
	name := bytes.TrimRight(norm[:n], "0123456789")
	if level, kind = match(name, begins); level != innocent {
		return level, kind
	}
	for _, e := range neutral {
		if len(name) > len(e) && string(name[len(name)-len(e):]) == e {
			return match(name[:len(name)-len(e)], begins)
		}
	}
	return innocent, ""
}

func match(name []byte, begins uint64) (int, string) {
	if len(name) == 0 {
		return innocent, ""
	}
	last := name[len(name)-1]
	best := -1
	for i := range keywords {
		k := &keywords[i]
		p := len(name) - len(k.tail)
		if p < 0 || k.tail[len(k.tail)-1] != last || string(name[p:]) != k.tail {
			continue
		}
		if k.whole && begins&(1<<p) == 0 {
			continue
		}
		if best < 0 || len(k.tail) > len(keywords[best].tail) {
			best = i
		}
	}
	if best < 0 {
		return innocent, ""
	}
	return keywords[best].level, keywords[best].kind
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// assignAt recognises the value of a telling key around the sign at i:
//
//	key = value   key: value   "key": "value"   key => value   key := value
//	x["key"] = value   ("key", "value")   key: type = value   <key>value</key>
func assignAt(src []byte, i int) (Hit, bool) {
	p := i + 1
	switch src[i] {
	case '=':
		if i == 0 || src[i-1] == '=' {
			return Hit{}, false // the second of "=="; the first has looked
		}
		for p < len(src) && p < i+3 && (src[p] == '=' || src[p] == '>') {
			p++
		}
	case ':':
		if i == 0 || src[i-1] == ':' || p < len(src) && (src[p] == ':' || src[p] == '=') {
			return Hit{}, false
		}
	case ',':
		if i == 0 || !isQuote(src[i-1]) {
			return Hit{}, false
		}
	case '>':
		if i == 0 || !is(src[i-1], word|dash) {
			return Hit{}, false
		}
	}
	v := run(src, p, blank, maxBlank)
	if v >= len(src) {
		return Hit{}, false
	}

	if open, ok := quoteAt(src, v); ok {
		if src[i] == '>' {
			return Hit{}, false
		}
		key, _ := keyBefore(src, i)
		level, kind := classify(key)
		if level == innocent && src[i] == '=' {
			level, kind = classify(typedKey(src, i))
		}
		if level == innocent {
			return Hit{}, false
		}
		start, end, ok := literal(src, open)
		if !ok {
			return Hit{}, false
		}
		start += schemeWord(src[start:end])
		if src[i] == ',' {
			level = min(level, suspect) // lists of field names are common
		}
		if !believe(src[start:end], level) {
			return Hit{}, false
		}
		return Hit{start, end, kind}, true
	}

	if src[i] == ',' {
		return Hit{}, false
	}
	key, at := keyBefore(src, i)
	level, kind := classify(key)
	if level == innocent {
		return Hit{}, false
	}
	v += schemeWord(src[v:min(len(src), v+maxBlank)])
	end := scalarEnd(src, v, maxJudged)
	spaced := v > i+1 || is(src[i-1], blank)
	if end == v || !scalar(src, key, at, i, v, end, level, spaced) {
		return Hit{}, false
	}
	return Hit{v, scalarEnd(src, end, maxValue), kind}, true
}

// believe judges a quoted value.
func believe(v []byte, level int) bool {
	if !visible(v) || template(v) || location(v) {
		return false
	}
	switch level {
	case shouted:
		return passwordLike(v, shortPassword)
	case certain:
		return passwordLike(v, leastPassword)
	}
	return random(v)
}

// keyBefore returns the name that stands before the sign at i, and where it
// begins: quotes, subscripts and the rest of a longer operator are passed.
func keyBefore(src []byte, i int) (key []byte, start int) {
	j := i
	if src[i] == '=' {
		for k := 0; k < 2 && j > 0 && bytes.IndexByte([]byte(":?|+!"), src[j-1]) >= 0; k++ {
			j--
		}
	}
	for k := 0; k < maxBlank && j > 0 && is(src[j-1], blank); k++ {
		j--
	}
	if j > 0 && src[j-1] == ']' {
		j--
	}
	if j > 0 && isQuote(src[j-1]) {
		j--
		if j > 0 && src[j-1] == '\\' {
			j--
		}
	}
	end := j
	for j > 0 && end-j < maxKey && is(src[j-1], word|dash) {
		j--
	}
	if src[i] == '>' && (j == 0 || src[j-1] != '<') {
		return nil, j // not an opening tag
	}
	return bytes.TrimLeft(src[j:end], "-"), j
}

// typedKey returns the name in "name: type = literal" or "name type = literal"
// whose '=' is at i.
func typedKey(src []byte, i int) []byte {
	j := i
	for j > 0 && is(src[j-1], blank) && i-j < maxBlank {
		j--
	}
	end := j
	for j > 0 && end-j < maxType && (is(src[j-1], word|dot|blank) || bytes.IndexByte([]byte("[]|?<>&*'"), src[j-1]) >= 0) {
		j--
	}
	if j > 0 && src[j-1] == ':' {
		key, _ := keyBefore(src, j-1)
		return key
	}
	// name type: the word before the last one
	k := end
	for k > j && is(src[k-1], word) {
		k--
	}
	m := k
	for m > j && is(src[m-1], blank) {
		m--
	}
	if m == k || m == j {
		return nil
	}
	e := m
	for m > j && is(src[m-1], word) {
		m--
	}
	return src[m:e]
}

// quoteAt reports whether a string literal opens at i, and where its quote is:
// Python's and C's prefixes and the backslash of JSON within a string count.
func quoteAt(src []byte, i int) (int, bool) {
	for k := 0; k < 3 && i < len(src); k++ {
		switch c := src[i]; {
		case isQuote(c):
			return i, true
		case c == '\\', c == '@', c == '$', c|0x20 == 'r', c|0x20 == 'b', c|0x20 == 'f', c|0x20 == 'u', c == 'L':
			i++
		default:
			return 0, false
		}
	}
	return 0, false
}

// literal returns the content of the string whose opening quote is at i. It
// ends on its own line; of a triple-quoted string the first line is taken.
func literal(src []byte, i int) (start, end int, ok bool) {
	q := src[i]
	escaped := i > 0 && src[i-1] == '\\'
	start = i + 1
	triple := start+1 < len(src) && src[start] == q && src[start+1] == q
	if triple {
		start += 2
	}
	stop := min(len(src), start+maxValue)
	for k := start; k < stop; k++ {
		switch c := src[k]; {
		case c == '\n' || c == '\r':
			return start, k, triple
		case c == '\\':
			if escaped && k+1 < len(src) && src[k+1] == q {
				return start, k, true
			}
			k++
		case c == q:
			return start, k, true
		}
	}
	return 0, 0, false
}

// schemeWord returns the length of "Bearer " and its like in front of v.
func schemeWord(v []byte) int {
	for _, w := range []string{"Bearer ", "bearer ", "Basic ", "basic ", "Token ", "token ", "Bot "} {
		if len(v) > len(w) && string(v[:len(w)]) == w {
			return len(w)
		}
	}
	return 0
}

// scalarEnd returns the end of an unquoted value, at most limit bytes long.
func scalarEnd(src []byte, i, limit int) int {
	stop := min(len(src), i+limit)
	for i < stop {
		switch c := src[i]; c {
		case '"', '\'', '`', ';', ',', '(', ')', '[', ']', '{', '}', '<', '>', '|', '&', '\\', 0x7f:
			return i
		default:
			if c <= ' ' {
				return i
			}
		}
		i++
	}
	return i
}

// plain values are settings and types, not secrets.
var plain = []string{
	"true", "false", "none", "null", "nil", "yes", "no", "undefined", "required", "optional", "string",
	"password", "passwd", "secret", "token", "bool", "boolean", "text", "bytes", "test", "todo",
}

// scalar judges the unquoted value src[v:end] of key, whose first byte is at
// and whose sign is at sign. In code an unquoted value is an expression, so
// only three forms are believed: a value random beyond an identifier's doubt,
// one of a connection string, and a line of its own in the manner of .env,
// ini or YAML.
func scalar(src, key []byte, at, sign, v, end, level int, spaced bool) bool {
	val := src[v:end]
	next := byte('\n')
	if end < len(src) {
		next = src[end]
	}
	switch next {
	case '(', '[', '{':
		return false // a call, an index, a literal
	}
	switch val[0] {
	case '%', '@', '*', '!', '=', '~':
		return false // variables, anchors, tags, operators
	}
	if template(val) || location(val) || !visible(val) {
		return false
	}
	ident := true
	for _, c := range val {
		if !is(c, word|dot) {
			ident = false
			break
		}
	}
	const leastIdent = 16 // bytes; shorter identifiers with digits are common
	if random(val) && (!ident || len(val) >= leastIdent && flips(val) > leastFlips) {
		return true
	}
	if src[sign] == '>' {
		return next == '<' && level >= certain && passwordLike(val, leastPassword)
	}
	if level >= certain && at > 0 && src[at-1] == ';' && !spaced {
		return passwordLike(val, leastPassword) && !ident || passwordLike(val, leastPassword) && next == ';' && mixed(val)
	}

	eol := next == '\n' || next == '\r' || is(next, blank) && restIsComment(src, end)
	indent, alone := lineStart(src, at)
	if !eol || !alone {
		return false
	}
	for _, p := range plain {
		if bytes.EqualFold(val, []byte(p)) {
			return false
		}
	}
	if src[sign] == '=' && !spaced && indent == 0 {
		const least = 4 // bytes of a password in a .env line
		if level >= certain {
			return len(val) >= least && !bytes.EqualFold(val, key) && (shouting(key) || bytes.IndexByte(val, '.') < 0 || !ident)
		}
		return shouting(key) && len(val) >= leastPassword && mixed(val)
	}
	if level < certain || !passwordLike(val, leastPassword) || number(val) {
		return false
	}
	if ident { // a variable, or a type in an annotation?
		return src[sign] == ':' && spaced && !is(val[0], upper) && bytes.IndexByte(val, '.') < 0 && !tellsKey(val)
	}
	return true
}

func flips(v []byte) (n int) {
	for i := 1; i < len(v); i++ {
		p, k := class[v[i-1]], class[v[i]]
		if p&letter != 0 && k&digit != 0 || p&digit != 0 && k&letter != 0 {
			n++
		}
	}
	return n
}

// shouting reports whether a name is an environment variable's.
func shouting(key []byte) bool {
	for _, c := range key {
		if is(c, lower) {
			return false
		}
	}
	return true
}

// number reports whether v begins as a number and holds nothing else.
func number(v []byte) bool {
	for _, c := range v {
		if !is(c, digit|dot|under) && c|0x20 != 'e' && c|0x20 != 'x' && c != '+' && c != '-' {
			return false
		}
	}
	return true
}

// tellsKey reports whether an identifier names a secret rather than being one.
func tellsKey(v []byte) bool {
	low := bytes.ToLower(v)
	for _, k := range []string{"pass", "secret", "token", "key", "auth", "hash"} {
		if bytes.Contains(low, []byte(k)) {
			return true
		}
	}
	return false
}

func restIsComment(src []byte, i int) bool {
	i = run(src, i, blank, maxKey)
	return i >= len(src) || src[i] == '\n' || src[i] == '\r' || src[i] == '#'
}

// lineStart reports whether the key at i opens its line, after blanks, a list
// or comment mark, a word such as export, or the rest of a dotted name; and
// how far it is indented.
func lineStart(src []byte, i int) (indent int, ok bool) {
	j := i
	for j > 0 && i-j < maxKey && (is(src[j-1], word|dash|dot) || isQuote(src[j-1])) {
		j--
	}
	b := j
	for b > 0 && j-b < maxKey && src[b-1] != '\n' && src[b-1] != '\r' {
		b--
	}
	if b > 0 && src[b-1] != '\n' && src[b-1] != '\r' {
		return 0, false
	}
	lead := src[b:j]
	trimmed := bytes.TrimLeft(lead, " \t")
	switch string(bytes.TrimRight(trimmed, " \t")) {
	case "", "export", "ENV", "ARG", "set", "SET", "$env:", "$":
		return len(lead) - len(trimmed), true
	case "-", "#", "//", ";":
		return len(lead), true
	}
	return 0, false
}
