package facts

var compiled = []langCase{
	{
		lang: "java",
		pkg:  "com.acme.app",
		src: `package com.acme.app;

import java.util.List;
import static org.junit.Assert.*;
import static com.acme.Util.check;
import com.acme.other.*;

/** Doc. */
@Service("x")
public class C<T extends Q> extends Base<T> implements I, J<K> {
  public static final int MAX = 10, MIN = 1;
  private final List<Foo> foos = new ArrayList<>();

  public C(int a) {
    super(a);
    this.x = a;
  }

  // Says it.
  @Override
  public String toString()
      throws Bad {
    return helper.run(foos).trim() + MAX;
  }

  interface In { void m(); int K = 2; }
  enum E implements Z { A(1), B { void q() {} }; E(int x) {} }
  record R(int a, String b) implements S { R { check(a); } }
  @interface Ann { String value() default ""; }
  static { init(); }

  void g(String... more) {
    Runnable r = () -> Other.call();
    for (Foo f : foos) f.x();
    Foo::bar.y();
    new Inner().z(more);
    try {} catch (IOException e) { log(e); }
  }
}
`,
		symbols: `
			class C 9-39 sig=10 doc=8
			const C.MAX 11-11
			const C.MIN 11-11
			field C.foos 12-12 private
			method C.C 14-17
			method C.toString 20-24 sig=22 doc=19
			interface C.In 26-26
			method In.m 26-26
			const In.K 26-26
			enum C.E 27-27
			field E.A 27-27
			field E.B 27-27
			method B.q 27-27
			method E.E 27-27
			class C.R 28-28
			method R.R 28-28
			interface C.Ann 29-29
			method Ann.value 29-29
			method C.g 32-38`,
		imports: `
			java.util.List
			org.junit.Assert {*}
			com.acme.Util {check}
			com.acme.other {*}`,
		refs: `
			C: Service@
			C: Q
			C: Base<
			C: I<
			C: J<
			C: K
			foos: Foo
			C: this.x
			toString: Bad
			toString: trim(
			toString: helper.run(
			toString: foos
			toString: MAX
			E: Z<
			R: S<
			R: check(
			C: init(
			g: Runnable
			g: Other.call(
			g: Other
			g: Foo 2
			g: foos
			g: f.x(
			g: y(
			g: Foo.bar(
			g: z(
			g: Inner(
			g: log(`,
	},
	{
		lang: "rust",
		src: `//! crate doc
use std::{collections::HashMap, io::{self, Read as R}};
pub use crate::a::b::*;
use super::x;
mod sub;
pub(crate) mod inline { pub fn deep() {} }
extern crate serde as sd;
/// Doc.
#[derive(Debug, Clone)]
pub struct Foo<'a, T: Bar> { pub a: &'a str, b: T }
pub struct Tup(pub i32, String);
pub enum E { A, B(i32), C { x: u8 } }
pub trait Tr: Super + Send { const K: i32; type Out; fn req(&self) -> i32; fn def(&self) { helper(); } }
impl<'a, T> Tr for Foo<'a, T> where T: Bar { fn req(&self) -> i32 { self.a.len(); Self::new(); other::call::<u8>(1) } }
impl Foo<'_, u8> { pub fn new() -> Self { Foo { a: "", b: 1 } } const Z: u8 = 1; }
pub const MAX: usize = 10;
static mut S: i32 = 1;
type Alias = Vec<Foo>;
macro_rules! mac { ($x:expr) => { $x } }
pub async fn run(cfg: &Config, (p, q): (i32, i32)) -> Result<(), Error> { let v = mac!(a); for i in v { println!("{}", i); } match x { Some(y) => y, E::A => 1 } }
union Un { f: f32 }
extern "C" { fn ext(a: i32); }
#[cfg(test)]
mod tests { use super::*; #[test] fn t() { assert_eq!(1, 1); } }
`,
		symbols: `
			module inline 6-6
			func inline.deep 6-6
			struct Foo 9-10 sig=10 doc=8
			field Foo.a 10-10
			field Foo.b 10-10 private
			struct Tup 11-11
			enum E 12-12
			field E.A 12-12
			field E.B 12-12
			field E.C 12-12
			field C.x 12-12 private
			interface Tr 13-13
			const Tr.K 13-13
			type Tr.Out 13-13
			method Tr.req 13-13
			method Tr.def 13-13
			other Foo 14-14
			method Foo.req 14-14
			other Foo 15-15
			method Foo.new 15-15
			const Foo.Z 15-15 private
			const MAX 16-16
			var S 17-17 private
			type Alias 18-18 private
			macro mac 19-19
			func run 20-20
			struct Un 21-21 private
			field Un.f 21-21 private
			func ext 22-22 private
			module tests 23-24 sig=24 private
			func tests.t 24-24 private`,
		imports: `
			std::collections {HashMap}
			std::io
			std::io {Read} as R
			crate::a::b {*} reexport
			super {x}
			sub mod
			serde as sd
			super {*}`,
		refs: `
			Foo: Bar
			Tr: Super<
			Tr: Send<
			def: helper(
			Foo: Tr<
			Foo: Foo
			Foo: Bar
			req: a.len(
			req: self.a
			req: Self.new(
			req: other.call(
			Foo: Foo
			new: Foo(
			Alias: Foo
			run: Config
			run: Error
			run: mac(
			run: a
			run: x
			run: E.A`,
	},
	{
		lang: "cpp",
		src: `#include <vector>
#include "foo/bar.h"
#define MAX(a,b) ((a)>(b)?(a):(b))
#define LIMIT 100
using namespace std;
using ns::Thing;
namespace acme { namespace inner {
/// Doc
template <typename T, int N>
class API_EXPORT Foo : public Base<T>, private ns::Other {
 public:
  Foo(int a) : x_(a), Base<T>(a) {}
  explicit Foo(const Foo&) = delete;
  ~Foo();
  virtual int run(const std::string& s) const override { return helper(s) + x_; }
  static Foo* make();
  bool operator==(const Foo& o) const;
  template <class U> void tm(U u);
  enum class Color { Red, Green = 2 };
  typedef int Int;
  using Vec = std::vector<T>;
 private:
  int x_, y_ = 3;
  std::string name_;
  void (*cb)(int);
};
struct Plain { int a; struct In { int z; } in; };
enum Old { A, B };
union Un { int i; float f; };
int Foo::run2(int q) { auto l = [&](int z) { return z + g; }; for (auto& it : items) it.go(); obj->call(1); ns::fn(2); return new Bar(3); }
template <> int ns::Foo<int>::spec() { return 1; }
Foo::~Foo() {}
bool Foo::operator==(const Foo& o) const { return true; }
}}
extern "C" { void cfun(void); }
typedef struct { int m; } anon_t;
typedef struct tag { int m; } tag_t;
typedef void (*fp_t)(int, char*);
static const int kMax = 5;
extern int gvar;
int arr[3] = {1,2,3}, *ptr;
char *fun_ptr(const char *a, size_t n) { return a; }
concept X = true;
using Alias = int;
constexpr auto lam = [] { return 1; };
TEST_F(FooTest, Works) { EXPECT_EQ(1, Foo().run("a")); }
`,
		symbols: `
			macro MAX 3-3
			macro LIMIT 4-4
			module acme 7-34
			module acme.inner 7-34
			class inner.Foo 9-26 sig=10 doc=8
			method Foo.Foo 12-12
			method Foo.Foo 13-13
			method Foo.~Foo 14-14
			method Foo.run 15-15
			method Foo.make 16-16
			method Foo.operator== 17-17
			method Foo.tm 18-18
			enum Foo.Color 19-19
			field Color.Red 19-19
			field Color.Green 19-19
			type Foo.Int 20-20
			type Foo.Vec 21-21
			field Foo.x_ 23-23
			field Foo.y_ 23-23
			field Foo.name_ 24-24
			field Foo.cb 25-25
			struct inner.Plain 27-27
			field Plain.a 27-27
			field Plain.in 27-27
			struct Plain.In 27-27
			field In.z 27-27
			enum inner.Old 28-28
			field Old.A 28-28
			field Old.B 28-28
			struct inner.Un 29-29
			field Un.i 29-29
			field Un.f 29-29
			method inner.run2 30-30 of=Foo
			method inner.spec 31-31 of=Foo
			method inner.~Foo 32-32 of=Foo
			method inner.operator== 33-33 of=Foo
			func cfun 35-35
			struct anon_t 36-36
			field anon_t.m 36-36
			type tag_t 37-37
			struct tag 37-37
			field tag.m 37-37
			type fp_t 38-38
			const kMax 39-39 private
			var gvar 40-40
			var arr 41-41
			var ptr 41-41
			func fun_ptr 42-42
			type X 43-43
			type Alias 44-44
			const lam 45-45
			func Works 46-46 of=FooTest`,
		imports: `
			vector
			.foo/bar.h`,
		refs: `
			: ns.Thing
			Foo: Base<
			Foo: ns.Other<
			Foo: Foo
			~Foo: Foo
			run: helper(
			run: x_
			make: Foo
			operator==: Foo
			run2: g
			run2: items
			run2: it.go(
			run2: obj.call(
			run2: ns.fn(
			run2: Bar(
			~Foo: Foo
			operator==: Foo
			: TEST_F(
			Works: FooTest
			Works: run(
			Works: Foo(`,
	},
	{
		lang: "c",
		src: `#include <stdio.h>
struct node { int v; struct node *next; };
enum color { RED, GREEN };
static struct ops myops = { .open = my_open, .close = my_close };
int main(int argc, char **argv) { struct node n; n.v = FLAG; printf("%d --foo-bar E1234", do_it(&n)); return n.next->v; }
PyObject *
func_gnu(PyObject *self, int a)
{
    return NULL;
}
void proto(int a);
#ifdef X
int cond(void) { return 1; }
#else
int cond(void) { return 2; }
#endif
`,
		symbols: `
			struct node 2-2
			field node.v 2-2
			field node.next 2-2
			enum color 3-3
			field color.RED 3-3
			field color.GREEN 3-3
			var myops 4-4 private
			func main 5-5
			func func_gnu 6-10 sig=7
			func proto 11-11
			func cond 13-13
			func cond 15-15`,
		imports: `
			stdio.h`,
		refs: `
			next: node
			myops: ops
			myops: my_open
			myops: my_close
			main: node
			main: n.v
			main: FLAG
			main: do_it(
			main: next.v
			main: n.next
			func_gnu: PyObject 2
			: X`,
	},
	{
		lang: "ruby",
		src: `require 'json'
require_relative "../lib/foo"
autoload :Bar, "bar"
# Doc
module Acme
  class Foo::Baz < Base::Thing
    include Comparable
    extend Mod::Util
    MAX = 10
    attr_accessor :a, :b
    attr_reader :c
    has_many :posts, class_name: "Post"
    def initialize(x, y: 1, *z, &blk)
      @x = x
      loc = helper(x)
      loc.each { |it| it.go; other.call(it) }
    end
    def self.make(arg) = new(arg)
    class << self
      def inner; end
    end
    def pred?; @x; end
    private
    def secret; raise ArgumentError, "bad value"; end
    alias_method :sec2, :secret
    scope :recent, -> { where(x: 1) }
    Point = Struct.new(:x, :y)
    define_method(:dyn) { 1 }
    private def inl; end
  end
end
Foo.bar(1)
describe "x" do it "y" do expect(1).to eq(2) end end
`,
		symbols: `
			module Acme 5-31 doc=4
			class Acme.Baz 6-30 of=Foo
			const Baz.MAX 9-9
			field Baz.a 10-10
			field Baz.b 10-10
			field Baz.c 11-11
			field Baz.posts 12-12
			method Baz.initialize 13-17
			method Baz.make 18-18
			method Baz.inner 20-20
			method Baz.pred? 22-22
			method Baz.secret 24-24 private
			method Baz.sec2 25-25
			method Baz.recent 26-26
			class Baz.Point 27-27
			method Baz.dyn 28-28
			method Baz.inl 29-29 private`,
		imports: `
			json
			.../lib/foo
			bar {Bar}`,
		refs: `
			Baz: Foo
			Baz: Base.Thing<
			Baz: Base
			Baz: Comparable<
			Baz: Mod.Util<
			Baz: Mod
			Baz: has_many(
			initialize: helper(
			initialize: it.go(
			initialize: other.call(
			Baz: alias_method(
			Baz: scope(
			Baz: where(
			Baz: define_method(
			: Foo.bar(
			: Foo
			: describe(
			: it(
			: to(
			: expect(
			: eq(`,
	},
}
