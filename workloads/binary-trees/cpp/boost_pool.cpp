// boost::pool: malloc for every node, free for every node, both of constant time. The
// other ways to drop a tree were measured and are no faster: purge_memory gives the
// blocks back to the system and meets fresh pages in the next tree, and object_pool
// looks at every node when it goes, to find out which have a destructor to run.

#include <climits>
#include <cstdint>
#include <new>

#include <boost/pool/pool.hpp>

#include "shaped.hpp"

namespace {

class BoostPool {
	struct Node {
		Node *left = nullptr, *right = nullptr;

		std::uint64_t count() const { return left ? 1 + left->count() + right->count() : 1; }
	};

	boost::pool<> nodes{sizeof(Node)};

public:
	static constexpr const char *name = "boost_pool";
	static constexpr const char *shaped_name = "boost_pool-shaped";
	using Link = Node *;
	static constexpr int greatest_depth = INT_MAX;

	explicit BoostPool(int) {}

	Node *make() {
		void *memory = nodes.malloc();
		if (!memory) {
			throw std::bad_alloc();
		}
		return new (memory) Node;
	}
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

	void drop(Node *node) {
		if (node->left) {
			drop(node->left);
			drop(node->right);
		}
		nodes.free(node);
	}
};

} // namespace

const trees::Entry trees::boost_pool_plain = trees::entry<BoostPool>;
const trees::Entry trees::boost_pool_shaped = trees::entry<Shaped<BoostPool>>;
