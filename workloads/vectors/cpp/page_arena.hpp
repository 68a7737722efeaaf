// The arena of a page: memory for all its vectors, which starts again with each page.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <vector>

class page_arena_memory {
protected:
    std::vector<std::byte> first_ = std::vector<std::byte>(std::size_t{1} << 20);
};

class page_arena : private page_arena_memory, public std::pmr::monotonic_buffer_resource {
public:
    page_arena() : monotonic_buffer_resource(first_.data(), first_.size()) {}

    // Drops everything that is in it, and keeps the first megabyte.
    void reset() { release(); }
};
