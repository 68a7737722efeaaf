// The marks of an arena that are worth something, where misuse is looked for: a list in the order in which they were
// made, which a rewind cuts off behind its mark, and a reset or release empties.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace coppice::detail {

class marks {
public:
    // The serial of a mark at that place, never 0; that of the last mark if it is there too.
    std::uint64_t add(const std::byte* place) {
        if (all_.empty() || all_.back().place != place) all_.push_back({++last_serial, place});
        return all_.back().serial;
    }

    // Forgets the marks that were made after the one with that serial. Returns false if it is none of the list.
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

    static inline std::atomic<std::uint64_t> last_serial{0};  // of all arenas: none takes another's mark for its own

    std::vector<one> all_;
};

}  // namespace coppice::detail
