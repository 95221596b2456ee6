package agent

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestPutAndTake spells out what each edit does to the bytes, and that taking
// it back gives them back.
func TestPutAndTake(t *testing.T) {
	for what, c := range map[string]struct{ in, want string }{
		"empty":     {"{}\n", "{\n  \"m\": {\n    \"rank\": 1\n  }\n}\n"},
		"one line":  {`{"a": 1}`, `{"a": 1, "m": {"rank":1}}`},
		"lines":     {"{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"m\": {\n\t\t\"rank\": 1\n\t}\n}"},
		"comments":  {"{\n  // first\n  \"a\": 1 // one\n  // last\n}\n", "{\n  // first\n  \"a\": 1, // one\n  \"m\": {\n    \"rank\": 1\n  }\n  // last\n}\n"},
		"trailing":  {"{\n  \"a\": 1, /* x */\n}", "{\n  \"a\": 1, /* x */\n  \"m\": {\n    \"rank\": 1\n  },\n}"},
		"there":     {"{\n  \"m\": {\n    \"o\": [1]\n  },\n  \"b\": 2\n}", "{\n  \"m\": {\n    \"o\": [1],\n    \"rank\": 1\n  },\n  \"b\": 2\n}"},
		"crlf":      {"{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"m\": {\r\n    \"rank\": 1\r\n  }\r\n}\r\n"},
		"mark":      {"\xef\xbb\xbf{\n  \"a\": 1\n}", "\xef\xbb\xbf{\n  \"a\": 1,\n  \"m\": {\n    \"rank\": 1\n  }\n}"},
		"in itself": {"{\n  \"m\": {\"o\": \"}\\\"\"}\n}", "{\n  \"m\": {\"o\": \"}\\\"\", \"rank\": 1}\n}"},
	} {
		out, made, err := put([]byte(c.in), []string{"m", "rank"}, 1)
		if err != nil || string(out) != c.want {
			t.Errorf("%s: %v\n%q, want\n%q", what, err, out, c.want)
			continue
		}
		if again, n, err := put(out, []string{"m", "rank"}, 1); err != nil || n != 0 || string(again) != c.want {
			t.Errorf("%s: put twice: %v %q", what, err, again)
		}
		if _, _, err := put(out, []string{"m", "rank"}, 2); err == nil {
			t.Errorf("%s: overwritten", what)
		}
		back, err := take(out, []string{"m", "rank"}, made, func(v any) bool { return same(v, 1) })
		if err != nil || string(back) != c.in {
			t.Errorf("%s: taken back: %v\n%q, want\n%q", what, err, back, c.in)
		}
		if left, err := take(out, []string{"m", "rank"}, made, func(v any) bool { return same(v, 2) }); err != nil || string(left) != c.want {
			t.Errorf("%s: took what is not ours: %v %q", what, err, left)
		}
	}
}

func TestAddAndPick(t *testing.T) {
	is := func(v any) bool { return v == "ours" }
	for what, c := range map[string]struct{ in, want string }{
		"none":  {"{}\n", "{\n  \"h\": {\n    \"e\": [\n      \"ours\"\n    ]\n  }\n}\n"},
		"empty": {"{\n  \"h\": {\"e\": []}\n}", "{\n  \"h\": {\"e\": [\n    \"ours\"\n  ]}\n}"},
		"lines": {"{\n  \"h\": {\n    \"e\": [\n      \"a\", // a\n      \"b\" // b\n    ]\n  }\n}", "{\n  \"h\": {\n    \"e\": [\n      \"a\", // a\n      \"b\", // b\n      \"ours\"\n    ]\n  }\n}"},
		"flat":  {`{"h": {"e": ["a"]}}`, `{"h": {"e": ["a", "ours"]}}`},
	} {
		out, made, err := add([]byte(c.in), []string{"h", "e"}, "ours", is)
		if err != nil || string(out) != c.want {
			t.Errorf("%s: %v\n%q, want\n%q", what, err, out, c.want)
			continue
		}
		if again, _, err := add(out, []string{"h", "e"}, "ours", is); err != nil || string(again) != c.want {
			t.Errorf("%s: added twice: %q", what, again)
		}
		if back, err := pick(out, []string{"h", "e"}, made, is); err != nil || string(back) != c.in {
			t.Errorf("%s: %v\n%q, want\n%q", what, err, back, c.in)
		}
	}
	// Ours between others, and ours in a group of others.
	for in, want := range map[string]string{
		"{\n \"h\": {\"e\": [\n  \"a\",\n  \"ours\",\n  \"b\"\n ]}\n}": "{\n \"h\": {\"e\": [\n  \"a\",\n  \"b\"\n ]}\n}",
		`{"h": {"e": ["ours", "b"]}}`:                                  `{"h": {"e": ["b"]}}`,
	} {
		if got, err := pick([]byte(in), []string{"h", "e"}, 0, is); err != nil || string(got) != want {
			t.Errorf("%q: %v %q, want %q", in, err, got, want)
		}
	}
}

func TestBrokenJSON(t *testing.T) {
	for _, in := range []string{"", "{", "{\"a\" 1}", "{\"a\": 1 \"b\": 2}", "{a: 1}", "[1]", "{\"a\": tru}", "{} {}", "{\"a\": \"x\ny\"}", "/* {}", "{\"a\": 1,, }", "\xff{}",
		strings.Repeat("[", 100_000), "{\"a\":" + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}"} {
		if out, _, err := put([]byte(in), []string{"m"}, 1); err == nil {
			t.Errorf("%.40q was edited: %.40q", in, out)
		}
	}
	if _, _, err := put([]byte("{\"a\": 1,\n\n\"b\" 2}"), []string{"m"}, 1); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("%v", err)
	}
	for _, in := range []string{`{"m": []}`, `{"m": 1}`} {
		if _, _, err := put([]byte(in), []string{"m", "rank"}, 1); err == nil {
			t.Errorf("%s was edited", in)
		}
	}
}

// FuzzJSONC: what encoding/json reads, we read alike; what we edit still
// parses, holds what it held, and comes back when taken out.
func FuzzJSONC(f *testing.F) {
	for _, s := range []string{"{}", `{"a":[1,{"b":"c\"d"}]}`, "{\n// x\n\"a\": 1, /* y */\n}", `{"m":{"rank":1}}`, `{"m":{}}`, "{ \t\n}", `{"a":1 , "m" : { "x" : [ ] } }`, "{\"a\":1/**/,\n}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		root, err := parseJSONC(b)
		var v any
		if json.Unmarshal(b, &v) == nil && !strings.HasPrefix(string(b), "\xef\xbb\xbf") && err != nil && !strings.Contains(err.Error(), "deep") && !strings.Contains(err.Error(), "UTF-8") {
			t.Fatalf("%q: %v", b, err)
		}
		if err != nil || root.kind != '{' {
			return
		}
		out, made, err := put(b, []string{"m", "rank"}, 1)
		if err != nil || made == 0 {
			return
		}
		now, err := parseJSONC(out)
		if err != nil {
			t.Fatalf("%q became %q: %v", b, out, err)
		}
		if m := now.member("m").member("rank"); m == nil || !same(m.decode(out), 1) {
			t.Fatalf("%q became %q without ours", b, out)
		}
		back, err := take(out, []string{"m", "rank"}, made, func(v any) bool { return same(v, 1) })
		if err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		last, err := parseJSONC(back)
		if err != nil || !same(last.decode(back), root.decode(b)) {
			t.Fatalf("%q became %q, then %q: %v", b, out, back, err)
		}
	})
}
