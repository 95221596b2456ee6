// Package redact masks secrets in text: keys and tokens of known shape, values
// of assignments whose name says so, private key blocks. The key's name stays.
package redact
