package facts

import (
	"path"
	"strings"
)

// Role is what a file is for, as far as its path, its language and its head
// tell. A file has one role: the first that applies in the order of RoleOf.
type Role string

// The roles.
const (
	Source        Role = "source"
	Test          Role = "test"
	Benchmark     Role = "benchmark"
	Example       Role = "example"
	Documentation Role = "documentation"
	Vendored      Role = "vendored"
	GeneratedCode Role = "generated"
	Configuration Role = "configuration"
	Migration     Role = "migration"
	Lock          Role = "lock"
	Fixture       Role = "fixture"
	Changelog     Role = "changelog"
	Script        Role = "script"
	Reexport      Role = "reexport"
	Legal         Role = "legal"
	Data          Role = "data"
	CI            Role = "ci"
)

// Roles lists all roles, in the order of documentation.
var Roles = []Role{Source, Test, Benchmark, Example, Documentation, Vendored, GeneratedCode, Configuration, Migration, Lock, Fixture, Changelog, Script, Reexport, Legal, Data, CI}

var (
	lockNames = set("package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lockb bun.lock deno.lock go.sum go.work.sum cargo.lock poetry.lock pipfile.lock uv.lock pdm.lock pixi.lock conda-lock.yml gemfile.lock composer.lock mix.lock pubspec.lock podfile.lock cartfile.resolved package.resolved packages.lock.json paket.lock flake.lock gradle.lockfile cabal.project.freeze stack.yaml.lock rebar.lock project.assets.json manifest.toml .terraform.lock.hcl chart.lock module.bazel.lock lazy-lock.json requirements.lock")

	changelogStems = set("changelog changelogs changes change_log change-log history news releases release-notes release_notes releasenotes whatsnew whats_new")
	legalStems     = set("license licence licenses licences copying copyright notice unlicense patents authors contributors maintainers codeowners thanks credits third-party-notices thirdpartynotices third_party_notices")

	vendoredDirs  = set("vendor vendored _vendor node_modules bower_components jspm_packages third_party third-party thirdparty 3rdparty external externals extern godeps pods carthage deps_vendor")
	testDirs      = set("tests spec specs __tests__ __test__ __mocks__ e2e integration_test integration_tests integration-tests integrationtest integrationtests unittests unit_tests unit-tests functional_tests functionaltests androidtest commontest jvmtest jstest nativetest iostest testfixtures test-d cypress playwright test-suite testsuite test_suite __snapshots__ regression-tests acceptance-tests")
	fixtureDirs   = set("testdata test-data test_data fixtures fixture __fixtures__ golden goldens snapshots testfiles test_files test-files cassettes test_fixtures test-fixtures testassets baseline_images test-resources test_resources testresources")
	benchDirs     = set("bench benches benchmark benchmarks asv_bench asv_benchmarks perf_tests microbenchmarks microbench jmh benchmarking")
	exampleDirs   = set("example examples sample samples demo demos tutorial tutorials cookbook playground playgrounds showcase quickstart quickstarts galleries gallery examples-src sandbox")
	docDirs       = set("doc docs documentation docsrc doc_src docs_src manual man guides website site-docs wiki javadoc apidoc rfcs rfc adr")
	scriptDirs    = set("scripts script tools tooling hack ci-scripts devtools dev utils-scripts build-tools buildscripts bin contrib release maintainers")
	generatedDirs = set("generated __generated__ gen-src autogen _generated generated-src")
	ciNames       = set(".travis.yml .gitlab-ci.yml appveyor.yml .appveyor.yml azure-pipelines.yml azure-pipelines.yaml jenkinsfile .drone.yml .cirrus.yml bitbucket-pipelines.yml codecov.yml .codecov.yml .codeclimate.yml circle.yml .coveralls.yml .readthedocs.yml .readthedocs.yaml readthedocs.yml dependabot.yml renovate.json netlify.toml vercel.json")

	docLangs  = set("markdown rst asciidoc org tex")
	dataLangs = set("csv notebook")
	confLangs = set("yaml toml json ini xml gomod package.json tsconfig cargo composer mix pyproject buildfile dockerfile makefile cmake nix hcl meson bicep cue jsonnet")
	// codeLangs that are read as source wherever nothing else speaks are all
	// that are neither documents, configuration, data nor plain text.
)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// RoleOf names the role of a file by whole path segments and by the naming
// conventions of its language; letters inside a word never count
// (latest.java, contest.py, protest/march.go and attestation.rs are source).
//
// Order: lock, vendored, generated, changelog, legal, ci, fixture, test,
// benchmark, migration, example, documentation, script, configuration, data,
// re-export, source.
//
// Test folders: tests, spec, __tests__, e2e and their kin count at any depth,
// but not when they are the product: below a folder named testing, and
// "spec"/"specs" only when the file is code. A folder named test counts at
// the top, directly below a second-level folder of a multi-project
// repository, or as src/test (any depth: JVM, Swift and the like), or when
// its parent is no package: a path cannot tell django/test (product) from
// foo/test (tests), so below an unnamed root test counts unless the file is
// Python at depth 1, where tests is the convention and test is a package.
func RoleOf(p, lang string, flags Flags) Role {
	low := strings.ToLower(p)
	dir, base := path.Split(low)
	segs := strings.Split(strings.Trim(dir, "/"), "/")
	if segs[0] == "" {
		segs = nil
	}
	orig := path.Base(p)
	stem := base
	if i := strings.IndexByte(base, '.'); i > 0 {
		stem = base[:i]
	}
	code := isCode(lang)

	switch {
	case lockNames[base] || strings.HasSuffix(base, ".lock") && !code:
		return Lock
	case vendored(segs, base, lang):
		return Vendored
	case flags&Generated != 0 && !templateName(base) || generatedName(segs, base) || built(segs, lang, flags):
		return GeneratedCode
	case changelog(segs, stem, base, code):
		return Changelog
	case !code && !confLangs[lang] && (legalStems[stem] || anyDir(segs, "licenses", "licences", "license")):
		return Legal
	case ciNames[base] || ciDir(segs, base):
		return CI
	}
	if inTestDir(segs, lang, code) || code && testName(orig, base, stem, lang) {
		if !code && lang != "buildfile" || anyIn(segs, fixtureDirs) {
			return Fixture
		}
		if anyIn(segs, benchDirs) && !testName(orig, base, stem, lang) {
			return Benchmark
		}
		return Test
	}
	switch {
	case anyIn(segs, fixtureDirs) && !anyDir(segs, "testing"):
		return Fixture
	case anyIn(segs, benchDirs) || code && benchName(base, stem, lang):
		return Benchmark
	case migration(segs, base, lang):
		return Migration
	case docLangs[lang] && !style(base):
		return Documentation
	case anyIn(aboveSources(segs), exampleDirs):
		return Example
	case docDir(aboveSources(segs), lang) || documentName(stem, lang):
		return Documentation
	case script(segs, base, lang, code):
		return Script
	case strings.HasSuffix(base, ".svg"):
		return Data
	case configuration(base, stem, lang):
		return Configuration
	case dataLangs[lang] || lang == "text" || flags&Binary != 0:
		return Data
	case reexport(base, lang):
		return Reexport
	}
	return Source
}

// isCode reports whether a language is one programs are written in.
func isCode(lang string) bool {
	return !docLangs[lang] && !dataLangs[lang] && !confLangs[lang] && lang != "text" && lang != ""
}

// aboveSources cuts a path at a source root of the JVM's builds: below
// src/main/java folders are packages, and com.example or org.acme.tools say
// nothing of what the file is for.
func aboveSources(segs []string) []string {
	for i := 2; i < len(segs); i++ {
		if segs[i-2] == "src" {
			switch segs[i] {
			case "java", "kotlin", "scala", "groovy":
				return segs[:i+1]
			}
		}
	}
	return segs
}

func anyIn(segs []string, m map[string]bool) bool {
	for _, s := range segs {
		if m[s] {
			return true
		}
	}
	return false
}

func anyDir(segs []string, names ...string) bool {
	for _, s := range segs {
		for _, n := range names {
			if s == n {
				return true
			}
		}
	}
	return false
}

func vendored(segs []string, base, lang string) bool {
	for i, s := range segs {
		switch {
		case s == "external" || s == "extern" || s == "pods" || s == "carthage":
			// Deeper ones are as often a package of the product; but a Python
			// package keeps there what it took from others.
			if i == 0 || i == 1 && lang == "python" {
				return true
			}
		case s == "releases" || s == "plugins":
			if i > 0 && segs[i-1] == ".yarn" {
				return true
			}
		case vendoredDirs[s]:
			return true
		}
	}
	return strings.HasSuffix(base, ".min.js") || strings.HasSuffix(base, ".min.css") || strings.HasSuffix(base, ".bundle.js") ||
		strings.HasSuffix(base, "-min.js") || base == "gradlew" || base == "gradlew.bat" || base == "mvnw" || base == "mvnw.cmd"
}

// generatedEnds are endings that generators put on what they write.
var generatedEnds = []string{
	".pb.go", ".pb.gw.go", "_grpc.pb.go", "_pb2.py", "_pb2.pyi", "_pb2_grpc.py", ".pb.h", ".pb.cc", ".pb.swift", ".grpc.swift", "_pb.js", "_pb.d.ts", "_pb.ts", "_pb.rb",
	".g.dart", ".freezed.dart", ".gr.dart", ".mocks.dart", ".designer.cs", ".g.cs", ".g.i.cs", ".generated.cs", ".generated.ts", ".generated.js", ".generated.go", ".gen.go", "_gen.go",
	"_generated.go", ".gen.ts", "_easyjson.go", "_deepcopy.go", ".generated.swift", ".generated.kt", ".generated.java", "_generated.rs", ".js.map", ".mjs.map", ".cjs.map", ".css.map", ".tsbuildinfo", ".pbxproj", ".snap.new",
}

func generatedName(segs []string, base string) bool {
	if anyIn(segs, generatedDirs) || strings.HasPrefix(base, "zz_generated") {
		return true
	}
	for _, e := range generatedEnds {
		if strings.HasSuffix(base, e) {
			return true
		}
	}
	return false
}

// templateName: what stands in the head of a template is meant for what is
// made of it.
func templateName(base string) bool {
	for _, e := range []string{".tt", ".tmpl", ".tpl", ".template", ".include", ".in", ".j2", ".jinja", ".erb", ".mustache", ".hbs", ".ejs"} {
		if strings.HasSuffix(base, e) {
			return true
		}
	}
	return false
}

// built: scripts and styles that a bundler left in dist, or without lines.
func built(segs []string, lang string, flags Flags) bool {
	switch lang {
	case "javascript", "typescript", "css":
		return flags&Minified != 0 || anyDir(segs, "dist")
	}
	return false
}

// changelog: CHANGES.rst, docs/whatsnew/3.1.rst, changelog.d/123.bugfix; but
// not history.go.
func changelog(segs []string, stem, base string, code bool) bool {
	if code {
		return false
	}
	if anyDir(segs, "changelog", "changelogs", "changelog.d", "changes", "newsfragments", "news", "whatsnew", "whats_new", "release_notes", "release-notes", "releasenotes", ".changeset", ".changes", "upcoming_changes") {
		return true
	}
	if changelogStems[stem] || strings.HasPrefix(stem, "changelog") || strings.HasPrefix(stem, "changes-") || strings.HasPrefix(stem, "changes_") {
		return !strings.HasSuffix(base, ".json") && !strings.HasSuffix(base, ".html")
	}
	return false
}

func ciDir(segs []string, base string) bool {
	if len(segs) == 0 {
		return false
	}
	switch segs[0] {
	case ".github":
		return len(segs) > 1 && (segs[1] == "workflows" || segs[1] == "actions") || base == "dependabot.yml"
	case ".circleci", ".gitlab", ".buildkite", ".travis", ".azure-pipelines", ".azure", ".ci", ".teamcity", ".woodpecker", ".drone", ".semaphore", "azure-pipelines":
		return true
	case "ci":
		return len(segs) == 1 || segs[1] != "src"
	}
	return false
}

// inTestDir applies the rule of RoleOf's comment.
func inTestDir(segs []string, lang string, code bool) bool {
	for i, s := range segs {
		switch {
		case s == "testing":
			// src/testing, lib/testing: the product is a testing framework;
			// what it keeps in tests below still counts. At the top of a
			// Python project it holds tests.
			if i == 0 && lang == "python" {
				return true
			}
		case s == "spec" || s == "specs":
			if code || i == 0 {
				return true
			}
		case testDirs[s]:
			if s == "e2e" || i == 0 || !anyDir(segs[:i], "testing") || s == "tests" {
				return true
			}
		case s == "test":
			switch {
			case i == 0:
				return true
			case segs[i-1] == "src" || segs[i-1] == "lib" && lang != "python" && lang != "ruby":
				return true
			case lang == "python":
				// django/test, src/pkg/test: product unless the folder above
				// is a project of its own, which a path cannot tell.
				if i >= 2 && segs[0] != "src" && segs[0] != "lib" {
					return true
				}
			case lang == "ruby" || lang == "elixir":
				// rails/activesupport/test is tests, lib/…/test is product.
				if !anyDir(segs[:i], "lib") {
					return true
				}
			default:
				return true
			}
		case strings.HasSuffix(s, ".tests") || strings.HasSuffix(s, ".test") || strings.HasSuffix(s, ".unittests") || strings.HasSuffix(s, ".integrationtests"):
			return true // Project.Tests of .NET
		case (lang == "swift" || lang == "csharp" || lang == "kotlin") && strings.HasSuffix(s, "tests"):
			return true // VaporTests, AlamofireTests
		case lang == "kotlin" && strings.HasSuffix(s, "test") && i > 0 && segs[i-1] != "kotlin":
			// source sets: commonTest, jvmTest, concurrentTest
			if i > 0 && (inSourceSet(segs, i) || strings.HasSuffix(s, "test") && len(s) > 4 && i+1 < len(segs) && (segs[i+1] == "src" || segs[i+1] == "kotlin" || segs[i+1] == "test")) {
				return segs[i] != "kotlinx-coroutines-test"
			}
		}
	}
	return false
}

// inSourceSet reports whether segs[i] is a source set of a multi-platform
// build: <module>/<set>/src or <module>/src/<set>.
func inSourceSet(segs []string, i int) bool {
	return segs[i-1] == "src" || i+1 < len(segs) && segs[i+1] == "test"
}

// testName applies the file-name conventions of each language. orig keeps
// the letters' case: FooTest.java is a test, latest.java is not.
func testName(orig, base, stem, lang string) bool {
	name := orig
	if i := strings.IndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	for _, mid := range []string{".test.", ".spec.", ".e2e.", ".cy.", ".tests.", ".test-d.", ".unit.", ".stories."} {
		if strings.Contains(base, mid) {
			return mid != ".unit." && mid != ".stories." || lang != "csharp"
		}
	}
	switch lang {
	case "python":
		return strings.HasPrefix(base, "test_") || strings.HasSuffix(stem, "_test") || stem == "conftest" || stem == "tests"
	case "go":
		return strings.HasSuffix(base, "_test.go")
	case "ruby":
		return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") || stem == "test_helper" || stem == "spec_helper" || stem == "rails_helper"
	case "elixir":
		return strings.HasSuffix(base, "_test.exs")
	case "java", "kotlin", "groovy", "scala":
		return camelEnd(name, "Test") || camelEnd(name, "Tests") || camelEnd(name, "TestCase") || camelEnd(name, "IT") && len(name) > 4 && lang != "scala" || camelEnd(name, "Spec") || camelEnd(name, "Suite") && lang == "scala"
	case "csharp", "fsharp", "swift", "php", "objc", "vb", "dart":
		return camelEnd(name, "Test") || camelEnd(name, "Tests") || camelEnd(name, "Spec") || lang == "dart" && strings.HasSuffix(stem, "_test")
	case "cpp", "c":
		return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_tests") || strings.HasSuffix(stem, "_unittest") || strings.HasPrefix(stem, "test_") || strings.HasPrefix(stem, "test-") || strings.HasPrefix(stem, "unit-") && lang == "cpp"
	case "rust":
		return stem == "tests" || stem == "test" || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_tests")
	case "haskell":
		return camelEnd(name, "Spec") && name != "Spec" || camelEnd(name, "Tests") || name == "Spec"
	case "lua":
		return strings.HasSuffix(stem, "_spec") || strings.HasSuffix(stem, "_test") || strings.HasPrefix(stem, "test_")
	case "perl":
		return strings.HasSuffix(base, ".t")
	case "bash":
		return strings.HasSuffix(base, ".bats") || strings.HasSuffix(stem, "_test") || strings.HasPrefix(stem, "test_") || strings.HasPrefix(stem, "test-")
	case "r":
		return strings.HasPrefix(stem, "test-") || strings.HasPrefix(stem, "test_")
	case "erlang":
		return strings.HasSuffix(stem, "_suite") || strings.HasSuffix(stem, "_tests") || strings.HasSuffix(stem, "_test")
	case "clojure", "zig", "julia", "crystal", "nim", "solidity":
		return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_tests") || strings.HasSuffix(base, ".t.sol")
	case "javascript", "typescript", "tsx":
		return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "-test") || strings.HasSuffix(stem, "_spec")
	}
	return false
}

// camelEnd reports whether a CamelCase name ends in the word w: HttpTest does
// in Test, Latest and Contest do not.
func camelEnd(name, w string) bool {
	if !strings.HasSuffix(name, w) || len(name) == len(w) {
		return false
	}
	c := name[len(name)-len(w)-1]
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c >= 'A' && c <= 'Z' && len(w) > 2
}

func benchName(base, stem, lang string) bool {
	if strings.Contains(base, ".bench.") {
		return true
	}
	switch lang {
	case "go", "cpp", "c", "ruby", "python", "elixir", "rust":
		return strings.HasSuffix(stem, "_benchmark") || strings.HasSuffix(stem, "_bench") || strings.HasPrefix(stem, "bench_") || strings.HasPrefix(stem, "benchmark_")
	case "java", "kotlin", "scala", "csharp", "swift":
		return strings.HasSuffix(stem, "benchmark") || strings.HasSuffix(stem, "benchmarks")
	}
	return false
}

// migration: a folder migrations or db/migrate with numbered or dated files,
// alembic/versions. A package migrate that migrates is source.
func migration(segs []string, base, lang string) bool {
	if len(segs) == 0 {
		return false
	}
	last := segs[len(segs)-1]
	numbered := base != "" && base[0] >= '0' && base[0] <= '9' || strings.HasPrefix(base, "v") && len(base) > 1 && base[1] >= '0' && base[1] <= '9'
	switch {
	case last == "migrations" || last == "migration":
		return numbered || lang == "sql"
	case last == "migrate":
		return numbered || lang == "sql"
	case last == "versions" && anyDir(segs, "alembic", "migrations"):
		return true
	}
	return anyDir(segs, "migrations") && lang == "sql"
}

// docDir: docs and its kin at the top or one below it; deeper only by
// language. A folder doc of compiled code is a package that makes documents,
// not a document; Zig's packages are below src and lib.
func docDir(segs []string, lang string) bool {
	switch lang {
	case "go", "java", "rust", "c", "cpp", "csharp", "kotlin", "swift", "scala", "haskell":
		if len(segs) > 0 && segs[0] == "doc" {
			return false
		}
	}
	for i, s := range segs {
		if i < 2 && docDirs[s] && (i == 0 || segs[0] != "src" && segs[0] != "lib" && segs[0] != "app" && segs[0] != "pkg" && segs[0] != "internal" && segs[0] != "cmd") {
			return true
		}
	}
	return false
}

// style: packages and classes of LaTeX are programs.
func style(base string) bool {
	return strings.HasSuffix(base, ".sty") || strings.HasSuffix(base, ".cls")
}

func documentName(stem, lang string) bool {
	if isCode(lang) {
		return false
	}
	switch stem {
	case "readme", "contributing", "install", "todo", "security", "code_of_conduct", "support", "governance", "faq", "hacking", "upgrading", "migration", "roadmap":
		return lang == "text" || docLangs[lang]
	}
	return false
}

func script(segs []string, base, lang string, code bool) bool {
	if !code {
		return false
	}
	if base == "setup.py" || base == "noxfile.py" || base == "tasks.py" || base == "fabfile.py" || base == "conf.py" || base == "rakefile" || base == "gulpfile.js" || base == "gruntfile.js" {
		return len(segs) < 2
	}
	return len(segs) > 0 && (scriptDirs[segs[0]] || strings.HasSuffix(segs[0], "_tools") || strings.HasSuffix(segs[0], "-tools"))
}

func configuration(base, stem, lang string) bool {
	if confLangs[lang] {
		return true
	}
	if strings.HasPrefix(base, ".") && (lang == "text" || lang == "ini" || lang == "bash" && base == ".envrc") {
		return true
	}
	for _, mid := range []string{".config.js", ".config.ts", ".config.mjs", ".config.cjs", ".config.mts", "rc.js", "rc.cjs"} {
		if strings.HasSuffix(base, mid) {
			return true
		}
	}
	return strings.HasPrefix(base, "requirements") && lang == "text" || base == "manifest.in" || base == "gemfile" || base == "podfile" || base == "brewfile" || base == "procfile" || base == "codeowners" || strings.HasSuffix(base, ".gemspec") || base == "vagrantfile"
}

// Role is RoleOf with what the blob itself tells: a file named to gather a
// package's names is a re-export only if it defines little of its own.
func (f *Facts) Role(path string) Role {
	r := RoleOf(path, f.Lang, f.Flags)
	if r == Reexport && !f.gathers() {
		return Source
	}
	return r
}

// gathers reports whether a file only passes names on: it imports, and
// defines no class, and at most reexportFuncs functions.
func (f *Facts) gathers() bool {
	n := 0
	for i := range f.Symbols {
		switch f.Symbols[i].Kind {
		case KindClass, KindStruct, KindInterface, KindEnum, KindMethod:
			return false
		case KindFunction, KindMacro:
			if n++; n > reexportFuncs {
				return false
			}
		}
	}
	return true
}

// reexportFuncs allows a __getattr__ and a version helper.
const reexportFuncs = 2

// reexport: files whose convention is to gather a package's names. Whether
// they do more than that only their content tells: see Facts.Role.
func reexport(base, lang string) bool {
	switch lang {
	case "python":
		return base == "__init__.py" || base == "__init__.pyi"
	case "javascript", "typescript", "tsx":
		return base == "index.js" || base == "index.ts" || base == "index.tsx" || base == "index.mjs" || base == "index.jsx" || base == "index.cjs" || base == "index.mts" || base == "index.d.ts"
	}
	return false
}
