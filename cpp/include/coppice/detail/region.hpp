// A region reserves addresses and turns them into memory from the start on: the one
// place of this library that talks to the system. What stands in it never moves.
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

// huge_pages says whether to ask the system for pages of 2 MiB. They make fresh memory
// three to four times cheaper, and waste up to 2 MiB. A system without them ignores it.
enum class huge_pages {
    automatic,  // from 16 MiB on, where the waste is an eighth at most
    on,         // from the first page on
    off,        // never
};

namespace detail {

class region {
public:
    region() = default;

    // Reserves `size` bytes of addresses, without memory. Throws std::bad_alloc if the
    // system has none.
    region(std::size_t size, huge_pages huge) : region(reserve(size, huge)) {
        if (!*this) raise<std::bad_alloc>();
    }

    // The same, but returns a region that is nothing where the constructor throws.
    static region reserve(std::size_t size, huge_pages huge) noexcept {
        region r;
        // Spare addresses let the base stand at a multiple of a huge page.
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
        unpoison(base_, committed_);  // the next owner of these addresses knows nothing of us
        ::munmap(base_, reserved_);
    }

    // Whether it is a region, and not nothing.
    explicit operator bool() const noexcept { return base_ != nullptr; }

    std::byte* data() const noexcept { return base_; }
    std::size_t reserved() const noexcept { return reserved_; }
    std::size_t committed() const noexcept { return committed_; }
    huge_pages huge() const noexcept { return huge_; }

    // Makes at least the first `size` bytes memory; those that were not are zero. It
    // commits a quarter more than there is, so that n calls for a byte each cost the
    // system a logarithm of n; if the system refuses that, no more than what is needed.
    // Returns false if it refuses that too, and leaves the region as it was.
    bool try_commit(std::size_t size) noexcept {
        if (size <= committed_) return true;
        if (size > reserved_) return false;
        const std::size_t step = std::clamp(committed_ / 4, min_commit, max_commit);
        const std::size_t grain = size >= huge_bytes ? huge_bytes : min_commit;
        const std::size_t generous = std::min(round_up(std::max(size, committed_ + step), grain), reserved_);
        const std::size_t exact = std::min(round_up(size, min_commit), reserved_);
        return grow_to(generous) || grow_to(exact);
    }

    // The same, but throws std::bad_alloc where that returns false.
    void commit(std::size_t size) {
        if (!try_commit(size)) raise<std::bad_alloc>();
    }

    // Gives the memory above the first `keep` bytes back to the system, in steps of
    // 64 KiB. Those bytes fault until they are committed again, and are zero then.
    void decommit(std::size_t keep) {
        keep = round_up(keep, min_commit);
        if (keep >= committed_) return;
        unpoison(base_ + keep, committed_ - keep);
        // A fresh mapping drops the pages and their access in one step.
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

    // Tells the system about huge pages, once it is time.
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
    std::size_t committed_ = 0;  // bytes from the start that are memory
    huge_pages huge_ = huge_pages::automatic;
    bool advised_ = false;  // the system has been told about huge pages
};

}  // namespace detail
}  // namespace coppice
