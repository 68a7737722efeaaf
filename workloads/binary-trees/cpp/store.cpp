// coppice::store: nodes of 8 bytes, linked by refs, parent first, so that counting a deep
// tree reads memory in order; a reset after every tree keeps the memory.

#include <coppice/store.hpp>

#include <cstddef>
#include <cstdint>

#include "shaped.hpp"

namespace {

class Store {
	struct Node {
		coppice::ref<Node> left, right;
	};
	using Ref = coppice::ref<Node>;

	coppice::store<Node> nodes;

	std::uint64_t count_at(Ref at) const {
		const Node &node = nodes[at];
		return node.left ? 1 + count_at(node.left) + count_at(node.right) : 1;
	}

public:
	static constexpr const char *name = "store";
	static constexpr const char *shaped_name = "store-shaped";
	using Link = Ref;
	static constexpr int greatest_depth = 30; // 2^32 - 2 refs

	explicit Store(int depth) : nodes({.max = std::size_t{2} << depth}) {}

	Ref make() { return nodes.put({}); }
	Node &at(Ref ref) { return nodes[ref]; }
	const Node &at(Ref ref) const { return nodes[ref]; }

	Ref build(int depth) {
		const auto [ref, node] = nodes.emplace();
		if (depth > 0) {
			node.left = build(depth - 1);
			node.right = build(depth - 1);
		}
		return ref;
	}

	std::uint64_t count(Ref root) const { return count_at(root); }
	void drop(Ref) { nodes.reset(); }
};

} // namespace

const trees::Entry trees::store_plain = trees::entry<Store>;
const trees::Entry trees::store_shaped = trees::entry<Shaped<Store>>;
