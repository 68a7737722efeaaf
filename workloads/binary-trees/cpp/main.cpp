// The arguments of the C++ solutions of binary-trees, and the list of strategies.

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

#include "trees.hpp"

namespace {

constexpr int least_depth = 6, greatest_depth = 40, greatest_workers = 4096;

using trees::Entry;

const Entry *const entries[] = {
	&trees::unique_ptr,
	&trees::pmr_plain,
	&trees::pmr_shaped,
#ifdef WITH_BOOST
	&trees::boost_pool_plain,
	&trees::boost_pool_shaped,
#endif
	&trees::arena_plain,
	&trees::arena_shaped,
	&trees::store_plain,
	&trees::store_shaped,
	&trees::open,
	&trees::floor,
};

struct Usage {
	std::string what;
};

struct Arguments {
	const Entry *strategy;
	int depth, workers;
};

// whole reads a whole number in decimal.
std::optional<int> whole(std::string_view text, int least, int greatest) {
	int number = 0;
	const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
	if (error != std::errc{} || end != text.end() || number < least || number > greatest) {
		return std::nullopt;
	}
	return number;
}

// processors is how many of them this process may use.
int processors() {
	int n = static_cast<int>(std::thread::hardware_concurrency());
#ifdef __linux__
	cpu_set_t allowed;
	if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
		n = CPU_COUNT(&allowed);
	}
#endif
	return std::clamp(n, 1, greatest_workers);
}

const Entry *find(std::string_view name) {
	for (const Entry *e : entries) {
		if (e->name == name) {
			return e;
		}
	}
	throw Usage{"no strategy \"" + std::string(name) + '"'};
}

Arguments parse(int argc, char **argv) {
	constexpr std::string_view flag = "-workers=";
	if (argc < 2) {
		throw Usage{"no strategy given"};
	}
	Arguments a{find(argv[1]), 0, processors()};
	int i = 2;
	for (; i < argc && std::string_view(argv[i]).starts_with(flag); i++) {
		const auto workers = whole(std::string_view(argv[i]).substr(flag.size()), 1, greatest_workers);
		if (!workers) {
			throw Usage{std::string(argv[i]) + " is not a whole number from 1 to 4096"};
		}
		a.workers = *workers;
	}
	if (i == argc) {
		throw Usage{"no depth given"};
	}
	const auto depth = whole(argv[i], 0, greatest_depth);
	if (!depth) {
		throw Usage{"depth \"" + std::string(argv[i]) + "\" is not a whole number from 0 to 40"};
	}
	if (i + 1 < argc) {
		throw Usage{"unexpected argument \"" + std::string(argv[i + 1]) + "\" after the depth"};
	}
	a.depth = std::max(*depth, least_depth);
	return a;
}

int fail(std::string_view what) {
	std::cerr << "trees: " << what << '\n';
	return EXIT_FAILURE;
}

int usage(const Usage &mistake) {
	std::ostringstream line;
	line << "trees: " << mistake.what << "; usage: trees STRATEGY [-workers=N] DEPTH, with STRATEGY";
	for (const char *before = " "; const Entry *e : entries) {
		line << std::exchange(before, ", ") << e->name;
	}
	std::cerr << line.str() << '\n';
	return 2;
}

} // namespace

int main(int argc, char **argv) try {
	std::ios::sync_with_stdio(false);
	const Arguments a = parse(argc, argv);
	a.strategy->run(a.depth, a.workers);
	if (!std::cout.flush()) {
		return fail("cannot write the answer to standard output");
	}
} catch (const Usage &mistake) {
	return usage(mistake);
} catch (const trees::Failure &failure) {
	return fail(failure.what);
} catch (const std::bad_alloc &) {
	return fail("out of memory");
}
