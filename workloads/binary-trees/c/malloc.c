// malloc for every node, free for every node. Which malloc it is, is decided when the
// program starts: LD_PRELOAD puts another one in the place of the C library's.

#include <limits.h>
#include <stdlib.h>

#include "pointers.h"

static inline struct node *new_node(void *allocator) {
	(void)allocator;
	struct node *n = malloc(sizeof *n);
	if (n == NULL) {
		fail("out of memory");
	}
	return n;
}

static void drop_plain(struct node *n) {
	if (n->left != NULL) {
		drop_plain(n->left);
		drop_plain(n->right);
	}
	free(n);
}

static void drop_shaped(struct node *n);

INLINED void drop_0(struct node *n) {
	if (n->left == NULL) {
		free(n);
	} else {
		drop_shaped(n);
	}
}

#define DROP(levels, below)                  \
	INLINED void drop_##levels(struct node *n) { \
		if (n->left != NULL) {               \
			drop_##below(n->left);           \
			drop_##below(n->right);          \
		}                                    \
		free(n);                             \
	}
DROP(1, 0)
DROP(2, 1)
DROP(3, 2)
DROP(4, 3)

static void drop_shaped(struct node *n) { drop_4(n); }

static void open_malloc(void *allocator, int depth) { (void)allocator, (void)depth; }
static void close_malloc(void *allocator) { (void)allocator; }
static void drop_tree_plain(void *allocator, void *root) { (void)allocator, drop_plain(root); }
static void drop_tree_shaped(void *allocator, void *root) { (void)allocator, drop_shaped(root); }

const struct strategy malloc_plain = {
	"malloc", INT_MAX, 0, open_malloc, close_malloc, build_tree_plain, count_tree_plain, drop_tree_plain,
};
const struct strategy malloc_shaped = {
	"malloc-shaped", INT_MAX, 0, open_malloc, close_malloc, build_tree_shaped, count_tree_shaped, drop_tree_shaped,
};
