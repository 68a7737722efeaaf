// std::pmr::monotonic_buffer_resource, released after every tree. A release gives
// everything but the initial buffer back to the resource upstream, so what is there
// decides whether memory is reused: here the initial buffer is as large as the largest
// tree, and every tree is built in it.

#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>

#include "shaped.hpp"

namespace {

class Pmr {
	struct Node {
		Node *left, *right;

		std::uint64_t count() const { return left ? 1 + left->count() + right->count() : 1; }
	};

	std::size_t bytes;
	std::unique_ptr<std::byte[]> buffer;
	std::pmr::monotonic_buffer_resource memory{buffer.get(), bytes};

public:
	static constexpr const char *name = "pmr";
	static constexpr const char *shaped_name = "pmr-shaped";
	using Link = Node *;
	static constexpr int greatest_depth = INT_MAX;

	explicit Pmr(int depth) : bytes(sizeof(Node) << (depth + 1)), buffer(std::make_unique_for_overwrite<std::byte[]>(bytes)) {}

	Node *make() { return std::pmr::polymorphic_allocator<>(&memory).new_object<Node>(); }
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
	void drop(Node *) { memory.release(); }
};

} // namespace

const trees::Entry trees::pmr_plain = trees::entry<Pmr>;
const trees::Entry trees::pmr_shaped = trees::entry<Shaped<Pmr>>;
