// Memory of one parse. Tree-sitter asks for small blocks by the hundred
// thousand and gives most of them back only when the tree goes; here all of
// them go at once, blocks given back meanwhile are used again by their size,
// and the memory stays with its owner for the next file.

#ifndef COHOP_ARENA_H
#define COHOP_ARENA_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	ARENA_UNIT = 16,              // what sizes are rounded to, and the alignment
	ARENA_SMALL = 64,             // classes of whole units: up to 1 KB
	ARENA_LARGE = 40,             // classes of powers of two behind them
	ARENA_CHUNK = 1 << 20,        // what is asked of the system at a time
	ARENA_KEEP = 8 << 20          // what is kept for the next file, of chunks of that size
};

typedef struct arena_chunk {
	struct arena_chunk *next;
	size_t size; // behind this head
} arena_chunk;

// What stands before every block.
typedef struct {
	uint32_t class;
	uint32_t unused[3];
} arena_head;

typedef struct arena {
	arena_chunk *used, *spare; // spare ones are of ARENA_CHUNK bytes
	char *at, *end;            // what is left of the first used one
	void *back[ARENA_SMALL + ARENA_LARGE];
} arena;

// arena_class returns the class of n bytes and how many a block of it has.
static inline uint32_t arena_class(size_t n, size_t *room) {
	size_t units = (n + ARENA_UNIT - 1) / ARENA_UNIT;
	if (units < ARENA_SMALL) {
		if (units == 0) units = 1;
		*room = units * ARENA_UNIT;
		return (uint32_t)units;
	}
	uint32_t k = 64 - (uint32_t)__builtin_clzll((unsigned long long)(n - 1)); // n <= 1<<k
	*room = (size_t)1 << k;
	return ARENA_SMALL + k - 10;
}

static inline size_t arena_room(uint32_t class) {
	return class < ARENA_SMALL ? (size_t)class * ARENA_UNIT : (size_t)1 << (class - ARENA_SMALL + 10);
}

// arena_more gets a chunk with room for n bytes; 0 if there is no memory.
static inline int arena_more(arena *a, size_t n) {
	arena_chunk *c = a->spare;
	if (c && n <= c->size) {
		a->spare = c->next;
	} else {
		size_t size = n > ARENA_CHUNK ? n : ARENA_CHUNK;
		c = malloc(sizeof *c + size);
		if (!c) return 0;
		c->size = size;
	}
	c->next = a->used;
	a->used = c;
	a->at = (char *)(c + 1);
	a->end = a->at + c->size;
	return 1;
}

// arena_malloc returns NULL if there is no memory, or n is absurd.
static inline void *arena_malloc(arena *a, size_t n) {
	size_t room;
	if (n > (size_t)1 << 40) return NULL;
	uint32_t class = arena_class(n, &room);
	void *p = a->back[class];
	if (p) {
		memcpy(&a->back[class], p, sizeof p);
		return p;
	}
	room += sizeof(arena_head);
	if ((size_t)(a->end - a->at) < room && !arena_more(a, room)) return NULL;
	arena_head *h = (arena_head *)a->at;
	a->at += room;
	h->class = class;
	return h + 1;
}

static inline void arena_free(arena *a, void *p) {
	if (!p) return;
	uint32_t class = ((arena_head *)p - 1)->class;
	memcpy(p, &a->back[class], sizeof p);
	a->back[class] = p;
}

static inline void *arena_realloc(arena *a, void *p, size_t n) {
	if (!p) return arena_malloc(a, n);
	size_t room = arena_room(((arena_head *)p - 1)->class);
	if (n <= room) return p;
	void *q = arena_malloc(a, n);
	if (!q) return NULL;
	memcpy(q, p, room);
	arena_free(a, p);
	return q;
}

// arena_reset takes all blocks back; the memory of keep bytes stays.
static inline void arena_reset(arena *a, size_t keep) {
	size_t have = 0;
	for (arena_chunk *c = a->spare; c; c = c->next) have += c->size;
	for (arena_chunk *c = a->used, *next; c; c = next) {
		next = c->next;
		if (c->size == ARENA_CHUNK && have + c->size <= keep) {
			have += c->size;
			c->next = a->spare;
			a->spare = c;
		} else {
			free(c);
		}
	}
	a->used = NULL;
	a->at = a->end = NULL;
	memset(a->back, 0, sizeof a->back);
	if (keep == 0) {
		for (arena_chunk *c = a->spare, *next; c; c = next) {
			next = c->next;
			free(c);
		}
		a->spare = NULL;
	}
}

#endif
