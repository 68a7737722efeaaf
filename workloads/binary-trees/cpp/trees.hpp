// What the C++ solutions of binary-trees share; ../spec.md is the problem. A strategy
// is a class in a file of its own that can be read alone: node, build, count. This header
// has the rest, compiled once for each strategy: the phases, and the sharing out of trees.
// main.cpp reads the arguments. The files are compiled one by one, because gcc inlines less
// into each function of a file the more functions the file has.

#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <deque>
#include <exception>
#include <iostream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace trees {

// A Strategy is one way to allocate the nodes. An object of it belongs to one worker
// and is not moved; it is made for trees up to a depth.
//
//     static constexpr const char *name;
//     static constexpr int greatest_depth;  // of a tree that its links can address
//     explicit S(int depth);
//     Tree build(int depth);                // from the allocator's memory
//     std::uint64_t count(const Tree &);    // by walking it
//     void drop(Tree);                      // the tree, and all the memory it took
template <class S>
concept Strategy = std::constructible_from<S, int> && requires(S s, int depth) {
	{ S::name } -> std::convertible_to<const char *>;
	{ S::greatest_depth } -> std::convertible_to<int>;
	{ std::as_const(s).count(s.build(depth)) } -> std::same_as<std::uint64_t>;
	s.drop(s.build(depth));
};

// A Failure is reported in one line; it says what to do.
struct Failure {
	const char *what;
};

inline constexpr int min_depth = 4;

template <Strategy S>
std::uint64_t count_one(S &strategy, int depth) {
	auto tree = strategy.build(depth);
	const std::uint64_t nodes = strategy.count(tree);
	strategy.drop(std::move(tree));
	return nodes;
}

// A Worker is a strategy that shares no cache line with another one; processors fetch
// the lines in pairs.
template <Strategy S>
struct alignas(128) Worker {
	explicit Worker(int depth) : strategy(depth) {}
	S strategy;
};

// count_all builds, counts and drops the trees of one depth and returns the sum of
// their counts. The workers take batches of about 65,000 nodes, so that sharing out
// costs nothing and the last batches end together. The first of them is the calling
// thread: one worker means one thread.
template <Strategy S>
std::uint64_t count_all(std::deque<Worker<S>> &workers, std::uint64_t trees, int depth) {
	const std::uint64_t batch = std::max<std::uint64_t>(1, (1U << 16) >> (depth + 1));
	std::atomic<std::uint64_t> taken = 0, check = 0;
	std::exception_ptr error; // of the one worker that sets failed
	std::atomic_flag failed;

	const auto take_batches = [&](S &strategy) {
		try {
			std::uint64_t sum = 0, start;
			while ((start = taken.fetch_add(batch)) < trees) {
				for (auto left = std::min(batch, trees - start); left > 0; left--) {
					sum += count_one(strategy, depth);
				}
			}
			check += sum;
		} catch (...) {
			if (!failed.test_and_set()) {
				error = std::current_exception();
			}
			taken = trees; // no thread need go on
		}
	};
	try {
		std::vector<std::jthread> threads; // joined at the end of the block
		try {
			for (auto worker = workers.begin() + 1; worker != workers.end(); ++worker) {
				threads.emplace_back([&take_batches, worker] { take_batches(worker->strategy); });
			}
		} catch (...) {
			taken = trees; // those that have started need not go on
			throw;
		}
		take_batches(workers.front().strategy);
	} catch (const std::system_error &) {
		throw Failure{"cannot start so many threads; try fewer -workers"};
	}
	if (error) {
		std::rethrow_exception(error);
	}
	return check;
}

// run prints the answer for a depth from 6 to 40, with the trees of one depth shared out
// over that many workers.
template <Strategy S>
void run(int depth, int n) {
	if (depth + 1 > S::greatest_depth) {
		throw Failure{"the links of this strategy are too short for trees of that depth"};
	}
	std::deque<Worker<S>> workers;
	for (int i = 0; i < n; i++) {
		workers.emplace_back(depth);
	}
	Worker<S> first(depth + 1);
	const std::uint64_t stretch = count_one(first.strategy, depth + 1);
	std::cout << "stretch tree of depth " << depth + 1 << "\t check: " << stretch << '\n';
	auto long_lived = first.strategy.build(depth);

	for (int d = min_depth; d <= depth; d += 2) {
		const std::uint64_t trees = std::uint64_t{1} << (depth - d + min_depth);
		const std::uint64_t check = count_all(workers, trees, d);
		std::cout << trees << "\t trees of depth " << d << "\t check: " << check << '\n';
	}
	std::cout << "long lived tree of depth " << depth << "\t check: " << first.strategy.count(long_lived) << '\n';
	first.strategy.drop(std::move(long_lived));
}

// An Entry is a strategy as main.cpp finds it.
struct Entry {
	std::string_view name;
	void (*run)(int depth, int workers);
};

template <Strategy S>
constexpr Entry entry{S::name, run<S>};

extern const Entry unique_ptr, pmr_plain, pmr_shaped, boost_pool_plain, boost_pool_shaped, arena_plain, arena_shaped,
	store_plain, store_shaped, open, floor;

} // namespace trees
