package facts

var kotlinCases = []langCase{
	{
		lang: "kotlin",
		pkg:  "a",
		src: `package a

import x.Y

/** Doc. */
open class C(private val log: Log, a: Int) : Base<Foo>(a), I {
    private val foos = mutableListOf<Foo>()
    val size: Int
        get() = foos.size

    constructor(b: String) : this(Log(b), 1) {
        other(b)
    }

    init {
        setup(a)
    }

    // Says it.
    @Throws(Bad::class)
    override suspend fun say(items: List<Foo>, f: (Int) -> Unit): String {
        val local = helper.run(foos)
        for (i in items) { i.x(local) }
        try { this.later(named = 1) } catch (e: Exception) { log(e) }
        return local.map { it.size + MAX }.toString()
    }

    companion object {
        const val MAX = 10
    }
}

interface S {
    fun m()
}

enum class E(val n: Int) : I {
    A(1),
    B(2) {
        override fun q() {}
    };

    abstract fun q()
}

private object Single : Base() {
    fun go() = Other.call()
}

fun <T> List<T>.ext(x: T): Int = x foo size
typealias H = (Int) -> Unit
`,
		symbols: `
			class C 6-31 doc=5
			field C.log 6-6 private
			field C.foos 7-7 private
			field C.size 8-8
			method C.constructor 11-13
			method C.say 20-26 sig=21 doc=19
			class C.Companion 28-30
			const Companion.MAX 29-29
			interface S 33-35
			method S.m 34-34
			enum E 37-44
			field E.n 37-37
			field E.A 38-38
			field E.B 39-41
			func B.q 40-40
			method E.q 43-43
			class Single 46-48 private
			method Single.go 47-47 private
			func ext 50-50 of=List
			type H 51-51`,
		imports: `
			x.Y`,
		refs: `
			C: Log
			C: Base<
			C: Foo
			C: I<
			foos: Foo
			C: foos.size
			constructor: Log(
			constructor: other(
			C: setup(
			say: Bad
			say: Foo
			say: helper.run(
			say: foos
			say: i.x(
			say: this.later(
			say: log(
			say: ().toString(
			say: local.map(
			say: it.size
			say: MAX
			E: I<
			Single: Base<
			go: Other.call(
			go: Other
			ext: foo(
			ext: size`,
	},
	{ // extensions; what the grammar does not know
		lang: "kotlin",
		src: `actual class Data<
    T : Any>
internal actual constructor(actual val size: Int) : Base() {
    fun a() = all(0..<size)
}

expect fun interface Runs {
    fun run()
}

fun String?.a() {}
val <T> Chan<T>.b: Int get() = x().deep
fun <T : Any> T.c() {}
fun (() -> Int).d() {}
fun p.Path.Companion.e() = go().f().g(this)
@Deprecated("", level = DeprecationLevel.HIDDEN)
fun String.old() {}
@Deprecated("")
class Old
val actual = expect("fun interface") // ..<
`,
		symbols: `
			class Data 1-5 sig=3
			field Data.size 3-3
			method Data.a 4-4
			interface Runs 7-9
			method Runs.run 8-8
			func a 11-11 of=String
			var b 12-12 of=Chan
			func c 13-13 of=Any
			func d 14-14
			func e 15-15 of=Path
			func old 16-17 sig=17 of=String private
			class Old 18-19 sig=19
			var actual 20-20`,
		refs: `
			Data: Base<
			a: all(
			a: size
			b: Chan
			b: ().deep
			b: x(
			e: Path.Companion
			e: ().g(
			e: ().f(
			e: go(
			old: DeprecationLevel.HIDDEN
			old: DeprecationLevel
			actual: expect(`,
	},
}
