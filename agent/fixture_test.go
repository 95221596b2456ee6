package agent

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adrg/xdg"
)

var update = flag.Bool("update", false, "write golden files")

// TestMain takes the settings of whoever runs the tests out of them.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("RANK_TEST_SERVE") != "" {
		os.Exit(serveForTest())
	}
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		panic(err)
	}
	for k, v := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_CACHE_HOME": filepath.Join(home, "cache"),
		"XDG_STATE_HOME": filepath.Join(home, "state"), "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "TZ": "UTC"} {
		os.Setenv(k, v)
	}
	xdg.Reload()
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// shop is a small repository with two topics that share no word.
var shop = map[string]string{
	"README.md": "# Shop\n\nA shop with a cart and parcels.\n",
	"cart/voucher.py": `"""Vouchers lower the price of a cart."""


class Voucher:
    def __init__(self, code, percent):
        self.code = code
        self.percent = percent


def redeem_voucher(cart, voucher, now):
    """Take a voucher off the total of a cart, once."""
    if voucher.code in cart.redeemed:
        raise ValueError("voucher was redeemed before")
    cart.redeemed.append(voucher.code)
    return cart.total * (100 - voucher.percent) / 100
`,
	"cart/total.py": `def total(lines):
    """Sum what the lines of a cart cost."""
    return sum(line.price * line.count for line in lines)
`,
	"parcel/carrier.py": `class Carrier:
    """Brings parcels to a door."""

    def track(self, parcel, since):
        return [stop for stop in parcel.stops if stop.when > since]
`,
	"parcel/label.py": `def print_label(parcel, printer):
    """Print the address label of a parcel."""
    printer.write(parcel.address)
`,
	"tests/test_voucher.py": `from cart.voucher import redeem_voucher


def test_redeem_twice():
    assert redeem_voucher
`,
}

// fixture makes a repository of the files, one commit, and returns its folder;
// its base name is always "shop".
func fixture(t testing.TB, files map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git builds the fixtures")
	}
	dir := filepath.Join(t.TempDir(), "shop")
	git(t, "", "init", "-q", "-b", "main", dir)
	write(t, dir, files)
	git(t, dir, "add", "-A", "-f")
	git(t, dir, "commit", "-q", "-m", "Vouchers and parcels")
	return dir
}

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for _, p := range slices.Sorted(maps.Keys(files)) {
		name := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[p]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func git(t testing.TB, dir string, args ...string) {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", args[0], err, out)
	}
}

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// run gives an event to a hook and returns what it wrote.
func run(t testing.TB, h Hook, event any) (stdout, stderr string) {
	t.Helper()
	var in []byte
	switch e := event.(type) {
	case string:
		in = []byte(e)
	default:
		in, _ = json.Marshal(e)
	}
	var out, errs bytes.Buffer
	h.Run(t.Context(), bytes.NewReader(in), &out, &errs)
	if n := strings.Count(errs.String(), "\n"); n > 1 {
		t.Errorf("%d lines on stderr: %q", n, errs.String())
	}
	return out.String(), errs.String()
}

// contextOf takes the text for the model out of an answer.
func contextOf(t testing.TB, answer string) string {
	t.Helper()
	var v struct {
		Specific specific `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(answer), &v); err != nil {
		t.Fatalf("answer %q: %v", answer, err)
	}
	return v.Specific.Context
}
