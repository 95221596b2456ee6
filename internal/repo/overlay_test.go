package repo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cohop/internal/index"
	"cohop/internal/repo"
	"cohop/rank"
)

// project is a random tree of several languages whose names and paths collide
// often, so that a change of one file changes what others mean.
type project struct {
	r         *rand.Rand
	exts      []string // of the files that it makes
	files     map[string]string
	manifests bool // edit them too
}

var (
	folders = []string{"", "src", "lib", "app/core", "pkg/util", "include"}
	modules = []string{"alpha", "beta", "gamma", "delta", "io_util", "index"}
	symbols = []string{"Loader", "parse_all", "fetchRows", "RateLimit", "Session", "x", "encode_it", "Gamma"}

	// Where languages with folders of their own stand.
	foldersOf = map[string][]string{
		"kt":    {"src", "src/commonMain/kotlin", "src/jvmMain/kotlin", "src/jsMain/kotlin", "core/common/src", "core/jvm/src", "app/core"},
		"swift": {"Sources/Core", "Sources/Util", "Tests/CoreTests", "Source", "src"},
		"cs":    {"src/Core", "src/Core.Tests", "src/Util", "lib"},
		"proto": {"protos", "protos/core", "app/core", "pkg/util", "src", "gen", ""},
		"g4":    {"src", "grammars/core", "pkg/util", ""},
	}
	types = []string{"Loader", "RateLimit", "Session", "Gamma", "Alpha"}
	packs = []string{"org.core", "org.util", "org.core.gen", "org"}
)

func (p *project) one(list []string) string { return list[p.r.IntN(len(list))] }

// source writes one file of a language that imports and calls at random.
func (p *project) source(ext string) string {
	m, n := func() string { return p.one(modules) }, func() string { return p.one(symbols) }
	var b strings.Builder
	for range 1 + p.r.IntN(3) {
		switch ext {
		case "py":
			fmt.Fprintf(&b, p.one([]string{"from %[1]s import %[2]s\n", "import %[1]s\n", "from .%[1]s import %[2]s as Other\n", "from .%[1]s import *\n", "from lib.%[1]s import %[2]s\n", "from app.core import %[1]s\n", "from . import %[1]s\n", "from .. import %[2]s\n"}), m(), n())
		case "js", "ts":
			fmt.Fprintf(&b, p.one([]string{"import {%[2]s} from './%[1]s'\n", "import * as %[1]s from '../src/%[1]s'\n", "export * from './%[1]s'\n", "export {%[2]s as Other} from './%[1]s'\n", "const %[1]s = require('./%[1]s')\n", "import {%[2]s} from '.'\n", "import {%[2]s} from '../'\n"}), m(), n())
		case "rb":
			fmt.Fprintf(&b, p.one([]string{"require '%[1]s'\n", "require_relative '%[1]s'\n"}), m())
		case "c", "h":
			fmt.Fprintf(&b, p.one([]string{"#include \"%[1]s.h\"\n", "#include <%[1]s.h>\n"}), m())
		case "rs":
			fmt.Fprintf(&b, p.one([]string{"use crate::%[1]s::%[2]s;\n", "mod %[1]s;\n", "pub use self::%[1]s::*;\n", "use super::%[1]s::%[2]s;\n"}), m(), n())
		}
	}
	if text := p.typed(ext); text != "" {
		return text
	}
	switch ext {
	case "java":
		fmt.Fprintf(&b, "package org.%s;\nimport org.%s.%s;\nimport org.%s.*;\n", m(), m(), n(), m())
	case "go":
		fmt.Fprintf(&b, "package %s\n\nimport \"example.com/shop/%s\"\n", p.one([]string{"core", "util"}), p.one([]string{"src", "lib", "app/core", "pkg/util"}))
	case "ex":
		fmt.Fprintf(&b, "defmodule Shop.%s do\n  alias Shop.%s\n", n(), n())
	}
	for range 1 + p.r.IntN(2) {
		d, c, q := n(), n(), p.one(append(slices.Clone(modules), symbols...))
		switch ext {
		case "py":
			fmt.Fprintf(&b, p.one([]string{"class %[1]s(%[2]s):\n    def %[4]s(self):\n        return %[3]s.%[2]s()\n", "def %[1]s():\n    return %[2]s() + %[3]s.%[4]s()\n"}), d, c, q, n())
		case "js", "ts":
			fmt.Fprintf(&b, "export function %s() { return %s(%s.%s()) }\n", d, c, q, n())
		case "rb":
			fmt.Fprintf(&b, "class %s\n  def %s\n    %s.new\n    %s.%s\n  end\nend\n", strings.ToUpper(d[:1])+d[1:], n(), p.one([]string{"Loader", "Gamma", "Session"}), q, c)
		case "c", "h":
			fmt.Fprintf(&b, "int %s(void) { return %s(); }\n", d, c)
		case "rs":
			fmt.Fprintf(&b, "pub fn %s() { %s(); %s::%s(); }\n", d, c, q, n())
		case "java":
			fmt.Fprintf(&b, "class %s extends %s { void %s() { new %s().%s(); } }\n", d, c, n(), q, n())
		case "go":
			fmt.Fprintf(&b, "func %s() { %s(); %s.%s() }\n", d, c, p.one([]string{"core", "util", "lib", "src"}), n())
		case "ex":
			fmt.Fprintf(&b, "  def %s(), do: %s.%s()\n", n(), n(), n())
		}
	}
	if ext == "ex" {
		b.WriteString("end\n")
	}
	fmt.Fprintf(&b, "%s revision %d\n", map[string]string{"py": "#", "rb": "#", "ex": "#"}[ext]+map[string]string{"js": "//", "ts": "//", "c": "//", "h": "//", "rs": "//", "java": "//", "go": "//"}[ext], p.r.IntN(1000))
	return b.String()
}

// typed writes one file of a language whose files find each other by packages
// and types, of a schema or a grammar, or of a user of what is made of one; "" for
// others.
func (p *project) typed(ext string) string {
	m, n, ty, pk := func() string { return p.one(modules) }, func() string { return p.one(symbols) }, func() string { return p.one(types) }, func() string { return p.one(packs) }
	var b strings.Builder
	some := func(most int, lines ...string) {
		for range p.r.IntN(most + 1) {
			fmt.Fprintf(&b, p.one(lines)+"\n%.0[1]s%.0[2]s%.0[3]s%.0[4]s", m(), n(), ty(), pk())
		}
	}
	switch {
	case ext == "kt":
		fmt.Fprintf(&b, "package %s\n", pk())
		some(4, "import %[4]s.*", "import %[4]s.%[3]s", "import %[4]s.%[2]s", "import %[4]s.%[2]s as other", "import %[4]s.%[3]sOuterClass", "import %[4]s.%[3]sParser")
		some(2, "expect class %[3]s", "actual class %[3]s", "class %[3]s { fun %[2]s() = x() }", "interface %[3]s { fun %[2]s() }", "private fun %[2]s() = 1", "val %[2]s = 1")
		some(2, "fun %[3]s.%[2]s() = 1", "fun %[3]s.encode_it() = x()", "val %[3]s.%[2]s get() = 1", "object %[3]s { fun %[2]s() = 1 }")
		fmt.Fprintf(&b, "fun %s(a: %s): %s { %s(); a.%s(); session.%s(); return %s.%s() }\n", n(), ty(), ty(), n(), n(), n(), ty(), n())
		fmt.Fprintf(&b, "class %s%d : %s() { fun run() { this.%s(); %s() } }\n", ty(), p.r.IntN(3), ty(), n(), n())
	case ext == "cs":
		some(3, "using Org.Core;", "using Org.Util;", "using Org;", "using static Org.Core.%[3]s;", "using S = Org.Util.%[3]s;")
		fmt.Fprintf(&b, "namespace %s\n{\n", p.one([]string{"Org.Core", "Org.Util", "Org", "Org.Core.Inner"}))
		for range 1 + p.r.IntN(2) {
			fmt.Fprintf(&b, "public %s class %s : %s\n{\n", p.one([]string{"", "partial", "static"}), ty()+p.one([]string{"", "", "<T>"}), ty())
			some(2, "    public int %[2]s() { return %[3]s.%[2]s(); }", "    private int %[2]s;", "    public const int %[2]s = 1;", "    public class %[3]s {}")
			fmt.Fprintf(&b, "    public %s %s(%s a) { a.%s(); session.%s(); return new Org.Util.%s().%s(); }\n}\n", ty(), n(), ty(), n(), n(), ty(), n())
		}
		b.WriteString("}\n")
	case ext == "swift":
		some(2, "import Core", "import Util", "import src", "import Foundation")
		some(2, "struct %[3]s { func %[2]s() {} }", "extension %[3]s { func %[2]s() { x() } }", "let %[2]s = %[3]s()", "class %[3]s { class Gamma { func %[2]s() {} } }", "protocol %[3]s { func %[2]s() }")
		fmt.Fprintf(&b, "func %s(a: %s) { a.%s(); %s(); session.%s(); %s.%s(); let b = %s(); b.%s() }\n", n(), ty(), n(), n(), n(), ty(), n(), ty(), n())
		fmt.Fprintf(&b, "class %s%d: %s { func run() { self.%s(); %s.Gamma().%s() } }\n", ty(), p.r.IntN(3), ty(), n(), ty(), n())
	case ext == "proto":
		fmt.Fprintf(&b, "syntax = \"proto3\";\n%s", p.one([]string{"", "package org.core;\n", "package org.util;\n", "package core.v1;\n"}))
		some(2, "import \"%[1]s.proto\";", "import \"core/%[1]s.proto\";", "import \"protos/core/%[1]s.proto\";")
		some(2, "message %[3]s { string name = 1; }", "enum %[3]s { NONE = 0; }", "message %[3]s { message Gamma { string x = 1; } Gamma g = 1; }")
		some(1, "service %[3]s { rpc Fetch (%[3]s) returns (Session); }")
	case ext == "g4":
		fmt.Fprintf(&b, "grammar %s;\n%s : 'a' | rest ;\nrest : 'b' ;\n", ty(), p.one([]string{"start", "expr"}))
	case p.r.IntN(2) == 0 || !slices.Contains(p.exts, "proto"):
		return ""
	case ext == "py":
		some(4, "import %[1]s_pb2", "from protos import %[1]s_pb2_grpc", "from app.core import %[1]s_pb2 as other", "from . import %[1]s_pb2", "from .%[1]s_pb2 import %[3]s", "from core.%[1]s_pb2 import %[3]s", "from gen.%[3]sParser import %[3]sParser", "import %[3]sLexer")
		fmt.Fprintf(&b, "def %s():\n    return %s_pb2.%s()\n", n(), m(), ty())
	case ext == "java":
		fmt.Fprintf(&b, "package %s;\n", pk())
		some(4, "import %[4]s.%[3]s;", "import %[4]s.AlphaOuterClass.%[3]s;", "import %[4]s.%[3]sGrpc;", "import %[4]s.generated.%[3]s;", "import %[4]s.BetaProto.%[3]s;", "import %[4]s.%[3]sParser;", "import %[4]s.%[3]sBaseVisitor;")
		fmt.Fprintf(&b, "class %s { %s %s() { return %s.%s(); } }\n", ty(), ty(), n(), ty(), n())
	case ext == "go":
		fmt.Fprintf(&b, "package core\n\nimport (\n\t\"example.com/shop/protos\"\n\tpb \"example.com/shop/%s\"\n)\n\n", p.one([]string{"protos/core", "gen/core", "pkg/util", "x/app/core", "gen"}))
		fmt.Fprintf(&b, "func %s() { pb.New%sClient(); protos.%s() }\n", n(), ty(), ty())
	case ext == "h":
		some(3, "#include \"%[1]s.pb.h\"", "#include <core/%[1]s.pb.h>", "#include \"protos/%[1]s.grpc.pb.h\"", "#include \"%[3]sParser.h\"")
		fmt.Fprintf(&b, "int %s(void);\n", n())
	}
	return b.String()
}

var (
	extensions = []string{"py", "py", "js", "ts", "rb", "c", "h", "rs", "java", "go", "ex"}
	typedOnes  = []string{"kt", "kt", "cs", "cs", "swift", "swift", "proto", "proto", "proto", "g4", "py", "java", "go", "h"}
	schemaOnes = []string{"proto", "proto", "proto", "java", "java", "java", "kt", "py", "go", "g4", "h"}
	kotlinOnes = []string{"kt"}
)

func (p *project) path(ext string) string {
	stem, dirs := p.one(modules), folders
	if own := foldersOf[ext]; own != nil {
		dirs = own
	}
	switch {
	case ext == "g4", ext == "cs", ext == "swift", ext == "kt" && p.r.IntN(2) == 0:
		stem = p.one(types)
		if ext == "cs" && p.r.IntN(3) == 0 {
			stem += p.one([]string{".Part", "`1", ".T"})
		}
	case ext == "py" && p.r.IntN(3) == 0:
		stem = "__init__"
	case ext == "rs" && p.r.IntN(4) == 0:
		stem = p.one([]string{"mod", "lib"})
	}
	return strings.TrimPrefix(p.one(dirs)+"/"+stem+"."+ext, "/")
}

func (p *project) add(n int) {
	for range n {
		ext := p.one(p.exts)
		p.files[p.path(ext)] = p.source(ext)
	}
}

// edit changes some files: other content, one symbol's name, gone, moved, new.
func (p *project) edit() {
	for range 1 + p.r.IntN(5) {
		paths := slices.Sorted(maps.Keys(p.files))
		f := p.one(paths)
		ext := strings.TrimPrefix(filepath.Ext(f), ".")
		if !p.manifests && !slices.Contains(p.exts, ext) {
			continue // a manifest makes everything affected
		}
		switch p.r.IntN(6) {
		case 0:
			delete(p.files, f)
			p.add(1)
		case 1:
			p.files[p.path(ext)] = p.files[f]
			delete(p.files, f)
		case 2:
			p.files[f] = strings.Replace(p.files[f], p.one(symbols), p.one(symbols), 1)
		case 3:
			p.add(1)
		case 4:
			p.files[f] += "\n"
		default:
			if slices.Contains(p.exts, ext) {
				p.files[f] = p.source(ext)
			}
		}
	}
}

// write makes dir hold the files and nothing else but the repository.
func (p *project) write(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	for f, text := range p.files {
		full := filepath.Join(dir, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func edgesOf(v *index.View) (out []string) {
	for _, e := range v.Edges() {
		out = append(out, fmt.Sprintf("%s → %s %d %.4f", v.Path(e.From), v.Path(e.To), e.Kind, e.Weight))
	}
	return out
}

func answer(t *testing.T, st *repo.State, dir string) string {
	t.Helper()
	e := rank.New(st)
	q, err := e.Query(context.Background(), rank.Request{Task: "RateLimit in the session Loader: parse_all and fetchRows of io_util", Repo: dir})
	if err != nil {
		t.Fatal(err)
	}
	r, err := q.Result(2000)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestOverlayAnswersAsRebuilt edits random projects and compares what is laid
// over the old segment with what is built anew: edges, and whole answers.
func TestOverlayAnswersAsRebuilt(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			exts := [...][]string{extensions, typedOnes, schemaOnes, extensions, kotlinOnes}[seed%5]
			p := &project{r: rand.New(rand.NewPCG(seed, 9)), exts: exts, manifests: seed%7 == 6, files: map[string]string{
				"go.mod": "module example.com/shop\n", "Cargo.toml": "[package]\nname = \"shop\"\n",
				"package.json": `{"name": "shop", "main": "src/index.js"}`, "tsconfig.json": `{"compilerOptions": {"paths": {"@/*": ["src/*"]}}}`}}
			p.add(20 + int(seed%3)*25)
			dir, cache := t.TempDir(), t.TempDir()
			p.write(t, dir)
			runGit(t, dir, "init", "-q")
			runGit(t, dir, "add", "-A")
			runGit(t, dir, "commit", "-q", "-m", "RateLimit the Session")
			open := func(opt repo.Options) *repo.State {
				opt.Path = dir
				st, err := repo.Open(context.Background(), opt)
				if err != nil {
					t.Fatal(err)
				}
				return st
			}
			open(repo.Options{CacheDir: cache}).Close()
			compare := func(round string) {
				over, plain := open(repo.Options{CacheDir: cache}), open(repo.Options{NoCache: true})
				defer over.Close()
				defer plain.Close()
				got, want := edgesOf(over.View), edgesOf(plain.View)
				if !slices.Equal(got, want) {
					for _, e := range want {
						if !slices.Contains(got, e) {
							t.Errorf("%s: the overlay lacks %s", round, e)
						}
					}
					for _, e := range got {
						if !slices.Contains(want, e) {
							t.Errorf("%s: the overlay has too many %s", round, e)
						}
					}
				}
				if a, b := answer(t, over, dir), answer(t, plain, dir); a != b {
					t.Errorf("%s: the answers differ: %s", round, firstDifference(a, b))
				}
			}
			for round := range 6 {
				p.edit()
				p.write(t, dir)
				if round == 3 {
					runGit(t, dir, "add", "-A")
					runGit(t, dir, "commit", "-q", "-m", "parse_all rows")
				}
				if compare(fmt.Sprintf("round %d", round)); t.Failed() {
					return
				}
			}
			// A commit that the log holds, with a tree that has no segment: the
			// history is cut for it while its files are read.
			runGit(t, dir, "add", "-A")
			runGit(t, dir, "commit", "-q", "-m", "Loader of the session")
			compare("committed")
			runGit(t, dir, "checkout", "-q", "HEAD~1")
			compare("another commit")
			compare("another commit, kept")
		})
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d\n%s\n%s", i, x[i], y[i])
		}
	}
	return "in length"
}
