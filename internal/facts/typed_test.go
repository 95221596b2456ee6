package facts

import (
	"slices"
	"strings"
	"testing"
)

// members lists qualifier and name of the references with a qualifier.
func members(lang, src string) []string {
	var out []string
	for _, r := range Extract(lang, []byte(src)).Refs {
		if s := r.Qualifier + " " + r.Name; r.Qualifier != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

func wantMembers(t *testing.T, lang, src, want string) {
	t.Helper()
	var list []string
	for l := range strings.Lines(want) {
		if l = strings.TrimSpace(l); l != "" {
			list = append(list, l)
		}
	}
	slices.Sort(list)
	got := members(lang, src)
	for _, m := range got {
		if !slices.Contains(list, m) {
			t.Errorf("unwanted %q", m)
		}
	}
	for _, m := range list {
		if !slices.Contains(got, m) {
			t.Errorf("missing %q", m)
		}
	}
}

// What the file says of a value's type stands in the reference.
func TestGoTypes(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"parameters, receivers and results", `
			func (s *Store) f(a *p.T, b ...q.U) (out p.R, err error) { s.m1(); a.m2(); b[0].m3(); out.m4(); err.Error() }`, `
			:Store m1
			:p.T m2
			:q.U m3
			:p.R m4
			p T
			q U
			p R`},
		{"literals, pointers, new, conversions and assertions", `
			func f(x any) {
				a := &p.T{}; a.m1()
				b := new(T); b.m2()
				c := T(x); c.m3()
				d, ok := x.(*p.I); d.m4(); ok.no()
				(*T)(nil).m5()
				e := []p.E{{}}; e[1].m6()
				for i, v := range e { v.m7(); i.no() }
				for v := range make(chan p.C) { v.m8() }
			}
			type T struct{}`, `
			p T
			:p.T m1
			:T m2
			:T m3
			:T m5
			p I
			:p.I m4
			p E
			:p.E m6
			:p.E m7
			p C
			:p.C m8`},
		{"what other files give is told by where it comes from", `
			func f() {
				a := p.New(); a.m1()
				b, err := p.Open(); b.m2(); err.Error()
				a.Next().m3()
				make2().m4()
				p.V.m5()
				c := other; c.m6()
			}`, `
			p New
			:p.New: m1
			p Open
			:p.Open: m2
			:p.New: Next
			:p.New:Next m3
			:make2: m4
			p V
			:p.V: m5
			c m6`},
		{"fields, methods and functions of the file, embedded types too", `
			type S struct { f p.F; list []p.L; inner; fn func() p.R; m map[string]p.M }
			type inner struct { g q.G }
			type I interface { Do() p.D }
			type Alias = p.A
			func (s *S) Get() (p.Q, error) { return nil, nil }
			func mk() *S { return nil }
			var global = mk()
			func f(s S, i I, al Alias) {
				s.f.m1(); s.list[0].m2(); s.g.m3(); s.fn().m4(); s.m["k"].m5()
				i.Do().m6(); al.m7(); mk().Get()
				v, _ := mk().Get(); v.m8()
				global.f.m9()
			}`, `
			p F
			p L
			p R
			p M
			q G
			p D
			p A
			p Q
			:S f
			:p.F m1
			:S list
			:p.L m2
			:S g
			:q.G m3
			:S fn
			:p.R m4
			:S m
			:p.M m5
			:I Do
			:p.D m6
			:p.A m7
			:S Get
			:p.Q m8
			:p.F m9`},
		{"a struct without a name leaves no members, its fields do", `
			func f() {
				for _, tt := range []struct{ name string; opts p.O }{} { tt.name.no(); tt.opts.m1() }
			}`, `
			p O
			:p.O m1`},
		{"a switch of types, shadowing, functions without a name", `
			func f(x p.X) {
				switch v := x.(type) {
				case *p.A: v.m1()
				case *p.B: v.m2()
				case *p.C, *p.D: v.m3()
				default: v.m4()
				}
				{ x := q.New(); x.m5() }
				x.m6()
				g := func(y p.Y) p.Z { return y.m7() }
				g(nil).m8()
				p := x; p.m9()
				select { case r := <-p.ch(): r.m10() }
			}`, `
			p X
			p A
			p B
			p C
			p D
			p Y
			p Z
			q New
			:p.A m1
			:p.B m2
			:p.X m3
			:p.X m4
			:q.New: m5
			:p.X m6
			:p.Y m7
			:p.Z m8
			:p.X m9
			:p.X ch
			:p.X:ch m10`},
		{"parameters of types are what they must be, or nothing", `
			func f[K any, V p.Must](k K, v V) { k.no(); v.m1() }`, `
			p Must
			:p.Must m1`},
		{"a local type is known by what it holds", `
			func f() {
				type t struct{ a p.A }
				var x t
				x.a.m1()
			}`, `
			p A
			:p.A m1`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantMembers(t, "go", "package x\nimport (\n\"m/p\"\n\"m/q\"\n)\n"+tt.body, tt.want)
		})
	}
}

// Where the grammar finds no root, and where things nest without end.
func TestGoTypesBroken(t *testing.T) {
	for _, src := range []string{
		"a.b()", "}{ func (x T) { x.y.z() }", "package", "func f( { a := a.b; a.c() ",
		"package p\ntype T = T\nfunc f(t T) { t.x() }",
		"package p\ntype T struct { T }\nfunc f(t T) { t.x.y() }",
		"package p\ntype A []B\ntype B []A\nfunc f(a A) { a[0][0][0].x() }",
		"package p\nvar x = x.y\nfunc f() { x.z() }",
		"package p\nfunc f() { " + strings.Repeat("a.b().", 3000) + "c() }",
		"package p\nvar v " + strings.Repeat("struct { a ", 500) + "int" + strings.Repeat("}", 500),
		"package p\nfunc f() { " + strings.Repeat("x := func() { ", 300) + "x.y()" + strings.Repeat("}", 300) + " }",
	} {
		Extract("go", []byte(src))
	}
}

func TestSwiftTypes(t *testing.T) {
	wantMembers(t, "swift", `import Net
class Client: Base {
    let lock = NSLock()
    var shared: Net.Session? = nil

    func go<S: Store>(_ x: Req, from list: [Thing], then: (Int) -> Void, w: some Proto, s: S) async throws -> Res {
        let (a, b) = AsyncStream<Int>.makeStream(of: Int.self)
        let t = try await Foo<Int>.Inner(x: 1)
        a.finish()
        lock.lock()
        t.run()
        x.body()
        list.map2()
        then.no()
        w.send()
        s.write()
        shared.stop()
        let q = "x"
        q.low()
        let n = make()
        n.kick()
        let c = Foo(1).bar()
        c.done2()
    }

    init(r: Res) {
        r.start()
        let t = Other()
        t.other()
    }
}
`, `
		:AsyncStream: finish
		:NSLock lock
		:Foo.Inner run
		:Req body
		:Array map2
		then no
		:Proto send
		:Store write
		Net Session
		:Net.Session stop
		:String low
		n kick
		:Foo: done2
		:Res start
		:Other other
	`)
}
