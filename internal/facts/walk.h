#ifndef COHOP_WALK_H
#define COHOP_WALK_H

#include <stdint.h>

typedef struct TSLanguage TSLanguage;

// One named node of the tree, in preorder. Offsets are bytes, rows count from
// zero, next is the index of the first node after the subtree.
typedef struct {
	uint16_t sym;
	uint16_t field;
	uint32_t start, end;
	uint32_t srow, erow;
	int32_t parent;
	int32_t next;
	uint32_t flags;
} cohop_node;

enum { COHOP_ERROR = 1, COHOP_MISSING = 2 };

enum { COHOP_OK, COHOP_LANGUAGE, COHOP_LIMIT, COHOP_TRUNCATED };

// The buffer that the last walk filled. It is used by one goroutine at a time.
typedef struct {
	cohop_node *nodes;
	uint32_t len, cap;
	uint32_t errors; // nodes with a flag, unnamed ones included
	struct arena *memory; // of the parse, see arena.h
} cohop_parser;

// cohop_init is called once, before all others.
void cohop_init(void);

cohop_parser *cohop_new(void);
void cohop_free(cohop_parser *p);

// cohop_parse parses n bytes at src and fills p->nodes. It returns one of the
// codes above: COHOP_LIMIT after max_work units of work (bytes of memory asked
// for and of text read), which depend on the text alone. error_work is what an
// error counts, 0 if that cannot be told.
int cohop_parse(cohop_parser *p, const TSLanguage *lang, const char *src,
                uint32_t n, uint64_t max_work, uint64_t error_work,
                uint32_t max_nodes);

const char *cohop_symbol_name(const TSLanguage *lang, uint16_t sym);
uint32_t cohop_symbol_count(const TSLanguage *lang);
const char *cohop_field_name(const TSLanguage *lang, uint16_t field);
uint32_t cohop_field_count(const TSLanguage *lang);

#endif
