package eval

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cohop/labels"
)

func readOffTopic(t *testing.T) []OffTopic {
	t.Helper()
	f, err := os.Open("testdata/offtopic.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := ReadOffTopic(f, f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// page makes the page of a small run with everything in it, and names that
// mean harm.
func page(t *testing.T) []byte {
	t.Helper()
	var set []labels.Label
	for i := range 24 {
		l := label(fmt.Sprint("t", i), fmt.Sprint("r", i%3), "c", string(rune('a'+i%12)))
		l.Tags = []string{"<script>alert(1)</script>", "go"}
		set = append(set, l)
	}
	files := strings.Split("abcdefghijkl", "")
	eng := &fakeEngine{answer: func(_ Tree, q Question) (Answer, error) {
		k := len(q.Without)
		return &fakeAnswer{pool: files, files: append(append([]string(nil), files[k:]...), files[:k]...)}, nil
	}}
	opts := Options{Repos: "dir", Budgets: []int{500, 2000}, Variants: []Variant{{}, {Name: "without path", Without: []string{"path"}}, {Name: "only hops", Without: []string{"a", "b", "c"}}}}
	reports, err := Run(context.Background(), eng, set, opts)
	if err != nil {
		t.Fatal(err)
	}
	r := reports[0]
	for i := range r.TaskResults {
		p := float64(i) / 24
		r.TaskResults[i].Confidence = &p
		r.TaskResults[i].NEff = float64(1 + i*i)
		r.TaskResults[i].pairs = correlate([]string{"path", "hops"}, [][]float64{{1, 2, 3}, {1, 3, 2}})
	}
	r.judge()
	other := r.OfRun(nil, "old")
	compared, err := Differences(r, other, []string{nameNDCG}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.WriteHTML(&b, HTMLOptions{Title: `"quoted" & <b>bold</b>`, Command: "rank eval", Against: "old", Compared: compared, Ablations: reports}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPageStandsAlone(t *testing.T) {
	got := page(t)
	for _, bad := range []string{"<script", "src=", "href=", "@import", "url(", "NaN", "Inf", "%!"} {
		if bytes.Contains(got, []byte(bad)) {
			t.Errorf("the page holds %q", bad)
		}
	}
	// The one address is the name of SVG's elements, which nobody fetches.
	if n := bytes.Count(got, []byte("http")); n != bytes.Count(got, []byte("http://www.w3.org/2000/svg")) {
		t.Error("the page names other addresses")
	}
	for _, want := range []string{"Without each column: ndcg@10", "By each column alone", "Recall by place", "Recall by budget", "Sharp and diffuse tasks",
		"Reliability of the header", "rank correlation", "Worst tasks", "Against old", "(tokens, logarithmic)", "95 %"} {
		if !bytes.Contains(got, []byte(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if !bytes.Equal(got, page(t)) {
		t.Error("the same report gave other bytes")
	}
	// Each plot is well-formed by itself, and has its title.
	plots := 0
	for _, part := range strings.Split(string(got), "<svg")[1:] {
		body, _, ok := strings.Cut(part, "</svg>")
		if !ok {
			t.Fatal("a plot has no end")
		}
		plots++
		d := xml.NewDecoder(strings.NewReader("<svg" + body + "</svg>"))
		title := false
		for {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("plot %d: %v", plots, err)
			}
			if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "title" {
				title = true
			}
		}
		if !title {
			t.Errorf("plot %d has no title", plots)
		}
	}
	if plots != 9 { // three measures, alone, place, budget, n_eff, reliability, correlation
		t.Errorf("%d plots, want 9", plots)
	}
}

// TestPageOpensInABrowser loads the page headless: every plot has a size, and
// nothing is asked of the network.
func TestPageOpensInABrowser(t *testing.T) {
	var browser string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			browser = p
			break
		}
	}
	if browser == "" {
		t.Skip("no headless browser here")
	}
	dir := t.TempDir()
	// A probe at the end of a copy writes what the browser made of the page.
	probe := `<script>document.title='plots '+[...document.querySelectorAll('svg')].filter(s=>s.getBoundingClientRect().width>100&&s.getBoundingClientRect().height>50).length+
' wide '+(document.documentElement.scrollWidth<=window.innerWidth)+' asked '+performance.getEntriesByType('resource').length</script></body>`
	file := filepath.Join(dir, "report.html")
	if err := os.WriteFile(file, bytes.Replace(page(t), []byte("</body>"), []byte(probe), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--window-size=1100,900", "--dump-dom", "file://"+file).Output()
	if err != nil {
		t.Skipf("the browser does not run here: %v", err)
	}
	if want := "<title>plots 9 wide true asked 0</title>"; !bytes.Contains(out, []byte(want)) {
		i := bytes.Index(out, []byte("<title>"))
		t.Errorf("the browser says %q, want %q", out[max(0, i):min(len(out), i+80)], want)
	}
}
