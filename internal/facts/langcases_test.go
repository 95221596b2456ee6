package facts

import "slices"

// One source a language that holds the forms its table knows. Refs are in the
// order of their first use.
var langCases = slices.Concat(scripted, compiled, phpCases, csharpCases, kotlinCases, scalaCases, ocamlCases, elixirCases)

var scripted = []langCase{
	{
		lang: "python",
		src: `"""Module doc."""
import os.path as osp, sys
from . import sibling
from ..pkg.mod import One, two as deux
from star import *

LIMIT = 3
plain: int = 4

# Above the class.
@register("x")
class Box(Base, mod.Other[int]):
    attr = LIMIT

    def __init__(self, a, *rest, key: Kind = None):
        super().__init__(a)
        self.a = helper(a, key)

    async def _hidden(
        self,
    ) -> Result:
        local = [i for i in self.items()]
        return local.pop(One)

def outer():
    def inner():
        return deux
    for x, y in pairs():
        print(x, y, key=osp.join)
`,
		symbols: `
			const LIMIT 7-7
			var plain 8-8
			class Box 11-23 sig=12 doc=10
			field Box.attr 13-13
			method Box.__init__ 15-17
			method Box._hidden 19-23 sig=21 private
			func outer 25-29
			func outer.inner 26-27 private`,
		imports: `
			os.path as osp
			sys
			. {sibling}
			..pkg.mod {One}
			..pkg.mod {two} as deux
			star {*}`,
		refs: `
			Box: register@
			Box: Base<
			Box: mod.Other<
			Box: LIMIT
			__init__: Kind
			__init__: super.__init__(
			__init__: self.a
			__init__: helper(
			_hidden: Result
			_hidden: self.items(
			_hidden: local.pop(
			_hidden: One
			inner: deux
			outer: pairs(
			outer: osp.join`,
	},
	{
		lang: "go",
		pkg:  "p",
		src: `// Package p does.
package p

import (
	"fmt"
	. "dot/all"
	alias "example.com/x/y"
)

// Kinds of thing.
const (
	A = iota // first
	B
)

var count, total int

// Thing is one.
type Thing[T any] struct {
	Base
	*alias.Embedded
	Name, name string ` + "`" + `json:"name"` + "`" + `
	f          func(int) T
}

type (
	// Doer does.
	Doer interface {
		Do(x int) error
		fmt.Stringer
	}
	ID = int
)

// Run runs.
func (t *Thing[T]) Run(
	in *Input,
) (out Output, err error) {
	for i, v := range in.Values {
		x := alias.New(v, t.Name, count)
		go work(x, i)
	}
	return Output{Field: total}, nil
}

func helper() { type local struct{}; var y local; use(y) }
`,
		symbols: `
			const A 12-12
			const B 13-13
			var count 16-16 private
			var total 16-16 private
			struct Thing 19-24 doc=18
			field Thing.Name 22-22
			field Thing.name 22-22 private
			field Thing.f 23-23 private
			interface Doer 28-31 doc=27
			method Doer.Do 29-29
			type ID 32-32
			method Run 36-44 sig=38 doc=35 of=Thing
			func helper 46-46 private`,
		imports: `
			fmt
			dot/all {*}
			example.com/x/y as alias`,
		refs: `
			Thing: Base<
			Thing: alias.Embedded<
			Doer: fmt.Stringer<
			Run: Input
			Run: Output 2
			Run: :Input.Values
			Run: alias.New(
			Run: :Thing.Name
			Run: count
			Run: work(
			Run: total
			helper: use(`,
	},
	{
		lang: "typescript",
		src: `import def, { a as b, type C } from './x.js';
import * as ns from "pkg/y";
import './side';
export * from './z';
export { q, r as s } from './w';
import fs = require("fs");
const { join } = require('path');
/** doc */
@Injectable()
export class Foo<T> extends Base<T> implements I, J.K {
  static x = 1;
  private readonly y: string;
  constructor(private svc: Svc) { super(); }
  @Input() get z(): number { return this.y.length; }
  async *gen() {}
  handle = (e: Event) => { this.z; };
  #priv() {}
}
export interface I { m(a: number): string; p?: Foo; }
export type U = 'a' | C;
export enum E { A = 1, B }
declare namespace N { function f(): void; const k: number; }
abstract class Q { abstract run(): void; }
export const fn = async (p, { d1, d2: [e1] }, ...rest) => p + other(d1);
export default function main() { const loc = 1; return loc + glob; }
function gen2<T>(a: T): T;
const A1 = 5, obj = { key: 1, meth() { return 1; }, arrow: () => 2, [comp]: 3, short };
export default { name: 'x', methods: { go() {} } };
module.exports = { one, two: function () {} };
exports.three = function named(a) {};
Foo.prototype.bar = function () {};
app.get('/route', (req, res) => res.send(util.fmt(` + "`" + `t ${x}` + "`" + `)));
describe('suite', () => { it('works', () => { inner(); }); });
let el = new ns.Widget(1);
`,
		symbols: `
			class Foo 9-18 sig=10 doc=8
			field Foo.x 11-11
			field Foo.y 12-12 private
			method Foo.constructor 13-13
			method Foo.z 14-14
			method Foo.gen 15-15
			method Foo.handle 16-16
			method Foo.priv 17-17 private
			interface I 19-19
			method I.m 19-19
			field I.p 19-19
			type U 20-20
			enum E 21-21
			field E.A 21-21
			field E.B 21-21
			module N 22-22 private
			func N.f 22-22 private
			const N.k 22-22 private
			class Q 23-23 private
			method Q.run 23-23 private
			func fn 24-24
			func main 25-25
			func gen2 26-26 private
			const A1 27-27 private
			const obj 27-27 private
			method obj.meth 27-27 private
			method obj.arrow 27-27 private
			method go 28-28 private
			method two 29-29
			func three 30-30
			method bar 31-31 of=Foo
			var el 34-34 private`,
		imports: `
			./x.js {default} as def
			./x.js {C}
			./x.js {a} as b
			pkg/y as ns
			./side
			./z {*} reexport
			./w {q} reexport
			./w {r} as s reexport
			fs as fs
			path {join}`,
		refs: `
			: Injectable@
			Foo: Base<
			Foo: I<
			Foo: J.K<
			constructor: Svc
			Foo: Input@
			z: y.length
			z: this.y
			handle: Event
			handle: this.z
			p: Foo
			U: C
			fn: other(
			main: glob
			obj: comp
			obj: short
			: one
			bar: Foo
			: app.get(
			: res.send(
			: util.fmt(
			: x
			: describe(
			: it(
			: inner(
			el: ns.Widget(`,
	},
	{
		lang: "tsx",
		src: `export const App = () => <Layout title="x"><Foo.Bar a={b} /></Layout>;
`,
		symbols: `
			func App 1-1`,
		refs: `
			App: Layout(
			App: Foo.Bar(
			App: b`,
	},
	{
		lang: "javascript",
		src: `'use strict';
const { join, sep: s } = require('path'), util = require('./util');
const load = async () => import('./lazy');

/**
 * Makes an app.
 */
function createApp(opts = {}) {
  const app = Object.create(proto);
  app.run = function run() { return join(opts.dir, util.name); };
  return app;
}

class Queue extends EventEmitter {
  #size = 0;
  push = (job) => this.#size++;
  static of(...jobs) { return new Queue(jobs); }
}

var proto = {
  listen(port) { return http.createServer(this).listen(port); },
  'close-all': function () {},
  depth: 1,
};

Queue.prototype.drain = function drain() { while (pending()) {} };
Queue.limit = class {};
module.exports = { createApp, Queue };
exports.VERSION = '1.2';
router.get('/users/:id', (req, res) => { const user = find(req); res.json(user); });
`,
		symbols: `
			const util 2-2 private
			func load 3-3 private
			func createApp 8-12 doc=5
			method createApp.run 10-10 of=app private
			class Queue 14-18
			field Queue.size 15-15 private
			method Queue.push 16-16
			method Queue.of 17-17
			var proto 20-24 private
			method proto.listen 21-21 private
			method proto.close-all 22-22 private
			method drain 26-26 of=Queue
			class limit 27-27 of=Queue
			var VERSION 29-29`,
		imports: `
			path {join sep}
			./util as util
			./lazy`,
		refs: `
			createApp: proto
			run: join(
			run: opts.dir
			run: util.name
			Queue: EventEmitter<
			push: this.size
			of: Queue(
			listen: listen(
			listen: http.createServer(
			drain: Queue
			drain: pending(
			limit: Queue
			: createApp
			: Queue
			: router.get(
			: find(
			: res.json(`,
	},
	{
		lang: "javascript",
		src: `module.exports = {
  create(context) {
    let fix, kept = null;
    const nodes = {};
    fix = function (fixer) { return fixer.drop(kept); };
    nodes.Program = function (node) { start(node); };
    nodes["Program:exit"] = () => kept;
    nodes[context.id] = () => hidden();
    this.stop = function halt() {}.bind(this);
    return {
      ...nodes,
      Identifier(node) { report(node, kept); },
      "Literal, RegExp"(node) {},
      onEnd: function () {},
      close: async () => context.report(),
      [computed]() { inner(kept); },
      size: 3,
    };
  },
};

describe("it", () => {
  const server = listen();
  request.onload = function () { server(); outside(); };
  open({ write(chunk) { server(chunk); } });
});
`,
		symbols: `
			method create 2-19 private
			func create.fix 5-5 private
			method create.Program 6-6 of=nodes private
			method create.Program:exit 7-7 of=nodes private
			method create.stop 9-9 private
			func stop.halt 9-9 private
			method create.Identifier 12-12 private
			method create.Literal, RegExp 13-13 private
			method create.onEnd 14-14 private
			method create.close 15-15 private
			method onload 24-24 of=request private
			method write 25-25 private`,
		refs: `
			fix: fixer.drop(
			Program: start(
			create: context.id
			create: hidden(
			stop: bind(
			Identifier: report(
			close: context.report(
			create: computed
			create: inner(
			: describe(
			: listen(
			onload: request
			onload: outside(
			: open(`,
	},
}
