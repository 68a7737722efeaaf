// floor: no tree at all. It sets, copies and drops the bytes that a tree with links of
// 32 bits takes, in the memory that a store would have, and prints the answer by the
// formula: what no strategy can be faster than.
#pragma once

#include <coppice/detail/region.hpp>

#include <cstring>

#include "measure.hpp"
#include "store.hpp"

namespace adt {

template <bool warm>
class floor_bytes {
public:
    static constexpr std::size_t node_bytes = sizeof(stored_node);

    explicit floor_bytes(int depth) : depth_(depth), bytes_(nodes_of(depth) * node_bytes) {}

    void generate() {
        make(tree_);
        std::memset(tree_.data(), 1, bytes_);
    }
    void copy() {
        make(copy_);
        std::memcpy(copy_.data(), tree_.data(), bytes_);
    }

    checksum check_tree() const { return formula(tree_); }
    checksum check_copy() const { return formula(copy_); }

    void destroy() {
        if (warm) return;
        tree_ = {};
        copy_ = {};
    }

private:
    void make(coppice::detail::region& r) const {
        if (r.reserved() == 0) r = coppice::detail::region(bytes_, coppice::huge_pages::automatic);
        r.commit(bytes_);
    }

    // The answer, if the bytes are there.
    checksum formula(const coppice::detail::region& r) const {
        if (r.data()[0] != std::byte{1} || r.data()[bytes_ - 1] != std::byte{1}) throw std::runtime_error("the bytes were not written");
        checksum sum;
        const std::uint64_t leaves = nodes_of(depth_) / 2 + 1;
        for (std::uint64_t i = 0; i < leaves; ++i) sum.leaf(leaf_value(static_cast<std::uint32_t>(i)));
        sum.nodes = nodes_of(depth_);
        return sum;
    }

    int depth_;
    std::size_t bytes_;
    coppice::detail::region tree_, copy_;
};

}  // namespace adt
