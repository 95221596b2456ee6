package facts

// The languages that have grammars, for when a tree is broken.
var plainCases = []fallbackCase{
	{"python", "plain", `from . import a
from .store import Store as S, write
import os.path as p

MAX = 3

class Order(Base, metaclass=Meta):
    """An order."""

    @property
    def total(self):
        return write("def nope():", self)

    async def save(
        self,
        n=1,
    ):
        if n:
            return n
`, `
var MAX 5-5
class Order 7-19 sig 8
method total in Order 10-12 sig 11
method save in Order 14-19 sig 17
import  (a) relative 1
import store (Store write) relative 1
import os.path as p
base Base in Order
base Meta in Order
decorator property in total
call write in total
`},
	{"go", "plain", "package shop\n\nimport (\n\t\"fmt\"\n\tst \"shop/store\"\n)\n\n// Order is one.\ntype Order struct {\n\tName string\n}\n\nconst max = 3\n\n// Save saves.\nfunc (o *Order) Save(s st.Store) error {\n\treturn s.Write(`}`, o)\n}\n\nfunc helper() {}\n", `
package shop
struct Order 9-11 doc 8
const max 13-13 hidden
method Save 16-18 doc 15
func helper 20-20 hidden
import fmt
import shop/store as st
call s . Write in Save
`},
	{"typescript", "plain", `import { Store } from './store'
export * from './line'
const fs = require('fs')

/** An order. */
@Entity()
export class Order extends Base implements Priced {
  private name: string = "}"
  constructor(private store: Store) { super() }
  async save(n: number): Promise<void> {
    const x = /[}"]/.test(n)
    return this.store.write(` + "`}${n}`" + `)
  }
}
export interface Priced { total: number }
export const helper = async (n: number) => {
  return n
}
export type Handler = (o: Order) => void
function hidden() {}
`, `
const fs 3-3 hidden
class Order 6-14 sig 7 doc 5
field name in Order 8-8
method constructor in Order 9-9
method save in Order 10-13
interface Priced 15-15
field total in Priced 15-15
func helper 16-18
type Handler 19-19
func hidden 20-20 hidden
import ./store (Store)
import ./line (*) reexport
import fs as fs
call require in fs
decorator Entity in Order
base Base in Order
base Priced in Order
call test in save
call write in save
`},
	{"java", "plain", `package shop;
import java.util.*;
import static shop.Util.total;

/** An order. */
@Entity(name = "x")
public class Order<T> extends Base implements Priced, Closeable {
    private final List<String> lines = new ArrayList<>();
    enum State { OPEN(1), CLOSED { int f() { return 1; } }; int n; }
    public Order(String name) { super(name); }
    @Override
    public int save(Store s) throws IOException {
        if (s != null) { return s.write('}'); }
        return 0;
    }
    abstract int total();
}
`, `
package shop
class Order 6-17 sig 7 doc 5
field lines in Order 8-8 hidden
enum State in Order 9-9 hidden
field OPEN in State 9-9
field CLOSED in State 9-9
method f in State 9-9 hidden
field n in State 9-9 hidden
method Order in Order 10-10
method save in Order 11-15 sig 12
method total in Order 16-16 hidden
import java.util (*)
import shop.Util.total
decorator Entity in Order
base Base in Order
base Priced in Order
base Closeable in Order
call ArrayList in lines
decorator Override in save
call s . write in save
`},
	{"rust", "plain", `use crate::store::{self, Store as S, line::*};
pub use self::a::B;
mod line;

/// An order.
#[derive(Debug, Clone)]
pub struct Order<'a> {
    name: &'a str,
}

impl<'a> Priced for Order<'a> {
    fn total(&self) -> usize { '}'; self.name.len() }
}
pub(crate) async fn save<T: Store>(o: &Order<'_>) -> Result<()>
where
    T: Sized,
{
    write!("}}", o)
}
macro_rules! twice { ($x:expr) => { $x * 2 } }
const MAX: usize = 3;
`, `
struct Order 6-9 sig 7 doc 5
other Order 11-13
method total in Order 12-12 hidden
func save 14-19 sig 16
macro twice 20-20
const MAX 21-21 hidden
import crate::store
import crate::store::Store as S
import crate::store::line (*)
import self::a::B reexport
import line mod
decorator derive in Order
base Priced in Order
call len in total
call write in save
`},
	{"ruby", "plain", `require "json"
require_relative "store"

# Shop.
module Shop
  MAX = 3
  class Order < Base
    include Priced
    attr_reader :name, :lines

    def self.open?(x)
      x =~ /def nope/
    end

    def save!(store)
      return if name.nil?
      <<~TEXT
        def nope
      TEXT
      store.write(self)
    end
  end
end
`, `
module Shop 5-23 doc 4
const MAX in Shop 6-6
class Order in Shop 7-22
field name in Order 9-9
field lines in Order 9-9
method open? in Order 11-13
method save! in Order 15-21
import json
import store relative 1
base Base in Order
base Priced in Order
call store . write in save!
`},
	{"c", "plain", `#include <stdio.h>
#include "store.h"
#define MAX(a, b) \
  ((a) > (b))

/* An order. */
struct order {
  int count;
};
typedef int (*handler)(int);
static int save(struct order *o, int n) {
  if (n) { return write_store(o, '}'); }
  return MAX(1, 2);
}
int total(const struct order *o);
`, `
macro MAX 3-4 sig 4
struct order 7-9 doc 6
field count in order 8-8
func save 11-14
func total 15-15
import stdio.h
import store.h relative 1
call write_store in save
call MAX in save
`},
	{"cpp", "plain", `#include "store.h"
namespace shop {
// An order.
template <typename T>
class Order : public Base, private Priced<T> {
 public:
  explicit Order(int n) : count_(n), list_{1} { save(); }
  ~Order() override = default;
  int total() const noexcept { return count_; }
 private:
  int count_ = 0;
};
int Order<int>::save(Store& s) {
  return s.write("}");
}
enum class State { kOpen, kClosed };
}  // namespace shop
`, `
package shop
module shop 2-17
class Order in shop 4-12 sig 5 doc 3
method Order in Order 7-7
method Order in Order 8-8
method total in Order 9-9
field count_ in Order 11-11
method save in shop 13-15
enum State in shop 16-16
field kOpen in State 16-16
field kClosed in State 16-16
import store.h relative 1
base Base in Order
base Priced in Order
call count_ in Order
call save in Order
call s . write in save
`},
}
