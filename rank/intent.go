package rank

import (
	"math"
	"strings"

	"cohop/internal/config"
	"cohop/internal/text"
)

// changeVerbs start a task that asks for a change, in the imperative of
// tickets and commit messages or in their past and third person.
var changeVerbs = func() map[string]bool {
	m := map[string]bool{}
	for _, v := range strings.Fields(`add allow adjust apply avoid bring bump change check clarify clean cleanup close convert correct cover
create cut deal declare define delete deny deprecate disable document drop eliminate enable enforce ensure error exclude expand export expose extend extract
fail fix fixup forbid force format generate give guard handle hide honor honour ignore implement improve include increase initialize inline insert introduce
keep limit link load lower make mark merge migrate mock move optimize optimise pass pin port prefer prepare preserve prevent print propagate
protect provide publish raise reduce refactor reenable reformat refuse reject relax remove rename reorganize replace report require reset resolve respect restore restrict
retry return revert revise rewrite run sanitize save set show silence simplify skip sort speed split start stop strip support suppress switch sync test throw tidy
tighten track treat truncate try turn tweak typo undo unify unpin update upgrade use validate warn wrap write rework re`) {
		m[v] = true
		m[v+"s"], m[v+"ed"], m[v+"d"] = true, true, true
	}
	return m
}()

// prefixes of conventional commits ("fix(parser): …") and their like.
var commitPrefix = map[string]bool{"fix": true, "feat": true, "feature": true, "chore": true, "docs": true, "doc": true, "test": true, "tests": true,
	"refactor": true, "perf": true, "style": true, "build": true, "ci": true, "bug": true, "revert": true}

var determiners = map[string]bool{"the": true, "a": true, "an": true, "all": true, "every": true, "each": true, "our": true, "this": true}

// compoundVerb tells a compound verb at the start, as in "rate limit the
// endpoint": its second word changes something, and a determiner follows.
func compoundVerb(task string) bool {
	first, _, _ := strings.Cut(task, "\n")
	w := strings.Fields(strings.ToLower(first))
	return len(w) > 3 && changeVerbs[w[1]] && determiners[w[2]]
}

// intentOf returns the probability that a task asks for a change rather than
// where something is: a logistic model over the task's shape.
func intentOf(t *text.Task, c *config.Intent) float64 {
	s := &t.Shape
	x := c.Bias
	if !s.Question && (changeVerbs[s.First] || compoundVerb(t.Text)) {
		x += c.Verb
	}
	if s.Question && s.Lines <= 2 {
		x += c.Question
	}
	x += c.Lines * math.Log2(1+math.Max(0, float64(s.Lines-1)))
	x += c.Words * math.Log2(1+float64(s.Words))
	if s.Fences {
		x += c.Fences
	}
	first, _, _ := strings.Cut(t.Text, "\n")
	if head, rest, ok := strings.Cut(first, ": "); ok && len(head) < 40 && !strings.Contains(head, " ") && rest != "" {
		x += c.Scope
		if word, _, _ := strings.Cut(head, "("); commitPrefix[strings.ToLower(word)] {
			x += c.Scope
		}
	}
	return 1 / (1 + math.Exp(-x))
}

// reportOf says in [0,1] how much a task is a report, which tells a symptom
// whose cause is in the source, rather than an order, which lists what to do,
// tests and documents included: reports are long, and show code or traces.
func reportOf(t *text.Task, c *config.Intent) float64 {
	r := 1 / (1 + math.Exp(-(float64(t.Shape.Words)-c.ReportWords)/c.ReportScale))
	if t.Shape.Fences {
		r = math.Max(r, fencedReport)
	}
	return r
}

// fencedReport is how much a fence or a trace alone makes a report.
const fencedReport = 0.7

// roleWords name a role in the title of a task: "update the docs", "fix CI".
// A change that says what kind of file it is about is more likely about those.
var roleWords = map[string][]string{
	"documentation": strings.Fields("doc docs document documents documented documentation readme docstring docstrings guide typo typos comment comments"),
	"test":          strings.Fields("test tests testing testcase testcases spec specs coverage flaky unittest"),
	"benchmark":     strings.Fields("benchmark benchmarks bench benches"),
	"example":       strings.Fields("example examples demo sample samples tutorial"),
	"ci":            strings.Fields("ci workflow workflows travis actions appveyor pipeline github circleci"),
	"changelog":     strings.Fields("changelog changes release releases version news"),
	"configuration": strings.Fields("config configuration dependency dependencies deps bump upgrade lint linter golangci commit pyproject build msrv toolchain package npm pnpm cargo mod pin requirements"),
	"script":        strings.Fields("script scripts tool tools"),
}

// namedRoles returns the roles that the first line of a task names.
func namedRoles(task string) map[string]bool {
	title, _, _ := strings.Cut(strings.ToLower(task), "\n")
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(title, func(r rune) bool { return r < 'a' || r > 'z' }) {
		words[w] = true
	}
	out := map[string]bool{}
	for role, list := range roleWords {
		for _, w := range list {
			if words[w] {
				out[role] = true
			}
		}
	}
	return out
}
