package facts

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// maxProps bounds what one manifest may say.
const maxProps = 2000

// manifestProps reads what resolution needs from a manifest; see Prop for
// the keys. Manifests that cannot be read give what could be read of them.
func manifestProps(lang string, src []byte) []Prop {
	var p props
	switch lang {
	case "gomod":
		p.gomod(src)
	case "package.json":
		p.packageJSON(src)
	case "tsconfig":
		p.tsconfig(src)
	case "cargo":
		p.cargo(src)
	case "composer":
		p.composer(src)
	case "mix":
		p.mix(src)
	case "pyproject":
		p.pyproject(src)
	case "buildfile":
		p.buildfile(src)
	default:
		return nil
	}
	return p
}

type props []Prop

func (p *props) add(key, value string) {
	if value != "" && len(value) < 1000 && len(*p) < maxProps {
		*p = append(*p, Prop{key, value})
	}
}

func (p *props) gomod(src []byte) {
	block := ""
	for line := range strings.Lines(string(src)) {
		line, _, _ = strings.Cut(line, "//")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if f[0] == ")" {
			block = ""
			continue
		}
		if len(f) == 2 && f[1] == "(" {
			block = f[0]
			continue
		}
		verb := block
		if verb == "" {
			verb, f = f[0], f[1:]
		}
		for i := range f {
			f[i] = strings.Trim(f[i], "\"`")
		}
		switch verb {
		case "module":
			if len(f) > 0 {
				p.add("module", f[0])
			}
		case "replace":
			at := slices.Index(f, "=>")
			if at > 0 && at+1 < len(f) {
				p.add("replace", f[0]+"=>"+f[at+1])
			}
		}
	}
}

// looseJSON reads JSON with comments and trailing commas; nil on failure.
func looseJSON(src []byte) map[string]any {
	out := make([]byte, 0, len(src))
	src = bytes.TrimPrefix(src, []byte("\xEF\xBB\xBF"))
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '"':
			start := i
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
			out = append(out, src[start:min(i+1, len(src))]...)
		case c == '/' && i+1 < len(src) && src[i+1] == '/':
			for i < len(src) && src[i] != '\n' {
				i++
			}
			out = append(out, '\n')
		case c == '/' && i+1 < len(src) && src[i+1] == '*':
			end := bytes.Index(src[i:], []byte("*/"))
			if end < 0 {
				i = len(src)
			} else {
				i += end + 1
			}
			out = append(out, ' ')
		case c == '}' || c == ']':
			t := bytes.TrimRight(out[max(0, len(out)-256):], " \t\r\n")
			if n := len(t); n > 0 && t[n-1] == ',' {
				out = append(out[:len(out)-min(256, len(out))], t[:n-1]...)
			}
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	var m map[string]any
	if json.Unmarshal(out, &m) != nil {
		return nil
	}
	return m
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// list gives the strings of a string or an array.
func list(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	case []string:
		return v
	}
	return nil
}

// conditions of package exports, best first: what leads to source wins.
var conditions = []string{"source", "development", "import", "module", "default", "node", "browser", "require", "types"}

// target is the file that an exports value leads to.
func target(v any, depth int) string {
	if depth > 8 {
		return ""
	}
	switch v := v.(type) {
	case string:
		return v
	case []any:
		for _, e := range v {
			if t := target(e, depth+1); t != "" {
				return t
			}
		}
	case map[string]any:
		for _, c := range conditions {
			if t := target(v[c], depth+1); t != "" {
				return t
			}
		}
		for _, c := range slices.Sorted(maps.Keys(v)) {
			if t := target(v[c], depth+1); t != "" {
				return t
			}
		}
	}
	return ""
}

func (p *props) packageJSON(src []byte) {
	m := looseJSON(src)
	p.add("name", str(m["name"]))
	for _, k := range []string{"source", "main", "module", "types"} {
		p.add(k, str(m[k]))
	}
	switch e := m["exports"].(type) {
	case string:
		p.add("exports", ".=>"+e)
	case map[string]any:
		sub := false
		for _, k := range slices.Sorted(maps.Keys(e)) {
			if strings.HasPrefix(k, ".") {
				sub = true
				if t := target(e[k], 0); t != "" {
					p.add("exports", k+"=>"+t)
				}
			}
		}
		if !sub {
			if t := target(e, 0); t != "" {
				p.add("exports", ".=>"+t)
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(object(m["imports"]))) {
		if t := target(object(m["imports"])[k], 0); t != "" {
			p.add("imports", k+"=>"+t)
		}
	}
	w := m["workspaces"]
	if o := object(w); o != nil {
		w = o["packages"]
	}
	for _, s := range list(w) {
		p.add("workspaces", s)
	}
}

func (p *props) tsconfig(src []byte) {
	m := looseJSON(src)
	for _, s := range list(m["extends"]) {
		p.add("extends", s)
	}
	o := object(m["compilerOptions"])
	p.add("baseUrl", str(o["baseUrl"]))
	paths := object(o["paths"])
	for _, k := range slices.Sorted(maps.Keys(paths)) {
		for _, v := range list(paths[k]) {
			p.add("paths", k+"=>"+v)
		}
	}
}

// readTOML decodes what it can: a file with an error is cut before the line
// of the error and read again, once.
func readTOML(src []byte) map[string]any {
	if tooDeep(src) {
		return nil
	}
	var m map[string]any
	_, err := toml.Decode(string(src), &m)
	if err == nil {
		return m
	}
	if pe, ok := err.(toml.ParseError); ok && pe.Position.Line > 1 {
		lines := bytes.SplitAfter(src, []byte("\n"))
		if n := pe.Position.Line - 1; n < len(lines) {
			var part map[string]any
			if _, err := toml.Decode(string(bytes.Join(lines[:n], nil)), &part); err == nil {
				return part
			}
		}
	}
	return nil
}

// maxTOML bounds the brackets that are open at once and the dots of a line in
// TOML: the decoder takes time in the cube of either.
const maxTOML = 100

// tooDeep says whether TOML is over maxTOML. What stands in quotes on one line
// and in comments does not count.
func tooDeep(src []byte) bool {
	open, dots := 0, 0
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '"', '\'':
			i = quoteEnd(src, i) - 1
		case '#':
			i = lineEnd(src, i) - 1
		case '{', '[':
			open++
		case '}', ']':
			open = max(0, open-1)
		case '.':
			dots++
		case '\n':
			dots = 0
		}
		if open > maxTOML || dots > maxTOML {
			return true
		}
	}
	return false
}

func (p *props) cargo(src []byte) {
	m := readTOML(src)
	p.add("name", str(object(m["package"])["name"]))
	lib := object(m["lib"])
	p.add("lib", str(lib["name"]))
	p.add("path", str(lib["path"]))
	for _, s := range list(object(m["workspace"])["members"]) {
		p.add("members", s)
	}
	for _, key := range []string{"dependencies", "dev-dependencies", "build-dependencies"} {
		deps := object(m[key])
		for _, name := range slices.Sorted(maps.Keys(deps)) {
			if path := str(object(deps[name])["path"]); path != "" {
				p.add("dependency", name+"=>"+path)
			}
		}
	}
}

func (p *props) composer(src []byte) {
	m := looseJSON(src)
	p.add("name", str(m["name"]))
	for _, key := range []string{"autoload", "autoload-dev"} {
		for _, psr := range []string{"psr-4", "psr-0"} {
			o := object(object(m[key])[psr])
			for _, ns := range slices.Sorted(maps.Keys(o)) {
				for _, dir := range list(o[ns]) {
					if dir == "" {
						dir = "."
					}
					p.add(psr, ns+"=>"+dir)
				}
			}
		}
	}
}

func (p *props) mix(src []byte) {
	if i := bytes.Index(src, []byte("app: :")); i >= 0 {
		rest := src[i+len("app: :"):]
		end := 0
		for end < len(rest) && (rest[end] == '_' || rest[end] >= 'a' && rest[end] <= 'z' || rest[end] >= '0' && rest[end] <= '9') {
			end++
		}
		p.add("name", string(rest[:end]))
	}
}

func (p *props) pyproject(src []byte) {
	m := readTOML(src)
	tool := object(m["tool"])
	name := str(object(m["project"])["name"])
	poetry := object(tool["poetry"])
	if name == "" {
		name = str(poetry["name"])
	}
	p.add("name", name)
	setup := object(tool["setuptools"])
	for _, w := range list(object(object(setup["packages"])["find"])["where"]) {
		p.add("where", w)
	}
	dirs := object(setup["package-dir"])
	for _, k := range slices.Sorted(maps.Keys(dirs)) {
		p.add("where", str(dirs[k]))
	}
	if pk, ok := poetry["packages"].([]map[string]any); ok {
		for _, e := range pk {
			p.add("where", str(e["from"]))
		}
	}
}

// buildfile reads single settings from build files of several kinds, by
// their unmistakable names.
func (p *props) buildfile(src []byte) {
	for line := range strings.Lines(string(src)) {
		t := strings.TrimSpace(line)
		key, value, ok := strings.Cut(t, ":")
		if ok && strings.EqualFold(key, "hs-source-dirs") { // Cabal
			for _, d := range strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ',' }) {
				p.add("where", d)
			}
		}
		if i := strings.Index(t, "<ProjectReference Include=\""); i >= 0 { // MSBuild
			rest := t[i+len("<ProjectReference Include=\""):]
			if end := strings.IndexByte(rest, '"'); end > 0 {
				p.add("reference", strings.ReplaceAll(rest[:end], `\`, "/"))
			}
		}
		if k, v, ok := strings.Cut(t, "="); ok { // setup.cfg
			switch strings.TrimSpace(k) {
			case "where":
				p.add("where", strings.TrimSpace(v))
			case "name":
				if v = strings.TrimSpace(v); !strings.ContainsAny(v, " \"'(<") {
					p.add("name", v)
				}
			}
		}
	}
}
