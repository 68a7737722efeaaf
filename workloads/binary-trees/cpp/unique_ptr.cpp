// make_unique for every node: operator new, and a destructor that deletes the children.

#include <climits>
#include <cstdint>
#include <memory>

#include "trees.hpp"

namespace {

class UniquePtr {
	struct Node {
		std::unique_ptr<Node> left, right;

		std::uint64_t count() const { return left ? 1 + left->count() + right->count() : 1; }
	};

public:
	static constexpr const char *name = "unique_ptr";
	static constexpr int greatest_depth = INT_MAX;

	explicit UniquePtr(int) {}

	std::unique_ptr<Node> build(int depth) {
		auto node = std::make_unique<Node>();
		if (depth > 0) {
			node->left = build(depth - 1);
			node->right = build(depth - 1);
		}
		return node;
	}

	std::uint64_t count(const std::unique_ptr<Node> &root) const { return root->count(); }
	void drop(std::unique_ptr<Node>) {}
};

} // namespace

const trees::Entry trees::unique_ptr = trees::entry<UniquePtr>;
