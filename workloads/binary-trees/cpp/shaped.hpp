// The recursion of build and count with its lowest levels unfolded into one function, for
// any strategy that takes nodes one by one: 31 nodes cost one call. Each node is taken from
// the strategy by itself, and reached by its link.

#pragma once

#include <cstdint>

#include "trees.hpp"

// A Shaped is a strategy with another shape of recursion. S has
//
//     static constexpr const char *shaped_name;
//     Link make();                 // takes a node without children
//     Node &at(Link);              // and its node; const too
//     void drop(Link root);
template <class S>
class Shaped {
	static constexpr int unfolded = 4;
	static_assert(unfolded <= trees::min_depth, "no tree may have fewer levels");

	S memory;
	using Link = typename S::Link;

	template <int levels>
	[[gnu::always_inline]] Link build_levels() {
		const Link link = memory.make();
		if constexpr (levels > 0) {
			auto &node = memory.at(link);
			node.left = build_levels<levels - 1>();
			node.right = build_levels<levels - 1>();
		}
		return link;
	}

	// A call is made only for a node with children.
	template <int levels>
	[[gnu::always_inline]] std::uint64_t count_levels(Link link) const {
		const auto &node = memory.at(link);
		if (!node.left) {
			return 1;
		}
		if constexpr (levels > 0) {
			return 1 + count_levels<levels - 1>(node.left) + count_levels<levels - 1>(node.right);
		} else {
			return count(link);
		}
	}

public:
	static constexpr const char *name = S::shaped_name;
	static constexpr int greatest_depth = S::greatest_depth;

	explicit Shaped(int depth) : memory(depth) {}

	[[gnu::noinline]] Link build(int depth) {
		if (depth == unfolded) {
			return build_levels<unfolded>();
		}
		const Link link = memory.make();
		auto &node = memory.at(link);
		node.left = build(depth - 1);
		node.right = build(depth - 1);
		return link;
	}

	[[gnu::noinline]] std::uint64_t count(Link root) const { return count_levels<unfolded>(root); }
	void drop(Link root) { memory.drop(root); }
};
