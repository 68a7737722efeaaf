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

static uint32_t build(struct array *a, int depth) {
	uint32_t at = a->next++;
	struct node *n = &a->nodes[at];
	if (depth > 0) {
		n->left = build(a, depth - 1);
		n->right = build(a, depth - 1);
	} else {
		n->left = n->right = 0;
	}
	return at;
}

static uint64_t count(const struct node *nodes, uint32_t at) {
	const struct node *n = &nodes[at];
	return n->left == 0 ? 1 : 1 + count(nodes, n->left) + count(nodes, n->right);
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

static void *build_tree(void *allocator, int depth) {
	struct array *a = allocator;
	return &a->nodes[build(a, depth)];
}

static uint64_t count_tree(void *allocator, void *root) {
	const struct array *a = allocator;
	return count(a->nodes, (uint32_t)((struct node *)root - a->nodes));
}

static void reset(void *allocator, void *root) {
	(void)root;
	struct array *a = allocator;
	a->next = 1;
}

const struct strategy indexed_strategy = {
	"indexed", GREATEST_DEPTH, sizeof(struct array), open_array, close_array, build_tree, count_tree, reset,
};
