package facts

// moreCases are of the languages with plainer tables.
var moreCases = []fallbackCase{
	{"dart", "class", `import 'package:shop/store.dart' as store;
export 'line.dart';

/// An order.
@immutable
class Order extends Base with Loggable implements Priced {
  final String name;
  static const int max = 3;
  Order(this.name);
  int get total => lines.length;
  Future<int> save(Store s) async {
    final x = '${s.name("}")}';
    return s.write(x);
  }
}
enum State { open, closed }
int helper(int a) => a + 1;
`, `
class Order 5-15 sig 6 doc 4
field name in Order 7-7
field max in Order 8-8
method Order in Order 9-9
method total in Order 10-10
method save in Order 11-14
enum State 16-16
field open in State 16-16
field closed in State 16-16
func helper 17-17
import package:shop/store.dart as store
import line.dart reexport
decorator immutable in Order
base Base in Order
base Loggable in Order
base Priced in Order
call s . write in save
`},
	{"perl", "package", `package Shop::Order;
use strict;
use Shop::Store;
use parent 'Shop::Base';

=pod

sub nope {

=cut

# Saves.
sub save {
    my ($self, $n) = @_;
    return Shop::Store::write($self, "}");
}
`, `
package Shop::Order
func save 13-16 doc 12
import Shop::Store
import Shop::Base
call Shop::Store . write in save
`},
	{"r", "functions", `library(dplyr)
source("R/util.R")

#' Saves.
save_order <- function(order, n = 2) {
  write_store(order, "}")
}
max.size = 3
`, `
func save_order 5-7 doc 4
var max.size 8-8
import R/util.R
import dplyr
call source
call write_store in save_order
`},
	{"julia", "module", `module Shop
using Store
include("line.jl")

"An order."
struct Order
    name::String
end
abstract type Priced end
function save(o::Order; force=false)
    if force
        write(o)
    end
end
total(o::Order) = length(o.lines)
macro twice(x)
    x
end
end
`, `
package Shop
struct Order 6-8
type Priced 9-9
func save 10-14
func total 15-15
macro twice 16-18
import Store
import line.jl
call include
call write in save
call length in total
`},
	{"objc", "class", `#import <Foundation/Foundation.h>
#import "Store.h"

// An order.
@interface Order : Base
@property (nonatomic, copy) NSString *name;
- (int)save:(Store *)store force:(BOOL)force;
@end

@implementation Order
- (int)save:(Store *)store force:(BOOL)force {
    return helper(@"}");
}
@end
static int helper(NSString *s) {
    return 1;
}
`, `
class Order 5-8 doc 4
field name in Order 6-6
method save in Order 7-7
other Order 10-14
method save in Order 11-13
func helper 15-17
import Foundation/Foundation.h
import Store.h relative 1
base Base in Order
call helper in save
`},
	{"solidity", "contract", `pragma solidity ^0.8.0;
import "./Store.sol";
import {Line, Base} from "../Base.sol";

contract Order is Base, Priced {
    uint256 public total;
    struct Item { uint256 id; }
    event Saved(uint256 id);
    modifier onlyOwner() { _; }
    constructor(uint256 x) { total = x; }
    function save(address to) external onlyOwner returns (bool) {
        emit Saved(total);
        return store.write(to);
    }
}
`, `
class Order 5-15
field total in Order 6-6
struct Item in Order 7-7
field id in Item 7-7
method Saved in Order 8-8
method onlyOwner in Order 9-9
method constructor in Order 10-10
method save in Order 11-14
import ./Store.sol
import ../Base.sol (Line Base)
base Base in Order
base Priced in Order
call Saved in save
call store . write in save
`},
	{"erlang", "module", `-module(order).
-behaviour(gen_server).
-include("shop.hrl").
-record(line, {sku, count}).
-define(MAX, 3).

%% Saves.
save(#line{sku = S}, Store) ->
    store:write(Store, S);
save(_, _) ->
    ok.
total(L) -> length(L).
`, `
package order
module order 1-1
struct line 4-4
macro MAX 5-5
func save 8-11 doc 7
func total 12-12
import shop.hrl relative 1
base gen_server
call write in save
call save in save
call length in total
`},
	{"clojure", "ns", `(ns shop.order
  (:require [shop.store :as store]
            [clojure.string :as str]))

(def max-lines 3)

;; Saves.
(defn save
  "Saves the (order."
  [order]
  (store/write order))
(defn- hidden [x] x)
(defprotocol Priced (total [this]))
(defrecord Order [name])
`, `
package shop.order
module shop.order 1-3
var max-lines 5-5
func save 8-11 doc 7
func hidden 12-12 hidden
interface Priced 13-13
struct Order 14-14
import shop.store as store
import clojure.string as str
call order in save
call store/write in save
call total in Priced
call this in Priced
call name in Order
`},
	{"fsharp", "module", `module Shop.Order

open System
open Shop.Store

/// An order.
type Order =
    { Name: string }
    member this.Total = total this

let max = 3
let rec save (o: Order) store =
    match o with
    | x when x.Name = "" -> ()
    | _ -> write store o
`, `
package Shop.Order
module Shop.Order 1-1
struct Order 7-9 doc 6
method Total in Order 9-9
var max 11-11
func save 12-15
import System (*)
import Shop.Store (*)
call string in Order
call this in Total
call total in Total
call store in save
call when in save
call write in save
`},
	{"ocaml", "module", `open Store

(** An order. *)
type 'a order = { name : string; lines : 'a list }

module Line = struct
  let make sku = { sku }
end

let max = 3
let rec save order = function
  | [] -> ()
  | x :: rest -> write order x; save order rest
`, `
type order 4-4 doc 3
field name 4-4 doc 3
field lines 4-4 doc 3
module Line 6-8
func make in Line 7-7
var max 10-10
func save 11-13
import Store (*)
call sku in make
call order in save
call rest in save
call write in save
call save in save
`},
	{"groovy", "class", `package shop
import shop.store.Store

class Order extends Base implements Priced {
    String name
    private int count = 1
    def save(Store s) {
        s.write("}${name}")
    }
    int total() { count }
}
task build { doLast { println 'x' } }
`, `
package shop
class Order 4-11
field name in Order 5-5
field count in Order 6-6 hidden
func save in Order 7-9
method total in Order 10-10
func build 12-12
import shop.store.Store
base Base in Order
base Priced in Order
call s . write in save
call doLast in build
`},
	{"sql", "schema", `-- orders
CREATE TABLE IF NOT EXISTS shop.orders (
  id INT PRIMARY KEY,
  note TEXT DEFAULT ';'
);
create or replace function total(o int) returns int as 'select 1';
CREATE UNIQUE INDEX orders_name ON orders (name);
`, `
struct orders 2-5 doc 1
func total 6-6
var orders_name 7-7
call orders in orders_name
`},
	{"protobuf", "messages", `syntax = "proto3";
package shop.v1;
import "shop/store.proto";

// An order.
message Order {
  string name = 1;
  repeated Line lines = 2;
  message Inner { int32 n = 1; }
}
enum State { OPEN = 0; CLOSED = 1; }
service Orders {
  rpc Save(Order) returns (Reply);
}
`, `
package shop.v1
struct Order 6-10 doc 5
field name in Order 7-7
field lines in Order 8-8
struct Inner in Order 9-9
field n in Inner 9-9
enum State 11-11
field OPEN in State 11-11
field CLOSED in State 11-11
interface Orders 12-14
method Save in Orders 13-13
import shop/store.proto
`},
	{"hcl", "blocks", `variable "region" {
  default = "eu"
}
resource "aws_s3_bucket" "logs" {
  bucket = "x-${var.region}"
}
module "net" {
  source = "./modules/net"
}
`, `
struct region 1-3
struct logs 4-6
struct net 7-9
import ./modules/net relative 1
`},
	{"dockerfile", "stages", `FROM golang:1.26 AS build
RUN go build ./...
FROM scratch
COPY --from=build /x /x
`, `
section build 1-2
`},
	{"makefile", "targets", `CC := gcc
include rules.mk

# Builds.
build: main.o
	$(CC) -o x main.o
.PHONY: build
`, `
var CC 1-1
func build 5-6 doc 4
import rules.mk relative 1
`},
	{"scss", "mixins", `@use "colors";
@import 'base/reset';
$width: 10px;
@mixin center($a) {
  margin: $a;
}
.box { color: red; }
:root { --main-bg: #fff; }
.box:hover > #top, .card {
  .inner { color: .5em; }
}
`, `
var width 3-3
func center 4-6
field box 7-7
var main-bg 8-8
field top 9-11
field card 9-11
field inner 10-10
import colors relative 1
import base/reset relative 1
`},
	{"graphql", "types", `type Order implements Node {
  name: String!
  lines(first: Int = 3): [Line!]! @cost(of: 2)
}
enum State { OPEN CLOSED @deprecated(reason: "no") }
enum Size {
  SMALL
  LARGE
}
`, `
struct Order 1-4
field name in Order 2-2
field lines in Order 3-3
enum State 5-5
field OPEN in State 5-5
field CLOSED in State 5-5
enum Size 6-9
field SMALL in Size 7-7
field LARGE in Size 8-8
base Node in Order
call cost in lines
call deprecated in State
`},
	{"vue", "component", `<template>
  <div>{{ function nope() {} }}</div>
</template>
<script setup lang="ts">
import { save } from './store'
const total = (n: number) => n + 1
function load() {
  save(total(1))
}
</script>
`, `
func total 6-6 hidden
func load 7-9 hidden
import ./store (save)
call save in load
call total in load
`},
}
