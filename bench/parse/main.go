// Command parse is the yardstick of a cold start: tree-sitter alone, through the
// library as it is, on two threads. It parses the files of a folder whose paths
// come on stdin, those of which rank uses a grammar, and does nothing else.
//
//	git -C DIR ls-files | parse DIR
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path"
	"sync"
	"sync/atomic"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/c"
	"github.com/smacker/go-tree-sitter/cpp"
	"github.com/smacker/go-tree-sitter/csharp"
	"github.com/smacker/go-tree-sitter/elixir"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/java"
	"github.com/smacker/go-tree-sitter/javascript"
	"github.com/smacker/go-tree-sitter/kotlin"
	"github.com/smacker/go-tree-sitter/ocaml"
	"github.com/smacker/go-tree-sitter/php"
	"github.com/smacker/go-tree-sitter/python"
	"github.com/smacker/go-tree-sitter/ruby"
	"github.com/smacker/go-tree-sitter/rust"
	"github.com/smacker/go-tree-sitter/scala"
	"github.com/smacker/go-tree-sitter/typescript/tsx"
	"github.com/smacker/go-tree-sitter/typescript/typescript"
)

var grammars = map[string]*sitter.Language{
	".py": python.GetLanguage(), ".pyi": python.GetLanguage(), ".go": golang.GetLanguage(), ".rb": ruby.GetLanguage(), ".rake": ruby.GetLanguage(),
	".js": javascript.GetLanguage(), ".mjs": javascript.GetLanguage(), ".cjs": javascript.GetLanguage(), ".jsx": javascript.GetLanguage(),
	".ts": typescript.GetLanguage(), ".tsx": tsx.GetLanguage(), ".java": java.GetLanguage(), ".kt": kotlin.GetLanguage(),
	".scala": scala.GetLanguage(), ".c": c.GetLanguage(), ".h": c.GetLanguage(), ".cc": cpp.GetLanguage(), ".cpp": cpp.GetLanguage(),
	".hpp": cpp.GetLanguage(), ".cs": csharp.GetLanguage(), ".rs": rust.GetLanguage(), ".php": php.GetLanguage(), ".ml": ocaml.GetLanguage(),
	".ex": elixir.GetLanguage(), ".exs": elixir.GetLanguage(),
}

// maxBytes is the largest file that rank parses.
const maxBytes = 1 << 20

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: git -C DIR ls-files | parse DIR")
		os.Exit(2)
	}
	var files []string
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if grammars[path.Ext(in.Text())] != nil {
			files = append(files, in.Text())
		}
	}
	var next, bytes, failed atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			p := sitter.NewParser()
			defer p.Close()
			for {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				src, err := os.ReadFile(os.Args[1] + "/" + files[i])
				if err != nil || len(src) > maxBytes {
					failed.Add(1)
					continue
				}
				p.SetLanguage(grammars[path.Ext(files[i])])
				tree, err := p.ParseCtx(context.Background(), nil, src)
				if err != nil {
					failed.Add(1)
					p.Reset()
					continue
				}
				tree.Close()
				bytes.Add(int64(len(src)))
			}
		})
	}
	wg.Wait()
	fmt.Printf("%d files, %d bytes, %d not parsed\n", len(files), bytes.Load(), failed.Load())
}
