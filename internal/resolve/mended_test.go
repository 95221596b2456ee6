package resolve

import "testing"

// Kinds of wrong target that were found by reading samples of edges.
func TestMended(t *testing.T) {
	wantEachEdges(t, []edgeCase{
		{"c: a header of the library in angles is not a file that ends so", map[string]string{
			"include/uv/errno.h":  "",
			"include/uv.h":        "",
			"deps/compat/poll.h":  "",
			"test/t.c":            "import errno.h\nimport poll.h\nimport uv.h",
			"deps/compat/using.c": "quoted poll.h",
		}, `
			test/t.c import include/uv.h 1.00
			deps/compat/using.c import deps/compat/poll.h 1.00`},
		{"c: a tree that is a C library has its own", map[string]string{
			"include/errno.h":     "",
			"arch/x86/errno.h":    "",
			"src/errno/perror.c":  "import errno.h",
			"src/internal/impl.h": "",
		}, `src/errno/perror.c import include/errno.h 1.00`},
		{"cpp: the header goes before the copy of all headers", map[string]string{
			"include/n/json.hpp":        "",
			"single_include/n/json.hpp": "",
			"docs/a.cpp":                "import n/json.hpp",
		}, `docs/a.cpp import include/n/json.hpp 1.00`},
		{"cpp: a copy of all headers may stand deeper, and a folder that begins like one is none", map[string]string{
			"lib/include/n/json.hpp":             "",
			"lib/single_include/n/json.hpp":      "",
			"amalgamate/n/other.hpp":             "",
			"distributed/n/node.hpp":             "",
			"src/distance/n/far.hpp":             "",
			"third/amalgamated/n/other.hpp":      "",
			"third/dist/n/node.hpp":              "",
			"third/amalgamated/dist/x/n/far.hpp": "",
			"docs/a.cpp":                         "import n/json.hpp\nimport n/other.hpp\nimport n/node.hpp\nimport n/far.hpp",
		}, `
			docs/a.cpp import lib/include/n/json.hpp 1.00
			docs/a.cpp import amalgamate/n/other.hpp 1.00
			docs/a.cpp import distributed/n/node.hpp 1.00
			docs/a.cpp import src/distance/n/far.hpp 1.00`},
		{"what stands in the own folder goes before what stands below", map[string]string{
			"src/irmin/import.ml":     "",
			"src/irmin/mem/import.ml": "",
			"src/irmin/contents.ml":   "import Import: *",
			"src/irmin/mem/mem.ml":    "import Import: *",
		}, `
			src/irmin/contents.ml import src/irmin/import.ml 1.00
			src/irmin/mem/mem.ml import src/irmin/mem/import.ml 1.00`},
		{"ocaml: a source sees no module of a test, least of all the library's", map[string]string{
			"test/cases/src/stdlib.ml": "module List",
			"test/cases/src/dep.ml":    "",
			"src/dep.ml":               "",
			"src/a/a.ml":               "import Stdlib.List: *\nimport Dep=D",
		}, `src/a/a.ml import src/dep.ml 1.00`},
		{"ocaml: a module that the file defines above hides the files of the name", map[string]string{
			"src/x/store.ml": "",
			"src/y/store.ml": "",
			"src/y/build.ml": "module Store +2",
			"t/use.ml":       "module Store\nimport Store.Tree=Tree\nimport Build.Store=Kept\nimport Kept.Leaf=Leaf",
			"t/in.mli":       "module Map +2\nimport Map.S: *\n",
			"t/map.ml":       "",
		}, `
			t/use.ml import src/y/build.ml 1.00
			t/in.mli import t/map.ml 1.00`},
		{"ocaml: what a file defines itself is not the file beside it of that name", map[string]string{
			"src/server_intf.ml": "module Server +5",
			"src/server.ml":      "",
			"src/lib.ml":         "import Server=Server",
			"src/priv.ml":        "module For_tests +2\nimport Server=Server",
			"src/use.ml":         "import Server_intf.Server: *",
			"far/use.ml":         "import Lib.Server: *",
			"far/test.ml":        "import Priv.For_tests.Server: *",
		}, `
			src/lib.ml import src/server.ml 1.00
			src/priv.ml import src/server.ml 1.00
			src/use.ml import src/server_intf.ml 1.00
			far/use.ml import src/server.ml 1.00
			far/test.ml import src/server.ml 1.00`},
		{"haskell: a field is a name of its module", map[string]string{
			"src/X/Core.hs":   "package X.Core\ntype Config\nfield Config.workspaces\nimport X.Stack: *",
			"src/X/Stack.hs":  "package X.Stack\ndef workspaces",
			"src/X/Config.hs": "package X.Config\nimport X.Core: workspaces",
		}, `
			src/X/Config.hs import src/X/Core.hs 1.00
			src/X/Core.hs import src/X/Stack.hs 1.00`},
		{"haskell: a module that says another name is another, the library's too", map[string]string{
			"src/A/Internal/Prelude.hs": "package A.Internal.Prelude",
			"src/A/Use.hs":              "package A.Use\nimport Prelude: fst\nimport Lone: x",
			"src/A/Lone.hs":             "def x",
		}, `src/A/Use.hs import src/A/Lone.hs 1.00`},
		{"ocaml: a library's file says what its modules are called", map[string]string{
			"lib/lib.ml":     "alias Arg=Lib_arg",
			"lib/lib_arg.ml": "",
			"bin/main.ml":    "import Lib.Arg: *",
		}, `
			lib/lib.ml import lib/lib_arg.ml 1.00
			bin/main.ml import lib/lib_arg.ml 1.00`},
		{"cpp: a header of the library has no ending", map[string]string{
			"time/testdata/version": "",
			"src/a.h":               "import version\nimport string",
			"x/string":              "",
		}, ``},
		{"kotlin: a source of a package uses nothing of its tests; a property of another class is not in sight", map[string]string{
			"src/A.kt":  "package p\nuse Helper\ncall go",
			"test/T.kt": "package p\ntype Helper\ndef go\nuse A",
			"test/U.kt": "package p\nuse Helper",
		}, `test/U.kt use test/T.kt 0.90`},
		{"go: what a test calls of its framework is not a method of the tree", map[string]string{
			"go.mod":      "prop module m.org/m",
			"tb/tb.go":    "package tb\ntype TB\ndef TB.Errorf\ndef Must",
			"a/a_test.go": "package a\nimport m.org/m/tb\ncall t.Errorf\ncall tb.Must",
		}, `
			a/a_test.go import tb/tb.go 1.00
			a/a_test.go call tb/tb.go 1.00`},
		{"scala: what encloses is meant only if it holds the next name too", map[string]string{
			"c/package.scala": "package io.circe\nmodule scalajs\ndef scalajs.asJson",
			"c/Suite.scala":   "package io.circe.scalajs\nimport scalajs.js.Dynamic\nimport inner.Thing",
			"c/Inner.scala":   "package io.circe\ntype inner\ndef inner.Thing",
			"h/package.scala": "package org\nmodule http",
			"h/Csrf.scala":    "package org.http\nimport org.http.crypto.Key",
			"h/Use.scala":     "package b\nimport org.http.inherited",
		}, `
			c/Suite.scala import c/Inner.scala 1.00
			h/Use.scala import h/package.scala 1.00`},
		{"rust: crates and macros that a root passes on, modules in the folder of a test", map[string]string{
			"Cargo.toml":                 "prop members crates/*",
			"crates/all/Cargo.toml":      "prop name all",
			"crates/all/src/lib.rs":      "export all_print=print",
			"crates/print/Cargo.toml":    "prop name all-print",
			"crates/print/src/lib.rs":    "mod color\nexport color: Spec",
			"crates/print/src/color.rs":  "type Spec",
			"crates/print/src/macros.rs": "macro assert_done",
			"crates/use/Cargo.toml":      "prop name use",
			"crates/use/src/main.rs":     "import all::print: Spec\nimport all_print: assert_done",
			"tests/tests.rs":             "mod util\nmod index",
			"tests/util.rs":              "type Dir",
			"tests/index/mod.rs":         "",
			"tests/index/basic.rs":       "import crate::util: Dir",
		}, `
			crates/all/src/lib.rs import crates/print/src/lib.rs 1.00
			crates/print/src/lib.rs import crates/print/src/color.rs 1.00
			crates/use/src/main.rs import crates/print/src/color.rs 1.00
			crates/use/src/main.rs import crates/all/src/lib.rs 0.25
			crates/use/src/main.rs import crates/print/src/macros.rs 1.00
			crates/use/src/main.rs import crates/print/src/lib.rs 0.25
			tests/tests.rs import tests/util.rs 0.50
			tests/tests.rs import tests/index/mod.rs 0.50
			tests/index/basic.rs import tests/util.rs 1.00`},
		{"swift: what belongs to another type is not meant by its bare name", map[string]string{
			"Sources/Net/Retrier.swift": "type Retrier\ninner Retrier.Result\nconst Retrier.response",
			"Sources/Net/Error.swift":   "type AFError\ninner AFError.Reason",
			"Sources/Net/Use.swift":     "use Result\ncall response\nuse AFError",
			"Sources/Net/More.swift":    "type AFError\nuse Reason",
		}, `
			Sources/Net/Use.swift use Sources/Net/Error.swift 0.45
			Sources/Net/Use.swift use Sources/Net/More.swift 0.45
			Sources/Net/More.swift use Sources/Net/Error.swift 0.90`},
		{"csharp: of namesakes that are guessed at the nearest", map[string]string{
			"T/One/W.cs":   "package M.P\ntype Wrap\ndef Wrap.Go",
			"T/Two/W.cs":   "package M.P\ntype Wrap\ndef Wrap.Go",
			"T/One/Use.cs": "package M.Q\nimport M.P\ncall wrap.Go",
		}, `
			T/One/Use.cs call T/One/W.cs 0.60`},
		{"csharp: the main part of a class in parts, and of namesakes the one with type arguments", map[string]string{
			"src/Reader.cs":             "package P\ntype Reader\ndef Reader.Read",
			"src/Reader.Ints.cs":        "package P\ntype Reader\ndef Reader.ReadInt\ndef Reader.Read",
			"src/Options.cs":            "package P\ntype Options",
			"src/Options.TResult.cs":    "package P\ntype Options",
			"src/Mem.cs":                "package P\ntype Mem32",
			"src/Mem.Low.cs":            "package P\ntype Mem32",
			"src/P.Core/Same.cs":        "package P\ntype Same",
			"src/P.Old/Same.cs":         "package P\ntype Same",
			"t/Use.cs":                  "package Q\nimport P\nuse Reader\ncall reader.ReadInt\nuse Options",
			"t/Generic.cs":              "package Q\nimport P\ngeneric Options",
			"t/Static.cs":               "package Q\nimport P\ncall Reader.Read\nuse Mem32",
			"test/P.Core.Tests/Test.cs": "package Q\nimport P\nuse Same",
		}, `
			t/Use.cs import src/Reader.cs 0.90
			t/Use.cs use src/Reader.cs 0.90
			t/Use.cs call src/Reader.Ints.cs 0.60
			t/Use.cs import src/Options.cs 0.90
			t/Use.cs use src/Options.cs 0.90
			t/Generic.cs import src/Options.TResult.cs 0.90
			t/Generic.cs use src/Options.TResult.cs 0.90
			t/Static.cs call src/Reader.cs 0.80
			t/Static.cs import src/Mem.cs 0.90
			t/Static.cs use src/Mem.cs 0.90
			test/P.Core.Tests/Test.cs import src/P.Core/Same.cs 0.90
			test/P.Core.Tests/Test.cs use src/P.Core/Same.cs 0.90`},
		{"csharp: a member of a value is no constructor, type, constant or method that is not called", map[string]string{
			"src/A.cs": "package P\ntype A\ndef A.A\ndef A.Go\nconst A.Max",
			"t/Use.cs": "package Q\nimport P\ncall it.A\nuse it.Go\nuse it.Max\ncall Activator.Go",
			"t/Own.cs": "package Q\nimport P\nuse A.Max",
		}, `t/Own.cs use src/A.cs 0.80`},
		{"csharp: what is behind a namespace or its alias is in it", map[string]string{
			"src/A.cs":   "package P\ntype A",
			"src/B.cs":   "package P.F\ntype B\ninner B.C",
			"other/A.cs": "package O\ntype A",
			"t/Use.cs":   "package Q\nimport P=Short\nuse Short::.A\nuse global::P.F.B\nuse global::.A\nuse global::P.F.B.C",
			"t/In.cs":    "package P.Q\nuse F.X.B\nuse P.F.B",
		}, `
			t/Use.cs use src/A.cs 0.80
			t/Use.cs use src/B.cs 1.00
			t/In.cs use src/B.cs 0.80`},
		{"go: a bare name is the package's own, and a member of an outside type is no one's", map[string]string{
			"go.mod":   "prop module m.org/m",
			"p/p.go":   "package p\ntype Render\ndef New\ntype R\ndef R.Close",
			"a/a.go":   "package a\nimport m.org/m/p\nimport net/http\ncall Render\ncall :http.Request.Close\ncall :http.Get:.Close\ncall p.New",
			"a/dot.go": "package a\nimport m.org/m/p: *\ncall Render",
		}, `
			a/a.go import p/p.go 1.00
			a/a.go call p/p.go 1.00
			a/dot.go import p/p.go 0.90
			a/dot.go call p/p.go 0.90`},
		{"go: a member is its type's, whatever else is called so", map[string]string{
			"go.mod":   "prop module m.org/m",
			"p/t.go":   "package p\ntype T\ndef T.Chan\ntype E\nbase U in T",
			"p/u.go":   "package p\ntype U\ndef U.Chan\ndef U.Deep",
			"a/a.go":   "package a\nimport m.org/m/p\ncall :p.T.Chan\ncall :p.U:.Chan\ntype Own\ncall :Own.Far",
			"a/own.go": "package a\ndef Own.Far\ndef Other.Far",
			"a/b.go":   "package a\nimport m.org/m/p\nuse p.T\ncall :p.T.Deep",
		}, `
			a/a.go call p/t.go 0.90
			a/a.go call p/u.go 0.90
			a/a.go call a/own.go 0.90
			a/a.go import p/t.go 0.50
			a/a.go import p/u.go 0.50
			a/b.go import p/t.go 1.00
			a/b.go use p/t.go 1.00
			a/b.go call p/u.go 0.80`},
		{"go: of what a function gives the type it is called for, one beside it, or the only one", map[string]string{
			"go.mod":   "prop module m.org/m",
			"p/new.go": "package p\ndef NewBox\ndef Make\ntype Made\ndef Made.Shut\ntype box\ndef box.Grow",
			"p/box.go": "package p\ntype Box\ndef Box.Shut\ndef Box.Rare",
			"p/two.go": "package p\ntype One\ndef One.Both\ntype Two\ndef Two.Both\ndef One.String",
			"a/a.go":   "package a\nimport m.org/m/p\ncall p.NewBox\ncall :p.NewBox:.Shut",
			"a/b.go":   "package a\nimport m.org/m/p\ncall p.Make\ncall :p.Make:.Shut",
			"a/c.go":   "package a\nimport m.org/m/p\ncall p.Make\ncall :p.Make:.Rare\ncall :p.Make:.Both\ncall :p.Make:.String",
			"a/d.go":   "package a\nimport m.org/m/p\ncall p.Make\ncall x.Rare\ncall y.Rare\ncall z.String",
		}, `
			a/a.go import p/new.go 1.00
			a/a.go call p/new.go 1.00
			a/a.go call p/box.go 0.80
			a/b.go import p/new.go 1.00
			a/b.go call p/new.go 1.00
			a/c.go import p/new.go 1.00
			a/c.go call p/new.go 1.00
			a/c.go call p/box.go 0.40
			a/d.go import p/new.go 1.00
			a/d.go call p/new.go 1.00
			a/d.go call p/box.go 0.40`},
		{"swift: a member of a known type is that type's, of a type of another library no one's", map[string]string{
			"Sources/Net/Lock.swift":   "type Lock\ndef Lock.lock",
			"Sources/Net/Writer.swift": "type Writer\ndef Writer.finish",
			"Sources/Net/Int+.swift":   "def FixedWidthInteger.random\ndef StringProtocol.isFolded",
			"Sources/Net/Client.swift": "type Client\ndef Client.finish",
			"Tests/NetTests/T.swift":   "import Net\ncall :NSLock.lock\ncall :AsyncStream:.finish\ncall Int.random\ncall :String.isFolded\ncall :Client.finish",
		}, `
			Tests/NetTests/T.swift call Sources/Net/Int+.swift 0.40
			Tests/NetTests/T.swift call Sources/Net/Client.swift 0.80`},
		{"swift: guesses at members do not add up, namesakes inside of other types are not meant", map[string]string{
			"Sources/Net/Task.swift":  "type Task\ndef Task.mapAll\ndef Task.mapErr",
			"Sources/Net/Other.swift": "type Other\ndef Other.mapErr",
			"Sources/Net/Mem.swift":   "type Mem\ninner Mem.Backend\ndef Backend.store",
			"Sources/Net/Disk.swift":  "type Disk\ninner Disk.Backend\ndef Backend.store",
			"Tests/NetTests/T.swift":  "import Net\ncall resp.mapErr\ncall x.mapAll\ncall y.mapAll\ncall :Mem.Backend.store",
			"Tests/NetTests/U.swift":  "import Net\ncall HTTP.Backend.store",
		}, `
			Tests/NetTests/T.swift call Sources/Net/Task.swift 0.40
			Tests/NetTests/T.swift call Sources/Net/Mem.swift 0.80`},
		{"swift: a folder called after a framework is not that, and a pod is all of Sources", map[string]string{
			"King.podspec":                "",
			"Sources/SwiftUI/Image.swift": "type Picture",
			"Sources/Cache/Cache.swift":   "type Cache",
			"Demo/View.swift":             "import SwiftUI\nimport King\nuse Cache",
		}, `
			Demo/View.swift import Sources/Cache/Cache.swift 0.90
			Demo/View.swift use Sources/Cache/Cache.swift 0.90`},
	})
}

// A folder called like a module of the library is not what the library's
// import means, so that nothing is missed.
func TestPythonLibraryFolder(t *testing.T) {
	stats := wantEdges(t, map[string]string{
		"testing/io/test_saferepr.py": "def test_one",
		"testing/plug/__init__.py":    "",
		"testing/test_terminal.py":    "import io: StringIO\ncall StringIO",
	}, ``)
	if len(stats) != 0 {
		t.Errorf("%+v", stats)
	}
}
