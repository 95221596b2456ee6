package facts

import (
	"strings"
	"testing"
)

func TestLanguage(t *testing.T) {
	for _, tt := range []struct{ path, head, want string }{
		{"a/b.py", "", "python"},
		{"a/b.tsx", "", "tsx"},
		{"a/b.mts", "", "typescript"},
		{"a/B.JAVA", "", "java"},
		{"a.jsx", "", "javascript"},
		{"x.h", "#include <stdio.h>\nstruct a;\n", "c"},
		{"x.h", "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n", "c"},
		{"x.h", "/* class Foo {\n * namespace x\n */\nint f(void);\n", "c"},
		{"x.h", "#pragma once\nnamespace a {\n", "cpp"},
		{"x.h", "class Foo {\n", "cpp"},
		{"x.h", "#include <vector>\n", "cpp"},
		{"x.h", "#import <A/A.h>\n@interface B : C\n", "objc"},
		{"x.m", "function y = f(x)\n% comment\n", "matlab"},
		{"x.m", "#import \"a.h\"\n", "objc"},
		{"run", "#!/usr/bin/env -S python3.12 -u\n", "python"},
		{"run", "#!/bin/sh -e\n", "bash"},
		{"run", "#!/usr/bin/env node\n", "javascript"},
		{"run", "hello", "text"},
		{"Makefile", "", "makefile"},
		{"docker/Dockerfile.dev", "", "dockerfile"},
		{"CMakeLists.txt", "", "cmake"},
		{"go.mod", "", "gomod"},
		{"a/package.json", "", "package.json"},
		{"tsconfig.build.json", "", "tsconfig"},
		{"Cargo.toml", "", "cargo"},
		{"Cargo.lock", "", "toml"},
		{"composer.json", "", "composer"},
		{"mix.exs", "", "mix"},
		{"pyproject.toml", "", "pyproject"},
		{"build.gradle.kts", "", "buildfile"},
		{"src/App.csproj", "", "buildfile"},
		{"BUILD", "#!/bin/bash\n", "bash"},
		{"config.yml.example", "", "yaml"},
		{"model.php.stub", "", "php"},
		{"job.stub", "<?php\n", "php"},
		{"page.html.erb", "", "html"},
		{"x.ts", "<?xml version=\"1.0\"?><TS/>", "xml"},
		{"shader.fs", "#version 330\n", "glsl"},
		{"Order.fs", "module Order\n", "fsharp"},
		{"a.ipynb", "{", "notebook"},
		{"docs/a.rst", "", "rst"},
		{"README", "", "text"},
		{"", "", "text"},
		{".gitignore", "", "text"},
		{".env", "A=1", "ini"},
	} {
		if got := Language(tt.path, []byte(tt.head)); got != tt.want {
			t.Errorf("Language(%q, %q) = %q, want %q", tt.path, tt.head, got, tt.want)
		}
	}
}

// TestLanguageTables holds the tables together: an id that a table gives has
// a spelling of its own, and the manifests are those that facts.go lists.
func TestLanguageTables(t *testing.T) {
	for _, m := range []map[string]string{names, extensions, interpreters} {
		for key, id := range m {
			if key != strings.ToLower(key) {
				t.Errorf("key %q is not lower case: it never matches", key)
			}
			if id == "" || id != strings.ToLower(id) || strings.Contains(id, " ") {
				t.Errorf("%q has the odd id %q", key, id)
			}
			if Display(id) == "" {
				t.Errorf("%q has no name for people", id)
			}
		}
	}
	for id, want := range map[string]string{"cpp": "C++", "csharp": "C#", "python": "Python", "": ""} {
		if got := Display(id); got != want {
			t.Errorf("Display(%q) = %q, want %q", id, got, want)
		}
	}
}

func FuzzLanguage(f *testing.F) {
	f.Add("x.h", []byte("class A"))
	f.Add("run", []byte("#!/usr/bin/env -S FOO=1 perl"))
	f.Fuzz(func(t *testing.T, p string, head []byte) {
		lang := Language(p, head)
		if lang == "" {
			t.Errorf("Language(%q, %q) is empty", p, head)
		}
		if role := RoleOf(p, lang, 0); role == "" {
			t.Errorf("RoleOf(%q) is empty", p)
		}
		SecretName(p)
	})
}

func TestSecretName(t *testing.T) {
	for p, want := range map[string]bool{
		".env": true, "a/.env.production": true, ".env.local": true, "prod.env": true, "config/.ENV": true,
		".env.example": false, ".env.sample": false, ".env.dist": false, "sample.env.template": false, ".envrc": false, "environment.rb": false, "example.env": false,
		"id_rsa": true, "keys/deploy_ed25519": true, "id_rsa.pub": false, "a/server.key": true, "a/server.PEM": true, "a.p12": true, "release.keystore": true,
		"key.go": false, "pem.py": false, "keys.md": false, "key": false, ".key": false,
		".netrc": true, ".pgpass": true, ".npmrc": true, "home/.ssh/known_hosts": false, "home/.ssh/work": true, "home/.ssh/config": false,
		"credentials.json": true, "credentials.go": false, "aws/credentials": true, ".aws/config": true, "kubeconfig": true, "k/.kube/config": true,
		"secrets.yml": true, "secrets.example.yml": false,
		"secrets.py": false, "secret.rst": false, "prod.tfvars": true, "prod.example.tfvars": false, "client_secret_123.json": true,
		"": false, "src/main.go": false, "tokens.json": false, "src/auth/token.ts": false,
	} {
		if got := SecretName(p); got != want {
			t.Errorf("SecretName(%q) = %v, want %v", p, got, want)
		}
	}
}
