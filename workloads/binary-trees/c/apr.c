// Pools of the Apache Portable Runtime: apr_palloc for every node, apr_pool_clear after
// every tree. Each pool has an apr allocator of its own, so that no call takes a lock;
// it keeps the memory of a cleared pool for the next tree.

#include <limits.h>

#include <apr_allocator.h>
#include <apr_general.h>
#include <apr_pools.h>

#include "pointers.h"

struct owned_pool {
	apr_allocator_t *allocator;
	apr_pool_t *pool;
};

static inline struct node *new_node(void *allocator) {
	return apr_palloc(((struct owned_pool *)allocator)->pool, sizeof(struct node));
}

// out_of_memory is what apr calls instead of returning NULL.
static int out_of_memory(int status) {
	(void)status;
	fail("out of memory");
}

static void open_pool(void *allocator, int depth) {
	(void)depth;
	struct owned_pool *p = allocator;
	if (apr_initialize() != APR_SUCCESS || apr_allocator_create(&p->allocator) != APR_SUCCESS ||
	    apr_pool_create_unmanaged_ex(&p->pool, out_of_memory, p->allocator) != APR_SUCCESS) {
		fail("apr cannot make a pool");
	}
	apr_allocator_owner_set(p->allocator, p->pool); // it goes when the pool goes
}

static void close_pool(void *allocator) {
	struct owned_pool *p = allocator;
	apr_pool_destroy(p->pool);
	apr_terminate();
}

static void clear(void *allocator, void *root) {
	(void)root;
	apr_pool_clear(((struct owned_pool *)allocator)->pool);
}

const struct strategy apr_plain = {
	"apr", INT_MAX, sizeof(struct owned_pool), open_pool, close_pool, build_tree_plain, count_tree_plain, clear,
};
const struct strategy apr_shaped = {
	"apr-shaped", INT_MAX, sizeof(struct owned_pool), open_pool, close_pool, build_tree_shaped, count_tree_shaped, clear,
};
