// The node with pointers, and the recursion over it, for the strategies that differ only in
// where a node comes from.
#pragma once

#include "measure.hpp"

namespace adt {

enum class kind : std::uint32_t { leaf, inner };

struct pointer_node {
    struct links {
        pointer_node *left, *right;
    };

    kind tag;
    union {
        links to;
        std::int32_t value;
    };
};

// `allocate()` returns memory for a node.
template <class Allocate>
pointer_node* generate(int depth, std::uint32_t& leaf, const Allocate& allocate) {
    pointer_node* n = allocate();
    if (depth == 1) {
        n->tag = kind::leaf;
        n->value = leaf_value(leaf++);
        return n;
    }
    n->tag = kind::inner;
    n->to.left = generate(depth - 1, leaf, allocate);
    n->to.right = generate(depth - 1, leaf, allocate);
    return n;
}

template <class Allocate>
pointer_node* copy(const pointer_node* from, const Allocate& allocate) {
    pointer_node* n = allocate();
    n->tag = from->tag;
    if (from->tag == kind::leaf) {
        n->value = from->value;
        return n;
    }
    n->to.left = copy(from->to.left, allocate);
    n->to.right = copy(from->to.right, allocate);
    return n;
}

inline void check(const pointer_node* n, checksum& sum) {
    if (n->tag == kind::leaf) {
        sum.leaf(n->value);
        return;
    }
    sum.inner();
    check(n->to.left, sum);
    check(n->to.right, sum);
}

}  // namespace adt
