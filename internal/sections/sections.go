// Package sections lays byte strings into one, behind a header with a table of
// where each stands and a checksum of each: the container of index segments,
// parts of the history and views derived of it.
//
//	0    head, the caller's own: magic, version, …
//	…    per section: offset u64, length u32, crc32c u32
//	…    crc32c of all above u32, zero u32
//	…    the sections, each at a multiple of 8 bytes if head's length is one
//
// Numbers are little-endian. Whoever reads checks its own head first.
package sections

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// recSize is a row of the table, tailSize what ends the header.
const (
	recSize  = 16
	tailSize = 8
)

var (
	le       = binary.LittleEndian
	crcTable = crc32.MakeTable(crc32.Castagnoli)
)

// HeaderSize is the length of the header of n sections behind a head of so
// many bytes.
func HeaderSize(head, n int) int { return head + n*recSize + tailSize }

// Join returns head and the sections as one string. It fails on a section of
// 4 GiB or more.
func Join(head []byte, list [][]byte) ([]byte, error) {
	header := HeaderSize(len(head), len(list))
	size := header
	for i, s := range list {
		if uint64(len(s)) > 1<<32-1 {
			return nil, fmt.Errorf("section %d has %d bytes, more than a section holds", i, len(s))
		}
		size += padded(len(s))
	}
	out := make([]byte, size)
	copy(out, head)
	at := header
	for i, s := range list {
		rec := out[len(head)+recSize*i:]
		le.PutUint64(rec, uint64(at))
		le.PutUint32(rec[8:], uint32(len(s)))
		le.PutUint32(rec[12:], crc32.Checksum(s, crcTable))
		copy(out[at:], s)
		at += padded(len(s))
	}
	le.PutUint32(out[header-tailSize:], crc32.Checksum(out[:header-tailSize], crcTable))
	return out, nil
}

func padded(n int) int { return (n + 7) &^ 7 }

// Split fills list with the sections of b, which stands behind a head of so
// many bytes: parts of b, not copies. It checks the header's checksum and the
// bounds, with sums also the checksum of every section, which reads all of b.
func Split(b []byte, head int, list [][]byte, sums bool) error {
	header := HeaderSize(head, len(list))
	if len(b) < header {
		return errors.New("no header")
	}
	if le.Uint32(b[header-tailSize:]) != crc32.Checksum(b[:header-tailSize], crcTable) {
		return errors.New("header checksum")
	}
	for i := range list {
		rec := b[head+recSize*i:]
		at, n := le.Uint64(rec), uint64(le.Uint32(rec[8:]))
		if at > uint64(len(b)) || n > uint64(len(b))-at {
			return fmt.Errorf("section %d is out of bounds", i)
		}
		list[i] = b[at : at+n : at+n]
		if sums && crc32.Checksum(list[i], crcTable) != le.Uint32(rec[12:]) {
			return fmt.Errorf("checksum of section %d", i)
		}
	}
	return nil
}
