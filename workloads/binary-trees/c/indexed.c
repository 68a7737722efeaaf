// Nodes of 8 bytes in one array, linked by 32-bit indexes; node 0 is nil. The address
// space for the greatest tree is reserved at the start, and the system gives memory as
// the array fills. A reset keeps it.

#include <sys/mman.h>

#include "trees.h"

struct node {
	uint32_t left, right;
};

// 2^32 indexes less nil are just enough for a tree of this depth.
enum { GREATEST_DEPTH = 31 };

struct array {
	struct node *nodes;
	uint32_t next; // the first free one
	size_t bytes;
};

static inline uint32_t new_node(struct array *a) { return a->next++; }

static uint32_t build_plain(struct array *a, int depth) {
	uint32_t at = new_node(a);
	struct node *n = &a->nodes[at];
	if (depth > 0) {
		n->left = build_plain(a, depth - 1);
		n->right = build_plain(a, depth - 1);
	} else {
		n->left = n->right = 0;
	}
	return at;
}

static uint64_t count_plain(const struct node *nodes, uint32_t at) {
	const struct node *n = &nodes[at];
	return n->left == 0 ? 1 : 1 + count_plain(nodes, n->left) + count_plain(nodes, n->right);
}

static uint32_t new_leaf(struct array *a) {
	uint32_t at = new_node(a);
	a->nodes[at] = (struct node){0, 0};
	return at;
}

// build_shaped makes leaves in their parent, and goes on with the right child in a loop.
static uint32_t build_shaped(struct array *a, int depth) {
	uint32_t root = new_node(a);
	struct node *n = &a->nodes[root];
	for (; depth > 1; depth--) {
		n->left = build_shaped(a, depth - 1);
		n->right = new_node(a);
		n = &a->nodes[n->right];
	}
	n->left = new_leaf(a);
	n->right = new_leaf(a);
	return root;
}

static uint64_t count_shaped(const struct node *nodes, struct node n) {
	uint64_t count = 1;
	while (n.left != 0) {
		struct node left = nodes[n.left];
		count += left.left == 0 ? 2 : 1 + count_shaped(nodes, left);
		n = nodes[n.right];
	}
	return count;
}

// The lowest levels of a recursion in one function, so that 31 nodes cost one call. No
// tree has fewer levels.
enum { INLINED_LEVELS = 4 };

INLINED uint32_t build_0(struct array *a) { return new_leaf(a); }

#define BUILD(levels, below)                            \
	INLINED uint32_t build_##levels(struct array *a) {  \
		uint32_t at = new_node(a);                      \
		struct node *n = &a->nodes[at];                 \
		n->left = build_##below(a);                     \
		n->right = build_##below(a);                    \
		return at;                                      \
	}
BUILD(1, 0)
BUILD(2, 1)
BUILD(3, 2)
BUILD(4, 3)

static uint32_t build_inlined(struct array *a, int depth) {
	if (depth == INLINED_LEVELS) {
		return build_4(a);
	}
	uint32_t at = new_node(a);
	struct node *n = &a->nodes[at];
	n->left = build_inlined(a, depth - 1);
	n->right = build_inlined(a, depth - 1);
	return at;
}

// seven tells whether a tree has 7 nodes: whether there are two children, and two leaves of
// each. What is below nil is nil.
INLINED int seven(const struct node *nodes, struct node n) {
	struct node left = nodes[n.left];
	if (left.left == 0 || nodes[left.left].left != 0) {
		return 0;
	}
	struct node right = nodes[n.right];
	return right.left != 0 && (nodes[left.right].left | nodes[right.left].left | nodes[right.right].left) == 0;
}

static uint64_t count_few(const struct node *nodes, struct node n);

// count_inlined knows nothing of the depth. It looks whether a tree has 31 nodes, which costs
// one call then.
static __attribute__((noinline)) uint64_t count_inlined(const struct node *nodes, struct node n) {
	struct node left = nodes[n.left], right = nodes[n.right];
	if (left.left == 0 || right.left == 0) {
		return count_few(nodes, n);
	}
	if (seven(nodes, nodes[left.left]) && seven(nodes, nodes[left.right]) && seven(nodes, nodes[right.left]) &&
	    seven(nodes, nodes[right.right])) {
		return 31;
	}
	return 1 + count_inlined(nodes, left) + count_inlined(nodes, right);
}

static uint64_t count_few(const struct node *nodes, struct node n) {
	return n.left == 0 ? 1 : 1 + count_inlined(nodes, nodes[n.left]) + count_inlined(nodes, nodes[n.right]);
}

static void open_array(void *allocator, int depth) {
	struct array *a = allocator;
	a->next = 1;
	a->bytes = sizeof *a->nodes << (depth + 1); // 2^(depth+1) - 1 nodes, and nil
	a->nodes = mmap(NULL, a->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (a->nodes == MAP_FAILED) {
		fail("no address space for the array; try fewer -workers or a smaller depth");
	}
}

static void close_array(void *allocator) {
	struct array *a = allocator;
	munmap(a->nodes, a->bytes);
}

static void *build_tree_plain(void *allocator, int depth) {
	struct array *a = allocator;
	return &a->nodes[build_plain(a, depth)];
}

static void *build_tree_shaped(void *allocator, int depth) {
	struct array *a = allocator;
	return &a->nodes[build_shaped(a, depth)];
}

static void *build_tree_inlined(void *allocator, int depth) {
	struct array *a = allocator;
	return &a->nodes[build_inlined(a, depth)];
}

static uint64_t count_tree_plain(void *allocator, void *root) {
	const struct array *a = allocator;
	return count_plain(a->nodes, (uint32_t)((struct node *)root - a->nodes));
}

static uint64_t count_tree_shaped(void *allocator, void *root) {
	return count_shaped(((struct array *)allocator)->nodes, *(struct node *)root);
}

static uint64_t count_tree_inlined(void *allocator, void *root) {
	return count_inlined(((struct array *)allocator)->nodes, *(struct node *)root);
}

static void reset(void *allocator, void *root) {
	(void)root;
	struct array *a = allocator;
	a->next = 1;
}

const struct strategy indexed_plain = {
	"indexed", GREATEST_DEPTH, sizeof(struct array), open_array, close_array, build_tree_plain, count_tree_plain, reset,
};
const struct strategy indexed_shaped = {
	"indexed-shaped", GREATEST_DEPTH, sizeof(struct array), open_array, close_array, build_tree_shaped, count_tree_shaped, reset,
};
const struct strategy indexed_inlined = {
	"indexed-inlined", GREATEST_DEPTH, sizeof(struct array), open_array, close_array, build_tree_inlined, count_tree_inlined, reset,
};
