package facts

/*
#include "walk.h"

extern const TSLanguage *tree_sitter_c(void);
extern const TSLanguage *tree_sitter_c_sharp(void);
extern const TSLanguage *tree_sitter_cpp(void);
extern const TSLanguage *tree_sitter_elixir(void);
extern const TSLanguage *tree_sitter_go(void);
extern const TSLanguage *tree_sitter_java(void);
extern const TSLanguage *tree_sitter_javascript(void);
extern const TSLanguage *tree_sitter_kotlin(void);
extern const TSLanguage *tree_sitter_ocaml(void);
extern const TSLanguage *tree_sitter_php(void);
extern const TSLanguage *tree_sitter_python(void);
extern const TSLanguage *tree_sitter_ruby(void);
extern const TSLanguage *tree_sitter_rust(void);
extern const TSLanguage *tree_sitter_scala(void);
extern const TSLanguage *tree_sitter_tsx(void);
extern const TSLanguage *tree_sitter_typescript(void);
*/
import "C"

import (
	"runtime"
	"sync"
	"unsafe"

	// The grammars' Go packages are imported for the C code they compile; the
	// parsers are called from walk.c.
	_ "github.com/smacker/go-tree-sitter"
	_ "github.com/smacker/go-tree-sitter/c"
	_ "github.com/smacker/go-tree-sitter/cpp"
	_ "github.com/smacker/go-tree-sitter/csharp"
	_ "github.com/smacker/go-tree-sitter/elixir"
	_ "github.com/smacker/go-tree-sitter/golang"
	_ "github.com/smacker/go-tree-sitter/java"
	_ "github.com/smacker/go-tree-sitter/javascript"
	_ "github.com/smacker/go-tree-sitter/kotlin"
	_ "github.com/smacker/go-tree-sitter/ocaml"
	_ "github.com/smacker/go-tree-sitter/php"
	_ "github.com/smacker/go-tree-sitter/python"
	_ "github.com/smacker/go-tree-sitter/ruby"
	_ "github.com/smacker/go-tree-sitter/rust"
	_ "github.com/smacker/go-tree-sitter/scala"
	_ "github.com/smacker/go-tree-sitter/typescript/tsx"
	_ "github.com/smacker/go-tree-sitter/typescript/typescript"
)

const (
	// The work of a parse is counted in bytes of memory that it asks for and
	// of text that it reads (walk.c), never in time: a file must not change
	// its facts because the machine is slow or busy. Of 13,000 real files
	// (abseil, astropy, json, matplotlib, prometheus, rails, scikit-learn and
	// nine more) one takes half of what it may, a test framework in one header,
	// and twenty more a quarter; a unit costs 1 to 5 ns, so that the largest and
	// worst file ends within a second, and one of 40 KB within a third.
	baseWork    = 64 << 20
	workPerByte = 256
	maxWork     = 256 << 20
	// An error counts errorWork, for a look at the stack, and symbolWork for
	// each of the grammar's symbols, all of which the library tries then.
	errorWork  = 4 << 10
	symbolWork = 48
	// blindWork is maxWork where errors cannot be counted.
	blindWork = 160 << 20
	// maxNodes bounds the buffer of one file (32 bytes a node); real code has
	// about one named node for every four bytes.
	maxNodes = 1 << 20
)

// node is one named node of a tree: cohop_node of walk.h, field by field.
type node struct {
	sym, field   uint16
	start, end   uint32
	srow, erow   uint32
	parent, next int32
	flags        uint32
}

const (
	nodeError   = C.COHOP_ERROR
	nodeMissing = C.COHOP_MISSING
)

// grammar is a tree-sitter language and what its node types mean here.
type grammar struct {
	c        *C.TSLanguage
	names    []string // by symbol
	fields   []string // by field id; [0] is ""
	handlers []handler
	table    *table

	errorWork int // what an error counts; 0 if it cannot be told
}

// grammars by language id. They are made when first asked for.
var grammars = map[string]func() *grammar{
	"c":          lazy(func() *C.TSLanguage { return C.tree_sitter_c() }, cTable),
	"cpp":        lazy(func() *C.TSLanguage { return C.tree_sitter_cpp() }, cTable),
	"csharp":     lazy(func() *C.TSLanguage { return C.tree_sitter_c_sharp() }, csharpTable),
	"elixir":     lazy(func() *C.TSLanguage { return C.tree_sitter_elixir() }, elixirTable),
	"go":         lazy(func() *C.TSLanguage { return C.tree_sitter_go() }, goTable),
	"java":       lazy(func() *C.TSLanguage { return C.tree_sitter_java() }, javaTable),
	"javascript": lazy(func() *C.TSLanguage { return C.tree_sitter_javascript() }, jsTable),
	"kotlin":     lazy(func() *C.TSLanguage { return C.tree_sitter_kotlin() }, kotlinTable),
	"ocaml":      lazy(func() *C.TSLanguage { return C.tree_sitter_ocaml() }, ocamlTable),
	"php":        lazy(func() *C.TSLanguage { return C.tree_sitter_php() }, phpTable),
	"python":     lazy(func() *C.TSLanguage { return C.tree_sitter_python() }, pythonTable, scannerBlocks),
	"ruby":       lazy(func() *C.TSLanguage { return C.tree_sitter_ruby() }, rubyTable),
	"rust":       lazy(func() *C.TSLanguage { return C.tree_sitter_rust() }, rustTable),
	"scala":      lazy(func() *C.TSLanguage { return C.tree_sitter_scala() }, scalaTable, scannerBlocks),
	"tsx":        lazy(func() *C.TSLanguage { return C.tree_sitter_tsx() }, jsTable),
	"typescript": lazy(func() *C.TSLanguage { return C.tree_sitter_typescript() }, jsTable),
}

// scannerBlocks is said of grammars whose scanners ask for blocks of the size
// by which errors are told (walk.c): small lists of indentations.
const scannerBlocks = true

func lazy(lang func() *C.TSLanguage, t func() *table, blocks ...bool) func() *grammar {
	return sync.OnceValue(func() *grammar {
		g := &grammar{c: lang(), table: t()}
		g.names = make([]string, C.cohop_symbol_count(g.c))
		g.handlers = make([]handler, len(g.names))
		if len(blocks) == 0 {
			g.errorWork = errorWork + symbolWork*len(g.names)
		}
		for s := range g.names {
			g.names[s] = C.GoString(C.cohop_symbol_name(g.c, C.uint16_t(s)))
			g.handlers[s] = g.table.nodes[g.names[s]]
		}
		g.fields = make([]string, C.cohop_field_count(g.c)+1)
		for i := 1; i < len(g.fields); i++ {
			g.fields[i] = C.GoString(C.cohop_field_name(g.c, C.uint16_t(i)))
		}
		return g
	})
}

// parser owns a buffer of C; the pool's drops are freed when collected.
type parser struct{ c *C.cohop_parser }

var initC = sync.OnceFunc(func() { C.cohop_init() })

var parsers = sync.Pool{New: func() any {
	initC()
	p := &parser{c: C.cohop_new()}
	if p.c != nil {
		runtime.AddCleanup(p, func(c *C.cohop_parser) { C.cohop_free(c) }, p.c)
	}
	return p
}}

// parse returns the named nodes of src in preorder, valid until release is
// called, and how many of all nodes are errors. ok is false when a limit was
// hit: then there are no nodes.
func parse(g *grammar, src []byte) (nodes []node, errors int, ok bool, release func()) {
	p := parsers.Get().(*parser)
	release = func() { parsers.Put(p) }
	if p.c == nil || len(src) == 0 {
		return nil, 0, false, release
	}
	work := min(baseWork+workPerByte*len(src), maxWork)
	if g.errorWork == 0 {
		work = min(work, blindWork)
	}
	rc := C.cohop_parse(p.c, g.c, (*C.char)(unsafe.Pointer(&src[0])), C.uint32_t(len(src)), C.uint64_t(work), C.uint64_t(g.errorWork), maxNodes)
	if rc != C.COHOP_OK {
		return nil, 0, false, release
	}
	nodes = unsafe.Slice((*node)(unsafe.Pointer(p.c.nodes)), int(p.c.len))
	return nodes, int(p.c.errors), true, release
}
