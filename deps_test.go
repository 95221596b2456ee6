package cohop

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const mod = "cohop/"

// allowed is a statement of policy, not a description: each package may
// import exactly these of ours ("*": all). Do not widen a row to fix a
// build; a new package gets its row here and in the design at once.
var allowed = map[string]string{
	// ideas
	"graph": "", "cochange": "", "fuse": "", "adaptive": "", "pack": "", "confidence": "",
	"labels":     "internal/git",
	"precedent":  "internal/text",
	"similarity": "internal/index internal/text",
	"rank":       "similarity graph cochange precedent fuse adaptive confidence pack internal/history internal/text internal/index internal/tokens internal/repo internal/config",
	"render":     "rank internal/tokens",
	"eval":       "labels internal/config rank fuse adaptive confidence pack render internal/repo",
	"agent":      "rank render internal/repo internal/tokens",
	"skills":     "",
	"cmd":        "*",
	"cmd/rank":   "cmd",
	// a yardstick, no part of the program
	"bench/parse": "",
	// plumbing
	"internal/text": "", "internal/tokens": "", "internal/tokens/gen": "", "internal/redact": "", "internal/config": "", "internal/git": "", "internal/fuzzwatch": "",
	"internal/facts":    "internal/text internal/redact",
	"internal/sections": "",
	"internal/history":  "internal/sections internal/text",
	"internal/index":    "internal/facts internal/sections internal/text",
	"internal/resolve":  "internal/index internal/facts",
	"internal/precise":  "",
	"internal/repo":     "internal/precise cochange precedent graph internal/git internal/history internal/facts internal/index internal/resolve internal/config internal/redact",
}

// impure names what no package outside this list may import directly.
var impure = map[string]string{
	"os":                    "internal/git internal/repo internal/precise labels eval agent cmd cmd/rank internal/tokens/gen bench/parse internal/fuzzwatch",
	"os/exec":               "internal/repo", // this very program, in the background; never one of the ranked repository
	"syscall":               "internal/git internal/repo",
	"golang.org/x/sys/unix": "internal/git internal/repo internal/fuzzwatch",
	"path/filepath":         "internal/git internal/repo internal/precise labels eval agent cmd",
	"flag":                  "internal/fuzzwatch", // go test's own
	"log":                   "",
	"time":                  "internal/git internal/repo labels eval agent cmd internal/fuzzwatch",
	"math/rand":             "",
	"math/rand/v2":          "eval labels",
	"net/http":              "agent",
}

// TestImports reads the import clauses itself rather than asking go list:
// the go command tracks files a test opens, not files a child process
// opens, so a subprocess version would be served from the test cache
// after someone broke the policy.
func TestImports(t *testing.T) {
	imports := map[string]map[string]bool{} // package -> what it imports
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != "."):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		if imports[pkg] == nil {
			imports[pkg] = map[string]bool{}
		}
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports[pkg][imp] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(imports, ".") // this package: only the policy test

	for pkg, imps := range imports {
		want, ok := allowed[pkg]
		if !ok {
			t.Errorf("%s: not in the import policy", pkg)
		}
		for imp := range imps {
			if dep, ours := strings.CutPrefix(imp, mod); ours {
				if want != "*" && !slices.Contains(strings.Fields(want), dep) {
					t.Errorf("%s must not import %s", pkg, dep)
				}
			} else if who, listed := impure[imp]; listed && !slices.Contains(strings.Fields(who), pkg) {
				t.Errorf("%s must not import %q", pkg, imp)
			}
		}
	}
}
