package resolve

import (
	"slices"
	"strings"
	"testing"
)

// Imports of what a build generates lead to what it is generated of.
func TestGenerated(t *testing.T) {
	wantEachEdges(t, []edgeCase{
		{"java: a message by its file, in the folder of the package", map[string]string{
			"c/res/common/message/FetchRequest.json":  "",
			"c/res/common/message/FetchResponse.json": "",
			"c/res/common/message/fetchRequest.json":  "",
			"d/fixtures/FetchRequest.json":            "",
			"c/java/A.java":                           "package k.clients\nimport k.common.message.FetchRequestData\nimport k.common.message.FetchRequestData.Part\ncall FetchRequestData",
			"c/java/B.java":                           "package k.clients\nimport k.common.message.FetchResponseDataJsonConverter",
			"c/java/C.java":                           "package k.clients\nimport k.common.other.FetchRequestData\nimport k.common.message.FetchRequestMore\nimport k.common.message.Fetch",
		}, `
			c/java/A.java import c/res/common/message/FetchRequest.json 0.50
			c/java/B.java import c/res/common/message/FetchResponse.json 0.50`},
		{"java: a package that is called generated says so itself, and takes none of two", map[string]string{
			"g/res/message/GroupKey.json": "",
			"h/res/message/Both.json":     "",
			"i/res/message/Both.json":     "",
			"a/A.java":                    "package k.a\nimport k.group.generated.GroupKey\nimport k.group.generated.Both",
			"h/src/B.java":                "package k.b\nimport k.group.generated.Both",
		}, `
			a/A.java import g/res/message/GroupKey.json 0.50
			h/src/B.java import h/res/message/Both.json 0.50`},
		{"java: a file of the class goes before, and tests' schemas are not for sources", map[string]string{
			"src/main/res/message/Foo.json":      "",
			"src/main/java/message/FooData.java": "package k.message\ntype FooData",
			"src/test/res/message/Bar.json":      "",
			"src/main/res/message/Bar.json":      "",
			"src/main/java/A.java":               "package k\nimport k.message.FooData\nimport k.message.BarData",
		}, `
			src/main/java/A.java import src/main/java/message/FooData.java 1.00
			src/main/java/A.java import src/main/res/message/Bar.json 0.50`},
		{"java: messages and services of the package that a schema declares", map[string]string{
			"ex/one/hello.proto": "package helloworld\ntype HelloRequest\ntype Greeter",
			"ex/two/hello.proto": "package helloworld\ntype HelloRequest\ntype Greeter",
			"v1/health.proto":    "package grpc.health.v1\ntype Check",
			"v2/health.proto":    "package grpc.health.v2\ntype Check",
			"envoy/filter.proto": "package envoy.config\ntype Filter",
			"ex/two/src/A.java":  "package x\nimport io.examples.helloworld.HelloRequest\nimport io.examples.helloworld.GreeterGrpc.GreeterStub",
			"java/B.java":        "package x\nimport io.grpc.health.v1.Check\nimport java.util.logging.Filter\nimport io.grpc.health.Check",
			"java/C.java":        "package x\nimport io.grpc.health.v2.Own.Check\nimport io.grpc.health.v2.OwnProtos.Check",
		}, `
			ex/two/src/A.java import ex/two/hello.proto 0.50
			java/B.java import v1/health.proto 0.50
			java/C.java import v2/health.proto 0.50`},
		{"java: the class around the messages is called like the file", map[string]string{
			"p/grpc/testing/messages.proto": "package grpc.testing\ntype SimpleRequest",
			"p/other/messages.proto":        "package other\ntype Else",
			"A.java":                        "package x\nimport io.grpc.testing.integration.Messages.SimpleRequest\nimport io.grpc.testing.integration.Messages.Else\nimport io.far.Messages.SimpleRequest",
		}, `A.java import p/grpc/testing/messages.proto 0.50`},
		{"kotlin, scala: alike, and of a group each", map[string]string{
			"g/a/b/Idl.g4":        "",
			"s/res/msg/One.avsc":  "",
			"s/res/msg/Two.avdl":  "",
			"k.kt":                "package x\nimport org.a.b.IdlParser.RuleContext",
			"main/scala/s.scala":  "package x\nimport org.msg: One, Two, Three\nimport org.b: IdlBaseVisitor",
			"main/scala/o.groovy": "package x\nimport org.msg.One",
		}, `
			k.kt import g/a/b/Idl.g4 0.50
			main/scala/s.scala import s/res/msg/One.avsc 0.50
			main/scala/s.scala import s/res/msg/Two.avdl 0.50
			main/scala/s.scala import g/a/b/Idl.g4 0.50
			main/scala/o.groovy import s/res/msg/One.avsc 0.50`},
		{"python: pb2 and grpc of a module, a package, a folder beside", map[string]string{
			"protos/hello.proto":     "",
			"hive/__init__.py":       "",
			"hive/proto/dht.proto":   "",
			"hive/proto/__init__.py": "",
			"hive/dht.py":            "import hive.proto: dht_pb2, dht_pb2_grpc\nimport ..proto: dht_pb2",
			"hive/proto/use.py":      "import .dht_pb2: Node\nimport .: dht_pb2=d\ncall d.Node",
			"client.py":              "import hello_pb2\nimport hello_pb2_grpc=g\ncall g.Greeter",
			"ext.py":                 "import google.rpc: hello_pb2\nimport os\nimport dht_pb",
			"gr/Calc.g4":             "",
			"gr/run.py":              "import CalcParser: CalcParser\nimport gr.CalcLexer",
		}, `
			hive/dht.py import hive/proto/dht.proto 0.50
			hive/dht.py import hive/proto/__init__.py 0.50
			hive/proto/use.py import hive/proto/dht.proto 0.50
			hive/proto/use.py import hive/proto/__init__.py 0.25
			client.py import protos/hello.proto 0.50
			gr/run.py import gr/Calc.g4 0.50`},
		{"c++: headers by the folder of the include", map[string]string{
			"include/mesos/mesos.proto":    "",
			"include/mesos/v1/mesos.proto": "",
			"src/slave/state.proto":        "",
			"src/master/state.proto":       "",
			"src/slave/a.cpp":              "import mesos/mesos.pb.h\nimport mesos/v1/mesos.grpc.pb.h\nquoted slave/state.pb.h\nquoted state.pb.h",
			"src/x/b.cpp":                  "quoted state.pb.h\nimport google/protobuf/state.pb.h\nimport master/state.h",
			"src/sql/gram.y":               "",
			"src/sql/monster.fbs":          "",
			"src/sql/c.c":                  "quoted gram.h\nquoted gram.tab.h\nquoted monster_generated.h",
			"src/far/d.c":                  "import gram.h\nimport monster_generated.h",
		}, `
			src/slave/a.cpp import include/mesos/mesos.proto 0.50
			src/slave/a.cpp import include/mesos/v1/mesos.proto 0.50
			src/slave/a.cpp import src/slave/state.proto 0.50
			src/sql/c.c import src/sql/gram.y 0.50
			src/sql/c.c import src/sql/monster.fbs 0.50
			src/far/d.c import src/sql/monster.fbs 0.50`},
		{"javascript: beside, or in a folder for what is generated", map[string]string{
			"web/protos/user.proto": "",
			"web/src/query.graphql": "",
			"web/src/parser.pegjs":  "",
			"web/src/a.ts":          "import ./gen/user_pb: User\nimport ./query.generated: Q\nimport ./parser.js: parse\ncall parse",
			"web/src/b.js":          "import ../x/parser\nimport left-pad\nimport other/user",
		}, `
			web/src/a.ts import web/protos/user.proto 0.50
			web/src/a.ts import web/src/query.graphql 0.50
			web/src/a.ts import web/src/parser.pegjs 0.50`},
		{"ruby: protobuf, and racc in the same folder", map[string]string{
			"protos/hello.proto":   "",
			"lib/parser/ruby27.y":  "",
			"lib/other/ruby27.rb":  "",
			"lib/parser/all.rb":    "import parser/ruby27\nimport hello_pb\nimport hello_services_pb",
			"lib/parser/other.rb":  "import json\nimport ruby/other_pb",
			"lib/other/current.rb": "quoted ../parser/ruby27",
		}, `
			lib/parser/all.rb import lib/parser/ruby27.y 0.50
			lib/parser/all.rb import protos/hello.proto 0.50
			lib/other/current.rb import lib/parser/ruby27.y 0.50`},
		{"go: a package that is only schemas yet", map[string]string{
			"go.mod":             "lang gomod\nprop module example.com/m",
			"one/pb/a.proto":     "package one\ntype A",
			"two/pb/a.proto":     "package two\ntype A\ntype Greeter",
			"two/pb/b.proto":     "package two\ntype B",
			"two/pb/c.proto":     "package two\ntype C",
			"api/shop/v1/s.fbs":  "type S",
			"main.go":            "package main\nimport example.com/m/one/pb=onepb\nimport example.com/m/two/pb\ncall pb.NewGreeterClient\nuse pb.B\nuse onepb.A",
			"gen.go":             "package main\nimport example.com/m/gen/shop/v1=shop\nimport example.com/m/gen/cart/v1=cart\nimport example.org/shop/v1=far",
			"three/pb/x.go":      "package pb\ntype T",
			"three/pb/x.proto":   "type T",
			"three/use/three.go": "package use\nimport example.com/m/three/pb\nuse pb.T",
		}, `
			main.go import one/pb/a.proto 0.50
			main.go import two/pb/a.proto 0.50
			main.go import two/pb/b.proto 0.50
			gen.go import api/shop/v1/s.fbs 0.50
			three/use/three.go import three/pb/x.go 1.00
			three/use/three.go use three/pb/x.go 1.00`},
		{"dart, erlang: by the whole name", map[string]string{
			"protos/hello.proto": "",
			"lib/a.dart":         "import package:app/src/generated/hello.pbgrpc.dart\nimport src/hello.pb.dart",
			"src/a.erl":          "import hello_pb.hrl",
			"src/b.erl":          "import hello.hrl",
		}, `
			lib/a.dart import protos/hello.proto 0.50
			src/a.erl import protos/hello.proto 0.50`},
	})
}

// What leads to a schema counts as resolved, what does not as before.
func TestGeneratedStats(t *testing.T) {
	stats := wantEdges(t, map[string]string{
		"res/message/Foo.json":  "",
		"java/message/Own.java": "package k.message\ntype Own",
		"java/A.java":           "package k.a\nimport k.message.FooData\nimport k.message.Gone\nimport org.else.Thing",
	}, `java/A.java import res/message/Foo.json 0.50`)
	if len(stats) != 1 || stats[0].Internal != 2 || stats[0].Resolved != 1 || stats[0].Missed["k.message.Gone"] != 1 {
		t.Errorf("%+v", stats)
	}
}

// Every name by which an import finds a source is one that Made tells, so that
// who keeps edges knows which depend on a source that comes or goes.
func TestMade(t *testing.T) {
	for p, want := range map[string][]string{
		"a/foo-bar.proto":  {"foo-bar.pb.h", "foo_bar_pb2", "foobarOuterClass", "foo-bar_pb", "foo-bar.pbgrpc.dart"},
		"Fetch.json":       {"fetchData", "fetchDataJsonConverter"},
		"x/Calc.g4":        {"CalcParser", "calcBaseListener", "CalcLexer.h"},
		"y/parser.ypp":     {"parser.tab.hh", "parser_gen.h"},
		"a/b.txt":          nil,
		"Makefile":         nil,
		".proto":           nil,
		"dir.proto/README": nil,
	} {
		got := Made(p)
		for _, n := range want {
			if !slices.Contains(got, n) {
				t.Errorf("%s: %s is missing in %v", p, n, got)
			}
		}
		if want == nil && got != nil {
			t.Errorf("%s: %v", p, got)
		}
	}
	if got := strings.Join(MadeOf("protobuf", "Greeter"), " "); !strings.Contains(got, "GreeterGrpc") || !strings.Contains(got, "NewGreeterClient") {
		t.Error(got)
	}
	if got := MadeOf("go", "Greeter"); got != nil {
		t.Error(got)
	}
}
