package render

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"cohop/rank"
)

// JSON writes r as one line of schema rank/1, keys in the order of the types
// and maps in the order of their keys. Lists are never null. A path that is
// not UTF-8 stands with U+FFFD in it, and beside it, in path_b64, exactly.
// HTML is not escaped. A figure that is not finite is an error: it would be
// no JSON.
func JSON(w io.Writer, r *rank.Result) error {
	out := *r // fields that change are copied: r belongs to the caller
	if out.Schema == "" {
		out.Schema = rank.Schema
	}
	out.Header.Missing = notNil(out.Header.Missing)
	out.Header.Warnings = notNil(out.Header.Warnings)
	out.LeftOut = notNil(out.LeftOut)
	out.Files = append(make([]rank.File, 0, len(r.Files)), r.Files...)
	for i := range out.Files {
		f := &out.Files[i]
		f.PathB64 = b64(f.Path, f.PathB64)
		if f.Signals == nil {
			f.Signals = map[string]rank.Signal{}
		}
	}
	out.Pack = append(make([]rank.Item, 0, len(r.Pack)), r.Pack...)
	for i := range out.Pack {
		out.Pack[i].PathB64 = b64(out.Pack[i].Path, out.Pack[i].PathB64)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&out); err != nil {
		return fmt.Errorf("encode result of %q: %w", cut(r.Task, 40), err)
	}
	return flush(w, "json", escape(b.Bytes()))
}

// escape writes out in JSON what a terminal would obey or hide and encoding/json
// leaves as it is: DEL, C1 controls, marks that turn the direction of text. The
// strings that are read back are the same.
func escape(b []byte) []byte {
	text := string(b)
	if strings.IndexFunc(text, tells) < 0 {
		return b
	}
	var out bytes.Buffer
	for _, r := range text {
		switch {
		case !tells(r):
			out.WriteRune(r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes()
}

func tells(r rune) bool { return r != utf8.RuneError && r != '\n' && hidden(r) }

func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// b64 returns path_b64: given if it is set, made if the path needs it.
func b64(path, given string) string {
	if given == "" && !utf8.ValidString(path) {
		return base64.StdEncoding.EncodeToString([]byte(path))
	}
	return given
}
