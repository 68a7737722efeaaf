// Nodes with pointers: build, count and drop, in two shapes. Each file that includes this
// has its own new_node, which the compiler inlines into them.
//
// The plain shape is the recursion of a textbook. The shaped one has the lowest levels of
// the recursion written into one function by macros, so that 31 nodes cost one call; each
// node still comes from new_node by itself, and is reached by its link.

#ifndef POINTERS_H
#define POINTERS_H

#include <stddef.h>
#include <stdint.h>

#include "trees.h"

struct node {
	struct node *left, *right;
};

// new_node takes a node from the allocator of a strategy.
static inline struct node *new_node(void *allocator);

static inline struct node *build_plain(void *allocator, int depth) {
	struct node *n = new_node(allocator);
	if (depth > 0) {
		n->left = build_plain(allocator, depth - 1);
		n->right = build_plain(allocator, depth - 1);
	} else {
		n->left = n->right = NULL;
	}
	return n;
}

static inline uint64_t count_plain(const struct node *n) {
	return n->left == NULL ? 1 : 1 + count_plain(n->left) + count_plain(n->right);
}

enum { INLINED_LEVELS = 4 }; // no tree has fewer

INLINED struct node *build_0(void *allocator) {
	struct node *n = new_node(allocator);
	n->left = n->right = NULL;
	return n;
}

#define BUILD(levels, below)                                  \
	INLINED struct node *build_##levels(void *allocator) {    \
		struct node *n = new_node(allocator);                 \
		n->left = build_##below(allocator);                   \
		n->right = build_##below(allocator);                  \
		return n;                                             \
	}
BUILD(1, 0)
BUILD(2, 1)
BUILD(3, 2)
BUILD(4, 3)

static inline struct node *build_shaped(void *allocator, int depth) {
	if (depth == INLINED_LEVELS) {
		return build_4(allocator);
	}
	struct node *n = new_node(allocator);
	n->left = build_shaped(allocator, depth - 1);
	n->right = build_shaped(allocator, depth - 1);
	return n;
}

static inline uint64_t count_shaped(const struct node *n);

// count_0 makes a call only for a node with children.
INLINED uint64_t count_0(const struct node *n) { return n->left == NULL ? 1 : count_shaped(n); }

#define COUNT(levels, below)                                                              \
	INLINED uint64_t count_##levels(const struct node *n) {                               \
		return n->left == NULL ? 1 : 1 + count_##below(n->left) + count_##below(n->right); \
	}
COUNT(1, 0)
COUNT(2, 1)
COUNT(3, 2)
COUNT(4, 3)

static inline uint64_t count_shaped(const struct node *n) { return count_4(n); }

static inline void *build_tree_plain(void *allocator, int depth) { return build_plain(allocator, depth); }
static inline void *build_tree_shaped(void *allocator, int depth) { return build_shaped(allocator, depth); }
static inline uint64_t count_tree_plain(void *allocator, void *root) { return (void)allocator, count_plain(root); }
static inline uint64_t count_tree_shaped(void *allocator, void *root) { return (void)allocator, count_shaped(root); }

#endif
