package git

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxConfigFile bounds the bytes read of one configuration file, and
// maxIncludes how deep include.path is followed: git's own limit.
const (
	maxConfigFile = 1 << 20
	maxIncludes   = 10
)

// treeConfig is what git's configuration says about working trees.
type treeConfig struct {
	excludesFile string // of the user, "" when there is none
	ignoreCase   bool
	autoCRLF     bool // line ends may differ from the blob's
	sparse       bool // sparse checkout is on
	noSymlinks   bool // symlinks are checked out as plain files
}

// treeConfig reads the configuration as far as it is needed. What cannot be
// read or understood is as if it were not there: the answer is then that of
// the defaults.
func (r *Repo) treeConfig() treeConfig {
	home, _ := os.UserHomeDir()
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	c := configValues{home: home, values: map[string]string{}}
	if without, _ := configBool(os.Getenv("GIT_CONFIG_NOSYSTEM")); !without {
		system, set := os.LookupEnv("GIT_CONFIG_SYSTEM")
		if !set {
			system = "/etc/gitconfig"
		}
		c.file(system, 0)
	}
	if global, set := os.LookupEnv("GIT_CONFIG_GLOBAL"); set {
		c.file(global, 0)
	} else {
		if xdg != "" {
			c.file(filepath.Join(xdg, "git", "config"), 0)
		}
		if home != "" {
			c.file(filepath.Join(home, ".gitconfig"), 0)
		}
	}
	c.file(filepath.Join(r.CommonDir, "config"), 0)
	if on, _ := configBool(c.values["extensions.worktreeconfig"]); on {
		c.file(filepath.Join(r.Dir, "config.worktree"), 0)
	}

	var t treeConfig
	t.ignoreCase, _ = configBool(c.values["core.ignorecase"])
	t.sparse, _ = configBool(c.values["core.sparsecheckout"])
	crlf := c.values["core.autocrlf"]
	on, _ := configBool(crlf)
	t.autoCRLF = on || strings.EqualFold(crlf, "input")
	if v, set := c.values["core.symlinks"]; set {
		on, valid := configBool(v)
		t.noSymlinks = valid && !on
	}
	if v, set := c.values["core.excludesfile"]; set {
		t.excludesFile = c.expand(v)
		if t.excludesFile != "" && !filepath.IsAbs(t.excludesFile) {
			t.excludesFile = filepath.Join(r.Worktree, t.excludesFile)
		}
	} else if xdg != "" {
		t.excludesFile = filepath.Join(xdg, "git", "ignore")
	}
	return t
}

// configBool reads a boolean; "" is what a key without a value leaves.
func configBool(v string) (on, valid bool) {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0", "":
		return false, true
	}
	return false, false
}

// configValues are the last values of each key, "section.key" or
// "section.subsection.key" with section and key in lower case.
type configValues struct {
	home   string
	values map[string]string
}

func (c configValues) expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && c.home != "" {
		return filepath.Join(c.home, rest)
	}
	return path
}

// file adds a file's values. include.path is followed, includeIf is not.
func (c configValues) file(name string, depth int) {
	data := readSmallFile(name, maxConfigFile)
	if data == nil {
		return
	}
	parseConfig(string(data), func(key, value string) {
		c.values[key] = value
		if key != "include.path" || depth >= maxIncludes {
			return
		}
		if value = c.expand(value); !filepath.IsAbs(value) {
			value = filepath.Join(filepath.Dir(name), value)
		}
		c.file(value, depth+1)
	})
}

// readSmallFile reads a regular file outside the working tree, nil when there
// is none or it is larger than limit.
func readSmallFile(name string, limit int64) []byte {
	f, info, err := openRegular(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info.Size() > limit {
		return nil
	}
	// One byte more than the file should have shows its end without growing.
	b := bytes.NewBuffer(make([]byte, 0, int(info.Size())+bytes.MinRead))
	if _, err := b.ReadFrom(io.LimitReader(f, limit)); err != nil {
		return nil
	}
	return b.Bytes()
}

// parseConfig reads git-config(1) syntax and passes over what it does not
// understand, line by line. A key without a value is true.
func parseConfig(text string, set func(key, value string)) {
	text = strings.TrimPrefix(text, "\ufeff")
	section := ""
	for len(text) > 0 {
		text = strings.TrimLeft(text, " \t\r\n")
		switch {
		case text == "":
			return
		case text[0] == '#' || text[0] == ';':
			_, text, _ = strings.Cut(text, "\n")
			continue
		case text[0] == '[':
			line, _, _ := strings.Cut(text, "\n")
			end := sectionEnd(line)
			if end < 0 {
				section = ""
				text = text[len(line):]
				continue
			}
			section = sectionName(line[1:end])
			text = text[end+1:]
			continue
		}
		n := 0
		for n < len(text) && (isAlpha(text[n]) || isDigit(text[n]) || text[n] == '-') {
			n++
		}
		key := lowerASCII(text[:n])
		text = strings.TrimLeft(text[n:], " \t")
		if n == 0 {
			_, text, _ = strings.Cut(text, "\n")
			continue
		}
		value := "true"
		if strings.HasPrefix(text, "=") {
			value, text = configValue(text[1:])
		} else {
			_, text, _ = strings.Cut(text, "\n")
		}
		if section != "" {
			set(section+"."+key, value)
		}
	}
}

// sectionEnd finds the "]" of a section header, which may also stand inside
// the quotes of a subsection.
func sectionEnd(line string) int {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			return i
		}
	}
	return -1
}

func sectionName(s string) string {
	name, sub, quoted := strings.Cut(s, `"`)
	name = lowerASCII(strings.TrimSpace(name))
	if quoted {
		return name + "." + strings.TrimSuffix(sub, `"`)
	}
	return name
}

// configValue reads a value up to the end of its line: quotes, escapes, line
// continuations, comments, and blanks around it are taken away.
func configValue(text string) (value, rest string) {
	var b strings.Builder
	text = strings.TrimLeft(text, " \t")
	quoted, keep := false, 0 // keep: length without trailing blanks
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n':
			return b.String()[:keep], text[i+1:]
		case c == '\r' && strings.HasPrefix(text[i+1:], "\n"):
			continue
		case c == '"':
			quoted = !quoted
			keep = b.Len()
			continue
		case (c == '#' || c == ';') && !quoted:
			_, rest, _ = strings.Cut(text[i:], "\n")
			return b.String()[:keep], rest
		case c == '\\' && i+1 < len(text):
			i++
			switch c = text[i]; c {
			case '\n':
				continue
			case '\r':
				if strings.HasPrefix(text[i+1:], "\n") {
					i++
					continue
				}
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			}
			b.WriteByte(c)
			keep = b.Len()
			continue
		}
		b.WriteByte(c)
		if quoted || c != ' ' && c != '\t' {
			keep = b.Len()
		}
	}
	return b.String()[:keep], ""
}

// Sparse reports whether the working tree holds a part of the files only.
func (r *Repo) Sparse() bool { return r.Worktree != "" && r.treeConfig().sparse }
