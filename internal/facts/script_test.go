package facts

import "testing"

// What a page keeps in script elements is a program only if its type says so.
func TestScriptTypes(t *testing.T) {
	page := func(open string) *Facts {
		return Extract("html", []byte("<html>\n"+open+"\nfunction redeem(code) { return vouchers.find(code) }\n</script>\n</html>\n"))
	}
	for _, open := range []string{"<script>", `<script type="text/javascript">`, `<script defer type='module'>`, `<script type="text/babel">`, `<script lang="ts">`, `<script type="Text/TypeScript">`} {
		if f := page(open); len(f.Symbols) != 1 || f.Symbols[0].Name != "redeem" {
			t.Errorf("%s: symbols %v", open, f.Symbols)
		}
	}
	for _, open := range []string{`<script type="text/x-handlebars-template">`, `<script type="application/json">`, `<script type="text/x-template">`, `<script type="application/ld+json">`} {
		f := page(open)
		if len(f.Symbols) != 0 || f.Flags&ParseError != 0 {
			t.Errorf("%s: symbols %v, flags %b", open, f.Symbols, f.Flags)
		}
		found := false
		for _, term := range f.Terms {
			found = found || term == "redeem"
		}
		if !found {
			t.Errorf("%s: its text is not indexed", open)
		}
	}
}
