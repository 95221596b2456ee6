package facts

var ocamlCases = []langCase{
	{
		lang: "ocaml",
		src: `open Acme.Base
open! Stdlib
include Foo
module M = Other.Thing
(** Doc. *)
let rec run ?(x = 1) ~y z = helper (y + z) |> Log.write "hello world"
and other = function A -> 1 | B q -> q
let value = 3
let ( +++ ) a b = a
type t = { name : string; mutable age : Foo.t }
and kind = A | B of int * t
exception Bad of string
module Sub (X : S) : T = struct
  let inner () = let local = run 1 in List.map (fun i -> i + local) [1]
  type u = int
end
module type S = sig
  val req : int -> t
  type a
end
class c x = object inherit base method m = x method private p = self#m val v = 1 end
external ext : int -> int = "c_ext"
let () = print_endline (Sub.inner ())
`,
		symbols: `
			module M 4-4
			func run 6-6 doc=5
			func other 7-7
			var value 8-8
			type t 10-10
			field t.name 10-10
			field t.age 10-10
			type kind 11-11
			field kind.A 11-11
			field kind.B 11-11
			type Bad 12-12
			module Sub 13-16
			func Sub.inner 14-14
			type Sub.u 15-15
			interface S 17-20
			func S.req 18-18
			type S.a 19-19
			class c 21-21
			method c.m 21-21
			method c.p 21-21 private
			field c.v 21-21
			func ext 22-22`,
		imports: `
			Acme.Base {*}
			Stdlib {*}
			Foo {*} reexport
			Other.Thing as M`,
		refs: `
			M: Other.Thing
			run: helper(
			run: Log.write(
			other: A
			other: B
			t: Foo.t
			kind: t
			Sub: S
			Sub: T
			inner: run(
			req: t
			c: base<
			p: self.m(
			: Sub.inner(`,
	},
	{
		lang: "ocaml",
		src: `let f x =
  let g y = y in
  match x with
  | Some { Foo.name; age = a } -> Foo.Bar.go ~name:a x g
  | None -> raise Not_found
let%test "x" = f 1
module type T = module type of Foo
module F = Map.Make (String)
let obj = object method x = 1 end
let r = { name = 1; Foo.other = 2 }
let h = r.name + new cls
type 'a p = 'a list [@@deriving show]
type ext = ..
type ext += Added
class virtual ['a] v = object (self) end
let op = fun a b -> a
`,
		symbols: `
			func f 1-5
			interface T 7-7
			module F 8-8
			var obj 9-9
			method obj.x 9-9
			var r 10-10
			var h 11-11
			type p 12-12
			type ext 13-13
			field Added 14-14
			class v 15-15
			func op 16-16`,
		imports: ``,
		refs: `
			f: Foo.name
			f: age
			f: Foo.Bar.go(
			: f(
			T: Foo
			F: String
			r: name
			r: Foo.other
			h: r
			h: name
			h: cls(
			: ext`,
	},
	{
		lang: "ocaml",
		src: `module type S = sig
  type t
  type ('a, 'b) req = { f : 'a }
  include Foo with type t := t
end
module Make (X : S) (Y : T) : S with type t = int = struct
  type 'a t = X.t list
  let f = 1
end
`,
		symbols: `
			interface S 1-5
			type S.t 2-2
			type S.req 3-3
			field req.f 3-3
			module Make 6-9
			type Make.t 7-7
			var Make.f 8-8`,
		imports: ``,
		refs: `
			S: Foo
			S: t 2
			Make: S 2
			Make: T
			Make: t
			t: X.t`,
	},
}
