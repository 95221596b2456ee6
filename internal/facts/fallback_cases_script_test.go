package facts

var scriptCases = []fallbackCase{
	{"elixir", "members", `defmodule Shop.Order do
  @moduledoc """
  def nope do
  """
  use Ecto.Schema
  alias Shop.{Store, Cache}
  alias Shop.Line, as: L
  import Ecto.Query, only: [from: 2]
  @behaviour Shop.Priced

  @max 3
  @type t :: %__MODULE__{name: String.t()}

  defstruct [:name, lines: []]

  @doc """
  Saves the order.
  """
  @spec save(t, Store.t()) :: :ok
  def save(order, store \\ Store.new())
  def save(%{name: nil}, _), do: {:error, ~s(no "name")}

  def save(order, store) when is_map(order) do
    store
    |> Store.write(order)
    |> case do
      :ok -> :ok
    end
  end

  defp valid?(o), do: o.name != "end"
  defmacro twice(x) do
    quote do: unquote(x) * 2
  end

  defmodule Inner do
    def f, do: Shop.Line.make()
  end
end

defimpl Inspect, for: Shop.Order do
  def inspect(o, _), do: o.name
end
`, `
package Shop.Order
module Shop.Order 1-39
const max in Shop.Order 11-11 hidden
type t in Shop.Order 12-12
struct Order in Shop.Order 14-14
method save in Shop.Order 20-29 doc 16
method valid? in Shop.Order 31-31 hidden
macro twice in Shop.Order 32-34
module Shop.Order.Inner in Shop.Order 36-38
method f in Shop.Order.Inner 37-37
other Inspect 41-43
method inspect in Inspect 42-42
import Ecto.Schema
import Shop.Store
import Shop.Cache
import Shop.Line as L
import Ecto.Query (from)
import Shop.Priced
base Ecto . Schema in Shop.Order
base Shop . Priced in Shop.Order
call save in Shop.Order
call Store . new in save
call Store . write in save
call Shop.Line . make in f
base Inspect in Inspect
`},
	{"lua", "members", `local util = require("shop.util")
local Store = require "shop.store"

---@class shop.Order: shop.Base
---@field name string
local M = {}

M.max = 3

--- Saves.
---@param store table
function M.save(order, store)
  local text = [[
function nope()
end]]
  if order then
    return store:write(text, function() return 1 end)
  end
end

function M:total() return util.sum(self.lines) end

local function hidden(a)
  return a -- end
end

M.handler = function(x)
  return hidden(x)
end

return M
`, `
var util 1-1 hidden
var Store 2-2 hidden
class shop.Order 4-5
var M 6-6 doc 4 hidden
var max 8-8
func save 12-19 doc 10
func total 21-21
func hidden 23-25 hidden
method handler 27-29
import shop.util as util
import shop.store as Store
call store . write in save
call util . sum in total
call hidden in handler
`},
	{"bash", "members", `#!/usr/bin/env bash
source "${DIR}/lib/util.sh"
. ./colors.sh

# Saves.
save() {
  local n="${1:-}}"
  cat <<EOF
nope() {
EOF
  case "$n" in
    a) echo "it's" ;;
    *\'*) return 1 ;;
  esac
  log "$(total "$n")"
}

function _shop-total { echo $#; }
function shop::list() (
  ls
)
alias gs='git status'
export SHOP_HOME=/srv
MAX=3
save "$@"
`, `
func save 6-16 doc 5
func _shop-total 18-18
func shop::list 19-21
func gs 22-22
var SHOP_HOME 23-23
var MAX 24-24 hidden
import lib/util.sh relative 1
import ./colors.sh relative 1
call log in save
call total in save
call save
`},
	{"haskell", "members", `{-# LANGUAGE CPP #-}
module Shop.Order
  ( Order(..)
  , save
  ) where

import Data.List (sort, nub)
import qualified Data.Map.Strict as Map
import Shop.Store hiding (write)

-- | An order.
data Order a
  = Order { orderName :: String, lines', total :: Int }
  | Empty
  deriving (Eq, Show)

newtype Id = Id { unId :: Int }
type Handler = Order Int -> IO ()

class Monoid a => Priced a where
  price :: a -> Int
  price _ = 0

instance Priced (Order a) where
  price o = total o

-- | Saves.
save :: Order a
     -> IO ()
save Empty = pure ()
save o
  | total o > 0 = write '"' (orderName o)
  | otherwise = go 1
  where
    go n = {- save = -} print n

x |> f = f x
main = save Empty
`, `
package Shop.Order
struct Order 12-15 doc 11
const Order in Order 13-13
field orderName in Order 13-13
field lines' in Order 13-13
field total in Order 13-13
const Empty in Order 14-14
struct Id 17-17
const Id in Id 17-17
field unId in Id 17-17
type Handler 18-18
interface Priced 20-22
method price in Priced 21-21
other Order 24-25
func save 28-35 sig 29 doc 27
func main 38-38
import Data.List (sort nub)
import Data.Map.Strict (*) as Map
import Shop.Store (*)
call price in Priced
base Priced in Order
call price in Order
call total in Order
call total in save
call write in save
call orderName in save
call print in save
call save in main
`},
	{"zig", "members", `const std = @import("std");
const Store = @import("store.zig").Store;

/// An order.
pub const Order = struct {
    name: []const u8,
    count: u32 = 1,

    const Self = @This();
    pub const max = 3;

    pub fn save(self: *Self, store: *Store) !void {
        const text =
            \\fn nope() {
        ;
        if (self.count > '}') return error.Bad;
        try store.write(text);
    }
};

pub const State = enum(u8) { open, closed = 2 };
const Failure = error{ Missing, Bad };
pub fn List(comptime T: type) type {
    return struct {
        items: []T,
        pub fn len(self: @This()) usize {
            return self.items.len;
        }
    };
}

test "saves an order" {
    try save();
}
`, `
const std 1-1 hidden
const Store 2-2 hidden
struct Order 5-19 doc 4
field name in Order 6-6
field count in Order 7-7
const Self in Order 9-9 hidden
const max in Order 10-10
method save in Order 12-18
enum State 21-21
field open in State 21-21
field closed in State 21-21
enum Failure 22-22 hidden
field Missing in Failure 22-22
field Bad in Failure 22-22
func List 23-30
field items in List 25-25
method len in List 26-28
other saves an order 32-34 hidden
import std as std
import store.zig as Store
call store . write in save
call save in saves an order
`},
}
