# make build puts the program in bin/, make test is what CI runs.

GO ?= go

# staticcheck is run by the go command at a fixed version; it is no dependency
# of the module.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.7.0

# The race detector is run on what starts goroutines or is called from them.
# The grammars are C code, which it does not see and which doubles its time.
RACE = ./cochange ./precedent ./graph ./fuse ./adaptive ./pack ./eval ./internal/git ./internal/history ./internal/resolve ./internal/tokens ./rank ./cmd

# Of internal/repo what opens one repository from several sides, or works in the
# background: the whole of it starts processes, which take minutes.
RACE_REPO = Overlay|Ripple|Claim|Late|Blobs|Lacks|Branch|LogGrows|Hurried|Begun|Deadline|Deepens|Past|Robust|Lost|Unread|GC

.PHONY: build install test check fmt vet staticcheck race policy bench bench-cli golden clean

build:
	$(GO) build -trimpath -o bin/rank ./cmd/rank

install:
	$(GO) install -trimpath ./cmd/rank

test:
	$(GO) test ./...

check: fmt vet staticcheck policy race

fmt:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "gofmt these:"; echo "$$files"; exit 1; fi

vet:
	$(GO) vet ./...

staticcheck:
	$(GO) run $(STATICCHECK) ./...

policy:
	$(GO) test -run Imports .

race:
	$(GO) test -race $(RACE)
	$(GO) test -race -short -run '$(RACE_REPO)' ./internal/repo

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# Whole processes beside git, on a clone of REPO (see bench/cli.sh).
bench-cli: build
	$(GO) build -trimpath -o bin/parse ./bench/parse
	bench/cli.sh $(REPO)

# Rewrites the expected outputs of golden tests; look at the difference.
golden:
	$(GO) test $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n1 dirname | sort -u) -run Golden -update

clean:
	rm -rf bin
