// store: a tree is a coppice::store, linked by refs; the copy is one copy of memory. In
// the fresh form every round has stores of its own, in the reused form the same two.
#pragma once

#include <coppice/store.hpp>

#include <optional>

#include "measure.hpp"

namespace adt {

struct stored_node {
    using link = coppice::ref<stored_node>;
    struct links {
        link left, right;
    };

    std::uint32_t inner;  // whether it is one
    union {
        links to;
        std::int32_t value;
    };

    explicit stored_node(std::int32_t leaf) : inner(0), value(leaf) {}
    stored_node(link left, link right) : inner(1), to{left, right} {}
};

template <bool reused>
class store_trees {
public:
    static constexpr std::size_t node_bytes = sizeof(stored_node);

    explicit store_trees(int depth) : depth_(depth) {}

    void generate() {
        if (!tree_) tree_.emplace(coppice::store_options{.max = nodes_of(depth_)});
        std::uint32_t leaf = 0;
        root_ = generate(*tree_, depth_, leaf);
    }

    void copy() {
        if (reused && copy_) {
            copy_->copy_from(*tree_);
        } else {
            copy_.emplace(tree_->clone());
        }
    }

    checksum check_tree() const { return check_one(*tree_); }
    checksum check_copy() const { return check_one(*copy_); }

    void destroy() {
        if (reused) {
            tree_->reset();
            copy_->reset();
        } else {
            tree_.reset();
            copy_.reset();
        }
    }

private:
    using node = stored_node::link;
    using nodes = coppice::store<stored_node>;

    static node generate(nodes& into, int depth, std::uint32_t& leaf) {
        if (depth == 1) return into.alloc(stored_node(leaf_value(leaf++)));
        const node left = generate(into, depth - 1, leaf);
        const node right = generate(into, depth - 1, leaf);
        return into.alloc(stored_node(left, right));
    }

    static void check(const nodes& in, node at, checksum& sum) {
        const stored_node& n = in[at];
        if (!n.inner) {
            sum.leaf(n.value);
            return;
        }
        sum.inner();
        check(in, n.to.left, sum);
        check(in, n.to.right, sum);
    }

    checksum check_one(const nodes& in) const {
        checksum sum;
        check(in, root_, sum);
        return sum;
    }

    int depth_;
    std::optional<nodes> tree_, copy_;
    node root_;  // in both
};

}  // namespace adt
