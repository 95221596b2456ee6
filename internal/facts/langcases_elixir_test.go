package facts

var elixirCases = []langCase{
	{
		lang: "elixir",
		pkg:  "Acme.App",
		src: `defmodule Acme.App do
  @moduledoc """
  Doc of module.
  """
  use GenServer, restart: :temporary
  alias Acme.{Foo, Bar}
  alias Acme.Other, as: O
  import Ecto.Query, only: [from: 2]
  require Logger
  @behaviour Plug
  @max 10
  defstruct [:a, b: 1]
  @type t :: %__MODULE__{a: integer}
  @callback call(t) :: any

  @doc "Says it"
  @spec say(t, list) :: String.t()
  def say(%Foo{} = x, items) when is_list(items) do
    local = Foo.run(x)
    Enum.map(items, fn i -> helper(i, local) end)
    items |> O.go() |> other
  end
  def short(a), do: a + @max
  defp hidden, do: Acme.Deep.call(1)
  defmacro mac(x) do quote do: unquote(x) end
  defguard is_x(y) when y == 1
  defdelegate get(a), to: Bar
  defmodule In do
    defexception [:message]
    def deep(), do: :ok
  end
end
defprotocol P do
  def m(x)
end
defimpl P, for: Foo do
  def m(x), do: x
end
`,
		symbols: `
			module Acme.App 1-32
			const Acme.App.max 11-11 private
			struct Acme.App.App 12-12
			type Acme.App.t 13-13
			method Acme.App.call 14-14
			method Acme.App.say 18-22 doc=16
			method Acme.App.short 23-23
			method Acme.App.hidden 24-24 private
			macro Acme.App.mac 25-25
			macro Acme.App.is_x 26-26
			method Acme.App.get 27-27
			module Acme.App.Acme.App.In 28-31
			struct Acme.App.In.In 29-29
			method Acme.App.In.deep 30-30
			interface P 33-35
			method P.m 34-34
			other P 36-38
			method P.m 37-37`,
		imports: `
			GenServer
			Acme.Foo
			Acme.Bar
			Acme.Other as O
			Ecto.Query {from}
			Logger
			Plug`,
		refs: `
			Acme.App: GenServer<
			Acme.App: Plug<
			say: Foo
			say: Foo.run(
			say: helper(
			say: other(
			say: O.go(
			hidden: Acme.Deep.call(
			get: Bar
			P: P<
			P: Foo`,
	},
	{
		lang: "elixir",
		pkg:  "Shop.Order",
		src: `defmodule Shop.Order do
  # One clause after the other is one function.
  def total(%{lines: []}), do: 0

  def total(%{lines: [h | t]}) do
    price(h) + total(t)
  end

  @lines 3
  def a + b, do: add(a, b)
  defp price(l), do: l.price |> round() |> Shop.Tax.add(&rate/1)

  test "adds up" do
    assert total(%{}) == __MODULE__.zero()
  end
end
`,
		symbols: `
			module Shop.Order 1-16
			method Shop.Order.total 3-7 doc=2
			const Shop.Order.lines 9-9 private
			method Shop.Order.price 11-11 private
			other Shop.Order.adds up 13-15`,
		imports: ``,
		refs: `
			total: price(
			total: total(
			Shop.Order: add(
			price: Shop.Tax.add(
			price: rate(
			adds up: total(
			adds up: __MODULE__.zero(`,
	},
}
