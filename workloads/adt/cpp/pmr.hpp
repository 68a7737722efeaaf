// pmr: each node is allocated by a monotonic resource of the standard library, one for
// each tree, and all of them are released at once.
#pragma once

#include <memory_resource>

#include "pointers.hpp"

namespace adt {

class pmr_trees {
public:
    static constexpr std::size_t node_bytes = sizeof(pointer_node);

    explicit pmr_trees(int depth) : depth_(depth) {}

    void generate() {
        std::uint32_t leaf = 0;
        tree_ = adt::generate(depth_, leaf, [this] { return allocate(first_); });
    }
    void copy() {
        copy_ = adt::copy(tree_, [this] { return allocate(second_); });
    }

    checksum check_tree() const { return check_one(tree_); }
    checksum check_copy() const { return check_one(copy_); }

    void destroy() {
        first_.release();
        second_.release();
    }

private:
    static pointer_node* allocate(std::pmr::monotonic_buffer_resource& from) {
        return static_cast<pointer_node*>(from.allocate(sizeof(pointer_node), alignof(pointer_node)));
    }

    static checksum check_one(const pointer_node* root) {
        checksum sum;
        check(root, sum);
        return sum;
    }

    int depth_;
    std::pmr::monotonic_buffer_resource first_, second_;
    pointer_node *tree_ = nullptr, *copy_ = nullptr;
};

}  // namespace adt
