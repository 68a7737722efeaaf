// The arguments of the C solutions of binary-trees.

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trees.h"

enum { LEAST_DEPTH = 6, GREATEST_DEPTH = 40, GREATEST_WORKERS = 4096 };

static const struct strategy *const strategies[] = {
	&malloc_plain,
	&malloc_shaped,
	&arena_plain,
	&arena_shaped,
	&indexed_plain,
	&indexed_shaped,
	&indexed_inlined,
#ifdef WITH_APR
	&apr_plain,
	&apr_shaped,
#endif
};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

_Noreturn void fail(const char *what) {
	fprintf(stderr, "trees: %s\n", what);
	exit(1);
}

// usage ends the program: before is what is wrong with the argument, after is what to
// do.
static _Noreturn void usage(const char *before, const char *argument, const char *after) {
	fprintf(stderr, "trees: %s%s%s; usage: trees STRATEGY [-workers=N] DEPTH, with STRATEGY", before, argument, after);
	for (int i = 0; i < STRATEGIES; i++) {
		fprintf(stderr, "%s %s", i > 0 ? "," : "", strategies[i]->name);
	}
	fputs("\n", stderr);
	exit(2);
}

// whole reads a whole number in decimal.
static bool whole(const char *text, long *number) {
	char *end;
	errno = 0;
	*number = strtol(text, &end, 10);
	return errno == 0 && end != text && *end == '\0';
}

static const struct strategy *find_strategy(const char *name) {
	for (int i = 0; i < STRATEGIES; i++) {
		if (strcmp(name, strategies[i]->name) == 0) {
			return strategies[i];
		}
	}
	usage("no strategy \"", name, "\"");
}

// processors is how many of them this process may use.
static long processors(void) {
	long n = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
	cpu_set_t allowed;
	if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
		n = CPU_COUNT(&allowed);
	}
#endif
	return n < 1 ? 1 : n > GREATEST_WORKERS ? GREATEST_WORKERS : n;
}

int main(int argc, char **argv) {
	static const char flag[] = "-workers=";
	if (argc < 2) {
		usage("no strategy given", "", "");
	}
	const struct strategy *strategy = find_strategy(argv[1]);
	long workers = processors(), depth = -1;
	int i = 2;
	for (; i < argc && strncmp(argv[i], flag, strlen(flag)) == 0; i++) {
		if (!whole(argv[i] + strlen(flag), &workers) || workers < 1 || workers > GREATEST_WORKERS) {
			usage("", argv[i], " is not a whole number from 1 to 4096");
		}
	}
	if (i == argc) {
		usage("no depth given", "", "");
	}
	if (!whole(argv[i], &depth) || depth < 0 || depth > GREATEST_DEPTH) {
		usage("depth \"", argv[i], "\" is not a whole number from 0 to 40");
	}
	if (i + 1 < argc) {
		usage("unexpected argument \"", argv[i + 1], "\" after the depth");
	}
	run(strategy, depth < LEAST_DEPTH ? LEAST_DEPTH : (int)depth, (int)workers);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fail("cannot write the answer to standard output");
	}
}
