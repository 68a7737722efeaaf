// The phases of binary-trees, and the sharing out of the trees of one depth.

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trees.h"

enum {
	MIN_DEPTH = 4,
	BATCH_NODES = 1 << 16,
	CACHE_LINES = 128, // processors fetch them in pairs
};

// A worker builds trees with an allocator of its own.
struct worker {
	struct sharing *sharing;
	void *allocator;
	pthread_t thread;
};

// A sharing is the trees of one depth, which the workers take in batches: about 65,000
// nodes, so that sharing out costs nothing and the last batches end together.
struct sharing {
	const struct strategy *strategy;
	int depth;
	uint64_t trees, batch;
	_Atomic uint64_t taken; // trees that a worker has taken on
	_Atomic uint64_t check; // nodes counted
};

static void *take_batches(void *argument) {
	struct worker *w = argument;
	struct sharing *s = w->sharing;
	uint64_t check = 0;
	for (;;) {
		uint64_t start = atomic_fetch_add(&s->taken, s->batch);
		if (start >= s->trees) {
			break;
		}
		uint64_t end = start + s->batch < s->trees ? start + s->batch : s->trees;
		for (uint64_t tree = start; tree < end; tree++) {
			void *root = s->strategy->build(w->allocator, s->depth);
			check += s->strategy->count(w->allocator, root);
			s->strategy->drop(w->allocator, root);
		}
	}
	atomic_fetch_add(&s->check, check);
	return NULL;
}

// count_all builds, counts and drops the trees of a depth and returns the sum of their
// counts. The first worker is the calling thread, so that one worker means one thread.
static uint64_t count_all(const struct strategy *strategy, struct worker *workers, int n, uint64_t trees, int depth) {
	uint64_t batch = BATCH_NODES >> (depth + 1);
	struct sharing sharing = {strategy, depth, trees, batch > 0 ? batch : 1, 0, 0};
	for (int i = 0; i < n; i++) {
		workers[i].sharing = &sharing;
		if (i > 0 && pthread_create(&workers[i].thread, NULL, take_batches, &workers[i]) != 0) {
			fail("cannot start so many threads; try fewer -workers");
		}
	}
	take_batches(&workers[0]);
	for (int i = 1; i < n; i++) {
		pthread_join(workers[i].thread, NULL);
	}
	return sharing.check;
}

// new_allocator opens an allocator that shares no cache line with another one.
static void *new_allocator(const struct strategy *strategy, int greatest_depth) {
	size_t bytes = (strategy->allocator_bytes + CACHE_LINES) & ~(size_t)(CACHE_LINES - 1);
	void *allocator = aligned_alloc(CACHE_LINES, bytes);
	if (allocator == NULL) {
		fail("out of memory");
	}
	memset(allocator, 0, bytes);
	strategy->open(allocator, greatest_depth);
	return allocator;
}

static void free_allocator(const struct strategy *strategy, void *allocator) {
	strategy->close(allocator);
	free(allocator);
}

void run(const struct strategy *strategy, int depth, int n) {
	if (depth + 1 > strategy->greatest_depth) {
		fail("the links of this strategy are too short for trees of that depth");
	}
	struct worker *workers = calloc((size_t)n, sizeof *workers);
	if (workers == NULL) {
		fail("out of memory");
	}
	for (int i = 0; i < n; i++) {
		workers[i].allocator = new_allocator(strategy, depth);
	}
	void *first = new_allocator(strategy, depth + 1);
	void *stretch = strategy->build(first, depth + 1);
	printf("stretch tree of depth %d\t check: %" PRIu64 "\n", depth + 1, strategy->count(first, stretch));
	strategy->drop(first, stretch);

	void *long_lived = strategy->build(first, depth);
	for (int d = MIN_DEPTH; d <= depth; d += 2) {
		uint64_t trees = UINT64_C(1) << (depth - d + MIN_DEPTH);
		printf("%" PRIu64 "\t trees of depth %d\t check: %" PRIu64 "\n", trees, d, count_all(strategy, workers, n, trees, d));
	}
	printf("long lived tree of depth %d\t check: %" PRIu64 "\n", depth, strategy->count(first, long_lived));
	strategy->drop(first, long_lived);

	free_allocator(strategy, first);
	for (int i = 0; i < n; i++) {
		free_allocator(strategy, workers[i].allocator);
	}
	free(workers);
}
