package facts

var scalaCases = []langCase{
	{
		lang: "scala",
		pkg:  "com.acme.app",
		src: `package com.acme
package app

import com.acme.other.{Thing, Foo => F, _}
import com.acme.util._
import scala.concurrent.Future

/** Doc. */
@deprecated("x", "1")
final case class C[T <: Q](x: Int, private val log: Log)(implicit e: Enc[T]) extends Base[T](x) with I with J {
  type Out = Foo
  val max: Int = 10
  private[this] lazy val foos = List(Foo(1))
  var v = 1
  // Says it.
  @tailrec override def say[U](items: List[U])(implicit m: Mat): String = {
    val local = helper.run(items)
    def inner(z: Int) = z + Static.value
    for (i <- items) log.write(i)
    local match { case Some(q) => q.trim case Bar(r) => this.go(r) }
  }
  protected def hid: Int
}
object C { implicit val enc: Enc[C] = new Enc[C] { def apply(c: C) = 1 }; def apply(a: Int) = new C(a) }
sealed trait S extends K { def m(): Unit; type T }
package object pkg { def helper = 1 }
abstract class A { self: B => }
`,
		symbols: `
			class C 9-23 sig=10 doc=8
			field C.x 10-10
			field C.log 10-10 private
			field C.e 10-10
			type C.Out 11-11
			field C.max 12-12
			field C.foos 13-13 private
			field C.v 14-14
			method C.say 16-21 doc=15
			func say.inner 18-18 private
			method C.hid 22-22
			class C 24-24
			field C.enc 24-24
			func enc.apply 24-24
			method C.apply 24-24
			interface S 25-25
			method S.m 25-25
			type S.T 25-25
			module pkg 26-26
			method pkg.helper 26-26
			class A 27-27`,
		imports: `
			com.acme.other {Thing Foo as F *}
			com.acme.util {*}
			scala.concurrent.Future`,
		refs: `
			C: Q
			C: Log
			C: Enc
			C: Base<
			C: I<
			C: J<
			C: x
			Out: Foo
			foos: Foo(
			say: Mat
			say: helper.run(
			inner: Static.value
			inner: Static
			say: log.write(
			say: q.trim
			say: Bar
			say: this.go(
			enc: Enc
			enc: C 2
			enc: Enc(
			apply: C
			apply: C(
			S: K<
			A: B`,
	},
	{
		lang: "scala",
		pkg:  "a.b",
		src: `package a.b
import x.y.*
import x.z as w
enum Color(val n: Int) extends I:
  case Red extends Color(1)
  case A, B
object O:
  def f(x: Int): Int =
    g(x)
  extension (s: String) def twice: String = s + s
  given ord: Ord[Int] with
    def cmp = 1
type Al = Int
def top = 1
val tv = 2
trait T:
  def m: Int
end T
`,
		symbols: `
			enum Color 4-6
			field Color.n 4-4
			field Color.Red 5-5
			field Color.A 6-6
			field Color.B 6-6
			class O 7-12
			method O.f 8-9
			method O.twice 10-10
			var O.ord 11-12
			func ord.cmp 12-12
			type Al 13-13
			func top 14-14
			var tv 15-15
			interface T 16-17
			method T.m 17-17`,
		imports: `
			x.y {*}
			x.z as w`,
		refs: `
			Color: I<
			Red: Color<
			f: g(
			ord: Ord`,
	},
}
