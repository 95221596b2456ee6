package cmd

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cohop/internal/config"
	"cohop/rank"
)

// TestFormatDocument checks that the documentation of formats names every key
// of the JSON and every key of the configuration.
func TestFormatDocument(t *testing.T) {
	b, err := os.ReadFile("../doc/format.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, c := range []struct {
		tag string
		v   any
	}{{"json", rank.Result{}}, {"json", rank.Explanation{}}, {"toml", config.Config{}}} {
		keys := map[string]bool{}
		tags(reflect.TypeOf(c.v), c.tag, keys)
		if len(keys) < 10 {
			t.Fatalf("%T: only the keys %v", c.v, keys)
		}
		for k := range keys {
			if !strings.Contains(text, "`"+k+"`") && !strings.Contains(text, "["+k+"]") && !strings.Contains(text, "["+k+".") {
				t.Errorf("doc/format.md does not name the key %s of %T", k, c.v)
			}
		}
	}
	for _, id := range config.Columns {
		if !strings.Contains(text, "`"+id+"`") {
			t.Errorf("doc/format.md does not name the column %s", id)
		}
	}
}

// tags collects the names that a type's fields have in a notation.
func tags(t reflect.Type, tag string, out map[string]bool) {
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
		tags(t.Elem(), tag, out)
	case reflect.Struct:
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get(tag), ","); name != "" {
				out[name] = true
			}
			tags(t.Field(i).Type, tag, out)
		}
	}
}

// TestDocumentedFlags checks that every flag which the documents' code and the
// examples of the help give to rank exists, on the command that they give it to.
func TestDocumentedFlags(t *testing.T) {
	root := rootCommand()
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	names := map[string][]string{"": flagNames(root)}
	texts := map[string]string{}
	for _, c := range root.Commands() {
		c.InitDefaultHelpFlag()
		names[c.Name()] = flagNames(c)
		texts["help "+c.Name()] = c.Example
	}
	texts["help"] = root.Example
	for _, name := range []string{"../README.md", "../doc/format.md"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(b)
	}
	call := regexp.MustCompile("(?m)(?:^ *(?:\\$ )?|`|\\| |bin/)rank ([^\n`|>]*)")
	flag := regexp.MustCompile(`(?:^|\s)--([a-z][a-z-]*)`)
	checked := 0
	for name, text := range texts {
		for _, m := range call.FindAllStringSubmatch(strings.ReplaceAll(text, "\\\n", " "), -1) {
			before, _, _ := strings.Cut(m[1], " -- ")
			word, _, _ := strings.Cut(before, " ")
			known, ok := names[word]
			if !ok {
				known = names[""]
			}
			for _, f := range flag.FindAllStringSubmatch(before, -1) {
				checked++
				if !slices.Contains(known, f[1]) {
					t.Errorf("%s: rank %s: there is no flag --%s", name, m[1], f[1])
				}
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d flags found", checked)
	}
}

func flagNames(c *cobra.Command) (out []string) {
	c.Flags().VisitAll(func(f *pflag.Flag) { out = append(out, f.Name) })
	return out
}
