package internal

import (
	_ "github.com/BurntSushi/toml"
	_ "github.com/RoaringBitmap/roaring/v2"
	_ "github.com/adrg/xdg"
	_ "github.com/go-git/go-git/v5/storage/filesystem"
	_ "github.com/gofrs/flock"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/smacker/go-tree-sitter"
	_ "github.com/spf13/cobra/doc"
	_ "github.com/tiktoken-go/tokenizer"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/term"
	_ "golang.org/x/text/unicode/norm"
	_ "golang.org/x/tools/go/packages"
)
