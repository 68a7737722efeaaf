// coppice::arena: nodes with pointers, bumped through chunks; a reset after every tree
// keeps the memory.

#include <coppice/arena.hpp>

#include <climits>
#include <cstdint>

#include "shaped.hpp"

namespace {

class Arena {
	struct Node {
		Node *left, *right;

		std::uint64_t count() const { return left ? 1 + left->count() + right->count() : 1; }
	};

	coppice::arena memory;

public:
	static constexpr const char *name = "arena";
	static constexpr const char *shaped_name = "arena-shaped";
	using Link = Node *;
	static constexpr int greatest_depth = INT_MAX;

	explicit Arena(int) {}

	Node *make() { return memory.emplace<Node>(); }
	static Node &at(Node *node) { return *node; }

	Node *build(int depth) {
		Node *node = make();
		if (depth > 0) {
			node->left = build(depth - 1);
			node->right = build(depth - 1);
		}
		return node;
	}

	std::uint64_t count(const Node *root) const { return root->count(); }
	void drop(Node *) { memory.reset(); }
};

} // namespace

const trees::Entry trees::arena_plain = trees::entry<Arena>;
const trees::Entry trees::arena_shaped = trees::entry<Shaped<Arena>>;
