package facts

import "cohop/internal/redact"

// Visible returns a blob of a language as it may be shown: decoded to UTF-8,
// secrets masked, pictures of notebooks left out, with the lines that Extract
// counted. masked is how many secrets were.
func Visible(lang string, src []byte) (text []byte, masked int) {
	return redact.Mask(shown(lang, src))
}

// Unmasked is Visible for a blob of which Facts.Masked is 0: there is nothing to
// mask in it.
func Unmasked(lang string, src []byte) []byte { return shown(lang, src) }
