// coppice::arena: values of many types with one lifetime. It bumps a pointer through
// chunks and frees nothing before reset or release; and it is a
// std::pmr::memory_resource, so that every pmr container can live in it.
//
//     coppice::arena a;
//     auto* n = a.emplace<node>(left, right);       // no destructor will run
//     std::span<int> counts = a.make<int>(1000);    // zeroed
//     std::pmr::vector<int> v(&a);                  // must be gone before the reset
//     coppice::arena::mark m = a.checkpoint();
//     a.rewind(m);                                  // what came after the mark is gone
//     a.reset();                                    // everything is gone; memory stays
//
// An allocation costs about a nanosecond and, beside its bytes and their alignment,
// no memory. Chunks are of 4 KiB at first and double up to 1 MiB; a larger request
// gets a chunk of its own. A reset keeps the chunks that were used since the last reset
// or the one before, and gives back the others, and large ones that more than twice hold
// what those phases needed: a steady load asks for no memory, and one large phase does
// not pin its own for ever. Chunks come from an upstream resource, new and delete by
// default.
//
// The idea is that of obstack, apr_palloc and bumpalo. One thread may use an arena at a
// time. Under AddressSanitizer memory that is free or was dropped is poisoned.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <memory_resource>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "detail/check.hpp"
#include "detail/marks.hpp"
#include "detail/poison.hpp"
#include "detail/raise.hpp"

namespace coppice {

class arena final : public std::pmr::memory_resource {
    struct chunk;

public:
    // A place to go back to. The default one is the start of the phase, for any arena.
    class mark {
        friend class arena;
        chunk* at = nullptr;
        std::byte* next = nullptr;
        std::uint64_t serial = 0;  // 0 where misuse is not looked for
    };

    // What the arena holds, in bytes.
    struct statistics {
        std::size_t used;      // handed out since the last reset, with what alignment took
        std::size_t reserved;  // of all chunks
        std::size_t chunks;
    };

    arena() noexcept : arena(std::pmr::new_delete_resource()) {}
    explicit arena(std::pmr::memory_resource* upstream) noexcept : upstream_(upstream) {}
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;
    ~arena() override { release(); }

    // A T(arguments...), or T{arguments...} for an aggregate, in the arena. Its destructor will
    // not run, so it must not need to.
    // Throws what the upstream resource throws, or the constructor.
    template <class T, class... Arguments>
    T* emplace(Arguments&&... arguments) {
        static_assert(std::is_trivially_destructible_v<T>,
                      "an arena runs no destructors: T must not need one (for pmr containers use "
                      "std::pmr::polymorphic_allocator<>(&a).new_object and delete_object)");
        void* place = take(sizeof(T), alignof(T));
        if constexpr (std::is_constructible_v<T, Arguments...>) {
            return ::new (place) T(std::forward<Arguments>(arguments)...);
        } else {
            return ::new (place) T{std::forward<Arguments>(arguments)...};
        }
    }

    // n value-initialized Ts in a row.
    template <class T>
    std::span<T> make(std::size_t n) {
        static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors: T must not need one");
        if (n == 0) return {};
        if (n > std::numeric_limits<std::size_t>::max() / sizeof(T)) detail::raise<std::bad_array_new_length>();
        T* first = static_cast<T*>(take(n * sizeof(T), alignof(T)));
        std::uninitialized_value_construct_n(first, n);
        return {first, n};
    }

    // A copy of the text, with a zero byte after it.
    std::string_view string(std::string_view text) {
        char* copy = static_cast<char*>(take(text.size() + 1, 1));
        if (!text.empty()) std::memcpy(copy, text.data(), text.size());
        copy[text.size()] = '\0';
        return {copy, text.size()};
    }

    // `bytes` of uninitialized memory at a multiple of `alignment`, which is a power of two.
    void* take(std::size_t bytes, std::size_t alignment) {
        COPPICE_REQUIRE(std::has_single_bit(alignment), "coppice::arena::take: the alignment is not a power of two");
        const std::uintptr_t place = (reinterpret_cast<std::uintptr_t>(next_) + alignment - 1) & ~(alignment - 1);
        const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(end_);
        if (place > end || bytes > end - place || next_ == nullptr) [[unlikely]] {
            return take_elsewhere(bytes, alignment);
        }
        auto* p = next_ + (place - reinterpret_cast<std::uintptr_t>(next_));
        next_ = p + bytes;
        detail::unpoison(p, bytes);
        return p;
    }

    // Where the arena stands now.
    mark checkpoint() const noexcept {
        mark m;
        m.at = current_;
        m.next = next_;
        if constexpr (detail::checks) m.serial = serial_of(m);
        return m;
    }

    // Drops everything that was allocated after the mark, which must be of this arena and
    // of this phase: no reset, release or rewind to an earlier mark has come between. That
    // is asserted unless NDEBUG is defined; marks are dearer then.
    void rewind(mark m) noexcept {
        COPPICE_REQUIRE(forget_marks_behind(m),
                        "coppice::arena::rewind: the mark is not one of this phase of this arena, or a rewind went back beyond it");
        peak_ = std::max(peak_, used());
        stand_at(m.at);
        if (m.at != nullptr) next_ = m.next;
        poison_free();
    }

    // Drops everything. Keeps the chunks that this phase or the one before it used, but
    // for those too large for both.
    void reset() noexcept {
        const std::size_t need = std::max(peak_, used());
        const std::size_t large = std::max(greatest_chunk, 2 * std::max(need, last_need_));
        last_need_ = need;
        for (chunk** link = &first_; *link != nullptr;) {
            chunk* c = *link;
            if (phase_ - c->phase <= 1 && c->size <= large) {
                link = &c->following;
            } else {
                *link = c->following;
                give_back(c);
            }
        }
        ++phase_;
        start_over();
    }

    // Drops everything and gives all memory upstream.
    void release() noexcept {
        while (first_ != nullptr) give_back(std::exchange(first_, first_->following));
        last_need_ = 0;
        start_over();
    }

    statistics stats() const noexcept {
        statistics s{used(), 0, 0};
        for (const chunk* c = first_; c != nullptr; c = c->following) {
            s.reserved += c->size;
            ++s.chunks;
        }
        return s;
    }

private:
    // A chunk is one block from upstream: this header, then its bytes.
    struct alignas(std::max_align_t) chunk {
        chunk* following;
        std::size_t size;     // bytes after the header
        std::uint64_t phase;  // that used it last
        std::size_t before;   // bytes used in the chunks before it, once it is used
        std::byte* start() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
    };

    static constexpr std::size_t least_chunk = std::size_t{4} << 10;
    static constexpr std::size_t greatest_chunk = std::size_t{1} << 20;

    void* do_allocate(std::size_t bytes, std::size_t alignment) override { return take(bytes, alignment); }
    // Takes the last allocation back: that of a container which dies before anything else
    // is allocated costs nothing.
    void do_deallocate(void* p, std::size_t bytes, std::size_t) override {
        detail::poison(p, bytes);
        if (static_cast<std::byte*>(p) + bytes != next_) return;
        peak_ = std::max(peak_, used());
        next_ = static_cast<std::byte*>(p);
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

    // Moves on to the next chunk that has room, or to a new one.
    [[gnu::noinline]] void* take_elsewhere(std::size_t bytes, std::size_t alignment) {
        if (bytes > std::numeric_limits<std::size_t>::max() / 4 || alignment > least_chunk * 1024) detail::raise<std::bad_alloc>();
        const std::size_t worst = bytes + alignment - 1;
        chunk* next = current_ != nullptr ? current_->following : first_;
        if (next == nullptr || next->size < worst) {
            next = insert_chunk(worst);
        }
        next->before = used();
        stand_at(next);
        next->phase = phase_;
        return take(bytes, alignment);
    }

    // A new chunk behind the current one, of at least that size.
    chunk* insert_chunk(std::size_t least) {
        const std::size_t previous = current_ != nullptr ? current_->size + sizeof(chunk) : least_chunk / 2;
        const std::size_t total = std::max(least + sizeof(chunk), std::min(2 * previous, greatest_chunk));
        void* block = upstream_->allocate(total, alignof(chunk));
        auto* c = ::new (block) chunk{nullptr, total - sizeof(chunk), phase_, 0};
        detail::poison(c->start(), c->size);
        chunk*& link = current_ != nullptr ? current_->following : first_;
        c->following = link;
        link = c;
        return c;
    }

    void give_back(chunk* c) noexcept {
        detail::unpoison(c->start(), c->size);
        upstream_->deallocate(c, c->size + sizeof(chunk), alignof(chunk));
    }

    // Stands at the start of a chunk, or nowhere.
    void stand_at(chunk* c) noexcept {
        current_ = c;
        next_ = c != nullptr ? c->start() : nullptr;
        end_ = c != nullptr ? c->start() + c->size : nullptr;
    }

    // Stands nowhere, so that the first allocation enters the first chunk, if there is one.
    void start_over() noexcept {
        stand_at(nullptr);
        peak_ = 0;
        if (detail::checks && marks_ != nullptr) marks_->clear();
        poison_free();
    }

    // The list of marks is made when there is one, and only where misuse is looked for.
    std::uint64_t serial_of(const mark& m) const {
        if (m.at == nullptr) return 0;
        if (marks_ == nullptr) marks_ = std::make_unique<detail::marks>();
        return marks_->add(m.next);
    }

    // Whether there may be a rewind to the mark; those that were made after it are worth nothing then.
    bool forget_marks_behind(const mark& m) noexcept {
        if (m.serial != 0) return marks_ != nullptr && marks_->cut_behind(m.serial);
        if (m.at == nullptr && marks_ != nullptr) marks_->clear();
        return m.at == nullptr || has(m.at);  // made by a part of the program that does not look for misuse
    }

    bool has(const chunk* wanted) const noexcept {
        const chunk* c = first_;
        while (c != nullptr && c != wanted) c = c->following;
        return c != nullptr;
    }

    // Poisons the rest of the current chunk and all chunks after it.
    void poison_free() noexcept {
        if constexpr (detail::poisons) {
            if (current_ != nullptr) detail::poison(next_, static_cast<std::size_t>(end_ - next_));
            for (chunk* c = current_ != nullptr ? current_->following : first_; c != nullptr; c = c->following) {
                detail::poison(c->start(), c->size);
            }
        }
    }

    std::size_t used() const noexcept {
        return current_ == nullptr ? 0 : current_->before + static_cast<std::size_t>(next_ - current_->start());
    }

    std::byte* next_ = nullptr;  // the next free byte
    std::byte* end_ = nullptr;   // the end of the current chunk
    chunk* current_ = nullptr;   // the chunk that is filled; those after it are empty
    chunk* first_ = nullptr;     // the list of all, in the order of use
    std::size_t peak_ = 0;       // the most bytes used before a rewind or a take-back of this phase
    std::size_t last_need_ = 0;  // bytes that the phase before this one used
    std::uint64_t phase_ = 1;    // counts resets
    std::pmr::memory_resource* upstream_;
    mutable std::unique_ptr<detail::marks> marks_;
};

}  // namespace coppice
