// Package git reads a repository without running a program and without a
// checkout: discovery, revisions, objects, trees, history, and the working
// tree.
//
// The object side, which this comment is about, is a reader of its own:
// packs and their indexes are mapped into memory, loose objects inflated, and
// alternates, replace refs, grafts, and shallow boundaries honoured. Objects of a
// pack that it cannot make sense of are asked of go-git's storage.
//
// Algorithm. An object id is looked up in each pack's index by its fan-out
// table and a binary search; an entry's chain of deltas is followed down to a
// whole object or to one that the reader's cache still holds, and applied
// upwards. History is walked newest first; each commit that is no merge is
// compared with its first parent by merging the raw entries of both trees,
// descending only where the ids differ. A file that is deleted and added with
// the same blob id in one commit is a rename; nothing else is, so renames cost
// nothing.
//
// Source: the formats are those of gitformat-pack(5), gitformat-index(5),
// gitrepository-layout(5) and git's reftable.txt; inflating follows RFC 1950 and 1951.
//
// Limits. Repositories of format version 2, and with other names of objects or
// another storage of refs than git 2.55 knows, are refused. Of the ids of a
// SHA-256 repository the first 20 bytes are kept.
// Checksums of zlib streams are verified, ids are not recomputed. Objects over
// MaxObject bytes are not read. Reflogs, notes, and environment variables
// such as GIT_DIR are not looked at.
package git
