// The valid marks of an arena, kept if misuse is checked: a list in the order of creation. A rewind
// removes the marks after its own, and a reset or release removes all.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace coppice::detail {

class marks {
public:
    // Returns the serial of a mark at that position, never 0. If the last mark is at the same
    // position, it is reused.
    std::uint64_t add(const std::byte* place) {
        if (all_.empty() || all_.back().place != place) all_.push_back({++last_serial, place});
        return all_.back().serial;
    }

    // Removes the marks made after the one with that serial. Returns false if the list has no such
    // mark.
    bool cut_behind(std::uint64_t serial) noexcept {
        const auto found = std::lower_bound(all_.begin(), all_.end(), serial,
                                            [](const one& m, std::uint64_t s) { return m.serial < s; });
        if (found == all_.end() || found->serial != serial) return false;
        all_.erase(found + 1, all_.end());
        return true;
    }

    void clear() noexcept { all_.clear(); }

private:
    struct one {
        std::uint64_t serial;
        const std::byte* place;
    };

    static inline std::atomic<std::uint64_t> last_serial{0};  // shared by all arenas, so that serials are unique

    std::vector<one> all_;
};

}  // namespace coppice::detail
