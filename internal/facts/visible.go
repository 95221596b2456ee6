package facts

import "cohop/internal/redact"

// Visible returns a blob as it may be shown: decoded to UTF-8, secrets masked,
// with the lines that Extract counted. masked is how many secrets were.
func Visible(src []byte) (text []byte, masked int) {
	return redact.Mask(toUTF8(src))
}
