package resolve

import "strings"

// reader is a kind of language by how its imports name what a generator made.
type reader uint8

const (
	readNone reader = iota
	readC
	readJS
	readJVM
	readPython
	readRuby
	readDart
	readErlang
	readers // how many there are
)

// readerOf tells which endings count for a language.
func readerOf(lang string, fam family) reader {
	switch fam {
	case famC:
		return readC
	case famJS:
		return readJS
	case famJVM:
		return readJVM
	case famPython:
		return readPython
	}
	switch lang {
	case "ruby":
		return readRuby
	case "dart":
		return readDart
	case "erlang":
		return readErlang
	}
	return readNone
}

// made is one way to name what a generator makes of a source: its stem and
// an ending. Sure endings are written by generators alone.
type made struct {
	ending string
	sure   bool
}

// antlr names the classes of a grammar: FooParser, FooVisitor; what a file
// called FooParser.g4 makes begins with the whole stem.
const antlr = "= Parser Lexer Visitor BaseVisitor Listener BaseListener"

// endings lists by extension of the source what is added to its stem, by
// reader: = is nothing, ! makes an ending sure. They are what the usual
// generators write by default; a name of a project's own choosing is not
// guessed at, so that the names which a source makes are known (see Made).
//
// JSON is a schema to Java builds alone: elsewhere it is data. Formats whose
// generators name files after what stands inside (WSDL, Smithy, GraphQL in
// Java) are found by their definitions or not at all.
var endings = func() map[string][readers][]made {
	table := map[string]map[reader]string{
		"proto": {
			readC:      "!.pb.h !.grpc.pb.h !.pb.cc !.pb-c.h !.upb.h",
			readJS:     "!_pb !_grpc_pb !_pb_service !_grpc_web_pb !.pb _connect _connectweb .client _grpc =",
			readJVM:    "= OuterClass Proto Protos Grpc GrpcKt",
			readPython: "!_pb2 !_pb2_grpc _pb _grpc",
			readRuby:   "!_pb !_services_pb !.pb",
			readDart:   "!.pb.dart !.pbenum.dart !.pbgrpc.dart !.pbjson.dart !.pbserver.dart",
			readErlang: "!_pb.hrl",
		},
		"thrift": {
			readC: "_types.h _constants.h", readJS: "_types", readRuby: "_types _constants",
			readErlang: "_types.hrl _constants.hrl",
		},
		"fbs":   {readC: "!_generated.h", readJS: "!_generated", readDart: "!_generated.dart"},
		"capnp": {readC: "!.capnp.h", readJS: "!.capnp", readPython: "!_capnp"},
		"avsc":  {readJVM: "="}, "avdl": {readJVM: "="}, "avpr": {readJVM: "="},
		"json":    {readJVM: "= Data JsonConverter DataJsonConverter"},
		"xsd":     {readJVM: "= Type", readPython: "="},
		"wsdl":    {readJVM: "= Service PortType Port"},
		"graphql": {readJS: "!.generated !-generated !_generated"}, "gql": {readJS: "!.generated !-generated !_generated"},
		"asn1": {readErlang: ".hrl"}, "asn": {readErlang: ".hrl"},
		"idl": {readC: ".h"},
		"g4":  {readJVM: antlr, readJS: antlr, readPython: antlr, readDart: "Parser.dart Lexer.dart", readC: "!Parser.h !Lexer.h !Visitor.h !BaseVisitor.h !Listener.h !BaseListener.h"},
		"g":   {readJVM: antlr + " TokenTypes TreeParser", readPython: antlr, readC: "Parser.h Lexer.h Parser.hpp Lexer.hpp"},
		"jj":  {readJVM: "= Constants TokenManager Visitor"}, "jjt": {readJVM: "= Constants TokenManager Visitor TreeConstants"},
		"flex": {readJVM: "="}, "jflex": {readJVM: "="}, "cup": {readJVM: "="},
		"y":      {readC: ".h !.tab.h !.tab.hh !.tab.hpp", readRuby: "="},
		"yy":     {readC: ".h .hh .hpp !.tab.h !.tab.hh !.tab.hpp"},
		"ypp":    {readC: ".h .hh .hpp !.tab.h !.tab.hh !.tab.hpp"},
		"l":      {readC: ".h !.yy.h !.lex.h"},
		"ll":     {readC: ".h .hh !.yy.h !.lex.h"},
		"lpp":    {readC: ".h .hh !.yy.h !.lex.h"},
		"rl":     {readC: ".h", readRuby: "="},
		"jison":  {readJS: "="},
		"pegjs":  {readJS: "="},
		"peggy":  {readJS: "="},
		"ne":     {readJS: "="},
		"racc":   {readRuby: "="},
		"qrc":    {readPython: "!_rc"},
		"smithy": {readJVM: "="},
	}
	// A build's own generators, whatever the source, call their work so.
	const c, script = "_gen.h _generated.h .gen.h .generated.h", "_gen _generated .gen .generated"
	own := map[reader]string{readC: c, readJS: script, readPython: "_gen _generated", readRuby: "_gen _generated"}
	out := make(map[string][readers][]made, len(table))
	for ext, by := range table {
		var list [readers][]made
		for r := range readers {
			words := by[r]
			if ext != "json" {
				words += " " + own[r]
			}
			seen := map[string]bool{}
			for _, e := range strings.Fields(words) {
				e, sure := strings.CutPrefix(e, "!")
				if e == "=" {
					e = ""
				}
				if !seen[e] {
					seen[e] = true
					list[r] = append(list[r], made{e, sure})
				}
			}
		}
		out[ext] = list
	}
	return out
}()

// definers are the languages of schemas whose definitions become classes, and
// classEndings what is added to the name of one: a service Foo is FooGrpc.
var (
	definers     = map[string]bool{"protobuf": true, "thrift": true, "flatbuffers": true, "capnp": true}
	classEndings = []string{"", "Grpc", "GrpcKt", "OrBuilder"}
)

// What Go's generator puts around the name of a service.
var (
	servicePrefixes = []string{"New", "Register", "Unimplemented", "Unsafe"}
	serviceEndings  = []string{"Client", "Server"}
)

// sourceName cuts the path of a possible schema or grammar into what its
// products are called after and its extension; ok is false for other files.
func sourceName(p string) (name, ext string, ok bool) {
	i := strings.LastIndexByte(p, '.')
	if i < 0 {
		return "", "", false
	}
	if _, ok = endings[p[i+1:]]; !ok {
		return "", "", false
	}
	_, name = splitPath(p[:i])
	return name, p[i+1:], name != ""
}

// spellings calls do with the ways in which readers of a kind write a source's
// name: as a class in small letters, or as a file, which Python's modules and
// many generators write without a dash.
func spellings(r reader, name string, do func(string)) {
	if r == readJVM {
		do(squeeze(name))
		return
	}
	do(name)
	if strings.Contains(name, "-") {
		do(strings.ReplaceAll(name, "-", "_"))
	}
}

// squeeze writes a name in small letters without what joins its words, so that
// foo_bar, foo-bar and FooBar are one.
func squeeze(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if c := s[i]; c != '_' && c != '-' {
			b = append(b, lower(c))
		}
	}
	return string(b)
}

// Made lists the names by which imports may ask for what is made of the file
// at path p: none if it is no schema or grammar. Names of classes have small
// letters in the stem.
func Made(p string) []string {
	name, ext, ok := sourceName(p)
	if !ok {
		return nil
	}
	var out []string
	list := endings[ext]
	for r := range readers {
		spellings(r, name, func(s string) {
			for _, m := range list[r] {
				out = append(out, s+m.ending)
			}
		})
	}
	return out
}

// MadeOf lists the names of what is made of a definition in a schema, its own
// aside, by which imports may ask for the schema.
func MadeOf(lang, symbol string) []string {
	if !definers[lang] {
		return nil
	}
	var out []string
	for _, e := range classEndings[1:] {
		out = append(out, symbol+e)
	}
	for _, e := range append([]string{""}, serviceEndings...) {
		for _, p := range append([]string{""}, servicePrefixes...) {
			if p+e != "" {
				out = append(out, p+symbol+e)
			}
		}
	}
	return out
}
