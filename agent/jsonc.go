package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Settings files are someone else's: JSON with comments and trailing commas,
// in an order and an indentation that mean something to them. So they are
// never decoded and written again; members are put in and taken out of the
// bytes, and all others stay where they are.

// node is a value of a JSON text and where it stands.
type node struct {
	kind       byte // { [ " or 0 for what has no parts
	start, end int  // of the value
	parts      []part
	comma      bool // one follows the last part
}

// part is a member of an object or an element of an array.
type part struct {
	key   string
	start int // of the key, or of the value
	value *node
}

// maxNesting is deeper than any settings file goes.
const maxNesting = 100

type jsonReader struct {
	b []byte
	i int
}

// parseJSONC reads a JSON text that may hold comments and trailing commas. Its
// error names the line.
func parseJSONC(b []byte) (*node, error) {
	r := &jsonReader{b: b}
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		r.i = 3
	}
	if !utf8.Valid(b) {
		return nil, fmt.Errorf("it is no UTF-8")
	}
	if err := r.space(); err != nil {
		return nil, err
	}
	n, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if err := r.space(); err != nil {
		return nil, err
	}
	if r.i < len(b) {
		return nil, r.fault("more after its end")
	}
	return n, nil
}

func (r *jsonReader) fault(what string) error {
	return fmt.Errorf("line %d: %s", 1+bytes.Count(r.b[:min(r.i, len(r.b))], []byte{'\n'}), what)
}

// space passes over blanks and comments.
func (r *jsonReader) space() error {
	for r.i < len(r.b) {
		switch rest := r.b[r.i:]; {
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n' || rest[0] == '\r':
			r.i++
		case bytes.HasPrefix(rest, []byte("//")):
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			r.i += n
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest[2:], []byte("*/"))
			if n < 0 {
				return r.fault("a comment without an end")
			}
			r.i += n + 4
		default:
			return nil
		}
	}
	return nil
}

func (r *jsonReader) value(depth int) (*node, error) {
	if depth > maxNesting {
		return nil, r.fault("nested too deep")
	}
	if r.i >= len(r.b) {
		return nil, r.fault("a value is missing")
	}
	n := &node{start: r.i}
	switch c := r.b[r.i]; c {
	case '{', '[':
		n.kind = c
		r.i++
		if err := r.list(n, depth); err != nil {
			return nil, err
		}
	case '"':
		n.kind = c
		if _, err := r.text(); err != nil {
			return nil, err
		}
	default:
		for r.i < len(r.b) && strings.IndexByte(" \t\r\n,]}/", r.b[r.i]) < 0 {
			r.i++
		}
		if !json.Valid(r.b[n.start:r.i]) {
			return nil, r.fault("no value stands here")
		}
	}
	n.end = r.i
	return n, nil
}

// list reads the parts of an object or array up to its end.
func (r *jsonReader) list(n *node, depth int) error {
	end := byte('}')
	if n.kind == '[' {
		end = ']'
	}
	for {
		if err := r.space(); err != nil {
			return err
		}
		if r.i >= len(r.b) {
			return r.fault("an end is missing")
		}
		if r.b[r.i] == end {
			r.i++
			return nil
		}
		if len(n.parts) > 0 && !n.comma {
			return r.fault("a comma is missing")
		}
		p := part{start: r.i}
		var err error
		if n.kind == '{' {
			if r.b[r.i] != '"' {
				return r.fault("a key is missing")
			}
			if p.key, err = r.text(); err != nil {
				return err
			}
			if err := r.space(); err != nil {
				return err
			}
			if r.i >= len(r.b) || r.b[r.i] != ':' {
				return r.fault("a colon is missing")
			}
			r.i++
			if err := r.space(); err != nil {
				return err
			}
		}
		if p.value, err = r.value(depth + 1); err != nil {
			return err
		}
		n.parts = append(n.parts, p)
		if err := r.space(); err != nil {
			return err
		}
		if n.comma = r.i < len(r.b) && r.b[r.i] == ','; n.comma {
			r.i++
		}
	}
}

func (r *jsonReader) text() (s string, err error) {
	start := r.i
	for r.i++; r.i < len(r.b); r.i++ {
		switch r.b[r.i] {
		case '\\':
			r.i++
		case '"':
			r.i++
			if json.Unmarshal(r.b[start:r.i], &s) != nil {
				return "", r.fault("a broken string")
			}
			return s, nil
		case '\n':
			return "", r.fault("a string without an end")
		}
	}
	return "", r.fault("a string without an end")
}

// member finds a member by key; of two of one name the last counts, as it does
// to those who read the file.
func (n *node) member(key string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for _, p := range slices.Backward(n.parts) {
		if p.key == key {
			return p.value
		}
	}
	return nil
}

// decode gives a value as encoding/json would; comments are left out.
func (n *node) decode(b []byte) any {
	switch n.kind {
	case '{':
		m := map[string]any{}
		for _, p := range n.parts {
			m[p.key] = p.value.decode(b)
		}
		return m
	case '[':
		l := []any{}
		for _, p := range n.parts {
			l = append(l, p.value.decode(b))
		}
		return l
	}
	var v any
	_ = json.Unmarshal(b[n.start:n.end], &v) // was valid when read
	return v
}

// newline is the line end that a text uses.
func newline(b []byte) string {
	if bytes.Contains(b, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// indentAt is the blank that begins the line of a place.
func indentAt(b []byte, at int) string {
	start := bytes.LastIndexByte(b[:at], '\n') + 1
	end := start
	for end < at && (b[end] == ' ' || b[end] == '\t') {
		end++
	}
	return string(b[start:end])
}

// unitOf is one step of the text's indentation.
func unitOf(b []byte, root *node) string {
	if len(root.parts) > 0 {
		if s := indentAt(b, root.parts[0].start); s != "" && bytes.IndexByte(b[root.start:root.parts[0].start], '\n') >= 0 {
			return s
		}
	}
	return "  "
}

// insert puts a part at the end of an object or array. key is passed over in
// arrays.
func insert(b []byte, root, at *node, key string, value any) ([]byte, error) {
	nl, unit := newline(b), unitOf(b, root)
	flat := len(at.parts) > 0 && bytes.IndexByte(b[at.start:at.parts[0].start], '\n') < 0
	indent := indentAt(b, at.start) + unit
	if len(at.parts) > 0 && !flat {
		indent = indentAt(b, at.parts[0].start)
	}
	var v bytes.Buffer
	enc := json.NewEncoder(&v)
	enc.SetEscapeHTML(false)
	if !flat {
		enc.SetIndent(indent, unit)
	}
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(strings.TrimSpace(v.String()), "\n", nl)
	if at.kind == '{' {
		k, _ := json.Marshal(key)
		text = string(k) + ": " + text
	}
	if len(at.parts) == 0 {
		inner := b[at.start+1 : at.end-1]
		keep := bytes.TrimRight(inner, " \t\r\n") // comments
		text = string(keep) + nl + indent + text + nl + indentAt(b, at.start)
		return splice(b, at.start+1, at.end-1, text), nil
	}
	last := at.parts[len(at.parts)-1].value.end
	if flat {
		if at.comma {
			i := last + bytes.IndexByte(b[last:], ',') + 1
			return splice(b, i, i, " "+text), nil
		}
		return splice(b, last, last, ", "+text), nil
	}
	// The comma stands behind the value, the new part on the line below what
	// may be said about it.
	after, comma := last, ","
	if at.comma {
		after, comma = commaAfter(b, last)+1, ""
		text += ","
	}
	rest := lineRest(b, after, at.end-1)
	b = splice(b, rest, rest, nl+indent+text)
	return splice(b, last, last, comma), nil
}

// commaAfter finds the comma behind a value, past comments.
func commaAfter(b []byte, at int) int {
	r := &jsonReader{b: b, i: at}
	if r.space() != nil || r.i >= len(b) || b[r.i] != ',' {
		return -1
	}
	return r.i
}

// lineRest is where the comments that follow on the line end.
func lineRest(b []byte, at, most int) int {
	end := at
	for i := at; i < most; {
		switch {
		case b[i] == ' ' || b[i] == '\t':
			i++
		case bytes.HasPrefix(b[i:], []byte("//")):
			n := bytes.IndexByte(b[i:], '\n')
			if n < 0 {
				return end
			}
			if n > 0 && b[i+n-1] == '\r' {
				n--
			}
			return i + n
		case bytes.HasPrefix(b[i:], []byte("/*")):
			n := bytes.Index(b[i:], []byte("*/"))
			if n < 0 || bytes.IndexByte(b[i:i+n], '\n') >= 0 {
				return end
			}
			i += n + 2
			end = i
		default:
			return end
		}
	}
	return end
}

// cutPart takes part i out, with its comma, and its lines if nothing else
// stands on them.
func cutPart(b []byte, at *node, i int) []byte {
	start, end := at.parts[i].start, at.parts[i].value.end
	last := i == len(at.parts)-1
	if c := commaAfter(b, end); c >= 0 {
		end = c + 1
		if !last && bytes.IndexByte(b[at.parts[i].value.end:end], '\n') < 0 && bytes.IndexByte(b[end:at.parts[i+1].start], '\n') < 0 {
			end = at.parts[i+1].start // on one line with the next
			return splice(b, start, end, "")
		}
	}
	// Blank lines up to it go too.
	from := start
	for from > at.start+1 && (b[from-1] == ' ' || b[from-1] == '\t') {
		from--
	}
	if from > at.start+1 && b[from-1] == '\n' {
		from--
		if from > at.start+1 && b[from-1] == '\r' {
			from--
		}
	} else {
		from = start
		for from > at.start+1 && (b[from-1] == ' ' || b[from-1] == '\t') {
			from--
		}
	}
	b = splice(b, from, end, "")
	if last && i > 0 && !at.comma {
		if c := commaAfter(b, at.parts[i-1].value.end); c >= 0 {
			b = splice(b, c, c+1, "")
		}
	}
	if len(at.parts) == 1 { // what is left of an empty one is its ends
		if inner := b[at.start+1 : at.end-1-(end-from)]; len(bytes.TrimSpace(inner)) == 0 {
			b = splice(b, at.start+1, at.start+1+len(inner), "")
		}
	}
	return b
}

func splice(b []byte, from, to int, text string) []byte {
	out := make([]byte, 0, len(b)+len(text))
	out = append(out, b[:from]...)
	out = append(out, text...)
	return append(out, b[to:]...)
}

// reach finds the value at a path, and as far as it goes: the deepest object on
// the way and the keys that are missing there.
func reach(root *node, path []string) (at *node, missing []string) {
	at = root
	for i, k := range path {
		next := at.member(k)
		if next == nil {
			return at, path[i:]
		}
		at = next
	}
	return at, nil
}

// put makes sure that an object holds a member at a path. It returns how many
// keys of the path it had to make. A member of that name with another value is
// an error.
func put(b []byte, path []string, value any) (out []byte, made int, err error) {
	root, err := object(b)
	if err != nil {
		return nil, 0, err
	}
	at, missing := reach(root, path)
	if len(missing) == 0 {
		if same(at.decode(b), value) {
			return b, 0, nil
		}
		return nil, 0, fmt.Errorf("%s is there already, and says something else: take it out first", strings.Join(path, "."))
	}
	if at.kind != '{' {
		return nil, 0, fmt.Errorf("%s is no object", strings.Join(path[:len(path)-len(missing)], "."))
	}
	for i := len(missing) - 1; i > 0; i-- {
		value = map[string]any{missing[i]: value}
	}
	out, err = insert(b, root, at, missing[0], value)
	return out, len(missing), err
}

// object parses a text that must hold an object.
func object(b []byte) (*node, error) {
	root, err := parseJSONC(b)
	if err != nil {
		return nil, err
	}
	if root.kind != '{' {
		return nil, fmt.Errorf("it holds no object")
	}
	return root, nil
}

// add appends an element to the array at a path, making what is missing, unless
// ours tells that one is there.
func add(b []byte, path []string, value any, ours func(any) bool) (out []byte, made int, err error) {
	root, err := object(b)
	if err != nil {
		return nil, 0, err
	}
	at, missing := reach(root, path)
	if len(missing) > 0 {
		return put(b, path, []any{value})
	}
	if at.kind != '[' {
		return nil, 0, fmt.Errorf("%s is no list", strings.Join(path, "."))
	}
	for _, p := range at.parts {
		if ours(p.value.decode(b)) {
			return b, 0, nil
		}
	}
	out, err = insert(b, root, at, "", value)
	return out, 0, err
}

// take removes the member at a path if it has the value, then as many of the
// objects around it as were made for it and are empty.
func take(b []byte, path []string, made int, is func(any) bool) ([]byte, error) {
	for n := range path {
		root, err := object(b)
		if err != nil {
			return nil, err
		}
		key := path[len(path)-1-n]
		at, missing := reach(root, path[:len(path)-1-n])
		if len(missing) > 0 || at.kind != '{' {
			return b, nil
		}
		i := slices.IndexFunc(at.parts, func(p part) bool { return p.key == key })
		if i < 0 {
			return b, nil
		}
		v := at.parts[i].value
		if n == 0 && !is(v.decode(b)) || n > 0 && (n >= made || len(v.parts) > 0 || v.end-v.start > 2) {
			return b, nil
		}
		b = cutPart(b, at, i)
	}
	return b, nil
}

// pick removes the elements of the array at a path that are ours, then what
// was made for them and is empty. Of an element that only holds ours among
// others, in a list called hooks, those alone go.
func pick(b []byte, path []string, made int, ours func(any) bool) ([]byte, error) {
	for {
		root, err := object(b)
		if err != nil {
			return nil, err
		}
		at, missing := reach(root, path)
		if len(missing) > 0 || at.kind != '[' {
			return b, nil
		}
		i := slices.IndexFunc(at.parts, func(p part) bool { return ours(p.value.decode(b)) })
		if i < 0 {
			break
		}
		if inner := at.parts[i].value.member("hooks"); inner != nil && inner.kind == '[' && len(inner.parts) > 1 {
			j := slices.IndexFunc(inner.parts, func(p part) bool { return ours(p.value.decode(b)) })
			if j < 0 {
				return b, nil
			}
			b = cutPart(b, inner, j)
			continue
		}
		b = cutPart(b, at, i)
	}
	if made == 0 {
		return b, nil
	}
	return take(b, path, made, func(v any) bool { l, ok := v.([]any); return ok && len(l) == 0 })
}

// same compares what two values say.
func same(a, b any) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	if err1 != nil || err2 != nil {
		return false
	}
	var u, v any
	_ = json.Unmarshal(x, &u)
	_ = json.Unmarshal(y, &v)
	x, _ = json.Marshal(u) // keys of maps come sorted
	y, _ = json.Marshal(v)
	return bytes.Equal(x, y)
}
