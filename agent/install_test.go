package agent

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// shapes are settings as clients have them, with what people put into them.
var shapes = map[string]string{
	".claude/settings.json": `{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": ["Bash(go test:*)"],
    "deny": ["Read(./.env)"]
  },
  "hooks": {
    "UserPromptSubmit": [
      { "hooks": [{ "type": "command", "command": "~/bin/log-prompt" }] }
    ],
    "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }]
  },
  "env": { "FOO": "<bar> & baz" }
}
`,
	".claude.json":              `{"numStartups":3,"mcpServers":{"other":{"type":"stdio","command":"x","args":[]}},"projects":{"/p":{}}}`,
	".mcp.json":                 "{\n\t\"mcpServers\": {\n\t\t\"db\": {\"command\": \"db-mcp\"}\n\t}\n}\n",
	".codex/config.toml":        "# mine\nmodel = \"m\" # the best\n\n[mcp_servers.docs]\ncommand = \"docs\"\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"",
	".codex/hooks.json":         "{\"hooks\": {}}\n",
	".gemini/settings.json":     "{\r\n    // theme\r\n    \"theme\": \"GitHub\",\r\n    \"mcpServers\": {\r\n    },\r\n}\r\n",
	".cursor/hooks.json":        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"./audit.sh\" }],\n    \"sessionStart\": []\n  }\n}\n",
	".cursor/mcp.json":          "{\n  \"mcpServers\": {}\n}\n",
	".vscode/mcp.json":          "{\n\t// servers of the team\n\t\"servers\": {\n\t\t\"github\": { \"type\": \"http\", \"url\": \"https://example.org\" }, // trailing\n\t},\n\t\"inputs\": []\n}",
	"opencode.json":             "{\"$schema\": \"https://opencode.ai/config.json\"}",
	"AGENTS.md":                 "# Rules\n\nNo tabs.",
	"CLAUDE.md":                 "# Claude\n\n<!-- a comment -->\n",
	"GEMINI.md":                 "",
	".copilot/mcp-config.json":  "{\n  \"mcpServers\": {}\n}",
	".config/opencode/.gitkeep": "",
}

// snapshot reads all files below a folder, with their modes.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		if d.IsDir() {
			out[rel+"/"] = ""
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(name)
		out[rel] = info.Mode().String() + " " + string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func equalTrees(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %s is %q, want %q", what, k, got[k], v)
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok {
			t.Errorf("%s: %s is left behind: %q", what, k, got[k])
		}
	}
}

const skillText = "---\nname: rank\n---\n"

// TestInstallAndBack installs for every client into settings as they are, and
// into none, twice, and takes it out again: all bytes and modes are what they
// were.
func TestInstallAndBack(t *testing.T) {
	for _, client := range InstallClients {
		for _, user := range []bool{false, true} {
			for what, files := range map[string]map[string]string{"shapes": shapes, "nothing": {}} {
				dir, state := t.TempDir(), t.TempDir()
				write(t, dir, files)
				if what == "shapes" {
					if err := os.Chmod(filepath.Join(dir, ".claude.json"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				before := snapshot(t, dir)
				in := Install{Client: client, Dir: dir, User: user, Skill: skillText, State: state}
				dry := in
				dry.DryRun = true
				plan, err := dry.Run()
				if err != nil || len(plan) == 0 {
					t.Fatalf("%s: dry run: %v", client, err)
				}
				equalTrees(t, client+": dry run", snapshot(t, dir), before)
				for _, d := range plan {
					if !strings.Contains(d.Diff, "\n+ ") {
						t.Errorf("%s: %s shows no diff: %q", client, d.File, d.Diff)
					}
				}
				if _, err := in.Run(); err != nil {
					t.Fatalf("%s: %v", client, err)
				}
				after := snapshot(t, dir)
				for _, d := range plan {
					b, err := os.ReadFile(d.File)
					if err != nil || !strings.Contains(string(b), "rank") {
						t.Errorf("%s: %s: %v %s", client, d.File, err, b)
					}
					if strings.HasSuffix(d.File, ".json") {
						if _, err := parseJSONC(b); err != nil {
							t.Errorf("%s: %s: %v", client, d.File, err)
						}
					}
				}
				done, err := in.Run()
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range done {
					if d.What != "as it was" {
						t.Errorf("%s: twice: %s is %s", client, d.File, d.What)
					}
				}
				equalTrees(t, client+": twice", snapshot(t, dir), after)
				out := in
				out.Remove = true
				if _, err := out.Run(); err != nil {
					t.Fatalf("%s: %v", client, err)
				}
				equalTrees(t, client+" "+what, snapshot(t, dir), before)
				if left, _ := os.ReadDir(state); len(left) > 0 {
					t.Errorf("%s: kept after removal: %v", client, left)
				}
				if _, err := out.Run(); err != nil {
					t.Errorf("%s: removal twice: %v", client, err)
				}
			}
		}
	}
}

// TestForeignStays: what a client's file held is still there and means the
// same.
func TestForeignStays(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, shapes)
	for _, client := range InstallClients {
		if _, err := (&Install{Client: client, Dir: dir, Skill: skillText, State: t.TempDir()}).Run(); err != nil {
			t.Fatal(err)
		}
	}
	b, _ := os.ReadFile(filepath.Join(dir, ".claude/settings.json"))
	var v struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct {
				Command string
				Args    []string
				Timeout int
			}
		}
		Env map[string]string
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	submit := v.Hooks["UserPromptSubmit"]
	if len(submit) != 2 || submit[0].Hooks[0].Command != "~/bin/log-prompt" || submit[1].Hooks[0].Command != "rank" || !slices.Equal(submit[1].Hooks[0].Args, []string{"hook", "claude"}) ||
		submit[1].Hooks[0].Timeout != 10 || v.Hooks["SessionStart"][0].Matcher != "startup|resume|clear|compact" || v.Env["FOO"] != "<bar> & baz" || len(v.Hooks["Stop"]) != 1 {
		t.Errorf("%s", b)
	}
	b, _ = os.ReadFile(filepath.Join(dir, ".codex/config.toml"))
	var c struct {
		Model   string
		Servers map[string]struct {
			Command string
			Args    []string
		} `toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(b, &c); err != nil || c.Model != "m" || c.Servers["docs"].Command != "docs" || c.Servers["rank"].Command != "rank" || !slices.Equal(c.Servers["rank"].Args, []string{"mcp"}) ||
		!strings.Contains(string(b), "# the best") {
		t.Errorf("%v %s", err, b)
	}
	b, _ = os.ReadFile(filepath.Join(dir, ".vscode/mcp.json"))
	if !strings.Contains(string(b), "// servers of the team") || !strings.Contains(string(b), "}, // trailing\n\t\t\"rank\": {") {
		t.Errorf("%s", b)
	}
	b, _ = os.ReadFile(filepath.Join(dir, "opencode.json"))
	if want := `"mcp": {"rank":{"type":"local","command":["rank","mcp"],"enabled":true}}`; !strings.Contains(string(b), want) {
		t.Errorf("%s, want %s", b, want)
	}
}

// TestChangedSince: when somebody edited the file, only ours goes.
func TestChangedSince(t *testing.T) {
	for _, client := range InstallClients {
		dir, state := t.TempDir(), t.TempDir()
		write(t, dir, shapes)
		in := Install{Client: client, Dir: dir, Skill: skillText, State: state}
		done, err := in.Run()
		if err != nil {
			t.Fatal(err)
		}
		touched := map[string]string{}
		for _, d := range done {
			b, _ := os.ReadFile(d.File)
			switch {
			case strings.HasSuffix(d.File, "SKILL.md"):
				continue // ours alone
			case strings.HasSuffix(d.File, ".json"):
				i := bytes.IndexByte(b, '{')
				b = splice(b, i+1, i+1, "\n\"later\": [1],")
			default:
				b = append(b, "\n# later = 1\n"...)
			}
			if err := os.WriteFile(d.File, b, 0o644); err != nil {
				t.Fatal(err)
			}
			touched[d.File] = "later"
		}
		in.Remove = true
		if _, err := in.Run(); err != nil {
			t.Fatalf("%s: %v", client, err)
		}
		for file, mark := range touched {
			b, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(b), mark) || strings.Contains(string(b), "rank") {
				t.Errorf("%s: %s: %v %s", client, file, err, b)
			}
			rel, _ := filepath.Rel(dir, file)
			if strings.HasSuffix(file, ".json") {
				now, err := parseJSONC(b)
				if err != nil {
					t.Errorf("%s: %v in %s", file, err, b)
					continue
				}
				m := now.decode(b).(map[string]any)
				delete(m, "later")
				was := map[string]any{}
				if s, ok := shapes[rel]; ok {
					old, _ := parseJSONC([]byte(s))
					was = old.decode([]byte(s)).(map[string]any)
				}
				if !same(m, was) {
					t.Errorf("%s: %s is %v, was %v", client, rel, m, was)
				}
			}
		}
	}
}

// TestOneKindOfTwo: two kinds in one file come and go by themselves.
func TestOneKindOfTwo(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	write(t, dir, shapes)
	before := snapshot(t, dir)
	run := func(remove bool, kinds ...string) {
		t.Helper()
		if _, err := (&Install{Client: Gemini, Dir: dir, Kinds: kinds, State: state, Remove: remove}).Run(); err != nil {
			t.Fatal(err)
		}
	}
	run(false, KindHook)
	run(false, KindMCP)
	run(true, KindHook)
	b, _ := os.ReadFile(filepath.Join(dir, ".gemini/settings.json"))
	if strings.Contains(string(b), "hook") || !strings.Contains(string(b), `"rank"`) {
		t.Errorf("%s", b)
	}
	run(true, KindMCP)
	equalTrees(t, "both", snapshot(t, dir), before)
}

// TestRefused: a file that does not parse is refused, and no other is touched.
func TestRefused(t *testing.T) {
	for file, c := range map[string]struct{ client, text string }{
		".claude/settings.json":        {Claude, "{\"hooks\": {\n"},
		".mcp.json":                    {Claude, "{\"mcpServers\": []}"},
		".codex/config.toml":           {Codex, "model = \n"},
		".gemini/settings.json":        {Gemini, "not json"},
		".cursor/hooks.json":           {Cursor, "{\"hooks\": {\"sessionStart\": {}}}"},
		"opencode.json":                {"opencode", "{\"mcp\": {\"rank\": {\"type\": \"remote\"}}}"},
		"AGENTS.md":                    {Codex, "# A\n<!-- START rank -->\nunfinished\n"},
		".agents/skills/rank/SKILL.md": {Codex, "another skill"},
	} {
		dir, state := t.TempDir(), t.TempDir()
		write(t, dir, map[string]string{file: c.text})
		before := snapshot(t, dir)
		_, err := (&Install{Client: c.client, Dir: dir, Skill: skillText, State: state}).Run()
		if err == nil || !strings.Contains(err.Error(), filepath.Base(file)) {
			t.Errorf("%s: %v", file, err)
		}
		equalTrees(t, file, snapshot(t, dir), before)
		if left, _ := os.ReadDir(state); len(left) > 0 {
			t.Errorf("%s: kept %v", file, left)
		}
	}
	for _, in := range []Install{{Client: "emacs"}, {Client: "opencode", Kinds: []string{KindHook}}, {Client: Cursor, User: true, Kinds: []string{KindInstructions}}} {
		in.Dir = t.TempDir()
		if _, err := in.Run(); err == nil {
			t.Errorf("%+v", in)
		}
	}
}

// TestLink: settings behind a symbolic link stay behind it.
func TestLink(t *testing.T) {
	dir, dots := t.TempDir(), t.TempDir()
	write(t, dots, map[string]string{"mcp.json": "{}\n"})
	link := filepath.Join(dir, ".mcp.json")
	if err := os.Symlink(filepath.Join(dots, "mcp.json"), link); err != nil {
		t.Skip(err)
	}
	in := Install{Client: Claude, Kinds: []string{KindMCP}, Dir: dir, State: t.TempDir()}
	if _, err := in.Run(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("%v %v", info, err)
	}
	if b, _ := os.ReadFile(filepath.Join(dots, "mcp.json")); !strings.Contains(string(b), "mcpServers") {
		t.Errorf("%s", b)
	}
	in.Remove = true
	if _, err := in.Run(); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(dots, "mcp.json")); string(b) != "{}\n" {
		t.Errorf("%q", b)
	}
}
