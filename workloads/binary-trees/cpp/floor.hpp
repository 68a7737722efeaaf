// The floor: no tree, but as many bytes as one with nodes of 8 bytes, written once in the
// order of addresses and read once in that order, with no allocator and no recursion.
// What no program that builds and walks trees can be faster than.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "trees.hpp"

class Floor {
	struct Node {
		std::uint32_t left, right;
	};

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
		const auto size = static_cast<std::uint32_t>((std::size_t{2} << depth) - 1);
		for (std::uint32_t i = 0; i < size; i++) {
			nodes[i] = {i + 1, i + 2};
		}
		return {size};
	}

	[[gnu::noinline]] std::uint64_t count(const Tree &tree) const {
		std::uint64_t count = 0;
		for (std::size_t i = 0; i < tree.size; i++) {
			count += nodes[i].left != 0 && nodes[i].right != 0;
		}
		return count;
	}

	void drop(Tree) {}
};
