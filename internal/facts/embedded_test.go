package facts

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestNotebook: symbols, imports and words of the cells stand on the lines of
// the file that hold them; outputs say nothing.
func TestNotebook(t *testing.T) {
	src, err := os.ReadFile("testdata/orders.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	f := Extract(Language("orders.ipynb", src), src)
	check(t, f)
	if f.Lang != "notebook" || f.Flags != 0 {
		t.Errorf("language %q, flags %b", f.Lang, f.Flags)
	}
	diff(t, "symbol", symbolLines(f), `
		section Orders 7-41
		func total 25-28
		section Orders.Later 36-41
		class Late 37-37 doc=36`)
	diff(t, "import", importLines(f), `
		shop.orders {Order}
		.x.py`)
	diff(t, "ref", refLines(f), `
		total: order.sum(
		Late: Order<`)
	for _, w := range []string{"sav", "café", "matplotlib", "echo", "total"} {
		if w = strings.ReplaceAll(w, "é", "e"); w == "cafe" {
			w = "caf" // folded and stemmed
		}
		if _, ok := slices.BinarySearch(f.Terms, w); !ok {
			t.Errorf("no term %q among %q", w, f.Terms)
		}
	}
	for _, w := range []string{"output", "execute", "kernelspec", "metadata", "word"} {
		if _, ok := slices.BinarySearch(f.Terms, w); ok {
			t.Errorf("term %q, though no cell holds it", w)
		}
	}
}

// TestNotebookBroken: what is no notebook is text.
func TestNotebookBroken(t *testing.T) {
	for _, src := range []string{"{", "[]", "{}", `{"cells": 3}`, `{"cells": [{"cell_type": "code", "source": ["x`, strings.Repeat("[", 1000), `{"cells":[{}],"cells":[{"source":"\ud800"}]}`} {
		check(t, Extract("notebook", []byte(src)))
	}
}

func TestPage(t *testing.T) {
	src := `{% extends "base/site.html" %}
{% block content %}
<link rel="stylesheet" href="css/app.css?v=1"><a href="not.html">
<script src="/static/app.js"></script>
<div id="orders" class='x' data-id="no">{% include 'parts/row.html' with x=1 %}</div>
<script>
import { save } from './store.js'
function load(a) { return save(a) }
</script>
{{> header}} {{template "footer" .}} {{define "main"}}
<%= render partial: "orders/form" %> <%= link_to "x" %>
@include('layouts.nav')
<a id="{{ x }}" href="https://x.org/y">mail me@include.org</a> <script src="https://cdn.org/x.js">
`
	f := Extract("html", []byte(src))
	check(t, f)
	diff(t, "symbol", symbolLines(f), `
		section content 2-2
		key orders 5-5
		func load 8-8
		section main 10-10`)
	diff(t, "import", importLines(f), `
		./store.js {save}
		base/site.html
		css/app.css
		/static/app.js
		parts/row.html
		header
		footer
		orders/form
		layouts.nav`)
	diff(t, "ref", refLines(f), `load: save(`)
}

// TestScripts: the scripts of components are read by their grammar, the rest
// of the page by none.
func TestScripts(t *testing.T) {
	for lang, src := range map[string]string{
		"vue":    "<template>\n  <b @click=\"nope()\">{{ function no() {} }}</b>\n</template>\n<script setup lang=\"ts\">\nimport A from './A.vue'\nconst total = (n: number) => helper(n)\n</script>\n",
		"svelte": "<script lang=\"ts\">\n  import A from './A.vue'\n  let { data }: Props = $props()\n\n\n  const total = (n: number) => helper(n)\n</script>\n{#each data as x}<A {x}/>{/each}\n",
		"astro":  "---\nimport A from './A.vue'\n\n\n\nconst total = (n: number) => helper(n)\n---\n<A/>\n",
	} {
		f := Extract(lang, []byte(src))
		check(t, f)
		if got := importLines(f); len(got) != 1 || !strings.HasPrefix(got[0], "./A.vue") {
			t.Errorf("%s: imports %q", lang, got)
		}
		if !slices.Contains(symbolLines(f), "func total 6-6") {
			t.Errorf("%s: symbols %q", lang, symbolLines(f))
		}
		if !slices.Contains(refLines(f), "total: helper(") {
			t.Errorf("%s: refs %q", lang, refLines(f))
		}
	}
}
