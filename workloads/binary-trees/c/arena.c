// An arena by hand: a bump pointer into chunks that double in size. A reset goes back to
// the first chunk and keeps them all, so that tree after tree is built in the same
// memory.

#include <limits.h>
#include <stdlib.h>

#include "pointers.h"

enum { FIRST_CHUNK = 1 << 12, GREATEST_CHUNK = 1 << 21 }; // nodes: 64 KiB, 32 MiB

struct chunk {
	struct chunk *next;
	size_t len;
	struct node nodes[];
};

struct arena {
	struct node *next, *end; // what is free of the current chunk
	struct chunk *current, *first;
};

static void enter(struct arena *a, struct chunk *c) {
	a->current = c;
	a->next = c->nodes;
	a->end = c->nodes + c->len;
}

static struct chunk *new_chunk(size_t len) {
	struct chunk *c = malloc(sizeof *c + len * sizeof *c->nodes);
	if (c == NULL) {
		fail("out of memory");
	}
	c->next = NULL;
	c->len = len;
	return c;
}

// enter_next is kept out of the way of new_node, which is inlined.
static __attribute__((noinline, cold)) void enter_next(struct arena *a) {
	if (a->current->next == NULL) {
		size_t len = a->current->len;
		a->current->next = new_chunk(len < GREATEST_CHUNK ? 2 * len : len);
	}
	enter(a, a->current->next);
}

static inline struct node *new_node(void *allocator) {
	struct arena *a = allocator;
	if (__builtin_expect(a->next == a->end, 0)) {
		enter_next(a);
	}
	return a->next++;
}

static void open_arena(void *allocator, int depth) {
	(void)depth;
	struct arena *a = allocator;
	a->first = new_chunk(FIRST_CHUNK);
	enter(a, a->first);
}

static void close_arena(void *allocator) {
	struct arena *a = allocator;
	for (struct chunk *c = a->first, *next; c != NULL; c = next) {
		next = c->next;
		free(c);
	}
}

static void reset(void *allocator, void *root) {
	(void)root;
	struct arena *a = allocator;
	enter(a, a->first);
}

const struct strategy arena_plain = {
	"arena", INT_MAX, sizeof(struct arena), open_arena, close_arena, build_tree_plain, count_tree_plain, reset,
};
const struct strategy arena_shaped = {
	"arena-shaped", INT_MAX, sizeof(struct arena), open_arena, close_arena, build_tree_shaped, count_tree_shaped, reset,
};
