package cmd

import "fmt"

// shopCommit is a commit of the fixture: the files it writes.
type shopCommit struct {
	message string
	files   map[string]string
}

// shopHistory gives the fixture's commits: its files as they begin, then
// fourteen changes of the export route, eleven of which also touch
// deploy/quota.ini, which shares no word and no import with it.
func shopHistory() []shopCommit {
	list := []shopCommit{
		{"Start the shop", map[string]string{
			"README.md":               "# Shop\n\nA small shop: carts, sessions, and an export of orders.\n",
			"CHANGELOG.md":            "# Changes\n\n- Export of orders: /export\n- Sessions expire\n",
			"shop/__init__.py":        "",
			"shop/routes/__init__.py": "",
			"shop/routes/export.py":   exportRoute(0),
			"shop/routes/cart.py": `"""The cart."""

from shop.session import current


def add_item(request, item):
    """Put an item into the visitor's cart."""
    session = current(request)
    session.setdefault("cart", []).append(item)
    return session["cart"]


def checkout(request):
    """Turn the cart into an order."""
    session = current(request)
    items = session.pop("cart", [])
    return {"items": items}
`,
			"shop/session.py": `"""Sessions of visitors."""

import time

LIFETIME = 3600


def current(request):
    """The session of a request; a fresh one when it has expired."""
    session = request.session
    if expired(session):
        session.clear()
    session["seen"] = time.time()
    return session


def expired(session):
    """Tell whether a session was idle for too long."""
    return time.time() - session.get("seen", 0) > LIFETIME


def cookie(value):
    """The header that sets the visitor's cookie."""
    return f"sid={value}; Path=/; Secure; SameSite=None"
`,
			"shop/limiter.py": `"""Token buckets."""

import time


class RateLimiter:
    """Allow so many calls in so many seconds."""

    def __init__(self, calls, seconds):
        self.calls = calls
        self.seconds = seconds
        self.started = time.time()
        self.used = 0

    def allow(self):
        """Tell whether one more call may go on."""
        now = time.time()
        if now - self.started > self.seconds:
            self.started, self.used = now, 0
        self.used += 1
        return self.used <= self.calls
`,
			"shop/db.py": `"""Orders on disk."""

import json


def load_orders(path):
    """Read all orders."""
    with open(path) as f:
        return [json.loads(line) for line in f]


def save_order(path, order):
    """Append one order."""
    with open(path, "a") as f:
        f.write(json.dumps(order) + "\n")
`,
			"deploy/quota.ini": quota(0),
			"tests/test_session.py": `from shop.session import cookie, expired


def test_expired():
    assert expired({"seen": 0})


def test_cookie():
    assert "Secure" in cookie("x")
`,
			"tests/test_limiter.py": `from shop.limiter import RateLimiter


def test_rate_limiter():
    limiter = RateLimiter(2, 60)
    assert limiter.allow()
    assert limiter.allow()
    assert not limiter.allow()
`,
		}},
	}
	for i := 1; i <= 14; i++ {
		files := map[string]string{"shop/routes/export.py": exportRoute(i)}
		if i <= 11 {
			files["deploy/quota.ini"] = quota(i)
		}
		if i > 11 {
			files["shop/db.py"] = dbVersion(i)
		}
		list = append(list, shopCommit{fmt.Sprintf("Export: format %d of the orders", i), files})
	}
	return append(list,
		shopCommit{"Sessions expire after an hour without a visit", map[string]string{"shop/session.py": sessionVersion()}},
		shopCommit{"Limit the rate of calls with token buckets", map[string]string{"shop/limiter.py": limiterVersion()}},
	)
}

func exportRoute(version int) string {
	return fmt.Sprintf(`"""The export of orders."""

from shop.db import load_orders

FORMAT = %d


def export(request):
    """Answer GET /export with all orders as lines of text."""
    orders = load_orders(request.app.orders)
    return "\n".join(line(o) for o in orders)


def line(order):
    """One order as a line."""
    return f"{order['id']};{order['total']}"
`, version)
}

func quota(version int) string {
	return fmt.Sprintf("[gateway]\nburst = %d\nsustained = %d\n", 10+version, 5+version)
}

func dbVersion(version int) string {
	return fmt.Sprintf(`"""Orders on disk."""

import json

SCHEMA = %d


def load_orders(path):
    """Read all orders."""
    with open(path) as f:
        return [json.loads(line) for line in f]


def save_order(path, order):
    """Append one order."""
    with open(path, "a") as f:
        f.write(json.dumps(order) + "\n")
`, version)
}

func sessionVersion() string {
	return `"""Sessions of visitors."""

import time

LIFETIME = 3600  # an hour


def current(request):
    """The session of a request; a fresh one when it has expired."""
    session = request.session
    if expired(session):
        session.clear()
    session["seen"] = time.time()
    return session


def expired(session):
    """Tell whether a session was idle for too long."""
    return time.time() - session.get("seen", 0) > LIFETIME


def cookie(value):
    """The header that sets the visitor's cookie."""
    return f"sid={value}; Path=/; Secure; SameSite=None"
`
}

func limiterVersion() string {
	return `"""Token buckets."""

import time


class RateLimiter:
    """Allow so many calls in so many seconds."""

    def __init__(self, calls, seconds):
        self.calls = calls
        self.seconds = seconds
        self.started = time.time()
        self.used = 0

    def allow(self):
        """Tell whether one more call may go on: the bucket refills in time."""
        now = time.time()
        if now - self.started > self.seconds:
            self.started, self.used = now, 0
        self.used += 1
        return self.used <= self.calls
`
}
