// Package labels reads and writes the tasks a ranking is measured on.
//
// A label says: for this task in words, on this tree of this repository,
// these files are the answer. Labels stand one a line as JSON (Read, Write);
// rankings and answers travel to and from other evaluators in the formats of
// TREC (WriteRun, ReadRun, WriteQrels, ReadQrels).
//
// A label set is written by people and by miners, so Read is strict and
// forgiving at once: a line it cannot use is reported with its number and
// skipped, never repaired by a guess and never dropped without a word.
// TREC files are made by programs, so there one bad line fails the whole: a
// measure over half a run would be a wrong figure that looks right.
//
// Limits: paths are UTF-8, as JSON is. Whether commits and files exist, and
// whether a label leaks its answer, cannot be known without the repository
// and is not asked here.
package labels
