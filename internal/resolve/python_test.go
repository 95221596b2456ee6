package resolve

import "testing"

func TestPython(t *testing.T) {
	wantEachEdges(t, []edgeCase{
		{"absolute and relative", map[string]string{
			"pkg/__init__.py":     "",
			"pkg/a.py":            "type A\ndef A.run_it\ndef helper",
			"pkg/sub/__init__.py": "",
			"pkg/sub/b.py":        "import ..a: A\nimport .c\nbase A\ncall self.run_it",
			"pkg/sub/c.py":        "import pkg.a\ncall a.helper",
		}, `
			pkg/sub/b.py import pkg/a.py 1.00
			pkg/sub/b.py use pkg/a.py 1.00
			pkg/sub/b.py call pkg/a.py 0.80
			pkg/sub/b.py import pkg/sub/c.py 1.00
			pkg/sub/c.py import pkg/a.py 1.00
			pkg/sub/c.py call pkg/a.py 1.00`},
		{"src layout, tests beside", map[string]string{
			"src/flask/__init__.py": "import .app: Flask",
			"src/flask/app.py":      "type Flask",
			"tests/test_app.py":     "import flask\ncall flask.Flask",
			"tests/test_b.py":       "import flask: Flask\ncall Flask",
		}, `
			src/flask/__init__.py import src/flask/app.py 1.00
			tests/test_app.py import src/flask/__init__.py 1.00
			tests/test_app.py call src/flask/app.py 1.00
			tests/test_b.py import src/flask/app.py 1.00
			tests/test_b.py import src/flask/__init__.py 0.25
			tests/test_b.py call src/flask/app.py 1.00`},
		{"submodule or symbol", map[string]string{
			"p/__init__.py": "def both",
			"p/both.py":     "",
			"p/only.py":     "",
			"x.py":          "import p: both\nimport p: only\ncall only.nothing",
		}, `
			x.py import p/__init__.py 1.00
			x.py import p/only.py 1.00`},
		{"star and two steps of re-export", map[string]string{
			"p/__init__.py":   "import .q: *",
			"p/q/__init__.py": "import .r: thing=Thing",
			"p/q/r.py":        "def thing",
			"x.py":            "import p: Thing\ncall Thing",
		}, `
			p/__init__.py import p/q/__init__.py 1.00
			p/q/__init__.py import p/q/r.py 1.00
			x.py import p/q/r.py 1.00
			x.py import p/__init__.py 0.25
			x.py call p/q/r.py 1.00`},
		{"namespace package", map[string]string{
			"src/ns/one/mod.py": "def f_one",
			"x.py":              "import ns.one: mod\ncall mod.f_one\nimport ns.one.mod=m\ncall m.f_one",
		}, `
			x.py import src/ns/one/mod.py 1.00
			x.py call src/ns/one/mod.py 1.00`},
		{"outside names lead nowhere", map[string]string{
			"p/a.py": "def dumps\ndef join",
			"p/b.py": "import json\nimport os: path\ncall json.dumps\ncall path.join\ncall dumps",
		}, ``},
		{"test definitions do not attract sources", map[string]string{
			"tests/test_x.py": "type Fake\ndef Fake.very_special",
			"src/x.py":        "call client.very_special",
			"src/y.py":        "type Real\ndef Real.other_special",
			"src/z.py":        "call thing.other_special",
		}, `
			src/z.py call src/y.py 0.40`},
	})
}

func TestPythonStat(t *testing.T) {
	stats := wantEdges(t, map[string]string{
		"pkg/__init__.py": "",
		"pkg/a.py":        "import os\nimport .missing\nimport pkg.gone\nimport pkg\nimport numpy: array",
	}, `pkg/a.py import pkg/__init__.py 1.00`)
	// os and numpy are outside; of the three others pkg alone is there.
	if len(stats) != 1 || stats[0].Lang != "python" || stats[0].Internal != 3 || stats[0].Resolved != 1 ||
		stats[0].Missed[".missing"] != 1 || stats[0].Missed["pkg.gone"] != 1 || len(stats[0].Missed) != 2 {
		t.Errorf("stats = %+v", stats)
	}
}
