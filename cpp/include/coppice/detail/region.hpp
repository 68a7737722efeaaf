// A region reserves addresses and commits memory from the start upwards. Its contents never
// move. It is the only part of this library that makes system calls.
//
//     reserved:  [ committed: readable, zero at first | no access, costs nothing ]
#pragma once

#if !defined(__unix__) && !defined(__APPLE__)
#error "coppice needs mmap: Linux, macOS or a BSD"
#endif

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "poison.hpp"
#include "raise.hpp"

namespace coppice {

// huge_pages selects whether to request pages of 2 MiB. They make fresh memory three to four
// times cheaper, and waste up to 2 MiB. A system without such pages ignores it.
enum class huge_pages {
    automatic,  // from 16 MiB on, where at most an eighth is wasted
    on,         // from the first page on
    off,        // never
};

namespace detail {

class region {
public:
    region() = default;

    // Reserves `size` bytes of addresses, without memory. Throws std::bad_alloc if the system
    // refuses.
    region(std::size_t size, huge_pages huge) : region(reserve(size, huge)) {
        if (!*this) raise<std::bad_alloc>();
    }

    // The same, but returns a null region where the constructor throws.
    static region reserve(std::size_t size, huge_pages huge) noexcept {
        region r;
        // Spare addresses allow aligning the base to a huge page.
        const std::size_t reserved = round_up(size, huge_bytes);
        const std::size_t mapped = reserved + huge_bytes;
        if (reserved < size || mapped < reserved) return r;
        void* start = ::mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | no_reserve, -1, 0);
        if (start == MAP_FAILED) return r;
        auto* first = static_cast<std::byte*>(start);
        const std::size_t before = round_up(reinterpret_cast<std::uintptr_t>(first), huge_bytes) -
                                   reinterpret_cast<std::uintptr_t>(first);
        r.base_ = first + before;
        r.reserved_ = reserved;
        r.huge_ = huge;
        if (before > 0) ::munmap(first, before);
        if (before < huge_bytes) ::munmap(r.base_ + reserved, huge_bytes - before);
        return r;
    }

    region(region&& other) noexcept { swap(other); }
    region& operator=(region&& other) noexcept {
        region taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~region() {
        if (base_ == nullptr) return;
        unpoison(base_, committed_);  // the system may reuse the addresses for another mapping
        ::munmap(base_, reserved_);
    }

    // Returns whether the region is not null.
    explicit operator bool() const noexcept { return base_ != nullptr; }

    std::byte* data() const noexcept { return base_; }
    std::size_t reserved() const noexcept { return reserved_; }
    std::size_t committed() const noexcept { return committed_; }
    huge_pages huge() const noexcept { return huge_; }

    // Commits at least the first `size` bytes. New memory is zero. It tries to commit a quarter
    // more than is committed, so that growing to n bytes takes O(log n) system calls, and
    // otherwise only what is needed. Returns false, without effect, if the system refuses
    // both.
    bool try_commit(std::size_t size) noexcept {
        if (size <= committed_) return true;
        if (size > reserved_) return false;
        const std::size_t step = std::clamp(committed_ / 4, min_commit, max_commit);
        const std::size_t grain = size >= huge_bytes ? huge_bytes : min_commit;
        const std::size_t generous = (std::min)(round_up((std::max)(size, committed_ + step), grain), reserved_);
        const std::size_t exact = (std::min)(round_up(size, min_commit), reserved_);
        return grow_to(generous) || grow_to(exact);
    }

    // The same, but throws std::bad_alloc where try_commit returns false.
    void commit(std::size_t size) {
        if (!try_commit(size)) raise<std::bad_alloc>();
    }

    // Returns the memory above the first `keep` bytes to the system, in units of 64 KiB. An
    // access to those bytes faults until they are committed again; then they are zero.
    void decommit(std::size_t keep) {
        keep = round_up(keep, min_commit);
        if (keep >= committed_) return;
        unpoison(base_ + keep, committed_ - keep);
        // A fresh mapping drops the pages and removes the access rights in one step.
        void* fresh = ::mmap(base_ + keep, committed_ - keep, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | no_reserve, -1, 0);
        if (fresh == MAP_FAILED) raise<std::bad_alloc>();
        committed_ = keep;
        advised_ = false;
    }

private:
#ifdef MAP_NORESERVE
    static constexpr int no_reserve = MAP_NORESERVE;
#else
    static constexpr int no_reserve = 0;
#endif
    static constexpr std::size_t huge_bytes = std::size_t{2} << 20;
    static constexpr std::size_t huge_from = std::size_t{16} << 20;  // where huge_pages::automatic starts
    static constexpr std::size_t min_commit = std::size_t{64} << 10;
    static constexpr std::size_t max_commit = std::size_t{256} << 20;

    static constexpr std::size_t round_up(std::size_t n, std::size_t to) noexcept { return (n + to - 1) / to * to; }

    bool grow_to(std::size_t size) noexcept {
        if (::mprotect(base_ + committed_, size - committed_, PROT_READ | PROT_WRITE) != 0) return false;
        committed_ = size;
        advise();
        return true;
    }

    // Requests huge pages once the region is large enough.
    void advise() noexcept {
#ifdef MADV_HUGEPAGE
        if (advised_ || (huge_ == huge_pages::automatic && committed_ < huge_from)) return;
        ::madvise(base_, reserved_, huge_ == huge_pages::off ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
        advised_ = true;
#endif
    }

    void swap(region& other) noexcept {
        std::swap(base_, other.base_);
        std::swap(reserved_, other.reserved_);
        std::swap(committed_, other.committed_);
        std::swap(huge_, other.huge_);
        std::swap(advised_, other.advised_);
    }

    std::byte* base_ = nullptr;
    std::size_t reserved_ = 0;   // bytes of addresses
    std::size_t committed_ = 0;  // bytes of memory, from the start
    huge_pages huge_ = huge_pages::automatic;
    bool advised_ = false;  // huge pages were requested
};

}  // namespace detail
}  // namespace coppice
