// Command gen writes the vocabulary table of package tokens: o200k_base as a
// tokenizer module holds it, in the layout that table.go reads. Run it with
// go generate; its output is committed and depends on the vocabulary alone.
package main

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/tiktoken-go/tokenizer"
)

// These and hash mirror table.go, which this program cannot import: it makes
// the file that table.go embeds. A test there looks every token up.
const (
	count    = 199998
	slotBits = 19
	idBits   = 18
)

func main() {
	if err := run("o200k.bin"); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(name string) error {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return fmt.Errorf("load o200k_base: %w", err)
	}
	const slots = 1 << slotBits
	out := make([]byte, 4*slots+4*(count+1))
	offsets := out[4*slots:]
	var text []byte
	for id := range uint32(count) {
		tok, err := codec.Decode([]uint{uint(id)})
		if err != nil {
			return fmt.Errorf("decode token %d: %w", id, err)
		}
		h := hash([]byte(tok))
		slot := h >> (64 - slotBits)
		for binary.LittleEndian.Uint32(out[4*slot:]) != 0 {
			slot = (slot + 1) % slots
		}
		binary.LittleEndian.PutUint32(out[4*slot:], uint32(h)<<idBits|(id+1))
		text = append(text, tok...)
		binary.LittleEndian.PutUint32(offsets[4*(id+1):], uint32(len(text)))
	}
	if err := os.WriteFile(name, append(out, text...), 0o644); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

func hash(b []byte) uint64 {
	const k1, k2 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
	h := uint64(len(b)) * k1
	for len(b) >= 8 {
		h = (h ^ binary.LittleEndian.Uint64(b)) * k2
		h ^= h >> 32
		b = b[8:]
	}
	var w uint64
	for i, c := range b {
		w |= uint64(c) << (8 * i)
	}
	h = (h ^ w) * k2
	h ^= h >> 32
	return h * k1
}
