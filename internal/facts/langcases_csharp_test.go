package facts

var csharpCases = []langCase{
	{ // names behind an alias
		lang: "csharp",
		src: `class C : MsgPack::F.I<global::A>
{
    MsgPack::W<B> w = global::F.Instance.X();
}
`,
		symbols: `
			class C 1-4
			field C.w 3-3 private`,
		refs: `
			C: MsgPack::F.I<
			C: global::.A
			w: MsgPack::.W
			w: B
			w: Instance.X(
			w: F.Instance
			w: global::.F`,
	},
	{
		lang: "csharp",
		pkg:  "Acme.App",
		src: `using System;
using static Acme.Math2;
using F = Acme.Foo.Bar;
global using Acme.Glob;

namespace Acme.App
{
    /// <summary>Doc.</summary>
    [Serializable, Route("/x")]
    public sealed partial class C<T> : Base<T>, IOne, Other.ITwo where T : class, Q
    {
        public const int Max = 10, Min = 1;
        private readonly List<Foo> foos = new List<Foo>();
        public event EventHandler Changed;
        public string Name { get; set; } = "the name";
        public int this[int i] => foos[i].Size;
        internal Bar Prop => helper.Get(Max);

        public C(int a) : base(a)
        {
            this.x = a;
            var y = new Thing(a);
            y.Run();
        }
        ~C() { Close(); }

        // Says it.
        [Obsolete]
        public override async Task<string> Say<U>(U u, params string[] more)
            where U : new()
        {
            foreach (var m in more) { await Log.Write(m, nameof(Say)); }
            int Local(int z) { return z + Static.Value; }
            return Local(1) is Foo f ? f.ToString() : typeof(Zed).Name;
        }
        public static C<T> operator +(C<T> a, C<T> b) => a;
        private class Nested { void Hidden() { } }
    }
    public interface IOne : IBase { void M(); int P { get; } }
    public struct S { public int A; }
    internal enum E : byte { A, B = 2 }
    public record R(int X, string Y) : Base2(X);
    public record struct RS(int Z);
    public delegate void D(int x);
}
`,
		symbols: `
			module Acme.App 6-45
			class Acme.App.C 9-38 sig=10 doc=8
			const C.Max 12-12
			const C.Min 12-12
			field C.foos 13-13 private
			field C.Changed 14-14
			field C.Name 15-15
			field C.Prop 17-17
			method C.C 19-24
			method C.Say 28-35 sig=30 doc=27
			func Say.Local 33-33 private
			class C.Nested 37-37 private
			method Nested.Hidden 37-37 private
			interface Acme.App.IOne 39-39
			method IOne.M 39-39
			field IOne.P 39-39
			struct Acme.App.S 40-40
			field S.A 40-40
			enum Acme.App.E 41-41
			field E.A 41-41
			field E.B 41-41
			class Acme.App.R 42-42
			field R.X 42-42
			field R.Y 42-42
			class Acme.App.RS 43-43
			field RS.Z 43-43
			type Acme.App.D 44-44`,
		imports: `
			System
			Acme.Math2 {*}
			Acme.Foo.Bar as F
			Acme.Glob`,
		refs: `
			C: Route@
			C: Base<
			C: IOne<
			C: Other.ITwo<
			C: Q
			foos: Foo 2
			Changed: EventHandler
			C: ().Size
			C: foos
			Prop: Bar
			Prop: helper.Get(
			Prop: Max
			C: this.x
			C: Thing(
			C: y.Run(
			C: Close(
			Say: Log.Write(
			Say: Log
			Say: Say
			Local: Static.Value
			Local: Static
			Say: Local(
			Say: Foo
			Say: f.ToString(
			Say: Name
			Say: Zed
			C: C 3
			IOne: IBase<
			R: Base2<
			R: X`,
	},
	{
		lang: "csharp",
		pkg:  "A",
		src: `namespace A;
#nullable enable
#if INTERNAL
    internal
#else
    public
#endif
    ref partial struct Reader
    {
#if X
        public int X() { return 1; }
#elif Y
        public int Y() { return 2; }
#endif
        #region r
        void Z() => M?.N(ref x);
        #endregion
    }
public readonly ref struct B { public int y; }
`,
		symbols: `
			struct Reader 4-18 sig=8
			method Reader.X 11-11
			method Reader.Y 13-13
			method Reader.Z 16-16 private
			struct B 19-19
			field B.y 19-19`,
		imports: ``,
		refs: `
			Z: M.N(
			Z: M
			Z: x`,
	},
}
