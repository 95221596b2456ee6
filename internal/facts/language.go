package facts

import (
	"bytes"
	"path"
	"strings"
)

// headBytes is how much of a blob Language looks at: a shebang and the first
// declarations of a header stand well inside.
const headBytes = 16 << 10

// names maps whole base names (lower case) to language ids. Manifests come
// first because they win over their extension.
var names = map[string]string{
	"go.mod":              "gomod",
	"package.json":        "package.json",
	"cargo.toml":          "cargo",
	"composer.json":       "composer",
	"mix.exs":             "mix",
	"pyproject.toml":      "pyproject",
	"setup.cfg":           "buildfile",
	"pom.xml":             "buildfile",
	"build.gradle":        "buildfile",
	"build.gradle.kts":    "buildfile",
	"settings.gradle":     "buildfile",
	"settings.gradle.kts": "buildfile",
	"build.sbt":           "buildfile",
	"package.swift":       "buildfile",
	"build.zig.zon":       "buildfile",
	"build":               "buildfile", // Bazel; folders of that name never get here
	"build.bazel":         "buildfile",
	"workspace":           "buildfile",
	"workspace.bazel":     "buildfile",
	"module.bazel":        "buildfile",
	"gemfile":             "ruby",
	"rakefile":            "ruby",
	"guardfile":           "ruby",
	"podfile":             "ruby",
	"vagrantfile":         "ruby",
	"brewfile":            "ruby",
	"fastfile":            "ruby",
	"dangerfile":          "ruby",
	"capfile":             "ruby",
	"config.ru":           "ruby",
	"makefile":            "makefile",
	"gnumakefile":         "makefile",
	"bsdmakefile":         "makefile",
	"makefile.am":         "makefile",
	"makefile.in":         "makefile",
	"kbuild":              "makefile",
	"justfile":            "makefile",
	"cmakelists.txt":      "cmake",
	"dockerfile":          "dockerfile",
	"containerfile":       "dockerfile",
	"jenkinsfile":         "groovy",
	"sconstruct":          "python",
	"sconscript":          "python",
	"wscript":             "python",
	"tiltfile":            "python",
	"rebar.config":        "erlang",
	"meson.build":         "meson",
	"meson_options.txt":   "meson",
	"flake.lock":          "json",
	"composer.lock":       "json",
	"pipfile.lock":        "json",
	".babelrc":            "json",
	".eslintrc":           "json",
	".prettierrc":         "yaml",
	".swcrc":              "json",
	".jshintrc":           "json",
	"cargo.lock":          "toml",
	"poetry.lock":         "toml",
	"uv.lock":             "toml",
	"pdm.lock":            "toml",
	"pipfile":             "toml",
	"yarn.lock":           "text",
	".editorconfig":       "ini",
	".gitconfig":          "ini",
	".gitmodules":         "ini",
	".npmrc":              "ini",
	".flake8":             "ini",
	".pylintrc":           "ini",
	"pylintrc":            "ini",
	".coveragerc":         "ini",
	"tox.ini":             "ini",
	".bashrc":             "bash",
	".bash_profile":       "bash",
	".bash_aliases":       "bash",
	".bash_logout":        "bash",
	".profile":            "bash",
	".zshrc":              "bash",
	".zshenv":             "bash",
	".zprofile":           "bash",
	".envrc":              "bash",
	"pkgbuild":            "bash",
	".vimrc":              "vim",
	"readme":              "text",
	"license":             "text",
	"dune":                "text",
}

// extensions maps the last extension (lower case, no dot) to a language id.
// "m" (Objective-C or MATLAB), "h" and "pl" (Perl or Prolog) are decided
// with the head.
var extensions = map[string]string{
	"py": "python", "pyi": "python", "pyw": "python", "pyx": "python", "pxd": "python", "bzl": "python", "star": "python", "gyp": "python",
	"go": "go",
	"js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "javascript", "es6": "javascript", "flow": "javascript",
	"ts": "typescript", "mts": "typescript", "cts": "typescript", "tsx": "tsx",
	"java": "java",
	"c":    "c", "cl": "c",
	"cc": "cpp", "cpp": "cpp", "cxx": "cpp", "c++": "cpp", "hpp": "cpp", "hh": "cpp", "hxx": "cpp", "h++": "cpp", "ipp": "cpp", "inl": "cpp", "tcc": "cpp", "tpp": "cpp", "cu": "cpp", "cuh": "cpp", "ino": "cpp", "cppm": "cpp", "ixx": "cpp",
	"rs": "rust",
	"rb": "ruby", "rake": "ruby", "gemspec": "ruby", "podspec": "ruby", "ru": "ruby", "jbuilder": "ruby", "rbi": "ruby",
	"cs": "csharp", "csx": "csharp",
	"kt": "kotlin", "kts": "kotlin",
	"swift": "swift",
	"scala": "scala", "sc": "scala", "sbt": "scala",
	"php": "php", "phtml": "php", "php5": "php", "php7": "php", "phpt": "php", "inc": "php",
	"ex": "elixir", "exs": "elixir",
	"lua": "lua", "luau": "lua", "rockspec": "lua",
	"sh": "bash", "bash": "bash", "zsh": "bash", "ksh": "bash", "bats": "bash", "ebuild": "bash", "dash": "bash",
	"hs": "haskell", "lhs": "haskell", "hsc": "haskell", "hs-boot": "haskell",
	"zig": "zig", "zon": "zig",
	"dart": "dart",
	"pl":   "perl", "pm": "perl", "t": "perl", "pod": "perl",
	"r":  "r",
	"jl": "julia",
	"mm": "objc", "m": "objc",
	"vue": "vue", "svelte": "svelte", "astro": "astro",
	"sol": "solidity",
	"erl": "erlang", "hrl": "erlang", "escript": "erlang",
	"clj": "clojure", "cljs": "clojure", "cljc": "clojure", "edn": "clojure", "bb": "clojure",
	"fs": "fsharp", "fsx": "fsharp", "fsi": "fsharp",
	"ml": "ocaml", "mli": "ocaml", "mll": "ocaml", "mly": "ocaml",
	"groovy": "groovy", "gvy": "groovy", "gradle": "groovy",
	"sql": "sql", "ddl": "sql", "psql": "sql", "plsql": "sql",
	"proto": "protobuf",
	"tf":    "hcl", "hcl": "hcl", "tfvars": "hcl", "nomad": "hcl", "bicep": "bicep",
	"dockerfile": "dockerfile",
	"html":       "html", "htm": "html", "xhtml": "html", "jinja": "html", "jinja2": "html", "j2": "html", "erb": "html", "ejs": "html", "hbs": "html", "mustache": "html", "twig": "html", "tmpl": "html", "gohtml": "html", "haml": "html", "slim": "html", "pug": "html", "leaf": "html", "eex": "html", "heex": "html", "leex": "html", "cshtml": "html", "razor": "html", "jsp": "html",
	"css": "css", "scss": "scss", "sass": "scss", "less": "scss", "styl": "scss",
	"graphql": "graphql", "gql": "graphql",
	"mk": "makefile", "mak": "makefile", "make": "makefile",
	"cmake": "cmake",
	"nix":   "nix",
	"ps1":   "powershell", "psm1": "powershell", "psd1": "powershell",
	"bat": "batch", "cmd": "batch",
	"vim": "vim",
	"el":  "lisp", "lisp": "lisp", "cl-lisp": "lisp", "lsp": "lisp", "scm": "lisp", "rkt": "lisp", "ss": "lisp", "fnl": "lisp",
	"nim": "nim", "cr": "crystal", "v": "verilog", "sv": "verilog", "svh": "verilog", "vhd": "vhdl", "vhdl": "vhdl",
	"f": "fortran", "f77": "fortran", "f90": "fortran", "f95": "fortran", "f03": "fortran", "for": "fortran",
	"pas": "pascal", "pp": "puppet", "d": "d", "elm": "elm", "purs": "purescript", "tcl": "tcl", "awk": "awk",
	"s": "assembly", "asm": "assembly", "vb": "vb", "cob": "cobol", "cbl": "cobol", "adb": "ada", "ads": "ada",
	"rego": "rego", "cue": "cue", "jsonnet": "jsonnet", "libsonnet": "jsonnet", "thrift": "thrift", "capnp": "capnp", "fbs": "flatbuffers", "avdl": "avro",
	"wgsl": "glsl", "glsl": "glsl", "vert": "glsl", "frag": "glsl", "hlsl": "glsl", "metal": "cpp",
	"gd": "gdscript", "prisma": "prisma", "qml": "qml", "as": "actionscript", "hx": "haxe", "coffee": "coffeescript", "ql": "ql", "move": "move", "cairo": "cairo", "mojo": "python", "gleam": "gleam", "odin": "odin", "lean": "lean", "v8": "text",
	"y": "c", "l": "c", "yy": "cpp", "ll": "llvm", "mlir": "llvm", "td": "tablegen",
	"md": "markdown", "markdown": "markdown", "mdx": "markdown", "mdown": "markdown", "mkd": "markdown", "rmd": "markdown", "qmd": "markdown", "livemd": "markdown",
	"rst": "rst", "rest": "rst",
	"adoc": "asciidoc", "asciidoc": "asciidoc", "asc": "asciidoc",
	"org": "org", "tex": "tex", "sty": "tex", "bib": "text", "texi": "text",
	"yaml": "yaml", "yml": "yaml", "cff": "yaml", "clang-format": "yaml", "eyaml": "yaml",
	"toml": "toml",
	"json": "json", "jsonc": "json", "json5": "json", "jsonl": "json", "ndjson": "json", "webmanifest": "json", "geojson": "json", "avsc": "json", "har": "json", "map": "json", "resolved": "json", "topojson": "json", "xcstrings": "json",
	"ini": "ini", "cfg": "ini", "conf": "ini", "properties": "ini", "editorconfig": "ini", "desktop": "ini", "service": "ini", "env": "ini", "toc": "text",
	"xml": "xml", "xsd": "xml", "xsl": "xml", "xslt": "xml", "svg": "xml", "plist": "xml", "wsdl": "xml", "resx": "xml", "xaml": "xml", "storyboard": "xml", "xib": "xml", "targets": "xml", "props": "xml", "config": "xml", "nuspec": "xml", "ui": "xml", "axml": "xml", "rss": "xml", "xcscheme": "xml", "dita": "xml",
	"csproj": "buildfile", "fsproj": "buildfile", "vbproj": "buildfile", "sln": "buildfile", "cabal": "buildfile", "vcxproj": "buildfile", "podspec.json": "buildfile",
	"ipynb": "notebook",
	"csv":   "csv", "tsv": "csv",
	"po": "text", "pot": "text", "txt": "text", "text": "text", "log": "text", "diff": "text", "patch": "text", "snap": "text",
}

// templateExt are suffixes of templates and samples.
var templateExt = set("in tmpl template tpl dist example sample j2 jinja jinja2 erb ejs hbs mustache tt stub")

// interpreters maps the program of a shebang line to a language id; versions
// are cut from the program's name first (python3.12 → python).
var interpreters = map[string]string{
	"python": "python", "pypy": "python", "uv": "python",
	"sh": "bash", "bash": "bash", "zsh": "bash", "ksh": "bash", "dash": "bash", "ash": "bash", "bats": "bash",
	"node": "javascript", "nodejs": "javascript", "deno": "typescript", "bun": "typescript", "ts-node": "typescript", "tsx": "typescript",
	"ruby": "ruby", "perl": "perl", "php": "php", "lua": "lua", "luajit": "lua", "nvim": "lua",
	"elixir": "elixir", "escript": "erlang", "runghc": "haskell", "runhaskell": "haskell", "stack": "haskell", "cabal": "haskell",
	"rscript": "r", "julia": "julia", "groovy": "groovy", "scala": "scala", "scala-cli": "scala", "kotlin": "kotlin", "swift": "swift", "zig": "zig",
	"make": "makefile", "awk": "awk", "gawk": "awk", "tclsh": "tcl", "pwsh": "powershell", "osascript": "text", "bb": "clojure", "clojure": "clojure", "guile": "lisp", "dart": "dart", "ocaml": "ocaml", "fsharpi": "fsharp", "rust-script": "rust",
}

// Language names the language of a blob by its file name, its extension, its
// shebang line, and, where an extension is shared, by its first bytes. path
// is slash-separated; head is the start of the blob, may be nil, and is not
// read beyond 16 KiB. Unknown text is "text".
func Language(p string, head []byte) string {
	if len(head) > headBytes {
		head = head[:headBytes]
	}
	base := strings.ToLower(path.Base(p))
	if base == "makefile.am" || base == "makefile.in" {
		return "makefile"
	}
	if l, ok := names[base]; ok {
		if l == "buildfile" && (base == "build" || base == "workspace") && bytes.HasPrefix(head, []byte("#!")) {
			return shebang(head)
		}
		return l
	}
	switch {
	case (strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(base, "jsconfig")) && strings.HasSuffix(base, ".json"):
		return "tsconfig"
	case strings.HasPrefix(base, "dockerfile.") || strings.HasPrefix(base, "containerfile."):
		return "dockerfile"
	case strings.HasPrefix(base, "makefile."):
		return "makefile"
	case strings.HasPrefix(base, ".env"):
		return "ini"
	case strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt"):
		return "text"
	case strings.HasSuffix(base, ".blade.php"):
		return "html"
	case strings.HasSuffix(base, ".xcconfig"):
		return "ini"
	}
	ext := strings.TrimPrefix(path.Ext(base), ".")
	// Templates are in the language of the name before their suffix.
	if templateExt[ext] {
		inner := strings.TrimSuffix(base, "."+ext)
		if l, ok := names[inner]; ok {
			return l
		}
		if l, ok := extensions[strings.TrimPrefix(path.Ext(inner), ".")]; ok {
			return l
		}
	}
	if ext == "" || ext == base {
		if l := shebang(head); l != "text" {
			return l
		}
	}
	switch ext {
	case "h":
		return header(head)
	case "m":
		return objcOrNot(head)
	case "inc":
		if !bytes.Contains(head, []byte("<?php")) {
			return header(head)
		}
	case "t", "pl":
		if l := shebang(head); l != "text" {
			return l
		}
		if ext == "t" && len(head) > 0 && !bytes.Contains(head, []byte("use ")) {
			return "text"
		}
	case "ts": // Qt translations share the extension
		if bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")) {
			return "xml"
		}
	case "as", "d", "ql", "f", "l", "y", "s", "v", "org", "td", "ll", "move", "lean":
		if l, ok := extensions[ext]; ok && len(head) > 0 && head[0] != '<' && head[0] != '{' {
			return l
		}
	case "cl":
		if bytes.HasPrefix(bytes.TrimSpace(head), []byte("(")) || bytes.HasPrefix(head, []byte(";")) {
			return "lisp"
		}
	case "fs": // GLSL fragment shaders share the extension
		if bytes.Contains(head, []byte("#version")) || bytes.Contains(head, []byte("gl_Frag")) {
			return "glsl"
		}
	case "conf", "config":
		if t := bytes.TrimSpace(head); len(t) > 0 && ext == "config" && t[0] != '<' {
			return "ini"
		}
	}
	if l, ok := extensions[ext]; ok {
		return l
	}
	if bytes.HasPrefix(head, []byte("<?php")) {
		return "php"
	}
	if ext != "" && bytes.HasPrefix(head, []byte("#!")) {
		return shebang(head)
	}
	return "text"
}

// shebang names the language of the interpreter in a first line of the form
// "#!/usr/bin/env -S prog args"; "text" when there is none.
func shebang(head []byte) string {
	if !bytes.HasPrefix(head, []byte("#!")) {
		return "text"
	}
	line, _, _ := bytes.Cut(head[2:], []byte("\n"))
	for _, f := range strings.Fields(string(line)) {
		prog := strings.ToLower(path.Base(f))
		if prog == "env" || strings.HasPrefix(prog, "-") || strings.Contains(prog, "=") {
			continue
		}
		if l, ok := interpreters[prog]; ok {
			return l
		}
		if l, ok := interpreters[strings.TrimRight(prog, "0123456789.-")]; ok {
			return l
		}
		return "text"
	}
	return "text"
}

// cppMarkers are what C cannot contain outside of comments, or hardly would.
var cppMarkers = [][]byte{
	[]byte("namespace "), []byte("template <"), []byte("template<"), []byte("std::"),
	[]byte("public:"), []byte("private:"), []byte("protected:"), []byte("using "),
	[]byte("virtual "), []byte("constexpr "), []byte("noexcept"), []byte("nullptr"),
	[]byte("operator="), []byte("explicit "), []byte("static_cast<"), []byte("enum class "),
}

// cppIncludes are standard headers that only C++ has.
var cppIncludes = [][]byte{
	[]byte("<string>"), []byte("<vector>"), []byte("<memory>"), []byte("<cstdint>"), []byte("<utility>"),
	[]byte("<type_traits>"), []byte("<functional>"), []byte("<map>"), []byte("<iostream>"), []byte("<cstddef>"),
}

// header tells C++ headers from C ones. Words that comments use as well only
// count at the start of a line (after blanks).
func header(head []byte) string {
	objc := false
	for len(head) > 0 {
		var line []byte
		if i := bytes.IndexByte(head, '\n'); i < 0 {
			line, head = head, nil
		} else {
			line, head = head[:i], head[i+1:]
		}
		line = bytes.TrimLeft(line, " \t")
		if len(line) < 4 {
			continue
		}
		switch line[0] {
		case '/', '*':
			continue
		case '#':
			if bytes.Contains(line, []byte("include")) {
				for _, m := range cppIncludes {
					if bytes.Contains(line, m) {
						return "cpp"
					}
				}
			}
			if bytes.HasPrefix(line, []byte("#import")) {
				objc = true
			}
			continue
		case '@':
			if bytes.HasPrefix(line, []byte("@interface")) || bytes.HasPrefix(line, []byte("@protocol")) {
				return "objc"
			}
		}
		for i, m := range cppMarkers {
			at := bytes.Index(line, m)
			if at == 0 || at > 0 && i >= 2 && i != 7 {
				if i == 7 && !bytes.Contains(line, []byte("=")) && !bytes.Contains(line, []byte("::")) && !bytes.HasPrefix(line, []byte("using namespace")) {
					continue
				}
				if bytes.HasPrefix(line, []byte(`extern "C`)) {
					continue
				}
				return "cpp"
			}
		}
		if bytes.HasPrefix(line, []byte("class ")) && !bytes.Contains(line, []byte("*")) {
			return "cpp"
		}
	}
	if objc {
		return "objc"
	}
	return "c"
}

// objcOrNot tells Objective-C from MATLAB and Mathematica.
func objcOrNot(head []byte) string {
	for _, m := range []string{"#import", "@implementation", "@interface", "#include", "@end", "//", "/*"} {
		if bytes.Contains(head, []byte(m)) {
			return "objc"
		}
	}
	if len(head) == 0 {
		return "objc"
	}
	return "matlab"
}

// displayNames are written as their communities do; others are title-cased.
var displayNames = map[string]string{
	"javascript": "JavaScript", "typescript": "TypeScript", "tsx": "TSX", "c": "C", "cpp": "C++", "csharp": "C#", "fsharp": "F#",
	"objc": "Objective-C", "php": "PHP", "sql": "SQL", "hcl": "HCL", "html": "HTML", "css": "CSS", "scss": "SCSS", "graphql": "GraphQL",
	"cmake": "CMake", "powershell": "PowerShell", "vim": "Vim script", "rst": "reStructuredText", "asciidoc": "AsciiDoc", "yaml": "YAML",
	"toml": "TOML", "json": "JSON", "ini": "INI", "xml": "XML", "csv": "CSV", "ocaml": "OCaml", "protobuf": "Protocol Buffers",
	"gomod": "Go module", "package.json": "package.json", "tsconfig": "tsconfig", "cargo": "Cargo manifest", "composer": "Composer manifest",
	"mix": "Mix project", "pyproject": "pyproject", "buildfile": "build file", "notebook": "Jupyter notebook", "r": "R", "d": "D",
	"vhdl": "VHDL", "glsl": "GLSL", "llvm": "LLVM IR", "vb": "Visual Basic", "cobol": "COBOL", "gdscript": "GDScript", "qml": "QML",
	"ql": "CodeQL", "coffeescript": "CoffeeScript", "purescript": "PureScript", "actionscript": "ActionScript", "tex": "TeX", "matlab": "MATLAB",
	"capnp": "Cap'n Proto", "flatbuffers": "FlatBuffers", "tablegen": "TableGen", "cue": "CUE", "tcl": "Tcl", "awk": "AWK",
}

// Display is the name of a language id for people: "cpp" → "C++".
func Display(lang string) string {
	if d, ok := displayNames[lang]; ok {
		return d
	}
	if lang == "" {
		return ""
	}
	return strings.ToUpper(lang[:1]) + lang[1:]
}
