// malloc for every node, free for every node. Which malloc it is, is decided when the
// program starts: LD_PRELOAD puts another one in the place of the C library's.

#include <limits.h>
#include <stdlib.h>

#include "trees.h"

struct node {
	struct node *left, *right;
};

static struct node *build(int depth) {
	struct node *n = malloc(sizeof *n);
	if (n == NULL) {
		fail("out of memory");
	}
	if (depth > 0) {
		n->left = build(depth - 1);
		n->right = build(depth - 1);
	} else {
		n->left = n->right = NULL;
	}
	return n;
}

static uint64_t count(const struct node *n) {
	return n->left == NULL ? 1 : 1 + count(n->left) + count(n->right);
}

static void drop(struct node *n) {
	if (n->left != NULL) {
		drop(n->left);
		drop(n->right);
	}
	free(n);
}

static void open_malloc(void *allocator, int depth) { (void)allocator, (void)depth; }
static void close_malloc(void *allocator) { (void)allocator; }
static void *build_tree(void *allocator, int depth) { return (void)allocator, build(depth); }
static uint64_t count_tree(void *allocator, void *root) { return (void)allocator, count(root); }
static void drop_tree(void *allocator, void *root) { (void)allocator, drop(root); }

const struct strategy malloc_strategy = {
	"malloc", INT_MAX, 0, open_malloc, close_malloc, build_tree, count_tree, drop_tree,
};
