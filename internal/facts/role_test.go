package facts

import "testing"

func TestRoleOf(t *testing.T) {
	for _, tt := range []struct {
		path string
		want Role
	}{
		// letters inside of a word are no test
		{"latest.java", Source}, {"contest.py", Source}, {"protest/march.go", Source}, {"attestation.rs", Source},
		{"src/Latest.java", Source}, {"src/Contest.kt", Source}, {"lib/fastest.rb", Source}, {"src/greatest/x.ts", Source}, {"pkg/cmd/attestation/verify.go", Source}, {"src/specials.rb", Source},
		// conventions of the languages
		{"a/test_b.py", Test}, {"a/b_test.py", Test}, {"conftest.py", Test}, {"a/b_test.go", Test}, {"a/b_spec.rb", Test}, {"a/BTest.java", Test}, {"a/HTTPTest.java", Test},
		{"a/BTests.cs", Test}, {"a/b.test.ts", Test}, {"a/b.spec.js", Test}, {"a/b_test.exs", Test}, {"a/BSpec.scala", Test}, {"a/BSuite.scala", Test}, {"a/b-test.js", Test},
		{"a/b.bats", Test}, {"a/foo_test.cc", Test}, {"a/BTests.swift", Test}, {"a/BTest.php", Test}, {"a/t/x.t", Test}, {"src/Shop/Spec.hs", Test},
		// folders
		{"tests/a.py", Test}, {"a/b/tests/c.py", Test}, {"test/a.js", Test}, {"spec/models/a.rb", Test}, {"src/__tests__/a.ts", Test}, {"e2e/a.ts", Test},
		{"app/src/test/java/a/Helper.java", Test}, {"core/common/test/FlowTest.kt", Test}, {"Tests/ShopTests/Helper.swift", Test}, {"src/Shop.Tests/Helper.cs", Test},
		{"activerecord/test/cases/helper.rb", Test}, {"apps/a/test/support/helper.ex", Test},
		// the product is a testing framework
		{"src/testing/runner.ts", Source}, {"lib/testing/match.dart", Source}, {"django/test/client.py", Source}, {"src/_pytest/config.py", Source}, {"lib/rails/test/runner.rb", Source},
		{"lib/ecto/test/sandbox.ex", Source}, {"src/Illuminate/Testing/TestResponse.php", Source},
		// fixtures
		{"tests/data/a.json", Fixture}, {"internal/x/testdata/a.go", Fixture}, {"spec/fixtures/a.yml", Fixture}, {"test/fixtures/a.rb", Fixture},
		{"bench/a.go", Benchmark}, {"a/b_benchmark.cc", Benchmark}, {"benches/mpsc.rs", Benchmark}, {"a/b.bench.ts", Benchmark},
		{"examples/a/main.go", Example}, {"demo/app.js", Example}, {"docs/a.md", Documentation}, {"README.md", Documentation}, {"docs/conf.py", Documentation}, {"doc/man_docs.go", Source}, {"src/docs/render.ts", Source},
		{"docs/tutorial/views.rst", Documentation},
		{"src/main/java/org/example/Latest.java", Source}, {"app/src/main/kotlin/com/example/demo/App.kt", Source}, {"samples/shop/src/main/java/org/acme/Shop.java", Example},
		{"vendor/a/b.go", Vendored}, {"web/node_modules/a/index.js", Vendored}, {"third_party/a.c", Vendored}, {"static/a.min.js", Vendored}, {"src/external/a.cpp", Source},
		{"api/a.pb.go", GeneratedCode}, {"api/a_pb2.py", GeneratedCode}, {"lib/a.g.dart", GeneratedCode}, {"src/generated/a.ts", GeneratedCode},
		{"package-lock.json", Lock}, {"go.sum", Lock}, {"a/Cargo.lock", Lock}, {"poetry.lock", Lock}, {"src/lock.go", Source},
		{"CHANGELOG.md", Changelog}, {"CHANGES.rst", Changelog}, {"docs/whatsnew/1.rst", Changelog}, {"NEWS", Changelog}, {"src/history.go", Source}, {"src/changes.py", Source},
		{"LICENSE", Legal}, {"COPYING.txt", Legal}, {"src/license.go", Source}, {".github/workflows/ci.yml", CI}, {".travis.yml", CI}, {"ci/build.sh", CI},
		{"db/migrate/2020_add.rb", Migration}, {"app/migrations/0001_initial.py", Migration}, {"src/migrate/engine.go", Source}, {"alembic/versions/ab12.py", Migration},
		{"scripts/release.sh", Script}, {"setup.py", Script}, {"src/scripts/x.py", Source},
		{"config/app.yml", Configuration}, {"package.json", Configuration}, {"vite.config.ts", Configuration}, {"Dockerfile", Configuration}, {".gitignore", Configuration}, {"requirements-dev.txt", Configuration},
		{"data/cities.csv", Data}, {"src/words.txt", Data},
		{"pkg/extern/six.py", Vendored}, {"pkg/external/version.py", Vendored}, {"a/pkg/external/api.py", Source}, {".yarn/releases/yarn-4.cjs", Vendored}, {"src/releases/list.ts", Source},
		{"dist/app.js", GeneratedCode}, {"packages/a/dist/node/app.cjs", GeneratedCode}, {"dist/app.cjs.map", GeneratedCode}, {"src/dist/cost.py", Source}, {"internal/secret_string.go", Source},
		{"config/authors.yml", Configuration}, {"test/fixtures/authors.yml", Fixture}, {"AUTHORS", Legal}, {"doc/langref/hello.zig", Documentation},
		{"texinputs/book.sty", Source}, {"paper/main.tex", Documentation}, {"img/logo.svg", Data},
		{"src/a/__init__.py", Reexport}, {"src/a/index.ts", Reexport}, {"src/a/mod.rs", Source},
		{"", Data}, {"a", Data},
	} {
		if got := RoleOf(tt.path, Language(tt.path, nil), 0); got != tt.want {
			t.Errorf("RoleOf(%q) = %s, want %s", tt.path, got, tt.want)
		}
	}
	if got := RoleOf("src/a.go", "go", Generated); got != GeneratedCode {
		t.Errorf("a file that says it is generated has role %s", got)
	}
	if got := RoleOf("src/a.tt", "text", Generated); got == GeneratedCode {
		t.Error("a template of what is generated has its role")
	}
	if got := RoleOf("src/a.js", "javascript", Minified); got != GeneratedCode {
		t.Errorf("a minified script has role %s", got)
	}
}

func TestRoleOfFacts(t *testing.T) {
	fn := Symbol{Name: "f", Kind: KindFunction, Parent: -1}
	for _, tt := range []struct {
		name string
		syms []Symbol
		want Role
	}{
		{"imports only", []Symbol{{Name: "__all__", Kind: KindVar, Parent: -1}}, Reexport},
		{"two functions", []Symbol{fn, fn}, Reexport},
		{"three functions", []Symbol{fn, fn, fn}, Source},
		{"a class", []Symbol{{Name: "C", Kind: KindClass, Parent: -1}}, Source},
	} {
		f := &Facts{Lang: "python", Symbols: tt.syms}
		if got := f.Role("a/__init__.py"); got != tt.want {
			t.Errorf("%s: role %s, want %s", tt.name, got, tt.want)
		}
	}
}
