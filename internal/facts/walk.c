// One crossing from Go to C a file: parse, walk the tree with a cursor, and
// leave its named nodes in a flat buffer. Nothing here recurses, so nesting
// costs memory and not stack.

#include "arena.h"
#include "walk.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// What is called of tree-sitter's C library, declared here because the Go
// module that compiles it does not offer its header to other packages. The
// layouts are those of its ABI 14.
typedef struct { uint32_t row, column; } TSPoint;
typedef struct { uint32_t context[4]; const void *id; const void *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;
typedef struct TSParser TSParser;
typedef struct TSTree TSTree;

extern TSParser *ts_parser_new(void);
extern void ts_parser_delete(TSParser *);
extern bool ts_parser_set_language(TSParser *, const TSLanguage *);
typedef struct {
	void *payload;
	const char *(*read)(void *payload, uint32_t at, TSPoint, uint32_t *len);
	int encoding;
} TSInput;
enum { UTF8 = 0 };
extern TSTree *ts_parser_parse(TSParser *, const TSTree *, TSInput);
extern void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t),
                             void *(*)(void *, size_t), void (*)(void *));
extern TSNode ts_tree_root_node(const TSTree *);
extern TSTreeCursor ts_tree_cursor_new(TSNode);
extern void ts_tree_cursor_delete(TSTreeCursor *);
extern TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
extern uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
extern bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
extern bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
extern bool ts_tree_cursor_goto_parent(TSTreeCursor *);
extern uint16_t ts_node_symbol(TSNode);
extern uint32_t ts_node_start_byte(TSNode);
extern uint32_t ts_node_end_byte(TSNode);
extern TSPoint ts_node_start_point(TSNode);
extern TSPoint ts_node_end_point(TSNode);
extern bool ts_node_is_named(TSNode);
extern bool ts_node_is_missing(TSNode);
extern bool ts_node_is_error(TSNode);
extern const char *ts_language_symbol_name(const TSLanguage *, uint16_t);
extern uint32_t ts_language_symbol_count(const TSLanguage *);
extern const char *ts_language_field_name_for_id(const TSLanguage *, uint16_t);
extern uint32_t ts_language_field_count(const TSLanguage *);

// A buffer above this many nodes is given back after its file.
enum { KEEP_NODES = 1 << 18 };

// The work of a parse, so that error recovery gone wild ends at the same place
// on every machine: bytes asked of the allocator, a sum for each call to it,
// and bytes handed to the lexer. Recovery copies lists of children over and
// over, scanners read the same blanks again and again: all of it shows here.
// At every error all of the grammar's tokens are tried, which asks for no
// memory; but one block of the size of a list's head is asked for, and in most
// grammars no other of that size, so that it counts for the tokens.
//
// The library has a flag to stop it, but looks at it every hundred steps only,
// each of which may copy for a tenth of a second. So a parse over its limit is
// left by a jump; its memory is the arena's, and goes as always. What a scanner
// has asked of malloc itself, some hundred bytes, is lost then.
typedef struct {
	uint64_t done, limit;
	uint64_t error; // what a block of ERROR_BLOCK counts
	bool bounded; // whether out may be jumped to
	jmp_buf out;
} meter;

static _Thread_local meter work;

// Where the parse at hand has its memory; NULL outside of one.
static _Thread_local arena *memory;

enum {
	CALL = 64,        // what a call to the allocator counts beside its bytes
	CHUNK = 256,      // bytes the lexer is handed at a time; each counts
	READ = 2,         // this much, as it costs more than one that is copied
	ERROR_BLOCK = 16  // size of the block that is asked for once an error
};

static void count(uint64_t n) {
	work.done += n;
	if (work.done > work.limit && work.bounded) longjmp(work.out, 1);
}

// The library does not look at what it gets.
static void *checked(void *p, size_t n) {
	if (!p && n > 0) {
		fprintf(stderr, "cohop: out of memory: %zu bytes\n", n);
		abort();
	}
	return p;
}

static void *count_malloc(size_t n) {
	count(n == ERROR_BLOCK ? work.error : CALL + n);
	return checked(memory ? arena_malloc(memory, n) : malloc(n), n);
}

static void *count_calloc(size_t n, size_t size) {
	count(CALL + n * size);
	if (!memory) return checked(calloc(n, size), n * size);
	void *p = checked(size && n > SIZE_MAX / size ? NULL : arena_malloc(memory, n * size), n * size);
	return memset(p, 0, n * size);
}

static void *count_realloc(void *p, size_t n) {
	count(CALL + n);
	return checked(memory ? arena_realloc(memory, p, n) : realloc(p, n), n);
}

static void give_back(void *p) {
	if (memory) arena_free(memory, p);
	else free(p);
}

void cohop_init(void) {
	ts_set_allocator(count_malloc, count_calloc, count_realloc, give_back);
}

typedef struct {
	const char *src;
	uint32_t len;
} text;

static const char *text_read(void *payload, uint32_t at, TSPoint p, uint32_t *len) {
	const text *t = payload;
	(void)p;
	count(READ * CHUNK);
	if (at >= t->len) {
		*len = 0;
		return "";
	}
	*len = t->len - at < CHUNK ? t->len - at : CHUNK;
	return t->src + at;
}

cohop_parser *cohop_new(void) {
	cohop_parser *p = calloc(1, sizeof *p);
	if (!p) return NULL;
	p->memory = calloc(1, sizeof *p->memory);
	if (!p->memory) {
		free(p);
		return NULL;
	}
	return p;
}

void cohop_free(cohop_parser *p) {
	if (!p) return;
	arena_reset(p->memory, 0);
	free(p->memory);
	free(p->nodes);
	free(p);
}

// The walk keeps, for every level of the cursor, the index of the node that
// was stored there, or -1 for one that was left out.
typedef struct { int32_t *at; uint32_t len, cap; } levels;

static bool push(levels *l, int32_t v) {
	if (l->len == l->cap) {
		uint32_t cap = l->cap ? l->cap * 2 : 64;
		int32_t *at = realloc(l->at, cap * sizeof *at);
		if (!at) return false;
		l->at = at;
		l->cap = cap;
	}
	l->at[l->len++] = v;
	return true;
}

static int walk(cohop_parser *p, TSTree *tree, uint32_t max_nodes) {
	levels up = {0};
	int32_t parent = -1;
	int rc = COHOP_OK;
	TSTreeCursor cur = ts_tree_cursor_new(ts_tree_root_node(tree));
	for (;;) {
		TSNode n = ts_tree_cursor_current_node(&cur);
		uint32_t flags = 0;
		if (ts_node_is_error(n)) flags |= COHOP_ERROR;
		if (ts_node_is_missing(n)) flags |= COHOP_MISSING;
		if (flags) p->errors++;
		int32_t self = -1;
		if (ts_node_is_named(n)) {
			if (p->len == p->cap) {
				uint32_t cap = p->cap ? p->cap * 2 : 4096;
				cohop_node *nodes = p->len < max_nodes ? realloc(p->nodes, cap * sizeof *nodes) : NULL;
				if (!nodes) {
					rc = COHOP_TRUNCATED;
					break;
				}
				p->nodes = nodes;
				p->cap = cap;
			}
			self = (int32_t)p->len++;
			cohop_node *o = &p->nodes[self];
			o->sym = ts_node_symbol(n);
			o->field = ts_tree_cursor_current_field_id(&cur);
			o->start = ts_node_start_byte(n);
			o->end = ts_node_end_byte(n);
			o->srow = ts_node_start_point(n).row;
			o->erow = ts_node_end_point(n).row;
			o->parent = parent;
			o->next = -1;
			o->flags = flags;
		}
		if (ts_tree_cursor_goto_first_child(&cur)) {
			if (!push(&up, self)) {
				rc = COHOP_TRUNCATED;
				break;
			}
			if (self >= 0) parent = self;
			continue;
		}
		if (self >= 0) p->nodes[self].next = (int32_t)p->len;
		while (!ts_tree_cursor_goto_next_sibling(&cur)) {
			if (up.len == 0) goto done;
			ts_tree_cursor_goto_parent(&cur);
			int32_t closed = up.at[--up.len];
			if (closed >= 0) {
				p->nodes[closed].next = (int32_t)p->len;
				parent = p->nodes[closed].parent;
			}
		}
	}
done:
	// Whatever a limit left open ends where the buffer ends.
	for (uint32_t i = 0; i < up.len; i++)
		if (up.at[i] >= 0) p->nodes[up.at[i]].next = (int32_t)p->len;
	if (rc != COHOP_OK)
		for (uint32_t i = 0; i < p->len; i++)
			if (p->nodes[i].next < 0) p->nodes[i].next = (int32_t)p->len;
	free(up.at);
	ts_tree_cursor_delete(&cur);
	return rc;
}

static int parse(cohop_parser *p, const TSLanguage *lang, const char *src,
                uint32_t n, uint64_t max_work, uint64_t error_work, uint32_t max_nodes) {
	p->len = p->errors = 0;
	if (p->cap > KEEP_NODES) {
		free(p->nodes);
		p->nodes = NULL;
		p->cap = 0;
	}
	// A parser that was used has memory at hand, and would count less.
	work.done = 0;
	work.limit = max_work;
	work.error = error_work > CALL + ERROR_BLOCK ? error_work : CALL + ERROR_BLOCK;
	work.bounded = true;
	TSParser *parser = ts_parser_new();
	if (!ts_parser_set_language(parser, lang)) {
		ts_parser_delete(parser);
		return COHOP_LANGUAGE;
	}
	text t = {src, n};
	TSTree *tree = ts_parser_parse(parser, NULL, (TSInput){&t, text_read, UTF8});
	work.bounded = false; // what follows is linear
	ts_parser_delete(parser);
	if (!tree) return COHOP_LIMIT;
	return walk(p, tree, max_nodes); // the tree goes with all other memory
}

int cohop_parse(cohop_parser *p, const TSLanguage *lang, const char *src,
                uint32_t n, uint64_t max_work, uint64_t error_work, uint32_t max_nodes) {
	memory = p->memory;
	volatile int rc = COHOP_LIMIT;
	if (setjmp(work.out) == 0) rc = parse(p, lang, src, n, max_work, error_work, max_nodes);
	work.bounded = false;
	memory = NULL;
	arena_reset(p->memory, ARENA_KEEP);
	return rc;
}

const char *cohop_symbol_name(const TSLanguage *lang, uint16_t sym) {
	return ts_language_symbol_name(lang, sym);
}

uint32_t cohop_symbol_count(const TSLanguage *lang) {
	return ts_language_symbol_count(lang);
}

const char *cohop_field_name(const TSLanguage *lang, uint16_t field) {
	return ts_language_field_name_for_id(lang, field);
}

uint32_t cohop_field_count(const TSLanguage *lang) {
	return ts_language_field_count(lang);
}
