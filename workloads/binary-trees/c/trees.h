// What the C solutions of binary-trees share; ../spec.md is the problem. A strategy is
// a file of its own that can be read alone: node, build, count, drop. main.c reads the
// arguments, run.c does the phases and shares out the trees.

#ifndef TREES_H
#define TREES_H

#include <stddef.h>
#include <stdint.h>

#define INLINED static inline __attribute__((always_inline))

// A strategy is one way to allocate the nodes. Its functions are called once for each
// tree; the calls for each node stay inside its file, where the compiler sees them.
struct strategy {
	const char *name;
	int greatest_depth; // of a tree that its links can address

	// An allocator is what one worker builds its trees with: so many bytes, zeroed by
	// the caller. Only malloc needs none.
	size_t allocator_bytes;
	void (*open)(void *allocator, int greatest_depth);
	void (*close)(void *allocator);

	void *(*build)(void *allocator, int depth); // returns the root
	uint64_t (*count)(void *allocator, void *root);
	void (*drop)(void *allocator, void *root); // all that was built since the last drop
};

extern const struct strategy malloc_plain, malloc_shaped, arena_plain, arena_shaped, indexed_plain, indexed_shaped,
	indexed_inlined, apr_plain, apr_shaped;

// run prints the answer for a depth from 6 to 40, with the trees of one depth shared out
// over so many workers.
void run(const struct strategy *strategy, int depth, int workers);

// fail ends the program with exit code 1 and one line on standard error.
_Noreturn void fail(const char *what);

#endif
