// coppice::store: nodes of 8 bytes, linked by refs, parent first, so that counting a deep
// tree reads memory in order; a reset after every tree keeps the memory.

#include <coppice/store.hpp>

#include <cstddef>
#include <cstdint>

#include "trees.hpp"

namespace {

class Store {
	struct Node {
		coppice::ref<Node> left, right;
	};
	using Ref = coppice::ref<Node>;

	coppice::store<Node> nodes;

	// The place of the records is an argument, so that it stays in a register.
	static std::uint64_t count_at(const Node *records, Ref at) {
		const Node &node = records[at.index()];
		return node.left ? 1 + count_at(records, node.left) + count_at(records, node.right) : 1;
	}

public:
	static constexpr const char *name = "store";
	static constexpr int greatest_depth = 30; // 2^32 - 2 refs

	explicit Store(int depth) : nodes({.max = std::size_t{2} << depth}) {}

	Ref build(int depth) {
		const auto [ref, node] = nodes.emplace();
		if (depth > 0) {
			node.left = build(depth - 1);
			node.right = build(depth - 1);
		}
		return ref;
	}

	std::uint64_t count(Ref root) const { return count_at(nodes.slice().data(), root); }
	void drop(Ref) { nodes.reset(); }
};

// The same with its recursion unfolded: 31 nodes cost one call of build and one of count. Each
// node is put by itself, and reached by its link.
class ShapedStore {
	struct Node {
		coppice::ref<Node> left, right;
	};
	using Ref = coppice::ref<Node>;

	static constexpr int unfolded = 4;
	static_assert(unfolded <= trees::min_depth, "no tree may have fewer levels");

	coppice::store<Node> nodes;

	// Children are put before their parent, which is then written once.
	template <int levels>
	[[gnu::always_inline]] Ref build_levels() {
		if constexpr (levels == 0) {
			return nodes.alloc({});
		} else {
			const Ref left = build_levels<levels - 1>();
			return nodes.alloc({left, build_levels<levels - 1>()});
		}
	}

	// seven tells whether a tree has 7 nodes: whether there are two children, and two leaves
	// of each. What is below the nil record is nil.
	[[gnu::always_inline]] static bool seven(const Node *records, Node root) {
		const auto at = [records](Ref ref) { return records[ref.index()]; };
		const Node right = at(root.right);
		if (!right.left || at(right.right).left) {
			return false;
		}
		const Node left = at(root.left);
		return left.left && (at(right.left).left.index() | at(left.right).left.index() | at(left.left).left.index()) == 0;
	}

	// count_at does not know the depth. It checks whether a tree has 31 nodes, which cost one
	// call then. It goes from the root, which is the last in memory, to the left.
	[[gnu::noinline]] static std::uint64_t count_at(const Node *records, Node root) {
		const auto at = [records](Ref ref) { return records[ref.index()]; };
		const Node left = at(root.left), right = at(root.right);
		if (!left.left || !right.left) {
			return count_few(records, root);
		}
		if (seven(records, at(right.right)) && seven(records, at(right.left)) && seven(records, at(left.right)) &&
		    seven(records, at(left.left))) {
			return 31;
		}
		return 1 + count_at(records, right) + count_at(records, left);
	}

	static std::uint64_t count_few(const Node *records, Node root) {
		if (!root.left) {
			return 1;
		}
		return 1 + count_at(records, records[root.right.index()]) + count_at(records, records[root.left.index()]);
	}

public:
	static constexpr const char *name = "store-shaped";
	static constexpr int greatest_depth = Store::greatest_depth;

	explicit ShapedStore(int depth) : nodes({.max = std::size_t{2} << depth}) {}

	[[gnu::noinline]] Ref build(int depth) {
		if (depth == unfolded) {
			return build_levels<unfolded>();
		}
		const Ref left = build(depth - 1);
		return nodes.alloc({left, build(depth - 1)});
	}

	std::uint64_t count(Ref root) const { return count_at(nodes.slice().data(), nodes[root]); }
	void drop(Ref) { nodes.reset(); }
};

} // namespace

const trees::Entry trees::store_plain = trees::entry<Store>;
const trees::Entry trees::store_shaped = trees::entry<ShapedStore>;
