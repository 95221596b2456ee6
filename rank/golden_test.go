package rank_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"cohop/rank"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden holds a text against a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s has changed; if it is for the better, run go test ./rank -update and look at the difference. Now:\n%s", path, got)
	}
}

// chronicle makes a repository from an archive whose comment tells its
// history. Of a file that n commits touch, the k-th leaves the first k/n of
// its lines, so that the last one leaves it whole.
func chronicle(t testing.TB, name string) string {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, f := range a.Files {
		text[f.Name] = string(f.Data)
	}
	var commits []commit
	touches := map[string][]int{} // path → commits
	for _, l := range strings.Split(string(a.Comment), "\n") {
		days, rest, ok := strings.Cut(l, " | ")
		if !ok {
			continue
		}
		msg, paths, _ := strings.Cut(rest, " | ")
		n, err := strconv.Atoi(days)
		if err != nil {
			t.Fatalf("%s: %q: %v", name, l, err)
		}
		for _, p := range strings.Fields(paths) {
			if _, ok := text[p]; !ok && p != "*" {
				t.Fatalf("%s: no file %q", name, p)
			}
			touches[p] = append(touches[p], len(commits))
		}
		commits = append(commits, commit{msg: msg, days: n, files: tree{}})
	}
	if len(touches["*"]) != 1 {
		t.Fatalf("%s: want one commit of all other files", name)
	}
	first := touches["*"][0]
	for p, data := range text {
		at := touches[p]
		if len(at) == 0 {
			at = []int{first}
		}
		lines := strings.SplitAfter(data, "\n")
		for k, c := range at {
			commits[c].files[p] = strings.Join(lines[:(len(lines)*(k+1)+len(at)-1)/len(at)], "")
		}
	}
	return build(t, commits...)
}

// The first five of ten tasks each in two small repositories, with the reasons:
// what a change of weights or columns does to them shows in its commit.
func TestGoldenRanking(t *testing.T) {
	for _, c := range []struct {
		name  string
		tasks []string
	}{
		{"ferry", []string{
			"rate limit the /bookings endpoint",
			"where are refunds computed",
			"samesite",
			"E-207 already cancelled is shown as a server error",
			"How does the waiting list work?",
			"fix: links to sign in expire too early\n\nA customer asks for a link, the mail takes ten minutes, and `redeem` raises PermissionError.",
			"Change the winter fares for the south island",
			"payment provider times out",
			"Traceback (most recent call last):\n  File \"/srv/ferry/ferry/services/manifest.py\", line 19, in to_csv\n    writer.writerow([name, born, passport or \"none\"])\nValueError: too many values to unpack",
			"two passengers got the last cabin at the same time",
		}},
		{"trim", []string{
			"where is copytruncate implemented",
			"Add an lz4 compressor",
			"parse sizes with a T for terabytes",
			"another run holds the lock though its process is gone",
			"How are the newest files kept from deletion?",
			"feat(report): write a CSV report beside JSON",
			"`keep=` and `age=` in a rule give \"unknown argument\"",
			"run the timer twice a day",
			"exit code when nothing matched",
			"archive torn after a crash on another filesystem: rename fails with EXDEV",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := chronicle(t, c.name+".txtar")
			var out bytes.Buffer
			for _, task := range c.tasks {
				r := ask(t, dir, task, func(r *rank.Request) { r.Top = 5 })
				fmt.Fprintf(&out, "%s\n", strings.ReplaceAll("# "+task, "\n", "\n# "))
				if r.Header.Abstained {
					fmt.Fprintf(&out, "abstained, missing %q\n", r.Header.Missing)
				} else {
					fmt.Fprintf(&out, "%s\n", r.Header.Intent)
				}
				for _, f := range r.Files {
					mark := ' '
					if f.Promoted {
						mark = '!'
					}
					fmt.Fprintf(&out, "%d%c %-30s %s\n", f.Rank, mark, f.Path, f.Reason)
				}
				out.WriteByte('\n')
			}
			golden(t, c.name+".golden", out.Bytes())
		})
	}
}

// workshop is a tree of thirty modules, each with one function of thirty lines
// that checks an order, and says so.
func workshop(t testing.TB) string {
	files := tree{}
	for i, noun := range strings.Fields("anvil bellows chisel drill easel file gouge hammer iron jig knife lathe mallet nail oven plane quench rasp saw tongs uniform vice wedge awl yoke zincbath clamp punch rivet solder") {
		files[fmt.Sprintf("orders/%s/%s.py", []string{"wood", "metal", "heat"}[i%3], noun)] = fmt.Sprintf("\"\"\"Orders of the %[1]s.\"\"\"\n\n\ndef check_%[1]s(order):\n    \"\"\"Check the order of a %[1]s: refuse what is not in stock.\"\"\"\n", noun) +
			repeat(12, fmt.Sprintf("    if order.part == %%d and not order.stock[%%d]:\n        raise Refused('%s', order.part)", noun)) + "    return order\n"
	}
	return build(t, commit{msg: "Start", files: files})
}

// At one budget a sharp task gives few bodies and a map, a diffuse one a wide
// map.
func TestGoldenTiers(t *testing.T) {
	dir := workshop(t)
	var out bytes.Buffer
	type shape struct {
		tiers map[string]int
		neff  float64
		files map[string]bool
	}
	shapes := map[string]shape{}
	for _, c := range []struct{ kind, task string }{
		{"sharp", "where is check_quench"},
		{"diffuse", "where is it refused to order what is not in stock"},
	} {
		r := ask(t, dir, c.task, budget(600))
		h := r.Header
		fmt.Fprintf(&out, "# %s: %s\n%s, n_eff %.1f, k %d, epsilon %.2f, unpacked %.2f, %d of %d tokens\n", c.kind, c.task, h.Intent, h.NEff, h.K, h.Epsilon, h.Unpacked, h.Tokens, h.Budget)
		s := shape{map[string]int{}, h.NEff, map[string]bool{}}
		for _, it := range r.Pack {
			fmt.Fprintf(&out, "%-10s %s:%d-%d %s\n", it.Tier, it.Path, it.StartLine, it.EndLine, it.Symbol)
			s.tiers[it.Tier]++
			s.files[it.Path] = true
		}
		out.WriteByte('\n')
		shapes[c.kind] = s
	}
	sharp, diffuse := shapes["sharp"], shapes["diffuse"]
	if sharp.neff*2 > diffuse.neff {
		t.Errorf("n_eff: sharp %g, diffuse %g", sharp.neff, diffuse.neff)
	}
	if n := sharp.tiers[rank.TierBody]; n == 0 || n > 3 || len(sharp.files) <= n {
		t.Errorf("the sharp task gives %v of %d files: want few bodies and a map", sharp.tiers, len(sharp.files))
	}
	if n := diffuse.tiers[rank.TierBody]; len(diffuse.files) < 10 || n > len(diffuse.files)/3 {
		t.Errorf("the diffuse task gives %v of %d files: want a wide map", diffuse.tiers, len(diffuse.files))
	}
	golden(t, "tiers.golden", out.Bytes())
}
