// Package tokens counts the o200k_base tokens of a text, exactly.
//
// A text is cut into pieces by the rules of o200k's published regular
// expression, here a hand-written scanner (split.go); a piece that is a token
// counts as one, any other is merged from its bytes up, always the pair of
// lowest rank first, the leftmost among equals (byte-pair encoding; merge.go).
//
// The vocabulary is one embedded file that is read where it lies: an
// open-addressing hash table, the tokens' offsets and their bytes (table.go).
// Nothing is decoded, allocated or inserted at start-up. The file is made by
// the program in gen from a well-kept tokenizer module, which the tests also
// hold the counts against.
//
// Special tokens are not special: "<|endoftext|>" in a text counts as the
// text it is. A byte that is not UTF-8 counts as the U+FFFD that stands for it
// once the text is shown or sent, one for every such byte; readers that put
// one U+FFFD for several bytes make fewer tokens, not more. U+007F counts as
// the symbol that it is by the rules (the module that tests compare with
// leaves it out).
//
// Cost: linear in the text for any text one meets; n log n in the length of a
// single piece (a megabyte of one letter is one piece).
package tokens
