// coppice::arena: values of many types with one lifetime. It bumps a pointer through
// chunks and frees nothing before reset or release. It is a std::pmr::memory_resource,
// so every pmr container can allocate from it.
//
//     coppice::arena a;
//     auto* n = a.emplace<node>(left, right);       // no destructor will run
//     std::span<int> counts = a.make<int>(1000);    // zeroed
//     std::pmr::vector<int> v(&a);                  // destroy it before the reset
//     coppice::arena::mark m = a.checkpoint();
//     a.rewind(m);                                  // drops everything allocated after the mark
//     a.reset();                                    // drops everything; keeps the memory
//
// An allocation costs about a nanosecond. It takes no memory beyond its bytes and their
// alignment. Chunks start at 4 KiB and double up to 1 MiB; a larger request gets a chunk
// of its own. A phase is the time between two resets. A reset keeps the chunks that the
// last two phases used, and frees the others. It also frees a large chunk of more than
// twice the size that those phases needed. So a steady load requests no memory, and the
// memory of one large phase is released later. Chunks come from an upstream resource, by
// default new and delete.
//
// The design follows obstack, apr_palloc and bumpalo. Only one thread at a time may use
// an arena. Under AddressSanitizer, free and dropped memory is poisoned.
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
    // A position to rewind to. A default mark is the start of the phase, in any arena.
    class mark {
        friend class arena;
        chunk* at = nullptr;
        std::byte* next = nullptr;
        std::uint64_t serial = 0;  // 0 if misuse is not checked
    };

    // The memory of the arena, in bytes.
    struct statistics {
        std::size_t used;      // allocated since the last reset, including alignment
        std::size_t size;      // of all chunks
        std::size_t chunks;
    };

    arena() noexcept : arena(std::pmr::new_delete_resource()) {}
    explicit arena(std::pmr::memory_resource* upstream) noexcept : upstream_(upstream) {}
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;
    ~arena() override { release(); }

    // Constructs a T(arguments...), or T{arguments...} for an aggregate, in the arena. Its
    // destructor never runs, so T must be trivially destructible.
    // Throws what the upstream resource or the constructor throws.
    template <class T, class... Arguments>
    [[gnu::always_inline]] T* emplace(Arguments&&... arguments) {
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

    // Constructs n contiguous value-initialized Ts.
    template <class T>
    std::span<T> make(std::size_t n) {
        static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors: T must not need one");
        if (n == 0) return {};
        if (n > (std::numeric_limits<std::size_t>::max)() / sizeof(T)) detail::raise<std::bad_array_new_length>();
        T* first = static_cast<T*>(take(n * sizeof(T), alignof(T)));
        std::uninitialized_value_construct_n(first, n);
        return {first, n};
    }

    // Copies the text and appends a zero byte. The result excludes that byte.
    std::string_view string(std::string_view text) {
        char* copy = static_cast<char*>(take(text.size() + 1, 1));
        if (!text.empty()) std::memcpy(copy, text.data(), text.size());
        copy[text.size()] = '\0';
        return {copy, text.size()};
    }

    // Returns `bytes` bytes of uninitialized memory, aligned to `alignment`, a power of two.
    [[gnu::always_inline]] void* take(std::size_t bytes, std::size_t alignment) {
        COPPICE_REQUIRE(std::has_single_bit(alignment), "coppice::arena::take: the alignment is not a power of two");
        const std::uintptr_t place = (reinterpret_cast<std::uintptr_t>(next_) + alignment - 1) & ~(alignment - 1);
        const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(end_);
        // The end of a chunk is aligned as all but extended alignments are, so place is beyond it
        // for those only. Nothing is taken without a chunk, even if it has no bytes.
        const bool beyond = alignment > alignof(std::max_align_t) && place > end;
        if (beyond || bytes > end - place || (bytes == 0 && next_ == nullptr)) [[unlikely]] {
            return take_elsewhere(bytes, alignment);
        }
        auto* p = next_ + (place - reinterpret_cast<std::uintptr_t>(next_));
        next_ = p + bytes;
        detail::unpoison(p, bytes);
        return p;
    }

    // Returns a mark of the current position.
    mark checkpoint() const noexcept {
        mark m;
        m.at = current_;
        m.next = next_;
        if constexpr (detail::checks) m.serial = serial_of(m);
        return m;
    }

    // Drops everything allocated after the mark. The mark must be of this arena, made after
    // the last reset or release, and not dropped by a rewind to an earlier mark. Unless NDEBUG
    // is defined, this is asserted, and marks cost more.
    void rewind(mark m) noexcept {
        COPPICE_REQUIRE(forget_marks_behind(m),
                        "coppice::arena::rewind: the mark is not one of this phase of this arena, or a rewind went back beyond it");
        peak_ = (std::max)(peak_, used());
        stand_at(m.at);
        if (m.at != nullptr) next_ = m.next;
        poison_free();
    }

    // Drops everything. Keeps the chunks that this phase or the previous one used, except
    // those too large for both.
    void reset() noexcept {
        const std::size_t need = (std::max)(peak_, used());
        const std::size_t large = (std::max)(greatest_chunk, 2 * (std::max)(need, last_need_));
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

    // Drops everything and returns all memory to the upstream resource.
    void release() noexcept {
        while (first_ != nullptr) give_back(std::exchange(first_, first_->following));
        last_need_ = 0;
        start_over();
    }

    statistics stats() const noexcept {
        statistics s{used(), 0, 0};
        for (const chunk* c = first_; c != nullptr; c = c->following) {
            s.size += c->size;
            ++s.chunks;
        }
        return s;
    }

private:
    // A chunk is one block from the upstream resource: this header, then its bytes.
    struct alignas(std::max_align_t) chunk {
        chunk* following;
        std::size_t size;     // bytes after the header
        std::uint64_t phase;  // the last phase that used it
        std::size_t before;   // bytes used in the chunks before it; set when it is used
        std::byte* start() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
    };

    static constexpr std::size_t least_chunk = std::size_t{4} << 10;
    static constexpr std::size_t greatest_chunk = std::size_t{1} << 20;

    void* do_allocate(std::size_t bytes, std::size_t alignment) override { return take(bytes, alignment); }
    // Frees the bytes if they are the last allocation, so a container that is destroyed before
    // the next allocation takes no memory.
    void do_deallocate(void* p, std::size_t bytes, std::size_t) override {
        detail::poison(p, bytes);
        if (static_cast<std::byte*>(p) + bytes != next_) return;
        peak_ = (std::max)(peak_, used());
        next_ = static_cast<std::byte*>(p);
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

    // Continues in the next chunk if the request fits, otherwise in a new one.
    [[gnu::noinline, gnu::cold]] void* take_elsewhere(std::size_t bytes, std::size_t alignment) {
        if (bytes > (std::numeric_limits<std::size_t>::max)() / 4 || alignment > least_chunk * 1024) detail::raise<std::bad_alloc>();
        const std::size_t align = alignof(std::max_align_t);
        const std::size_t worst = (bytes + alignment - 1 + align - 1) / align * align;  // the end of a chunk is aligned
        chunk* next = current_ != nullptr ? current_->following : first_;
        if (next == nullptr || next->size < worst) {
            next = insert_chunk(worst);
        }
        next->before = used();
        stand_at(next);
        next->phase = phase_;
        return take(bytes, alignment);
    }

    // Inserts a new chunk of at least that size after the current one.
    chunk* insert_chunk(std::size_t least) {
        const std::size_t previous = current_ != nullptr ? current_->size + sizeof(chunk) : least_chunk / 2;
        const std::size_t total = (std::max)(least + sizeof(chunk), (std::min)(2 * previous, greatest_chunk));
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

    // Makes a chunk current, from its start. With nullptr there is no current chunk.
    void stand_at(chunk* c) noexcept {
        current_ = c;
        next_ = c != nullptr ? c->start() : nullptr;
        end_ = c != nullptr ? c->start() + c->size : nullptr;
    }

    // Leaves no chunk current, so that the next allocation starts in the first one.
    void start_over() noexcept {
        stand_at(nullptr);
        peak_ = 0;
        if (detail::checks && marks_ != nullptr) marks_->clear();
        poison_free();
    }

    // Registers a mark. The list of marks is allocated with the first, and only if misuse is
    // checked.
    std::uint64_t serial_of(const mark& m) const {
        if (m.at == nullptr) return 0;
        if (marks_ == nullptr) marks_ = std::make_unique<detail::marks>();
        return marks_->add(m.next);
    }

    // Returns whether the mark is valid, and invalidates all marks made after it.
    bool forget_marks_behind(const mark& m) noexcept {
        if (m.serial != 0) return marks_ != nullptr && marks_->cut_behind(m.serial);
        if (m.at == nullptr && marks_ != nullptr) marks_->clear();
        return m.at == nullptr || has(m.at);  // the mark was made by a part of the program with NDEBUG
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
    chunk* current_ = nullptr;   // the chunk being filled; those after it are empty
    chunk* first_ = nullptr;     // the list of all chunks, in order of use
    std::size_t peak_ = 0;       // the most bytes used in this phase before a rewind or deallocation
    std::size_t last_need_ = 0;  // bytes that the previous phase used
    std::uint64_t phase_ = 1;    // counts resets
    std::pmr::memory_resource* upstream_;
    mutable std::unique_ptr<detail::marks> marks_;
};

}  // namespace coppice
