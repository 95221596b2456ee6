package facts

import (
	"bytes"
	"slices"
	"testing"
)

// Items in the macros that only stand around them are items.
func TestRustItemMacros(t *testing.T) {
	src := []byte(`//! cfg_doc! { not this }
cfg_rt! {
    mod builder;
    /// Builds.
    pub use self::builder::Builder;
    cfg_net! {
        pub struct Driver { x: u8 }
    }
    impl Driver {
        fn go(&self) -> char { let s = "cfg_x! {"; let r = r#"}"#; '{' }
    }
}

pin_project_lite::pin_project! {
    pub struct Fut<'a> {
        #[pin]
        inner: &'a u8,
    }
}

lazy_static! { static ref KEPT: u8 = 1; }

fn after() { println!("{}", 1) }

pub extern crate other as renamed;
`)
	if out := calmItems(src); len(out) != len(src) || bytes.Count(out, []byte{'\n'}) != bytes.Count(src, []byte{'\n'}) {
		t.Fatalf("calmed to other lines: %q", out)
	}
	f := Extract("rust", src)
	var names []string
	for _, s := range f.Symbols {
		names = append(names, s.Name)
	}
	for _, want := range []string{"Driver", "go", "Fut", "inner", "after"} {
		if !slices.Contains(names, want) {
			t.Errorf("no symbol %s in %v", want, names)
		}
	}
	var modules []string
	for _, im := range f.Imports {
		modules = append(modules, im.Module)
		if im.Module == "other" && (!im.Reexport || im.Alias != "renamed") {
			t.Errorf("extern crate: %+v", im)
		}
		if im.Module == "self::builder" && (!im.Reexport || im.Line != 5) {
			t.Errorf("use: %+v", im)
		}
	}
	if want := []string{"builder", "self::builder", "other"}; !slices.Equal(modules, want) {
		t.Errorf("imports %v, want %v", modules, want)
	}
}

// What does not close is left alone, and nothing is read beyond the end.
func TestRustItemMacrosBroken(t *testing.T) {
	whole := []byte("cfg_a! { fn x() {} } r##\"a\"# '\\u{10ffff}' 'x \"\\\" /* */ // }\n}")
	for n := range whole {
		src := slices.Clone(whole[:n])
		if out := calmItems(src); len(out) != n {
			t.Fatalf("%q: length %d", src, len(out))
		}
	}
	if src := []byte("cfg_a! { fn x() {"); &calmItems(src)[0] != &src[0] {
		t.Error("an open macro was calmed")
	}
}

// Classes without a body, in front of annotations that wrap behind "=", are
// read as one chain of words.
func TestKotlinBarrenClasses(t *testing.T) {
	f := Extract("kotlin", []byte(`package a

@Must
@Target(A.B)
@Level(level = L.E)
public annotation class One

@Must
@Target(A.B)
@Level(
    level = L.E, message =
    "It." +
        " Is."
)
public annotation class Two

@Target(A.B)
@Level(
    level = L.E, message =
    "It." +
        " Is."
)
public annotation class Three
`))
	var names []string
	for _, s := range f.Symbols {
		if names = append(names, s.Name); s.Kind != KindClass {
			t.Errorf("%+v", s)
		}
	}
	if want := []string{"One", "Two", "Three"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// A functor's parameter is no module of the tree.
func TestOCamlFunctorParameter(t *testing.T) {
	f := Extract("ocaml", []byte(`module Make (Schema : S) = struct
  open Schema
  module B = Schema.Branch
  module C = Other.Branch
end

module D = Schema.Kept
`))
	var modules []string
	for _, im := range f.Imports {
		modules = append(modules, im.Module)
	}
	if want := []string{"Other.Branch", "Schema.Kept"}; !slices.Equal(modules, want) {
		t.Errorf("%v, want %v", modules, want)
	}
}

// Constructors, fields and modules that an interface or a signature declares.
func TestOCamlDeclared(t *testing.T) {
	names := func(src string) (out []string) {
		for _, s := range Extract("ocaml", []byte(src)).Symbols {
			out = append(out, s.Name)
		}
		return out
	}
	mli := `type t =
  | A
  | B of Other.t

type r =
  { mutable a : int
  ; b : string list
  }

type alias = Other.t
type v = [ ` + "`Not" + ` ]
val f : x:int -> r
`
	if got, want := names(mli), []string{"t", "A", "B", "r", "a", "b", "alias", "v", "f"}; !slices.Equal(got, want) {
		t.Errorf("interface: %v, want %v", got, want)
	}
	ml := `module type S = sig
  module Repo : sig
    val v : int
  end
end

let x = 1
`
	if got, want := names(ml), []string{"S", "Repo", "v", "x"}; !slices.Equal(got, want) {
		t.Errorf("signature: %v, want %v", got, want)
	}
}

// What is no definition: a variable of a type where the tree is broken, a
// directive, a name that is put together.
func TestNoDefinitions(t *testing.T) {
	cases := []struct {
		lang, src string
		want      []string
	}{
		{"c", "#define X(\nvoid f(void) {\n  if (a {{{ (\n  struct list queue;\n  struct list* q;\n}\n\n\n\n\n\n\nvoid stop(int x) {\n  struct list other;\n}\nstruct real {\n  int a;\n};\n", []string{"real"}},
		{"elixir", "defmodule A do\n  @compile {:inline, i: 1}\n  @derive [X]\n  @limit 3\nend\n", []string{"A", "limit"}},
		{"ruby", "class A\n  define_method(\"test_#{k}_purge\") { 1 }\n  define_method(:ok) { 1 }\nend\n", []string{"A", "ok"}},
	}
	for _, c := range cases {
		var got []string
		for _, s := range Extract(c.lang, []byte(c.src)).Symbols {
			if c.lang != "c" || s.Kind == KindStruct {
				got = append(got, s.Name)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.lang, got, c.want)
		}
	}
}

// Key words of Kotlin that break its tree go, and with them no line.
func TestCalmActual(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"actual val x = 1", "       val x = 1"},
		{"fun interface A", "    interface A"},
		{"for (i in 0..<n) {}", "for (i in 0.. n) {}"},
		{"class A\ninternal constructor(x: Int)", "class A\n                    (x: Int)"},
		{"class A {\n  constructor(x: Int)", ""},
		{"val a = B::class\nconstructor(x)", ""},
		{"class A\n@Inject constructor(x: Int)", ""},
		{"class A constructor(x: Int)", ""},
		{"actual(1); actual = expect", ""},
		{"\"actual val\" /* fun interface */ // actual val\n\"\"\"expect val", ""},
		{"\"\"\"actual val\"\"\" expect fun", "\"\"\"actual val\"\"\"        fun"},
		{"actual", ""},
	} {
		src := []byte(tt.src)
		out := calmActual(src)
		if tt.want == "" {
			if &out[0] != &src[0] {
				t.Errorf("%q became %q", tt.src, out)
			}
		} else if string(out) != tt.want {
			t.Errorf("%q became %q, want %q", tt.src, out, tt.want)
		}
	}
}
