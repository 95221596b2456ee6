// Package facts extracts what a blob says about itself: symbols, chunks,
// imports, references, field tokens and literals. Facts depend on nothing but
// the bytes, the language and Version; that triple is their cache key.
//
// Algorithm: a grammar (tree-sitter) or a table of regular expressions names
// the declarations; chunks tile the file along them; internal/text splits
// names, comments and code into index terms; secrets are masked before
// anything is kept.
//
// A file with a grammar crosses into C once: walk.c parses it and leaves its
// named nodes in a flat list, and a table a language (lang_*.go) says what
// they mean. What would break a tree and means nothing is blanked before
// (calm*.go). Where a tree is broken all the same, patterns fill in.
//
// Limits: refs know names and not types, but for what a Go or Swift file itself
// says of a value's type; a local hides its name in all of its
// function; a file over MaxBytes, or binary, or minified, says little. A parse
// is bounded in work (maxWork), which is counted and not timed, so that facts do
// not depend on the machine.
package facts

// Version is part of every cache key. Raise it with any change of what
// Extract returns.
//
//	1: first
//	2: definitions without a grammar, headings and keys, manifests
//	3: Cython; over-long signatures are cut
//	4: grammars for PHP, C#, Kotlin, Scala and OCaml; patterns where they find more
//	5: Elixir's grammar; notebooks, components, templates, style sheets, GraphQL; sources with data are no bundles
//	6: terms of scripts other than Latin
//	7: C# with declarations in parts
//	8: parses bounded in work; notebooks without pictures and programs over MaxBytes
//	9: items inside of Rust's macros, crates renamed; Kotlin's classes without a body
//	10: what says that it is generated says so in a comment; script elements that hold no program are none
//	11: what OCaml's interfaces and signatures declare, no import of a functor's parameter; no structs that are a variable's type
//	12: an error counts to the work of a parse; C over MaxBytes is not read
//	13: JavaScript's functions in objects and on objects inside of functions; what anonymous functions at top level declare hides names from the functions in them
//	14: receivers of Kotlin's extensions; their functions that are deprecated are not exported; C#'s names with type arguments
//	15: what the file itself says of a value's type, in Go and Swift
//
// Whoever changes what package redact masks raises it too: of a text whose facts
// say that nothing was masked, nothing is looked for when it is shown.
const Version = 15

// Flags say what was special about a blob.
type Flags uint16

// The flags.
const (
	Binary     Flags = 1 << iota // NUL bytes (and not UTF-16): no terms
	TooLarge                     // over Limit, or a table over MaxBytes: no terms
	Minified                     // very long lines: no symbols, few terms
	ParseError                   // the grammar found errors
	Fallback                     // definitions came from regular expressions
	Generated                    // says "generated, do not edit" in its head
	Secret                       // a file made to hold secrets: never opened
	Truncated                    // a limit cut symbols, refs or literals
)

// Kind of a symbol.
type Kind uint8

// The kinds. Container kinds come before leaf kinds.
const (
	KindOther Kind = iota
	KindModule
	KindClass
	KindInterface
	KindStruct
	KindEnum
	KindFunction
	KindMethod
	KindConst
	KindVar
	KindField
	KindType
	KindMacro
	KindSection // heading of a document
	KindKey     // key of a configuration file
)

// Facts of one blob.
type Facts struct {
	Lang    string // language id, see Language
	Package string // what the file says it belongs to: Go package, Java package, C# / PHP namespace, Elixir module
	Flags   Flags
	Bytes   int32
	Lines   int32 // number of lines; the last may lack its newline
	Masked  int32 // secrets masked

	Symbols  []Symbol // in order of Start, then outer first
	Chunks   []Chunk  // tile lines 1..Lines without gap or overlap
	Imports  []Import // in source order
	Refs     []Ref    // distinct (Name, Qualifier, Scope, Kind, Generic), first occurrence order
	Props    []Prop   // of manifests (go.mod, package.json, …), see Prop
	Literals []uint64 // sorted, distinct text.LiteralHash of string contents, flags, numbers, codes

	Terms []string // sorted, distinct: all index terms of the fields below
	Body  [][]TF   // per chunk, sorted by Term: everything in the chunk (code, strings, comments)
	Names []TF     // sorted by Term: names of symbols defined here
	Docs  []TF     // sorted by Term: comments and doc strings
}

// Symbol is a declaration. Lines are one-based and inclusive.
type Symbol struct {
	Name     string
	Owner    string // type it belongs to when no enclosing symbol says so: receiver in Go and of Kotlin's extensions, C++ qualifier, prototype; else ""
	Kind     Kind
	Parent   int32 // index of the enclosing symbol, -1 at top level
	DocStart int32 // first line of the doc comment directly above; = Start when there is none
	Start    int32 // first line, decorators and attributes included
	SigEnd   int32 // last line of the signature, from Start
	End      int32
	Exported bool // visible outside the file by the rules of the language; of Kotlin's functions not what is deprecated
}

// Chunk is a run of whole lines, the unit of scoring and packing.
type Chunk struct {
	Start, End int32 // one-based, inclusive
	Symbol     int32 // the symbol it shows (the outermost that starts in it), -1 if none
	Len        int32 // number of index terms (sum of TF)
}

// Import names another file or module. What resolves it is internal/resolve.
type Import struct {
	Module   string   // as written, without the names taken: "a.b", "./x", "cohop/rank", "crate::a::b", "stdio.h"
	Names    []string // names taken from it; "*" for all; empty: the module itself
	Alias    string
	Line     int32
	Relative int32 // Python: leading dots; C: 1 for "quoted", 0 for <angled>; Ruby: 1 for require_relative
	Reexport bool  // export … from, pub use, from . import x in __init__
	Mod      bool  // Rust `mod x;`
}

// RefKind says how a name is used.
type RefKind uint8

// The kinds of reference.
const (
	RefUse       RefKind = iota // type use, attribute, constant
	RefCall                     // called
	RefBase                     // inherited, implemented, embedded, mixed in
	RefDecorator                // decorator, annotation, attribute: registration
)

// Ref is a use of a name not declared locally.
type Ref struct {
	Name      string
	Qualifier string // "os" in os.Open(), "self", "this"; "" if none or not a plain name; Kotlin, C#: "()" if an expression; Go, Swift: see below
	Scope     int32  // index of the innermost enclosing symbol, -1 at top level
	Kind      RefKind
	Generic   bool  // C#: written with type arguments, so that a type of that many is meant
	N         int32 // occurrences
}

// In Go and Swift the qualifier of a member of a value whose type the file
// tells is that type behind a colon: ":T", ":p.T" of an import p. A value that
// only comes from there is ":origin:step", step being the last member on the
// way, "" for what a function or type itself gives: ":p.New:", ":T:Next". A
// colon alone is a value of which nothing is known.

// Prop is a fact of a manifest that resolution needs. Language ids of
// manifests: "gomod", "package.json", "tsconfig", "cargo", "composer",
// "mix", "pyproject", "buildfile" for the rest.
// Keys: gomod: module, replace ("old=>new"); package.json: name, main,
// exports ("sub=>file"), workspaces; tsconfig: baseUrl, paths ("a/*=>b/*"),
// extends; cargo: name, path (lib), members; composer: psr-4 ("Ns\\=>dir").
type Prop struct{ Key, Value string }

// TF is a term (index into Facts.Terms) and how often it stands in the field.
type TF struct {
	Term int32
	N    int32
}
