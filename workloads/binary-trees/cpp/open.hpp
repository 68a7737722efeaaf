// What an expert writes who may do as he likes, as long as the tree is really built and
// really walked by its links. Nodes of 8 bytes lie in one array in preorder, so that
// deep trees are written and read as a stream. The lowest five levels of a tree are 31
// consecutive nodes: their links are the place of the block plus constants, so the
// compiler can unroll them, and there is one call for 31 nodes. A reset keeps the memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "trees.hpp"

class Open {
	struct Node {
		std::uint32_t left, right; // indexes; 0 is nil
	};

	static constexpr int block_depth = 4;
	static_assert(block_depth <= trees::min_depth, "every tree must have a block");

	// Not vector or make_unique: calloc leaves it to the system to give zeroed memory
	// as the trees reach it.
	struct Free {
		void operator()(Node *array) const { std::free(array); }
	};
	std::unique_ptr<Node[], Free> nodes;

	static constexpr std::uint32_t size(int depth) { return (std::uint32_t{2} << depth) - 1; }

	// build_block builds a subtree whose depth is known to the compiler.
	template <int depth>
	static void build_block(Node *node, std::uint32_t at) {
		if constexpr (depth == 0) {
			*node = {0, 0};
		} else {
			constexpr std::uint32_t left = 1, right = 1 + size(depth - 1);
			*node = {at + left, at + right};
			build_block<depth - 1>(node + left, at + left);
			build_block<depth - 1>(node + right, at + right);
		}
	}

	// Not inlined, like count below: a compiler that inlines them into themselves copies
	// the unrolled block and gains nothing.
	[[gnu::noinline]] static void build(Node *nodes, std::uint32_t at, int depth) {
		if (depth == block_depth) {
			build_block<block_depth>(nodes + at, at);
			return;
		}
		const std::uint32_t left = at + 1, right = left + size(depth - 1);
		nodes[at] = {left, right};
		build(nodes, left, depth - 1);
		build(nodes, right, depth - 1);
	}

	// count_block follows the links of a subtree as far as a block is deep, and leaves
	// what is below to count.
	template <int depth>
	static std::uint64_t count_block(const Node *nodes, std::uint32_t at) {
		const Node node = nodes[at];
		if (node.left == 0) {
			return 1;
		}
		if constexpr (depth == 0) {
			return 1 + count(nodes, node.left, 0) + count(nodes, node.right, 0);
		} else {
			return 1 + count_block<depth - 1>(nodes, node.left) + count_block<depth - 1>(nodes, node.right);
		}
	}

	// count is told the depth only to know where blocks begin: it counts what is there.
	[[gnu::noinline]] static std::uint64_t count(const Node *nodes, std::uint32_t at, int depth) {
		if (depth <= block_depth) {
			return count_block<block_depth>(nodes, at);
		}
		const Node node = nodes[at];
		return 1 + count(nodes, node.left, depth - 1) + count(nodes, node.right, depth - 1);
	}

	struct Tree {
		std::uint32_t root;
		int depth;
	};

public:
	static constexpr const char *name = "open";
	static constexpr int greatest_depth = 31; // 2^32 indexes less nil are just enough

	explicit Open(int depth) : nodes(static_cast<Node *>(std::calloc(std::size_t{2} << depth, sizeof(Node)))) {
		if (!nodes) {
			throw std::bad_alloc();
		}
	}

	Tree build(int depth) {
		build(nodes.get(), 1, depth);
		return {1, depth};
	}

	std::uint64_t count(Tree tree) const { return count(nodes.get(), tree.root, tree.depth); }
	void drop(Tree) {}
};
