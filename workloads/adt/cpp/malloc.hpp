// malloc: each node is allocated, and freed, by itself. Under another malloc, the same.
#pragma once

#include <cstdlib>
#include <new>

#include "pointers.hpp"

namespace adt {

class malloc_trees {
public:
    static constexpr std::size_t node_bytes = 32;  // 24, and what malloc adds

    explicit malloc_trees(int depth) : depth_(depth) {}

    void generate() {
        std::uint32_t leaf = 0;
        tree_ = adt::generate(depth_, leaf, allocate);
    }
    void copy() { copy_ = adt::copy(tree_, allocate); }

    checksum check_tree() const { return check_one(tree_); }
    checksum check_copy() const { return check_one(copy_); }

    void destroy() {
        destroy(tree_);
        destroy(copy_);
    }

private:
    static pointer_node* allocate() {
        auto* n = static_cast<pointer_node*>(std::malloc(sizeof(pointer_node)));
        if (n == nullptr) throw std::bad_alloc();
        return n;
    }

    static void destroy(pointer_node* n) {
        if (n->tag == kind::inner) {
            destroy(n->to.left);
            destroy(n->to.right);
        }
        std::free(n);
    }

    static checksum check_one(const pointer_node* root) {
        checksum sum;
        check(root, sum);
        return sum;
    }

    int depth_;
    pointer_node *tree_ = nullptr, *copy_ = nullptr;
};

}  // namespace adt
