// The floor: no tree, but as many bytes as one with nodes of 8 bytes, written once in the
// order of addresses and read once in that order, with no allocator and no recursion.
// What no program that builds and walks trees can be much faster than.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>

#include "trees.hpp"

namespace {

class Floor {
	using Node = std::uint64_t;

	struct Free {
		void operator()(Node *array) const { std::free(array); }
	};
	std::unique_ptr<Node[], Free> nodes;

	struct Tree {
		std::size_t size;
	};

public:
	static constexpr const char *name = "floor";
	static constexpr int greatest_depth = 30;

	explicit Floor(int depth) : nodes(static_cast<Node *>(std::calloc(std::size_t{2} << depth, sizeof(Node)))) {
		if (!nodes) {
			throw std::bad_alloc();
		}
	}

	[[gnu::noinline]] Tree build(int depth) {
		const std::size_t size = (std::size_t{2} << depth) - 1;
		std::fill_n(nodes.get(), size, Node{1});
		return {size};
	}

	[[gnu::noinline]] std::uint64_t count(const Tree &tree) const {
		return std::accumulate(nodes.get(), nodes.get() + tree.size, std::uint64_t{0});
	}

	void drop(Tree) {}
};

} // namespace

const trees::Entry trees::floor = trees::entry<Floor>;
