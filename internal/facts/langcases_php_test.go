package facts

var phpCases = []langCase{
	{
		lang: "php",
		pkg:  "Acme\\App",
		src: `<?php
declare(strict_types=1);

namespace Acme\App;

use Acme\Other\Thing;
use Acme\Base as B, Acme\Log;
use Acme\Util\{Str, Arr as A, Deep\X};
use function Acme\helper;
use const Acme\MAX;
require_once __DIR__ . '/boot.php';

/** Doc. */
#[Attribute(1), Route('/x')]
final class C extends B implements I, J
{
    use Macro, Deep\T { a as b; }

    public const ONE = 1, TWO = 2;
    private ?Thing $thing = null;
    protected static int $count;

    public function __construct(private Log $log, int $a = self::ONE)
    {
        parent::__construct();
        $this->log->write('hello world');
        $x = new Thing($a);
        $x->run();
    }

    // Says it.
    abstract protected function say(array $items): ?string;

    private static function hidden(): static
    {
        return Str::of(MAX)->trim();
    }
}

interface I extends K, L { const Z = 1; public function m(); }
trait T { public $p; function t() { helper(); } }
enum E: string implements I { case A = 'a'; case Bee = 'b'; public function label(): string { return match($this) { self::A => \strlen('x') }; } }
function top(callable $f, ...$rest) { global $g; $y = array_map(fn ($q) => $q + 1, $rest); foreach ($y as $k => $v) { echo $v; } return $f($y); }
const CC = 3;
define('DD', 4);
$anon = new class extends C { public function inner() {} };
if (! function_exists('cond')) { function cond() { return \Acme\full(); } }
`,
		symbols: `
			class C 14-38 sig=15 doc=13
			const C.ONE 19-19
			const C.TWO 19-19
			field C.thing 20-20 private
			field C.count 21-21
			method C.__construct 23-29
			field C.log 23-23 private
			method C.say 32-32 doc=31
			method C.hidden 34-37 private
			interface I 40-40
			const I.Z 40-40
			method I.m 40-40
			class T 41-41
			field T.p 41-41
			method T.t 41-41
			enum E 42-42
			field E.A 42-42
			field E.Bee 42-42
			method E.label 42-42
			func top 43-43
			const CC 44-44
			method inner 46-46
			func cond 47-47`,
		imports: `
			Acme\Other\Thing
			Acme\Base as B
			Acme\Log
			Acme\Util\Str
			Acme\Util\Arr as A
			Acme\Util\Deep\X
			Acme\helper
			Acme\MAX
			.boot.php`,
		refs: `
			C: Attribute@
			C: Route@
			C: B<
			C: I<
			C: J<
			C: Macro<
			C: Deep.T<
			C: Thing
			__construct: Log
			__construct: self.ONE
			__construct: parent.__construct(
			__construct: log.write(
			__construct: this.log
			__construct: Thing(
			__construct: x.run(
			hidden: Str
			hidden: Str.of(
			hidden: MAX
			I: K<
			I: L<
			t: helper(
			E: I<
			label: self.A
			: C<
			cond: Acme.full(`,
	},
}
