// Package repo brings a repository to the engine: it names a snapshot, gets
// the facts of its blobs (from a cache that is shared by all branches, or by
// extracting them), joins them into an index, and cuts the history at the
// ranked commit. What it keeps lives in a cache folder that can be thrown away
// at any time:
//
//	<cache>/<id of the common git directory>/
//	    facts-<version>/NNNNNN.facts   facts by (blob, language hint), immutable
//	    tree-<version>/<key>.seg       one index segment a tree, immutable
//	    tree-<version>/<key>.json      how the segment's imports fared
//	    tree-<version>/<key>.over      what differs from a segment, and the edges of both
//	    tree-<version>/<key>.types     edges that were typed for a segment
//	    tree-<version>/<key>.work.types  the same for a tree that no commit names
//	    tree-<version>/latest-<settings>  which segment was made last
//	    log-<version>/NNNNNN.log       parts of the commit log, immutable
//	    log-<version>/NNNNNN.begun     what hurried runs compared of the history
//	    past-<version>/<key>.past      the log as one tree sees it, derived
//	    session-<version>/<id>.session what a session was about, replaced
//	    look-1/<key>.folders           what the folders of a working tree held, replaced
//	    <file>.ok                      stamp: all of the file was checked
//	    lock                           held by the one that writes
//
// Every file is written beside its place and renamed into it, checked when
// read, and rebuilt when it does not check. Sessions, stamps and what look-1
// holds are written without the lock: the last writer wins. Without a writable cache the same
// work is done in memory, with one warning.
package repo
