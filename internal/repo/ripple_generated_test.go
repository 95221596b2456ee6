package repo_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cohop/internal/repo"
)

// A schema that comes, goes or defines something else changes the edges of files
// that import what is made of it, under names that its path does not have.
func TestSchemasRipple(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	for _, d := range []string{"src", "res/message", "protos", "far/protos"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put(t, dir, "src/A.java", "package k.a;\nimport k.message.FetchRequestData;\nimport k.helloworld.GreeterGrpc;\nclass A { FetchRequestData d; }\n")
	put(t, dir, "src/client.py", "import hello_world_pb2\nimport hello_pb2_grpc\n")
	put(t, dir, "src/b.cc", "#include <protos/hello.pb.h>\nint b() { return 1; }\n")
	put(t, dir, "src/other.py", "import os\n\ndef other():\n    return os\n")
	put(t, dir, "protos/hello.proto", "syntax = \"proto3\";\npackage helloworld;\nmessage HelloRequest { string name = 1; }\n")
	runGit(t, dir, "init", "-q", "-b", "main")
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "-m", "RateLimit the Session")
	edges := func(opt repo.Options) []string {
		opt.Path = dir
		st, err := repo.Open(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		return edgesOf(st.View)
	}
	edges(repo.Options{CacheDir: cache})
	last := ""
	for _, step := range []struct {
		what string
		do   func()
	}{
		{"a message comes", func() { put(t, dir, "res/message/FetchRequest.json", "{\"kind\": 1}\n") }},
		{"a service comes", func() {
			put(t, dir, "protos/hello.proto", "syntax = \"proto3\";\npackage helloworld;\nservice Greeter { rpc Hi (HelloRequest) returns (HelloRequest); }\nmessage HelloRequest { string name = 1; }\n")
		}},
		{"a schema with a dash comes", func() { put(t, dir, "protos/hello-world.proto", "syntax = \"proto3\";\n") }},
		{"a second of the name comes", func() { put(t, dir, "far/protos/hello.proto", "syntax = \"proto3\";\n") }},
		{"the message goes", func() {
			if err := os.Remove(filepath.Join(dir, "res/message/FetchRequest.json")); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		step.do()
		got, want := edges(repo.Options{CacheDir: cache}), edges(repo.Options{NoCache: true})
		if !slices.Equal(got, want) {
			t.Errorf("%s: laid over %q, built anew %q", step.what, got, want)
		}
		if now := firstOf(want); now == last {
			t.Errorf("%s: it changes nothing: %s", step.what, now)
		} else {
			last = now
		}
	}
}

func firstOf(edges []string) (all string) {
	for _, e := range edges {
		all += e + "\n"
	}
	return all
}
