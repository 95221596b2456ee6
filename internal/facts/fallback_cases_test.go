package facts

// fallbackCase is an own source with all that the fallback should find, in
// the notation of spell.
type fallbackCase struct{ lang, name, src, want string }

// fallbackCases are of the languages that are evaluated.
var fallbackCases = []fallbackCase{
	{"csharp", "members", `using System;
using static Shop.Math;
using Json = Shop.Formats.Json;

namespace Shop.Orders
{
    /// <summary>An order.</summary>
    [Serializable, Table("orders")]
    public sealed class Order<T> : Base<T>, IOrder where T : class
    {
        private readonly List<string> lines = new();
        public const int Max = 3;
        public string Name { get; set; } = "a{b";
        public int Count => lines.Count;

        public Order(string name)
            : base(name)
        {
            Name = name;
        }

        [Obsolete]
        public async Task<int> SaveAsync(Store store, int n = 2)
        {
            if (n > Max) { throw new ArgumentException($"bad {n:{"}"}}"); }
            return await store.WriteAsync(this);
        }

        int IOrder.Total() => Sum(lines);
        public delegate void Changed(object sender);
    }

    internal enum State { Open = 1, Closed }
    public record Line(string Sku, int Count);
}
`, `
package Shop.Orders
module Shop.Orders 5-35 sig 6
class Order in Shop.Orders 8-31 sig 9 doc 7
field lines in Order 11-11 hidden
const Max in Order 12-12
field Name in Order 13-13
field Count in Order 14-14
method Order in Order 16-20 sig 17
method SaveAsync in Order 22-27 sig 23
method Total in Order 29-29 hidden
type Changed in Order 30-30
enum State in Shop.Orders 33-33
field Open in State 33-33
field Closed in State 33-33
class Line in Shop.Orders 34-34
import System
import Shop.Math (*)
import Shop.Formats.Json as Json
decorator Serializable in Order
decorator Table in Order
base Base in Order
base IOrder in Order
decorator Obsolete in SaveAsync
call ArgumentException in SaveAsync
call store . WriteAsync in SaveAsync
call Sum in Total
`},
	{"kotlin", "members", `package shop.orders

import shop.store.Store
import shop.util.*
import shop.json.encode as toJson

/** An order. */
@Serializable
data class Order<T : Any>(val name: String, private var count: Int = 1) : Base(name), Priced by store {
    val total: Int
        get() = count * 2

    init {
        require(count > 0)
    }

    companion object {
        const val MAX = 3
    }

    override suspend fun save(store: Store): Int {
        val local = "}${store.name("{")}"
        return store.write(this)
    }
}

sealed interface State
object Open : State
enum class Level(val n: Int) { LOW(1), HIGH(2) { override fun f() = 1 }; fun up() = n }
typealias Handler = (Order<*>) -> Unit
internal fun <T : Any> List<T>.second(): T = this[1]
private fun run(block: () -> Unit) =
    launch {
        block()
    }
`, `
package shop.orders
class Order 8-25 sig 9 doc 7
field name in Order 9-9
field count in Order 9-9
field total in Order 10-11
method init in Order 13-15
class Companion in Order 17-19
field MAX in Companion 18-18
method save in Order 21-24
interface State 27-27
class Open 28-28
enum Level 29-29
field n in Level 29-29
field LOW in Level 29-29
field HIGH in Level 29-29
method f in Level 29-29
method up in Level 29-29
type Handler 30-30
func second 31-31
func run 32-35 hidden
import shop.store.Store
import shop.util (*)
import shop.json.encode as toJson
decorator Serializable in Order
base Base in Order
base Priced in Order
call store in Order
call store . write in save
base State in Open
call launch in run
call block in run
`},
	{"swift", "members", `import Foundation
@testable import Shop
import struct Net.Socket

/// An order.
@MainActor
public final class Order<T>: Base, Priced where T: Codable {
    public private(set) var name = "a\(f("}"))"
    let lines: [Line]

    public init(name: String) throws {
        self.name = name
    }

    #if DEBUG
    func dump() { print(self) }
    #endif

    static func == (a: Order, b: Order) -> Bool { true }

    @discardableResult
    private func save<S: Store>(
        to store: S,
        force: Bool = false
    ) async throws -> Int {
        try await store.write(self) { $0.finish() }
    }
}

protocol Priced: AnyObject {
    associatedtype Price
    var price: Price { get }
    func total() -> Int
}

extension Order: Equatable where T: Equatable {
    var isEmpty: Bool { lines.isEmpty }
}

enum State: String {
    case open, closed(Int)
    case other = "x"
}
typealias Handler = (Order<Int>) -> Void
`, `
class Order 6-28 sig 7 doc 5
field name in Order 8-8 hidden
const lines in Order 9-9
method init in Order 11-13
method dump in Order 16-16
method save in Order 21-27 sig 25 hidden
interface Priced 30-34
type Price in Priced 31-31
field price in Priced 32-32
method total in Priced 33-33
other Order 36-38
field isEmpty in Order 37-37
enum State 40-43
field open in State 41-41
field closed in State 41-41
field other in State 42-42
type Handler 44-44
import Foundation
import Shop
import Net.Socket
decorator MainActor in Order
base Base in Order
base Priced in Order
decorator discardableResult in save
call :Store . write in save
call finish in save
base AnyObject in Priced
base Equatable in Order
base String in State
`},
	{"scala", "members", `package shop
package orders

import shop.store.{Store, Cache => C}
import shop.util._

/** An order. */
final case class Order[T](name: String, lines: List[T]) extends Base(name) with Priced[T] {
  val total: Int = lines.map { l =>
    l.size
  }.sum

  private[shop] def save(store: Store)(implicit ec: Context): Future[Int] = {
    val local = s"}${store.name("{")}"
    store.write(this)
  }
  def plain = lines match {
    case Nil => 0
    case h :: t => 'x'; 1
  }
  def short(n: Int): Int =
    n + 1
}

object Order {
  implicit def encoder[T]: Encoder[Order[T]] = new Encoder[Order[T]] {
    final def apply(o: Order[T]): Json = Json.obj()
  }
}
sealed trait State
case object Open extends State
type Handler = Int => Unit
`, `
package shop.orders
class Order 8-23 doc 7
field name in Order 8-8 doc 7
field lines in Order 8-8 doc 7
field total in Order 9-11
method save in Order 13-16 hidden
method plain in Order 17-20
method short in Order 21-22
class Order 25-29
method encoder in Order 26-28
func apply in encoder 27-27
interface State 30-30
class Open 31-31
type Handler 32-32
import shop.store (Store Cache)
import shop.util (*)
base Base in Order
base Priced in Order
call lines . map in total
call store . write in save
call Json . obj in apply
base State in Open
`},
	{"scala", "indented", `package shop

trait Priced:
  def total: Int
  def twice(n: Int): Int =
    val x = n
    x * 2

enum Level:
  case Low, High

object Main extends App:
  given ordering: Ordering[Int] = Ordering.Int
  def run() = println("x")
`, `
package shop
interface Priced 3-7
method total in Priced 4-4
method twice in Priced 5-7
enum Level 9-10
field Low in Level 10-10
field High in Level 10-10
class Main 12-14
field ordering in Main 13-13
method run in Main 14-14
base App in Main
call println in run
`},
	{"php", "members", `<html><?php
declare(strict_types=1);

namespace Shop\Orders;

use Shop\Store\{Store, Cache as C};
use Shop\Base;
use function Shop\Util\total;

require_once __DIR__ . '/helpers.php';

/**
 * An order.
 */
#[Entity]
final class Order extends Base implements Priced, \Countable
{
    use Loggable, Notifies;

    const MAX = 3;
    protected ?string $name = 'a}';
    public function __construct(private Store $store) {}

    /** Saves. */
    public static function save(array $lines = []): int
    {
        $text = <<<EOT
        } function nope() {
        EOT;
        $x = function ($a) { return $a; };
        return $this->store->write("} {$x}", new Line());
    }
    abstract protected function total(): int;
}

enum State: string { case Open = 'o'; case Closed = 'c'; }
function helper($x) { return total($x); }
?>
<b>class Nope {</b>
`, `
package Shop\Orders
class Order 15-34 sig 16 doc 12
const MAX in Order 20-20
field name in Order 21-21
method __construct in Order 22-22
method save in Order 25-32 doc 24
method total in Order 33-33
enum State 36-36
field Open in State 36-36
field Closed in State 36-36
func helper 37-37
import Shop\Store\Store
import Shop\Store\Cache as C
import Shop\Base
import Shop\Util\total
import helpers.php relative 1
decorator Entity in Order
base Base in Order
base Priced in Order
base Countable in Order
base Loggable in Order
base Notifies in Order
call write in save
call Line in save
call total in helper
`},
}
