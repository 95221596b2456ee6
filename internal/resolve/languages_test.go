package resolve

import "testing"

// Each case is a small tree of one language and all its edges. Weights: 1 for
// a file imported by name, .25 for the re-exporter on the way, .9 for a peer
// of the package, .8 for an owner or a base, shares of these when ambiguous.
func TestLanguages(t *testing.T) {
	wantEachEdges(t, []edgeCase{
		{"go: used files, alias, nested module, vendor, replace", map[string]string{
			"go.mod":                       "prop module example.org/m\nprop replace example.org/other => ./forks/other",
			"sub/go.mod":                   "prop module example.org/m/sub",
			"pkg/a.go":                     "package pkg\ndef NewThing",
			"pkg/b.go":                     "package pkg\ndef Unused",
			"pkg/b_test.go":                "package pkg\ndef NewThing",
			"main.go":                      "package main\nimport example.org/m/pkg\nimport fmt\ncall pkg.NewThing\ncall fmt.Println\ncall helper",
			"more.go":                      "package main\ndef helper",
			"alias.go":                     "package main\nimport example.org/m/sub/deep=d\ncall d.Dive",
			"sub/deep/deep.go":             "package deep\ndef Dive",
			"vend.go":                      "package main\nimport github.com/x/y\nimport example.org/other/z\ncall y.Do\ncall z.Zed",
			"vendor/github.com/x/y/why.go": "package y\ndef Do",
			"forks/other/z/z.go":           "package z\ndef Zed",
		}, `
			main.go import pkg/a.go 1.00
			main.go call pkg/a.go 1.00
			main.go call more.go 0.90
			alias.go import sub/deep/deep.go 1.00
			alias.go call sub/deep/deep.go 1.00
			vend.go import vendor/github.com/x/y/why.go 1.00
			vend.go call vendor/github.com/x/y/why.go 1.00
			vend.go import forks/other/z/z.go 1.00
			vend.go call forks/other/z/z.go 1.00`},
		{"go: build tags share, an unused package shares its files", map[string]string{
			"go.mod":          "prop module m.org/m",
			"p/x_linux.go":    "package p\ndef Open",
			"p/x_windows.go":  "package p\ndef Open",
			"use.go":          "package main\nimport m.org/m/p\ncall p.Open",
			"side.go":         "package main\nimport m.org/m/p=_",
			"other/method.go": "package other\ntype Store\ndef Store.Compact",
			"third/call.go":   "package third\ncall st.Compact",
		}, `
			use.go import p/x_linux.go 0.50
			use.go import p/x_windows.go 0.50
			use.go call p/x_linux.go 0.50
			use.go call p/x_windows.go 0.50
			side.go import p/x_linux.go 0.50
			side.go import p/x_windows.go 0.50`},
		{"typescript: extensions, index, paths, packages, barrels", map[string]string{
			"tsconfig.base.json":      "prop paths @/*=>app/*",
			"tsconfig.json":           "prop extends ./tsconfig.base.json",
			"package.json":            "prop name root\nprop workspaces packages/*",
			"app/main.ts":             "import ./util.js: one\nimport ./dir: two\nimport @/deep/x: three\nimport react: useState\ncall one\ncall two\ncall useState",
			"app/util.ts":             "def one",
			"app/dir/index.ts":        "export ./impl: *",
			"app/dir/impl.ts":         "def two",
			"app/deep/x.tsx":          "def three",
			"packages/a/package.json": "prop name @s/a\nprop exports .=>./dist/index.mjs\nprop exports ./sub/*=>./dist/sub/*.mjs",
			"packages/a/src/index.ts": "def alpha",
			"packages/a/src/sub/k.ts": "def kay",
			"packages/b/b.js":         "import @s/a: alpha\nimport @s/a/sub/k=k\ncall alpha\ncall k.kay\nimport ./data.json?raw",
			"packages/b/data.json":    "",
		}, `
			app/main.ts import app/util.ts 1.00
			app/main.ts call app/util.ts 1.00
			app/main.ts import app/dir/impl.ts 1.00
			app/main.ts import app/dir/index.ts 0.25
			app/main.ts call app/dir/impl.ts 1.00
			app/main.ts import app/deep/x.tsx 1.00
			app/dir/index.ts import app/dir/impl.ts 1.00
			packages/b/b.js import packages/a/src/index.ts 1.00
			packages/b/b.js call packages/a/src/index.ts 1.00
			packages/b/b.js import packages/a/src/sub/k.ts 1.00
			packages/b/b.js call packages/a/src/sub/k.ts 1.00
			packages/b/b.js import packages/b/data.json 1.00`},
		{"java: class, static, wildcard, same package, base", map[string]string{
			"src/main/java/a/b/Foo.java":    "package a.b\ntype Foo\ndef Foo.make\ndef Foo.inheritedThing",
			"src/main/java/a/b/Peer.java":   "package a.b\ntype Peer",
			"src/main/java/a/c/Use.java":    "package a.c\nimport a.b.Foo\nimport java.util.List\nbase Foo\ncall Foo.make\ncall inheritedThing\nuse List",
			"src/main/java/a/c/Wild.java":   "package a.c\nimport a.b.*\nuse Peer",
			"src/main/java/a/b/Same.java":   "package a.b\nuse Peer",
			"src/main/kotlin/a/k/Kot.kt":    "package a.k\nimport a.b.Foo\ncall Foo",
			"src/main/scala/a/b/s/Sc.scala": "package a.b.s\nimport a.b: Foo, Peer\nuse Peer",
		}, `
			src/main/java/a/c/Use.java import src/main/java/a/b/Foo.java 1.00
			src/main/java/a/c/Use.java use src/main/java/a/b/Foo.java 1.00
			src/main/java/a/c/Use.java call src/main/java/a/b/Foo.java 1.00
			src/main/java/a/c/Wild.java import src/main/java/a/b/Peer.java 0.90
			src/main/java/a/c/Wild.java use src/main/java/a/b/Peer.java 0.90
			src/main/java/a/b/Same.java use src/main/java/a/b/Peer.java 0.90
			src/main/kotlin/a/k/Kot.kt import src/main/java/a/b/Foo.java 1.00
			src/main/kotlin/a/k/Kot.kt call src/main/java/a/b/Foo.java 1.00
			src/main/scala/a/b/s/Sc.scala import src/main/java/a/b/Foo.java 1.00
			src/main/scala/a/b/s/Sc.scala import src/main/java/a/b/Peer.java 1.00
			src/main/scala/a/b/s/Sc.scala use src/main/java/a/b/Peer.java 1.00`},
		{"csharp: namespaces", map[string]string{
			"A/One.cs":   "package N.A\ntype One",
			"A/Two.cs":   "package N.A\ntype Two",
			"B/Use.cs":   "package N.B\nimport N.A\nimport System.Text\nuse One",
			"B/Outer.cs": "package N\ntype Root",
			"B/In.cs":    "package N.B\nuse Root",
		}, `
			B/Use.cs import A/One.cs 0.90
			B/Use.cs use A/One.cs 0.90
			B/In.cs use B/Outer.cs 0.90`},
		{"rust: crate, self, super, mod, workspace, pub use", map[string]string{
			"Cargo.toml":            "prop members one",
			"one/Cargo.toml":        "prop name my-one",
			"one/src/lib.rs":        "mod deep\nexport self::deep: Thing",
			"one/src/deep.rs":       "mod inner\ntype Thing\nimport super::other: helper\nimport self::inner: Inn",
			"one/src/deep/inner.rs": "type Inn",
			"one/src/other/mod.rs":  "def helper\nimport crate::deep::inner: Inn",
			"two/Cargo.toml":        "prop name two",
			"two/src/main.rs":       "import my_one::Thing\nimport std::io\ncall Thing.new\nimport my_one::deep::inner: Inn=I",
		}, `
			one/src/lib.rs import one/src/deep.rs 1.00
			one/src/deep.rs import one/src/deep/inner.rs 1.00
			one/src/deep.rs import one/src/other/mod.rs 1.00
			one/src/other/mod.rs import one/src/deep/inner.rs 1.00
			two/src/main.rs import one/src/deep.rs 1.00
			two/src/main.rs import one/src/lib.rs 0.25
			two/src/main.rs import one/src/deep/inner.rs 1.00`},
		{"c: quoted, by suffix, source behind the header", map[string]string{
			"src/a.c":            "quoted util.h\nimport lib/deep.h\nimport stdio.h\ncall util_do\ncall deep_do",
			"src/util.h":         "def util_do",
			"src/util.c":         "quoted util.h\ndef util_do",
			"include/lib/deep.h": "def deep_do",
			"impl/deep.c":        "import lib/deep.h\ndef deep_do",
		}, `
			src/a.c import src/util.h 1.00
			src/a.c import include/lib/deep.h 1.00
			src/a.c call src/util.h 0.40
			src/a.c call src/util.c 0.40
			src/a.c call include/lib/deep.h 0.40
			src/a.c call impl/deep.c 0.40
			src/util.c import src/util.h 1.00
			impl/deep.c import include/lib/deep.h 1.00`},
		{"ruby: require, relative, constants by path", map[string]string{
			"lib/my_gem.rb":                       "import my_gem/http_server",
			"lib/my_gem/http_server.rb":           "type HTTPServer\ndef HTTPServer.listen_now",
			"lib/my_gem/client.rb":                "lang ruby\nquoted http_server\ncall HTTPServer.listen_now",
			"app/models/user.rb":                  "type User",
			"app/controllers/users_controller.rb": "type UsersController\ncall User.find",
		}, `
			lib/my_gem.rb import lib/my_gem/http_server.rb 1.00
			lib/my_gem/client.rb import lib/my_gem/http_server.rb 1.00
			lib/my_gem/client.rb call lib/my_gem/http_server.rb 0.80`},
		{"php: psr-4, namespace", map[string]string{
			"composer.json":    `prop psr-4 App\=>src/`,
			"src/Http/Req.php": "package App\\Http\ntype Req",
			"src/Kernel.php":   "package App\nimport App\\Http\\Req\nimport Symfony\\X\nuse Req\nuse Helper",
			"src/Helper.php":   "package App\ntype Helper",
		}, `
			src/Kernel.php import src/Http/Req.php 1.00
			src/Kernel.php use src/Http/Req.php 1.00
			src/Kernel.php use src/Helper.php 0.90`},
		{"swift: one target sees itself, imports see another", map[string]string{
			"Sources/Core/A.swift": "type Alpha",
			"Sources/Core/B.swift": "use Alpha",
			"Sources/App/C.swift":  "import Core\nuse Alpha",
		}, `
			Sources/Core/B.swift use Sources/Core/A.swift 0.90
			Sources/App/C.swift import Sources/Core/A.swift 0.90
			Sources/App/C.swift use Sources/Core/A.swift 0.90`},
		{"elixir: alias, full name, below an alias", map[string]string{
			"lib/ecto/query.ex":         "package Ecto.Query\ntype Ecto.Query\ndef from",
			"lib/ecto/query/builder.ex": "package Ecto.Query.Builder\ndef build",
			"lib/a.ex":                  "import Ecto.Query\ncall Query.from\ncall Query.from",
			"lib/b.ex":                  "lang elixir",
		}, `
			lib/a.ex import lib/ecto/query.ex 1.00
			lib/a.ex call lib/ecto/query.ex 1.00`},
		{"lua, bash, haskell, zig", map[string]string{
			"lua/lazy/core/util.lua":  "def notify",
			"lua/lazy/init.lua":       "import lazy.core.util=U\ncall U.notify",
			"run.sh":                  "import lib/common.sh\nimport $DIR/lib/common.sh",
			"lib/common.sh":           "",
			"src/Data/Aeson.hs":       "package Data.Aeson\nimport Data.Aeson.Types: Value",
			"src/Data/Aeson/Types.hs": "package Data.Aeson.Types\ntype Value",
			"src/main.zig":            "import sub/x.zig=x\nimport std=std\ncall x.go_on",
			"src/sub/x.zig":           "def go_on",
		}, `
			lua/lazy/init.lua import lua/lazy/core/util.lua 1.00
			lua/lazy/init.lua call lua/lazy/core/util.lua 1.00
			run.sh import lib/common.sh 1.00
			src/Data/Aeson.hs import src/Data/Aeson/Types.hs 1.00
			src/main.zig import src/sub/x.zig 1.00
			src/main.zig call src/sub/x.zig 1.00`},
		{"links: proto, scss, markdown, hcl, dart", map[string]string{
			"api/v1/a.proto":         "import api/common/b.proto",
			"api/common/b.proto":     "",
			"css/main.scss":          "import parts/colors",
			"css/parts/_colors.scss": "",
			"docs/a.md":              "import b.md#top\nimport https://x.org/c.md\nimport ../src/code.py",
			"docs/b.md":              "",
			"src/code.py":            "",
			"infra/main.tf":          "import ./mod/net",
			"infra/mod/net/x.tf":     "",
			"lib/app.dart":           "import package:app/src/util.dart",
			"lib/src/util.dart":      "",
		}, `
			api/v1/a.proto import api/common/b.proto 1.00
			css/main.scss import css/parts/_colors.scss 1.00
			docs/a.md import docs/b.md 1.00
			docs/a.md import src/code.py 1.00
			infra/main.tf import infra/mod/net/x.tf 1.00
			lib/app.dart import lib/src/util.dart 1.00`},
		{"scala: a package object takes no import that is not its own", map[string]string{
			"src/io/circe/package.scala": "package io\ntype circe\ndef circe.helper",
			"src/io/circe/Json.scala":    "package io.circe\nimport java.io.File\nimport scala.Foo\nimport io.circe.helper\ntype Json",
			"src/io/circe/sub/A.scala":   "package io.circe.sub\nimport Json\nimport cats.tuple: *\nimport java.nio.Json\nimport cats.Json.one",
			"src/io/circe/Facade.scala":  "package io.circe\ntype Json.one",
		}, `
			src/io/circe/Json.scala import src/io/circe/package.scala 1.00
			src/io/circe/sub/A.scala import src/io/circe/Json.scala 1.00`},
		{"ocaml: the last part that is a file, a module inside of the only file", map[string]string{
			"src/pack/version.ml": "def parse",
			"src/pack/pack.ml":    "",
			"src/syntax.ml":       "module Result_syntax",
			"bin/main.ml":         "import Pack.Version: *\nimport Result_syntax: *\nimport List.Infix: *\nimport X.Pack: *\nimport Syntax.S: *\ncall parse",
			"other/s.ml":          "",
			"other/x.ml":          "",
		}, `
			bin/main.ml import src/syntax.ml 1.00
			bin/main.ml import src/pack/version.ml 1.00
			bin/main.ml call src/pack/version.ml 0.80`},
		{"proto: the root is the folder of the checkout", map[string]string{
			"api/kv/kv.proto":  "def Key",
			"server/a.proto":   "import etcd/api/kv/kv.proto",
			"server/b.proto":   "import google/api/kv.proto",
			"server/api/x.txt": "",
		}, `server/a.proto import api/kv/kv.proto 1.00`},
		{"pages: templates, partials, components", map[string]string{
			"views/base.html":                 "",
			"views/page/list.html":            "import base.html\nimport page/row.html",
			"views/page/row.html":             "",
			"app/views/orders/_form.html.erb": "",
			"app/views/orders/new.html.erb":   "import orders/form",
			"res/layouts/app.blade.php":       "",
			"res/home.blade.php":              "import layouts.app",
			"web/A.vue":                       "import ./B.vue=B",
			"web/B.vue":                       "",
			"web/C.astro":                     "import ./B.vue=B",
		}, `
			app/views/orders/new.html.erb import app/views/orders/_form.html.erb 1.00
			res/home.blade.php import res/layouts/app.blade.php 1.00
			views/page/list.html import views/base.html 1.00
			views/page/list.html import views/page/row.html 1.00
			web/A.vue import web/B.vue 1.00
			web/C.astro import web/B.vue 1.00`},
		{"notebooks import as their language does", map[string]string{
			"shop/__init__.py": "",
			"shop/orders.py":   "type Order",
			"docs/how.ipynb":   "import shop.orders: Order\ncall Order",
		}, `
			docs/how.ipynb import shop/orders.py 1.00
			docs/how.ipynb call shop/orders.py 1.00`},
	})
}

// Two modules that re-export each other by star, and ask each other for names
// that neither has, must end.
func TestRustCircle(t *testing.T) {
	wantEdges(t, map[string]string{
		"Cargo.toml": "prop name c",
		"src/lib.rs": "export crate::a::x::y: *\nexport crate::b::p: *\nimport crate::nowhere::q: Z",
		"src/a.rs":   "export crate::b::x: *\nexport crate::a::y: *\nimport x::y: Q",
		"src/b.rs":   "export crate::a::x: *\nexport super::x::y: *",
	}, `
		src/lib.rs import src/a.rs 1.00
		src/lib.rs import src/b.rs 1.00
		src/a.rs import src/b.rs 1.00
		src/b.rs import src/a.rs 1.00
		src/b.rs import src/lib.rs 1.00`)
}

// What another package holds below the vendor's prefix is not the tree's; what
// is missing from a folder of the tree is. A require of an unknown name is neither.
func TestPHPPrefix(t *testing.T) {
	stats := wantEdges(t, map[string]string{
		"composer.json":     `prop psr-4 Acme\=>src/`,
		"src/Http/Real.php": "package Acme\\Http\ntype Real",
		"src/Client.php":    "package Acme\nimport Acme\\Psr7\\Request\nimport Acme\\Http\\Gone\nimport Acme\\Http\\Real\nimport Acme\\Psr7\nimport Acme\\Http\nimport .php\nuse Gone\nuse Psr7.Request\nuse Http.Real",
	}, `
		src/Client.php import src/Http/Real.php 1.00
		src/Client.php use src/Http/Real.php 1.00`)
	if len(stats) != 1 || stats[0].Internal != 3 || stats[0].Resolved != 2 || stats[0].Missed[`Acme\Http\Gone`] != 1 {
		t.Errorf("%+v", stats)
	}
}
