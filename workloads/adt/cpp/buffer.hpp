// buffer: the published way. A tree is one buffer that realloc grows, with indexes for
// links; the copy is built anew by the same recursion.
#pragma once

#include <cstdlib>
#include <new>

#include "measure.hpp"

namespace adt {

struct buffer_node {
    struct links {
        std::uint32_t left, right;
    };

    std::uint32_t inner;  // whether it is one
    union {
        links to;
        std::int32_t value;
    };

    explicit buffer_node(std::int32_t leaf) : inner(0), value(leaf) {}
    buffer_node(std::uint32_t left, std::uint32_t right) : inner(1), to{left, right} {}
};

class buffer {
public:
    buffer() = default;
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
    ~buffer() { std::free(nodes_); }

    std::uint32_t put(const buffer_node& n) {
        if (count_ == capacity_) grow();
        nodes_[count_] = n;
        return count_++;
    }
    const buffer_node& operator[](std::uint32_t i) const { return nodes_[i]; }

    void free() {
        std::free(nodes_);
        nodes_ = nullptr;
        count_ = capacity_ = 0;
    }

private:
    void grow() {
        const std::uint32_t capacity = capacity_ == 0 ? 1024 : capacity_ < (1u << 31) ? 2 * capacity_ : ~0u;
        auto* grown = static_cast<buffer_node*>(std::realloc(nodes_, capacity * sizeof(buffer_node)));
        if (grown == nullptr) throw std::bad_alloc();
        nodes_ = grown;
        capacity_ = capacity;
    }

    buffer_node* nodes_ = nullptr;
    std::uint32_t count_ = 0, capacity_ = 0;
};

class buffer_trees {
public:
    static constexpr std::size_t node_bytes = sizeof(buffer_node);

    explicit buffer_trees(int depth) : depth_(depth) {}

    void generate() {
        std::uint32_t leaf = 0;
        root_ = generate(depth_, leaf);
    }
    void copy() { copied_root_ = copy(root_); }

    checksum check_tree() const { return check_one(tree_, root_); }
    checksum check_copy() const { return check_one(copy_, copied_root_); }

    void destroy() {
        tree_.free();
        copy_.free();
    }

private:
    std::uint32_t generate(int depth, std::uint32_t& leaf) {
        if (depth == 1) return tree_.put(buffer_node(leaf_value(leaf++)));
        const std::uint32_t left = generate(depth - 1, leaf);
        const std::uint32_t right = generate(depth - 1, leaf);
        return tree_.put(buffer_node(left, right));
    }

    std::uint32_t copy(std::uint32_t from) {
        const buffer_node& n = tree_[from];
        if (!n.inner) return copy_.put(n);
        const std::uint32_t left = copy(n.to.left);
        const std::uint32_t right = copy(n.to.right);
        return copy_.put(buffer_node(left, right));
    }

    static void check(const buffer& nodes, std::uint32_t at, checksum& sum) {
        const buffer_node& n = nodes[at];
        if (!n.inner) {
            sum.leaf(n.value);
            return;
        }
        sum.inner();
        check(nodes, n.to.left, sum);
        check(nodes, n.to.right, sum);
    }

    static checksum check_one(const buffer& nodes, std::uint32_t root) {
        checksum sum;
        check(nodes, root, sum);
        return sum;
    }

    int depth_;
    buffer tree_, copy_;
    std::uint32_t root_ = 0, copied_root_ = 0;
};

}  // namespace adt
