package facts

import (
	"strings"
	"testing"
)

func TestMarkup(t *testing.T) {
	for _, tt := range []struct{ lang, src, want string }{
		{"markdown", "---\ntitle: x\n---\n# Shop `api` [link](a.md)\n\ntext [guide](docs/guide.md#top) and [web](https://example.org) ![i](img/a.png)\n\n```sh\n# not a heading\n```\n## Use {#use}\n\nOld style\n---------\n### Deep\n## Last\n[ref]: ../src/main.go\n",
			`section Shop api link 4-17
section Use in Shop api link 11-12
section Old style in Shop api link 13-15 sig 14
section Deep in Old style 15-15
section Last in Shop api link 16-17
import a.md relative 1
import docs/guide.md relative 1
import img/a.png relative 1
import ../src/main.go relative 1`},
		{"rst", "====\nShop\n====\n\nUse\n---\n\n.. include:: ../README.rst\n.. automodule:: shop.orders\n.. toctree::\n   :maxdepth: 2\n\n   usage/start\n   Guide <usage/guide>\n\nsee :doc:`/api`\n\nMore\n----\nDeep\n~~~~\n",
			`section Shop 1-21 sig 3
section Use in Shop 5-17 sig 6
section More in Shop 18-21 sig 19
section Deep in More 20-21 sig 21
import ../README.rst relative 1
import shop.orders
import usage/start relative 1
import usage/guide relative 1
import /api relative 1`},
		{"asciidoc", "= Shop\n\n== Use\n----\n== not\n----\ninclude::a/b.adoc[]\n=== Deep\n== Last\n",
			`section Shop 1-9
section Use in Shop 3-8
section Deep in Use 8-8
section Last in Shop 9-9
import a/b.adoc relative 1`},
		{"org", "* A\n** B\ntext\n* C\n", "section A 1-3\nsection B in A 2-3\nsection C 4-4"},
		{"tex", "\\section{A}\n\\input{b}\n\\subsection*{C}\n", "section A 1-3\nsection C in A 3-3\nimport b relative 1"},
		{"yaml", "name: ci\non:\n  push:\n    branches: [main]\n  pull: {}\nrun: |\n  key: not\n\"quo ted\": 1\n- x: 1\n",
			`key name 1-1
key on 2-5
key push in on 3-4
key pull in on 5-5
key run 6-7
key quo ted 8-9`},
		{"toml", "title = \"x\"\nlist = [\n  \"a = b\",\n]\n[server]\nport = 1\ntext = \"\"\"\nkey = not\n\"\"\"\n[[peers]]\nname = 2\n",
			`key title 1-1
key list 2-4
key server 5-9
key port in server 6-6
key text in server 7-9
key peers 10-11
key name in peers 11-11`},
		{"ini", "; c\n[a]\nx = 1\ny: 2\n  more\n[b]\n", "key a 2-5\nkey x in a 3-3\nkey y in a 4-5\nkey b 6-6"},
		{"json", "{\n  \"a\": {\"x\": 1, \"y\": {\"deep\": 2}},\n  // no\n  \"b\": [\n    \"c: d\"\n  ],\n  \"e\": \"f\",\n}\n",
			`key a 2-2
key x in a 2-2
key y in a 2-2
key b 4-6
key e 7-7`},
	} {
		if got := strings.Join(spell(tt.lang, tt.src), "\n"); got != tt.want {
			t.Errorf("%s:\n%s\ngot:\n%s\nwant:\n%s", tt.lang, tt.src, got, tt.want)
		}
	}
}

func TestManifestProps(t *testing.T) {
	for _, tt := range []struct{ lang, src, want string }{
		{"gomod", "module shop.org/x // c\n\ngo 1.26\nreplace a.org/b => ../b\nreplace (\n\tc.org/d v1 => e.org/f v2\n)\nrequire x v1\n", "module=shop.org/x replace=a.org/b=>../b replace=c.org/d=>e.org/f"},
		{"package.json", `{"name":"@shop/x","main":"lib/a.js","exports":{".":{"types":"./a.d.ts","import":"./a.mjs"},"./b":"./b.js"},"workspaces":["packages/*"],}`,
			"name=@shop/x main=lib/a.js exports=.=>./a.mjs exports=./b=>./b.js workspaces=packages/*"},
		{"package.json", `{"exports":"./x.js","workspaces":{"packages":["a","b"]}}`, "exports=.=>./x.js workspaces=a workspaces=b"},
		{"tsconfig", "{ // c\n \"extends\": \"./base.json\", /* d */ \"compilerOptions\": {\"baseUrl\": \"src\", \"paths\": {\"@/*\": [\"app/*\", \"lib/*\"],},},\n}", "extends=./base.json baseUrl=src paths=@/*=>app/* paths=@/*=>lib/*"},
		{"cargo", "[package]\nname = \"shop\"\n[lib]\npath = \"src/x.rs\"\n[workspace]\nmembers = [\"a\", \"b/*\"]\n[dependencies]\nc = { path = \"../c\" }\n", "name=shop path=src/x.rs members=a members=b/* dependency=c=>../c"},
		{"cargo", "[package]\nname = \"shop\"\nversion = broken\n", "name=shop"},
		{"composer", `{"autoload":{"psr-4":{"Shop\\":"src/","Z\\":["a","b"]}},"autoload-dev":{"psr-4":{"T\\":"tests"}}}`, `psr-4=Shop\=>src/ psr-4=Z\=>a psr-4=Z\=>b psr-4=T\=>tests`},
		{"mix", "def project do\n [app: :shop_x, version: 1]\n", "name=shop_x"},
		{"pyproject", "[project]\nname = \"shop\"\n[tool.setuptools.packages.find]\nwhere = [\"src\"]\n", "name=shop where=src"},
		{"buildfile", `<ProjectReference Include="..\Core\Core.csproj" />`, "reference=../Core/Core.csproj"},
		{"package.json", "not json", ""},
		{"python", "x = 1", ""},
	} {
		var got []string
		for _, p := range manifestProps(tt.lang, []byte(tt.src)) {
			got = append(got, p.Key+"="+p.Value)
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("manifestProps(%q, %q)\n got %s\nwant %s", tt.lang, tt.src, g, tt.want)
		}
	}
}
