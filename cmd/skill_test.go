package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"cohop/internal/tokens"
	"cohop/skills"
)

// commandsIn lists the commands of ours that a text names: lines of sh fences,
// and code spans.
func commandsIn(text string) (out []string) {
	for _, fence := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(fence[1]) {
			line, _, _ = strings.Cut(line, " #")
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "rank ") || strings.HasPrefix(line, "rank\t") {
				out = append(out, line)
			}
		}
	}
	for _, span := range regexp.MustCompile("`(rank [^`\n]+)`").FindAllStringSubmatch(text, -1) {
		out = append(out, span[1])
	}
	return out
}

// flagsIn lists the flags that a text names by themselves.
func flagsIn(text string) (out []string) {
	for _, span := range regexp.MustCompile("`--([a-z-]+)[^`\n]*`").FindAllStringSubmatch(text, -1) {
		out = append(out, span[1])
	}
	return out
}

// shellFields splits a line as a shell does, as far as documents need it.
func shellFields(s string) (out []string) {
	for _, m := range regexp.MustCompile(`"([^"]*)"|'([^']*)'|(\S+)`).FindAllStringSubmatch(s, -1) {
		out = append(out, m[1]+m[2]+m[3])
	}
	return out
}

// parses tells whether a command line is one that the program takes.
func parses(line string) error {
	if i := strings.IndexAny(line, "|>"); i >= 0 {
		line = line[:i]
	}
	root := rootCommand()
	args := shellFields(line)[1:]
	c, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	if err := c.ValidateFlagGroups(); err != nil {
		return err
	}
	if c.Args != nil {
		return c.Args(c, c.Flags().Args())
	}
	return cobra.ArbitraryArgs(c, c.Flags().Args())
}

// TestSkill holds the skill against what loads it, and every command and flag
// that it names against the program.
func TestSkill(t *testing.T) {
	head, body, ok := strings.Cut(strings.TrimPrefix(skills.Rank, "---\n"), "\n---\n")
	if !ok || !strings.HasPrefix(skills.Rank, "---\n") {
		t.Fatal("no front matter")
	}
	fields := map[string]string{}
	for line := range strings.Lines(head) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), ": ")
		fields[k] = v
	}
	if fields["name"] != "rank" || len(fields) != 2 || fields["description"] == "" || len(fields["description"]) > 1024 {
		t.Errorf("%q", fields)
	}
	if n := strings.Count(body, "\n"); n >= 500 {
		t.Errorf("%d lines", n)
	}
	if n := tokens.CountString(body); n > 5000 {
		t.Errorf("%d tokens", n)
	}
	for _, word := range []string{"`n_eff`", "`k`", "`ε`", "`unpacked`", "`mem`", "`confidence`", "repository's root", "abstention is an answer"} {
		if !strings.Contains(body, word) {
			t.Errorf("it does not teach %s", word)
		}
	}
	checkCommands(t, "SKILL.md", skills.Rank, 5)
}

// checkCommands parses what a document names; least guards against a pattern
// that finds nothing.
func checkCommands(t *testing.T, name, text string, least int) {
	t.Helper()
	commands := commandsIn(text)
	if len(commands) < least {
		t.Errorf("%s: only %d commands: %q", name, len(commands), commands)
	}
	for _, c := range commands {
		if err := parses(c); err != nil {
			t.Errorf("%s: %s: %v", name, c, err)
		}
	}
	root := rootCommand()
	for _, f := range flagsIn(text) {
		found := root.Flags().Lookup(f) != nil
		for _, c := range root.Commands() {
			found = found || c.Flags().Lookup(f) != nil
		}
		if !found {
			t.Errorf("%s: no command has the flag --%s", name, f)
		}
	}
}

// TestAgentsDoc parses what doc/agents.md names.
func TestAgentsDoc(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "doc", "agents.md"))
	if err != nil {
		t.Fatal(err)
	}
	checkCommands(t, "agents.md", string(b), 5)
}

// TestParses: the check finds what is wrong.
func TestParses(t *testing.T) {
	for line, ok := range map[string]bool{
		`rank "a b" --top 3`: true, "rank explain a.go -- what is it": true, "rank index": true, "rank mcp --profile compact | tee x": true,
		"rank --no-such-flag x": false, "rank index these words": false, "rank --top many x": false,
	} {
		if err := parses(line); (err == nil) != ok {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestPlugin: the manifest of the plugin names what is there, and its commands
// parse.
func TestPlugin(t *testing.T) {
	top := ".."
	read := func(name string, v any) {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	type command struct {
		Type, Command string
		Args          []string
		Timeout       int
	}
	var manifest struct {
		Name, Version, Description string
		MCPServers                 map[string]command `json:"mcpServers"`
	}
	read(".claude-plugin/plugin.json", &manifest)
	if manifest.Name != "rank" || manifest.Version == "" || manifest.Description == "" || len(manifest.MCPServers) != 1 {
		t.Errorf("%+v", manifest)
	}
	var hooks struct {
		Hooks map[string][]struct{ Hooks []command }
	}
	read("hooks/hooks.json", &hooks)
	all := []command{manifest.MCPServers["rank"]}
	for _, event := range []string{"UserPromptSubmit", "SessionStart"} {
		for _, g := range hooks.Hooks[event] {
			all = append(all, g.Hooks...)
		}
	}
	if len(all) != 3 {
		t.Errorf("%+v", all)
	}
	for _, c := range all {
		if err := parses(c.Command + " " + strings.Join(c.Args, " ")); err != nil || c.Command != "rank" {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := os.Stat(filepath.Join(top, "skills", "rank", "SKILL.md")); err != nil {
		t.Error(err)
	}
}
