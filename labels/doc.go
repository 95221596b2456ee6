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
// Labels come from a history (Mine), from what trackers and benchmarks export
// (ImportTracker, ImportSWE, ImportTREC), or from people. Check asks the
// repositories whether commits and files exist and whether an answer leaks
// into what a ranking may see; Usable keeps the labels that can be measured
// on. SplitByTime and SplitByRepo divide a set into one part to fit on and one
// to report on.
//
// Limits: paths are UTF-8, as JSON is. What a commit should have edited and did
// not, nobody knows: a mined answer is what was done, not what was right.
package labels
