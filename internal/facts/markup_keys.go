package facts

import "bytes"

// yamlKeys records the keys of the first two levels.
func yamlKeys(o *outline, n int, at func(int) []byte) {
	second := -1 // indentation of the second level below the current key
	scalar := -1 // indentation of the key whose block scalar we are in
	for i := 0; i < n && len(o.syms) < maxKeys; i++ {
		line := at(i)
		text := bytes.TrimLeft(line, " ")
		col := len(line) - len(text)
		if len(text) == 0 {
			continue
		}
		if scalar >= 0 {
			if col > scalar {
				continue
			}
			scalar = -1
		}
		if text[0] == '#' || text[0] == '-' || text[0] == '%' || text[0] == '\t' {
			continue
		}
		key, rest, ok := yamlKey(text)
		if !ok {
			continue
		}
		if v := bytes.TrimSpace(rest); len(v) > 0 && (v[0] == '|' || v[0] == '>') {
			scalar = col
		}
		switch {
		case col == 0:
			o.add(key, 1, int32(i)+1, int32(i)+1)
			second = -1
		case len(o.syms) == 0:
		case second < 0 || col == second:
			second = col
			o.add(key, 2, int32(i)+1, int32(i)+1)
		}
	}
}

// yamlKey splits "key: rest"; the colon ends the line or precedes a blank.
func yamlKey(text []byte) (key string, rest []byte, ok bool) {
	if q := text[0]; q == '"' || q == '\'' {
		end := bytes.IndexByte(text[1:], q)
		if end < 0 || end+2 >= len(text) || text[end+2] != ':' {
			return "", nil, false
		}
		return string(text[1 : end+1]), text[end+3:], true
	}
	for i, c := range text {
		if i > maxNameLen {
			break
		}
		switch c {
		case ':':
			if i > 0 && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\t') {
				return string(text[:i]), text[i+1:], true
			}
		case '{', '[', '"', '#', '\'':
			return "", nil, false
		}
	}
	return "", nil, false
}

// tableKeys records tables and keys of TOML and INI files.
func tableKeys(o *outline, n int, at func(int) []byte) {
	level := 1
	depth := 0        // open brackets of a value over several lines
	multi := []byte{} // end of a string over several lines
	for i := 0; i < n && len(o.syms) < maxKeys; i++ {
		line := at(i)
		text := bytes.TrimSpace(line)
		if len(multi) > 0 {
			if bytes.Contains(text, multi) {
				multi = nil
			}
			continue
		}
		if len(text) == 0 || text[0] == '#' || text[0] == ';' || text[0] == '!' {
			continue
		}
		if depth > 0 {
			depth = max(0, depth+balance(text))
			continue
		}
		if text[0] == '[' {
			end := bytes.LastIndexByte(text, ']')
			if end < 1 {
				continue
			}
			o.add(string(bytes.Trim(text[:end], "[] \t\"")), 1, int32(i)+1, int32(i)+1)
			level = 2
			continue
		}
		if line[0] == ' ' || line[0] == '\t' { // a continued value, mostly
			continue
		}
		eq := bytes.IndexByte(text, '=')
		if c := bytes.IndexByte(text, ':'); c > 0 && (eq < 0 || c < eq) {
			eq = c
		}
		if eq < 1 {
			continue
		}
		o.add(string(bytes.Trim(text[:eq], " \t\"'")), level, int32(i)+1, int32(i)+1)
		value := bytes.TrimSpace(text[eq+1:])
		for _, q := range [...]string{`"""`, `'''`} {
			if bytes.HasPrefix(value, []byte(q)) && !bytes.Contains(value[3:], []byte(q)) {
				multi = []byte(q)
			}
		}
		if len(value) > 0 && (value[0] == '[' || value[0] == '{') {
			depth = max(0, balance(value))
		}
	}
}

// balance counts opening less closing brackets outside of strings.
func balance(text []byte) int {
	n := 0
	var quote byte
	for _, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#':
			return n
		case c == '[' || c == '{':
			n++
		case c == ']' || c == '}':
			n--
		}
	}
	return n
}

// jsonKeys records the keys of the first two levels of objects. It does not
// mind comments, trailing commas or an early end.
func jsonKeys(o *outline, src []byte, lines []int32) {
	depth, ln := 0, int32(0)
	line := func(at int) int32 { // one-based; at never decreases
		for int(ln)+1 < len(lines) && int(lines[ln+1]) <= at {
			ln++
		}
		return ln + 1
	}
	for i := 0; i < len(src) && len(o.syms) < maxKeys; i++ {
		switch src[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			switch at := line(i); {
			case depth == 1 || depth == 2: // the value of a key ends here
				o.close(depth, at)
			case depth < 1:
				o.close(1, at-1)
			}
		case '/':
			if i+1 < len(src) && src[i+1] == '/' {
				if e := bytes.IndexByte(src[i:], '\n'); e >= 0 {
					i += e
				} else {
					return
				}
			} else if i+1 < len(src) && src[i+1] == '*' {
				if e := bytes.Index(src[i:], []byte("*/")); e >= 0 {
					i += e + 1
				} else {
					return
				}
			}
		case '"':
			start := i + 1
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
			if i >= len(src) {
				return
			}
			if depth < 1 || depth > 2 || i-start > maxNameLen {
				continue
			}
			k := i + 1
			for k < len(src) && (src[k] == ' ' || src[k] == '\t') {
				k++
			}
			if k < len(src) && src[k] == ':' {
				at := line(start)
				o.add(string(src[start:i]), depth, at, at)
			}
		}
	}
}
