package agent

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Kinds of what can be installed.
const (
	KindHook         = "hook"
	KindMCP          = "mcp"
	KindSkill        = "skill"
	KindInstructions = "instructions"
)

// Kinds in the order in which they are installed.
var Kinds = []string{KindHook, KindMCP, KindSkill, KindInstructions}

// InstallClients are the clients that Install knows.
var InstallClients = []string{Claude, Codex, Gemini, Cursor, Copilot, "vscode", "opencode"}

// hookSeconds is what clients are told to wait for a hook: well above its own
// deadline, on a machine that is busy.
const hookSeconds = 10

// change is one thing that is done to one file: put by do, taken back by undo,
// which is told how many keys do had to make.
type change struct {
	kind string
	file string
	do   func(b []byte) (out []byte, made int, err error)
	undo func(b []byte, made int) ([]byte, error)
	seed string // what an empty or absent file starts as
	sole bool   // the file is ours alone
}

type claudeHook struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout int      `json:"timeout"`
}

type shellHook struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

type hookGroup struct {
	Matcher string `json:"matcher,omitempty"`
	Hooks   []any  `json:"hooks"`
}

type copilotHook struct {
	Type       string `json:"type"`
	Bash       string `json:"bash"`
	PowerShell string `json:"powershell"`
	TimeoutSec int    `json:"timeoutSec"`
}

type stdioServer struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Tools   []string `json:"tools,omitempty"`
}

type localServer struct {
	Type    string   `json:"type"`
	Command []string `json:"command"`
	Enabled bool     `json:"enabled"`
}

// ours tells whether a value registers our hook of a client: the words of its
// command stand in it, in one string or in several.
func ours(client string) func(any) bool {
	return func(v any) bool {
		words := flatten(v, nil)
		for i := range words {
			base := words[i][strings.LastIndexAny(words[i], `/\`)+1:]
			if (base == "rank" || base == "rank.exe") && i+2 < len(words) && words[i+1] == "hook" && words[i+2] == client {
				return true
			}
		}
		return false
	}
}

// flatten lists the words of a registration in the order command, args, rest.
func flatten(v any, out []string) []string {
	switch v := v.(type) {
	case string:
		return append(out, strings.Fields(v)...)
	case []any:
		for _, x := range v {
			out = flatten(x, out)
		}
	case map[string]any:
		first := []string{"command", "args"}
		keys := make([]string, 0, len(v))
		for k := range v {
			if !slices.Contains(first, k) {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		for _, k := range append(first, keys...) {
			out = flatten(v[k], out)
		}
	}
	return out
}

// member is a change that sets a member of a JSON object.
func member(kind, file string, path []string, value any) change {
	return change{kind: kind, file: file, seed: "{}\n",
		do: func(b []byte) ([]byte, int, error) { return put(b, path, value) },
		undo: func(b []byte, made int) ([]byte, error) {
			return take(b, path, made, func(v any) bool { return same(v, value) })
		}}
}

// given is a member that is set where it is missing and left alone where it
// says anything.
func given(kind, file string, path []string, value any) change {
	c := member(kind, file, path, value)
	c.do = func(b []byte) ([]byte, int, error) {
		root, err := object(b)
		if err != nil {
			return nil, 0, err
		}
		if _, missing := reach(root, path); len(missing) == 0 {
			return b, 0, nil
		}
		return put(b, path, value)
	}
	undo := c.undo
	c.undo = func(b []byte, made int) ([]byte, error) {
		if made == 0 {
			return b, nil
		}
		return undo(b, made)
	}
	return c
}

// element is a change that appends to a JSON array.
func element(kind, file string, path []string, value any, is func(any) bool) change {
	return change{kind: kind, file: file, seed: "{}\n",
		do:   func(b []byte) ([]byte, int, error) { return add(b, path, value, is) },
		undo: func(b []byte, made int) ([]byte, error) { return pick(b, path, made, is) }}
}

// whole is a change that owns its file.
func whole(kind, file, text string) change {
	return change{kind: kind, file: file, sole: true,
		do: func(b []byte) ([]byte, int, error) {
			if len(b) > 0 && string(b) != text {
				return nil, 0, fmt.Errorf("it is there already, and says something else: take it away first")
			}
			return []byte(text), 0, nil
		},
		undo: func(b []byte, _ int) ([]byte, error) {
			if string(b) == text {
				return nil, nil
			}
			return b, nil
		}}
}

// block is a change between two marks of a text file.
func block(kind, file, begin, end, text string, check func([]byte) error) change {
	all := begin + "\n" + text + end + "\n"
	find := func(b []byte) (from, to int, err error) {
		s := string(b)
		from = strings.Index(s, begin)
		if from < 0 {
			if strings.Contains(s, end) {
				return 0, 0, fmt.Errorf("it has the mark %q without its beginning", end)
			}
			return -1, -1, nil
		}
		n := strings.Index(s[from:], end)
		if n < 0 {
			return 0, 0, fmt.Errorf("it has the mark %q without its end", begin)
		}
		to = from + n + len(end)
		if strings.HasPrefix(s[to:], "\r\n") {
			to += 2
		} else if strings.HasPrefix(s[to:], "\n") {
			to++
		}
		return from, to, nil
	}
	return change{kind: kind, file: file,
		do: func(b []byte) ([]byte, int, error) {
			if check != nil {
				if err := check(b); err != nil {
					return nil, 0, err
				}
			}
			from, to, err := find(b)
			if err != nil {
				return nil, 0, err
			}
			text := strings.ReplaceAll(all, "\n", newline(b))
			var out []byte
			if from >= 0 {
				out = splice(b, from, to, text)
			} else {
				sep := ""
				if len(b) > 0 {
					sep = newline(b)
					if b[len(b)-1] != '\n' {
						sep += sep
					}
				}
				out = append(slices.Clone(b), sep+text...)
			}
			if check != nil {
				if err := check(out); err != nil {
					return nil, 0, err
				}
			}
			return out, 0, nil
		},
		undo: func(b []byte, _ int) ([]byte, error) {
			from, to, err := find(b)
			if err != nil || from < 0 {
				return b, err
			}
			// The empty line that parted it from what stood before goes too.
			head := string(b[:from])
			if s, ok := strings.CutSuffix(head, "\r\n\r\n"); ok {
				head = s + "\r\n"
			} else if s, ok := strings.CutSuffix(head, "\n\n"); ok {
				head = s + "\n"
			} else if strings.TrimSpace(head) == "" {
				head = ""
			}
			return append([]byte(head), b[to:]...), nil
		}}
}

// The text for files of instructions: facts, no orders.
const instructionsText = `## rank

The command ` + "`rank TASK`" + ` lists the files of this repository that a task in words needs, best first,
with their source packed into a token budget. It is run at the repository's top, works offline and
changes nothing. ` + "`rank explain PATH -- TASK`" + ` says why a file has its place. Exit code 4 means that
the repository holds too little of the task's words.
`

const (
	blockBegin = "<!-- START rank -->"
	blockEnd   = "<!-- END rank -->"
	tomlBegin  = "# START rank"
	tomlEnd    = "# END rank"
)

// changes lists what a client's installation does below a folder: the project's
// top, or the user's home. A kind that the client has no place for is left out.
func (in *Install) changes() ([]change, error) {
	cmd := in.Command
	if cmd == "" {
		cmd = "rank"
	}
	at := func(parts ...string) string { return filepath.Join(append([]string{in.Dir}, parts...)...) }
	user := in.User
	pickDir := func(project, home string) string {
		if user {
			return home
		}
		return project
	}
	shell := cmd + " hook " + in.Client
	server := stdioServer{Command: cmd, Args: []string{"mcp"}}
	typed := server
	typed.Type = "stdio"
	skill := func(dir string) change {
		return whole(KindSkill, at(dir, "skills", "rank", "SKILL.md"), in.Skill)
	}
	notes := func(parts ...string) change {
		return block(KindInstructions, at(parts...), blockBegin, blockEnd, instructionsText, nil)
	}
	is := ours(in.Client)
	start := "startup|resume|clear|compact"
	var out []change
	switch in.Client {
	case Claude:
		h := claudeHook{"command", cmd, []string{"hook", Claude}, hookSeconds}
		settings := at(".claude", "settings.json")
		out = append(out, element(KindHook, settings, []string{"hooks", "UserPromptSubmit"}, hookGroup{Hooks: []any{h}}, is),
			element(KindHook, settings, []string{"hooks", "SessionStart"}, hookGroup{start, []any{h}}, is),
			member(KindMCP, at(pickDir(".mcp.json", ".claude.json")), []string{"mcpServers", "rank"}, typed),
			skill(".claude"), notes(pickDir("CLAUDE.md", filepath.Join(".claude", "CLAUDE.md"))))
	case Codex:
		h := shellHook{"", "command", shell, hookSeconds}
		hooks := at(".codex", "hooks.json")
		toml := fmt.Sprintf("[mcp_servers.rank]\ncommand = %q\nargs = [\"mcp\"]\n", cmd)
		out = append(out, element(KindHook, hooks, []string{"hooks", "UserPromptSubmit"}, hookGroup{Hooks: []any{h}}, is),
			element(KindHook, hooks, []string{"hooks", "SessionStart"}, hookGroup{start, []any{h}}, is),
			block(KindMCP, at(".codex", "config.toml"), tomlBegin, tomlEnd, toml, checkTOML),
			skill(".agents"), notes(pickDir("AGENTS.md", filepath.Join(".codex", "AGENTS.md"))))
	case Gemini:
		h := shellHook{"rank", "command", shell, hookSeconds * 1000}
		settings := at(".gemini", "settings.json")
		out = append(out, element(KindHook, settings, []string{"hooks", "BeforeAgent"}, hookGroup{"*", []any{h}}, is),
			element(KindHook, settings, []string{"hooks", "SessionStart"}, hookGroup{"*", []any{h}}, is),
			member(KindMCP, settings, []string{"mcpServers", "rank"}, server),
			skill(".gemini"), notes(pickDir("GEMINI.md", filepath.Join(".gemini", "GEMINI.md"))))
	case Cursor:
		hooks := at(".cursor", "hooks.json")
		out = append(out, given(KindHook, hooks, []string{"version"}, 1),
			element(KindHook, hooks, []string{"hooks", "sessionStart"}, map[string]any{"command": shell}, is),
			member(KindMCP, at(".cursor", "mcp.json"), []string{"mcpServers", "rank"}, server),
			skill(".cursor"))
		if !user { // a user's rules of Cursor are in no file
			out = append(out, notes("AGENTS.md"))
		}
	case Copilot, "vscode":
		is = ours(Copilot)
		shell = cmd + " hook " + Copilot
		hooks := at(pickDir(filepath.Join(".github", "hooks", "rank.json"), filepath.Join(".copilot", "hooks", "rank.json")))
		out = append(out, given(KindHook, hooks, []string{"version"}, 1),
			element(KindHook, hooks, []string{"hooks", "sessionStart"}, copilotHook{"command", shell, shell, hookSeconds}, is))
		switch {
		case in.Client == "vscode" && !user:
			out = append(out, member(KindMCP, at(".vscode", "mcp.json"), []string{"servers", "rank"}, typed))
		case in.Client == Copilot && user:
			typed.Type, typed.Tools = "local", []string{"*"}
			out = append(out, member(KindMCP, at(".copilot", "mcp-config.json"), []string{"mcpServers", "rank"}, typed))
		}
		out = append(out, skill(pickDir(".github", ".copilot")))
		if !user {
			out = append(out, notes(".github", "copilot-instructions.md"))
		}
	case "opencode":
		config := at("opencode.json")
		if user {
			config = at(".config", "opencode", "opencode.json")
		}
		out = append(out, member(KindMCP, config, []string{"mcp", "rank"}, localServer{"local", []string{cmd, "mcp"}, true}),
			skill(pickDir(".opencode", filepath.Join(".config", "opencode"))),
			notes(pickDir("AGENTS.md", filepath.Join(".config", "opencode", "AGENTS.md"))))
	default:
		return nil, &UsageError{fmt.Sprintf("no client is called %q: there are %s", in.Client, strings.Join(InstallClients, ", "))}
	}
	if len(in.Kinds) == 0 {
		return out, nil
	}
	for _, k := range in.Kinds {
		if !slices.ContainsFunc(out, func(c change) bool { return c.kind == k }) {
			return nil, &UsageError{fmt.Sprintf("%s has no place for --%s here: it takes %s", in.Client, k, kindsOf(out))}
		}
	}
	return slices.DeleteFunc(out, func(c change) bool { return !slices.Contains(in.Kinds, c.kind) }), nil
}

func kindsOf(list []change) string {
	var out []string
	for _, k := range Kinds {
		if slices.ContainsFunc(list, func(c change) bool { return c.kind == k }) {
			out = append(out, "--"+k)
		}
	}
	return strings.Join(out, ", ")
}
