// coppice::arena: nodes with pointers, bumped through chunks; a reset after every tree
// keeps the memory.

#pragma once

#include <coppice/arena.hpp>

#include <climits>
#include <cstdint>

class Arena {
	struct Node {
		Node *left, *right;

		std::uint64_t count() const { return left ? 1 + left->count() + right->count() : 1; }
	};

	coppice::arena memory;

public:
	static constexpr const char *name = "arena";
	static constexpr int greatest_depth = INT_MAX;

	explicit Arena(int) {}

	Node *build(int depth) {
		Node *node = memory.emplace<Node>();
		if (depth > 0) {
			node->left = build(depth - 1);
			node->right = build(depth - 1);
		}
		return node;
	}

	std::uint64_t count(const Node *root) const { return root->count(); }
	void drop(Node *) { memory.reset(); }
};
