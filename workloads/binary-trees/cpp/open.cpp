// What an expert writes without further rules, as long as the tree is really built and
// really walked by its links. Nodes of 8 bytes lie in one array in preorder, so that
// deep trees are written and read as a stream. The lowest five levels of a tree are 31
// consecutive nodes: their links are the place of the block plus constants, so the
// compiler can unroll them, and there is one call for 31 nodes. A reset keeps the memory.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "trees.hpp"

namespace {

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

	// seven tells whether a subtree has 7 nodes: whether there are two children, and two
	// leaves of each. Node 0 is nil, with nil for its children.
	static bool seven(const Node *nodes, Node node) {
		const Node left = nodes[node.left];
		if (left.left == 0 || nodes[left.left].left != 0) {
			return false;
		}
		const Node right = nodes[node.right];
		return right.left != 0 && (nodes[left.right].left | nodes[right.left].left | nodes[right.right].left) == 0;
	}

	// count does not know the depth. It checks whether a subtree has 31 nodes, so that
	// such a one costs a single call.
	[[gnu::noinline]] static std::uint64_t count(const Node *nodes, Node node) {
		const Node left = nodes[node.left], right = nodes[node.right];
		if (left.left == 0 || right.left == 0) {
			return count_small(nodes, node);
		}
		if (seven(nodes, nodes[left.left]) && seven(nodes, nodes[left.right]) && seven(nodes, nodes[right.left]) &&
		    seven(nodes, nodes[right.right])) {
			return 31;
		}
		return 1 + count(nodes, left) + count(nodes, right);
	}

	static std::uint64_t count_small(const Node *nodes, Node node) {
		return node.left == 0 ? 1 : 1 + count_small(nodes, nodes[node.left]) + count_small(nodes, nodes[node.right]);
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

	std::uint64_t count(Tree tree) const { return count(nodes.get(), nodes[tree.root]); }
	void drop(Tree) {}
};

} // namespace

const trees::Entry trees::open = trees::entry<Open>;
