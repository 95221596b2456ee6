// Package resolve turns imports and references into edges between the files
// of one tree, a file a language. An edge that fits several files shares its
// weight among them.
//
// Imports first: each language says which files a module, a package or a path
// means, by the conventions of its loader and by the manifests of the tree; a
// name taken from a module is followed through re-exports to the file that
// defines it. Then references: of the definitions of a name only those with
// the best evidence count, in the order imported by name, reached through a
// module, member of a base, in an imported file, in the same package, in the
// same folder, anywhere. Types are known as far as a file of Go or Swift says
// them itself (goref.go, swift.go); else a member of a value of unknown type is
// matched by the names of its owner and its imports, and what only its
// own name speaks for is a guess, few of which are made and which do not add
// up. Names that come from outside of the tree lead nowhere.
//
// An import that no file answers may be of generated code, and leads to what that
// is made of (see generated.go).
//
// Limits: build tags and conditional compilation are not evaluated; extensions
// other than Kotlin's, dynamic loading and dependency injection leave no edge.
package resolve

import "cohop/internal/facts"

// Def is one definition of a name.
type Def struct {
	File     int32
	Symbol   int32 // index into the file's Symbols
	Kind     facts.Kind
	Parent   string     // name of the owner (facts.Symbol.Owner) or else of the enclosing symbol, "" at top level
	Within   facts.Kind // kind of the enclosing symbol; KindOther at top level
	Exported bool
}

// Tree is what resolution may ask about the files of one tree. Files are
// dense ids in path order. Implementations must be safe for concurrent use.
type Tree interface {
	Len() int
	Path(f int32) string
	Lang(f int32) string               // as facts.Language
	Find(path string) (int32, bool)    // exact path
	Dir(dir string) []int32            // files directly in dir ("" is the root), ascending
	Base(name string) []int32          // files with this base name, ascending ("stdio.h")
	Definers(name string) []Def        // exact, case-sensitive; ascending by file, symbol
	Package(name, lang string) []int32 // files of lang whose Facts.Package is name, ascending
	Facts(f int32) *facts.Facts        // never nil; may load
	Manifests(lang string) []int32     // files of a manifest language id ("gomod"), ascending
}

// Kind of an edge.
type Kind uint8

// The kinds of edge.
const (
	Import Kind = iota // From imports To
	Call               // a symbol of From calls a symbol of To
	Use                // names a type, constant or base of To
)

// Edge leads from a file to another one it depends on. Weight is in (0,1]:
// 1 when sure, shared when ambiguous.
type Edge struct {
	From, To int32
	Kind     Kind
	Weight   float32
}

// Stat counts what became of the imports of one language. Internal: relative,
// or the first segment names a module, package or folder of the tree.
type Stat struct {
	Lang               string
	Internal, Resolved int
	Missed             map[string]int // internal-looking imports that led nowhere → occurrences
}
