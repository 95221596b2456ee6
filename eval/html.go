package eval

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// HTMLOptions says what goes into a page beside the report.
type HTMLOptions struct {
	Title     string       // of the page
	Command   string       // that made it
	Against   string       // name of the other side of Compared
	Compared  []Difference // nil: none
	Ablations []*Report    // the whole first; nil: none
}

// shownInPage is how many of the worst tasks a page tells of.
const shownInPage = 25

// ablationMeasures of a page, each with its own bars.
var ablationMeasures = []string{nameNDCG, "all@5", "r@10"}

// WriteHTML writes one page that needs nothing else: no script, no network,
// plots as SVG. The same report gives the same bytes.
func (r *Report) WriteHTML(w io.Writer, opt HTMLOptions) error {
	var b strings.Builder
	title := opt.Title
	if title == "" {
		title = "How well the ranking does"
	}
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n<style>%s</style></head>\n<body><main>\n<h1>%s</h1>\n", esc(title), pageStyle, esc(title))
	r.pageSummary(&b)
	if len(opt.Compared) > 0 {
		pageCompared(&b, opt)
	}
	if len(opt.Ablations) > 1 {
		b.WriteString("<h2>What each column is worth</h2>\n<p>Left out one at a time; a pale bar may be chance. Then each column alone.</p>\n")
		for _, m := range ablationMeasures {
			svg, err := ablationPlot(opt.Ablations, m, "without ", "Without each column: "+m)
			if err != nil {
				return fmt.Errorf("write page: %w", err)
			}
			figure(&b, svg, "")
		}
		svg, err := ablationPlot(opt.Ablations, nameNDCG, "only ", "By each column alone: "+nameNDCG)
		if err != nil {
			return fmt.Errorf("write page: %w", err)
		}
		figure(&b, svg, "")
	}
	b.WriteString("<h2>Recall, and what it costs</h2>\n<div class=\"row\">\n")
	figure(&b, recallPlot(r), "The shade is the 95 % interval over tasks.")
	if len(r.budgets) > 0 {
		figure(&b, budgetPlot(r), "A file counts when at least one piece of it is packed at that tier.")
	}
	b.WriteString("</div>\n<h2>Does the header tell the truth?</h2>\n<div class=\"row\">\n")
	figure(&b, neffPlot(r), fmt.Sprintf("Ten of a hundred tasks are below %.1f, ten above %.1f.", r.NEff.P10, r.NEff.P90))
	if r.Reliability != nil {
		figure(&b, reliabilityPlot(r.Reliability), fmt.Sprintf("Packs of %d tokens; on the dashed line what is said comes true.", reportedBudget))
	}
	b.WriteString("</div>\n")
	if r.Correlation != nil {
		b.WriteString("<h2>Which columns say the same</h2>\n")
		figure(&b, correlationPlot(r.Correlation), "")
	}
	r.pageGroups(&b, "By repository", r.ByRepo)
	r.pageGroups(&b, "By tag", r.ByTag)
	r.pageWorst(&b)
	if opt.Command != "" {
		fmt.Fprintf(&b, "<p class=\"made\">Made by <code>%s</code></p>\n", esc(opt.Command))
	}
	b.WriteString("</main></body></html>\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

func figure(b *strings.Builder, svg, caption string) {
	if svg == "" {
		return
	}
	b.WriteString("<figure>" + svg)
	if caption != "" {
		fmt.Fprintf(b, "<figcaption>%s</figcaption>", esc(caption))
	}
	b.WriteString("</figure>\n")
}

// summaryNames are the measures of the summary and what they mean.
var summaryNames = [][2]string{
	{nameNDCG, "how near the answers are to the top of the first ten"},
	{"all@1", "tasks whose whole answer comes first"},
	{"all@5", "tasks whose whole answer is in the first five"},
	{"r@10", "answers among the first ten"},
	{nameMRR, "1 ÷ place of the first answer"},
	{namePool, "answers that were looked at closely at all"},
	{"recall.body.2000", "answers in a pack of 2,000 tokens, as a body"},
	{"recall.signature.2000", "as a body or signature"},
}

func (r *Report) pageSummary(b *strings.Builder) {
	fmt.Fprintf(b, "<p>%d tasks in %d repositories", r.Tasks, len(r.ByRepo))
	if r.Abstained > 0 {
		fmt.Fprintf(b, "; on %d it abstained", r.Abstained)
	}
	b.WriteString(".</p>\n<table><thead><tr><th>measure</th><th>over tasks</th><th>95 %</th><th>over repositories</th><th>95 %</th><th>meaning</th></tr></thead><tbody>\n")
	for _, n := range summaryNames {
		v, ok := r.Micro[n[0]]
		if !ok {
			continue
		}
		iv, im := r.Intervals.Micro[n[0]], r.Intervals.Macro[n[0]]
		fmt.Fprintf(b, "<tr><td>%s</td><td>%.3f</td><td>%.3f – %.3f</td><td>%.3f</td><td>%.3f – %.3f</td><td class=\"text\">%s</td></tr>\n",
			esc(n[0]), v, iv.Lo, iv.Hi, r.Macro[n[0]], im.Lo, im.Hi, esc(n[1]))
	}
	b.WriteString("</tbody></table>\n")
	m := &r.Misses
	fmt.Fprintf(b, "<p>Of %d answers %d are in the first %d places, %d are ranked lower, and %d were proposed by no column.", m.Answers, m.Found, missDepth, m.Ranking, m.Pool)
	if m.Failed+m.Absent > 0 {
		fmt.Fprintf(b, " %d belong to tasks without an answer, %d are not in their tree.", m.Failed, m.Absent)
	}
	b.WriteString("</p>\n")
	if v, ok := r.PerHit[fmt.Sprint(reportedBudget)]; ok {
		fmt.Fprintf(b, "<p>A pack of %d tokens spends %.0f tokens for each answer that is in.</p>\n", reportedBudget, v)
	}
	if a := r.Apart; a != nil {
		fmt.Fprintf(b, "<p>Apart, since their authors had seen something: %d tasks with ndcg@10 %.3f, r@10 %.3f.</p>\n", a.Tasks, a.Micro[nameNDCG], a.Micro["r@10"])
	}
	if len(r.Warnings) > 0 {
		b.WriteString("<ul class=\"warn\">")
		for _, w := range r.Warnings {
			fmt.Fprintf(b, "<li>%s</li>", esc(w))
		}
		b.WriteString("</ul>\n")
	}
}

func pageCompared(b *strings.Builder, opt HTMLOptions) {
	fmt.Fprintf(b, "<h2>Against %s</h2>\n<table><thead><tr><th>measure</th><th>this</th><th>other</th><th>difference over tasks</th><th>over repositories</th><th>tasks better</th><th>worse</th></tr></thead><tbody>\n", esc(opt.Against))
	for _, d := range opt.Compared {
		fmt.Fprintf(b, "<tr><td>%s</td><td>%.3f</td><td>%.3f</td><td>%s</td><td>%s</td><td>%d</td><td>%d</td></tr>\n", esc(d.Measure), d.First, d.Second, d.Micro, d.Macro, d.Better, d.Worse)
	}
	b.WriteString("</tbody></table>\n<p>A star: the 95 % interval leaves 0 out.</p>\n")
}

func (r *Report) pageGroups(b *strings.Builder, title string, groups map[string]Measures) {
	if len(groups) < 2 {
		return
	}
	fmt.Fprintf(b, "<h2>%s</h2>\n<table><thead><tr><th></th><th>tasks</th><th>ndcg@10</th><th>all@1</th><th>all@5</th><th>r@10</th><th>pool recall</th></tr></thead><tbody>\n", esc(title))
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		m := groups[g]
		fmt.Fprintf(b, "<tr><td>%s</td><td>%.0f</td><td>%.3f</td><td>%.3f</td><td>%.3f</td><td>%.3f</td><td>%.3f</td></tr>\n", esc(g), m["tasks"], m[nameNDCG], m["all@1"], m["all@5"], m["r@10"], m[namePool])
	}
	b.WriteString("</tbody></table>\n")
}

func (r *Report) pageWorst(b *strings.Builder) {
	b.WriteString("<h2>Worst tasks</h2>\n<table><thead><tr><th>task</th><th>ndcg@10</th><th>answers, and what the first file had more of</th></tr></thead><tbody>\n")
	for _, t := range r.Worst(shownInPage) {
		if t.Measures[nameNDCG] == 1 {
			break
		}
		fmt.Fprintf(b, "<tr><td>%s</td><td>%.3f</td><td class=\"text\">%s</td></tr>\n", esc(t.ID), t.Measures[nameNDCG], esc(t.Why()))
	}
	b.WriteString("</tbody></table>\n")
}

const pageStyle = `:root{--ink:#1c2430;--dim:#5b6675;--line:#d5dbe3;--page:#fff;--c1:#1f6fb2;--c2:#c2571a;--neg:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e4e9f0;--dim:#9aa6b5;--line:#38424f;--page:#12171e;--c1:#6db3ee;--c2:#f0985f;--neg:#ef7a73}}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1000px;margin:0 auto;padding:24px}h1{font-size:26px}h2{font-size:19px;margin-top:36px}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:14px;display:block;overflow-x:auto}
th,td{text-align:right;padding:3px 10px;border-bottom:1px solid var(--line);vertical-align:top;white-space:nowrap}
th:first-child,td:first-child{text-align:left}td.text,th:last-child{text-align:left;white-space:normal;overflow-wrap:anywhere}
figure{margin:12px 0;overflow-x:auto}figcaption,.made{color:var(--dim);font-size:13px}.row{display:flex;flex-wrap:wrap;gap:16px}
svg{max-width:100%;height:auto;background:var(--page)}svg text{fill:var(--ink);font:12px system-ui,sans-serif}
svg .title{font-weight:600;font-size:13px}svg .tick,svg .name{fill:var(--dim)}svg .cell{font-size:11px}svg .dark{fill:var(--page)}
.axis{stroke:var(--dim)}.grid{stroke:var(--line)}.whisker{stroke:var(--ink);stroke-width:1.5}.ideal{stroke:var(--dim);stroke-dasharray:5 4}
.bar{fill:var(--c1)}.faint{fill-opacity:.35}.curve{fill:none;stroke-width:2}.curve.c1{stroke:var(--c1)}.curve.c2{stroke:var(--c2)}
.dot.c1{fill:var(--c1)}.dot.c2{fill:var(--c2)}.band{fill-opacity:.15}.band.c1{fill:var(--c1)}.pos{fill:var(--c1)}.neg{fill:var(--neg)}
.warn{color:var(--neg)}`
