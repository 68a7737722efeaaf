// coppice::store<T>: records without pointers in one region of memory, linked by 32-bit refs.
//
//     struct node { coppice::ref<node> left, right; };
//     coppice::store<node> nodes;
//     coppice::ref<node> leaf = nodes.alloc({});
//     coppice::ref<node> root = nodes.alloc({leaf, leaf});
//     nodes.at(root).left;                    // checked; nodes[root] is unchecked
//     coppice::store<node> copy = nodes.clone();  // one memcpy; the refs are valid in it
//     nodes.reset();                          // drops all records; keeps the memory
//
// The store reserves address space for the maximum count at once, and commits memory as it
// fills. So a record never moves: references into the store stay valid until the record is
// deleted, or the store is reset, copied into or destroyed. Moving the store keeps them
// valid. A link takes 4 bytes, a pointer takes 8; a record has no header.
//
//     slot  0    1 ............................ top ............ max
//           nil  taken: live, dead, or in the    fresh
//                window (last, end]
//
// The design follows the Go package store of the same project (docs/decisions/0006), and so do the
// names of what no C++ container has (docs/decisions/0043). A write needs exclusive access; several
// threads may read concurrently.
//
// Under AddressSanitizer a slot without a record is poisoned, so an access through a stale
// pointer or ref is reported. The sanitizer works in units of 8 bytes: a dead record that
// shares a unit with a live one is not poisoned there.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "detail/check.hpp"
#include "detail/poison.hpp"
#include "detail/raise.hpp"
#include "detail/region.hpp"

namespace coppice {

// A ref names a record of a store<T> by its index, from 1. The default ref is nil and names
// no record. A ref is 4 bytes and trivially copyable, so records can hold refs. T may be
// incomplete. A ref does not identify its store, and does not show that its record was deleted.
template <class T>
class ref {
public:
    constexpr ref() noexcept = default;
    constexpr explicit ref(std::uint32_t index) noexcept : index_(index) {}

    constexpr std::uint32_t index() const noexcept { return index_; }
    constexpr explicit operator bool() const noexcept { return index_ != 0; }

    friend constexpr bool operator==(ref, ref) noexcept = default;
    friend constexpr auto operator<=>(ref, ref) noexcept = default;

private:
    std::uint32_t index_ = 0;
};

// store_full is thrown when a store has no room for a record, or for a contiguous row of records.
struct store_full : std::length_error {
    using std::length_error::length_error;
};

// How a store takes memory. The defaults suit most programs.
struct store_options {
    // The maximum number of records. It costs address space, not memory. 0 stands for as
    // many records as fit in 32 GiB, at most 2^32 - 2. On 32-bit machines and under
    // ThreadSanitizer, which needs address space of its own, it is 256 MiB. Where a limit on
    // address space leaves less, the store tries half as much, a quarter and so on, down to 1 MiB.
    std::size_t max = 0;

    huge_pages huge = huge_pages::automatic;
};

template <class T>
class store {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                  "a record is copied by memcpy and dropped without a destructor: T must be trivially copyable");
    static_assert(alignof(T) <= 4096, "records are aligned to a page at most");

public:
    template <class Store, class Record>
    class live;  // what all() returns

    // Makes an empty store. Throws std::bad_alloc if the system has no address space for that
    // many records, and std::length_error if 32-bit refs cannot name them.
    store() : store(store_options{}) {}
    explicit store(store_options options) : region_(reserve(options)), records_(reinterpret_cast<T*>(region_.data())) {
        const std::size_t room = region_.reserved() / sizeof(T) - 1;
        max_ = static_cast<std::uint32_t>(options.max > 0 ? options.max : (std::min)(room, max_records));
        commit(0);  // the nil record, which is zero
    }

    // A store that was moved from has a capacity of 0.
    store(store&& other) noexcept : store(nothing{}) { swap(other); }
    store& operator=(store&& other) noexcept {
        store taken(std::move(other));
        swap(taken);
        return *this;
    }

    // Stores v in a free slot and returns its ref, which is never nil. It costs about a
    // nanosecond. Throws store_full or std::bad_alloc, and then has no effect. v may be a
    // record of this store.
    [[gnu::always_inline]] ref<T> alloc(const T& v) {
        const std::uint32_t slot = take();
        ::new (static_cast<void*>(records_ + slot)) T(v);
        return ref<T>(slot);
    }

    // Like alloc, but returns nil where alloc throws.
    ref<T> try_alloc(const T& v) noexcept {
        if (last_ == end_ && !try_refill()) [[unlikely]] {
            return {};
        }
        return alloc(v);
    }

    // Stores T(arguments...), or T{arguments...} for an aggregate, and returns its ref and the
    // record. An aggregate without arguments is zero. Cost and exceptions: see alloc.
    template <class... Arguments>
    [[gnu::always_inline]] std::pair<ref<T>, T&> emplace(Arguments&&... arguments) {
        const ref<T> r = alloc(construct(std::forward<Arguments>(arguments)...));
        return {r, records_[r.index()]};
    }

    // Makes n contiguous zeroed records and returns the ref of the first. The ref of record i is
    // ref<T>(first.index() + i). This is the fastest way to store many records. For n = 0 it
    // returns nil and an empty span. Throws like alloc; also throws store_full if there are n
    // free slots, but not contiguous.
    std::pair<ref<T>, std::span<T>> make(std::size_t n) {
        if (n == 0) return {};
        if (n == 1) return row(take(), 1);  // a hole will do
        if (end_ - last_ < n) {
            // The window grows in place if it ends at the top. Otherwise it is a hole, and n fresh
            // slots are taken above it.
            const std::uint32_t have = end_ == top_ ? end_ - last_ : 0;
            if (n - have > max_ - top_) raise_full("; no " + std::to_string(n) + " free slots are in a row");
            if (end_ != top_) return fresh_row(static_cast<std::uint32_t>(n));
            grow(static_cast<std::uint32_t>(n) - have);
        }
        const std::uint32_t first = last_ + 1;
        last_ += static_cast<std::uint32_t>(n);
        return row(first, static_cast<std::uint32_t>(n));
    }

    // Returns the record of a ref. Throws std::out_of_range if r names none.
    T& at(ref<T> r) {
        must_be_live(r, "at");
        return records_[r.index()];
    }
    const T& at(ref<T> r) const {
        must_be_live(r, "at");
        return records_[r.index()];
    }

    // Returns the record of a ref, unchecked: r must name a record of this store. Unless NDEBUG
    // is defined, it is asserted that r names a record.
    T& operator[](ref<T> r) noexcept {
        must_name(r);
        return records_[r.index()];
    }
    const T& operator[](ref<T> r) const noexcept {
        must_name(r);
        return records_[r.index()];
    }

    // Returns all slots up to the last record, indexed by ref::index. Element 0 is the nil
    // record, which is zero and must not be written. The span includes deleted records.
    std::span<T> slice() noexcept { return {records_, bound()}; }
    std::span<const T> slice() const noexcept { return {records_, bound()}; }

    // Frees the slot of a record for a later alloc. It takes amortized constant time, 4 bytes
    // while the slot is free, and a bit for each slot. Throws std::out_of_range if r names
    // no record, or one that was deleted.
    void erase(ref<T> r) {
        must_be_live(r, "erase");
        if (dead_.size() <= top_) dead_.resize(std::size_t{top_} + 1);
        holes_.push_back(r.index());  // may throw; nothing has changed yet
        dead_[r.index()] = true;
        dirty_ = (std::max)(dirty_, r.index());
        detail::poison(records_ + r.index(), sizeof(T));
    }

    // Returns whether r names a record.
    bool contains(ref<T> r) const noexcept {
        const std::uint32_t slot = r.index();
        return slot != 0 && slot <= top_ && !(slot > last_ && slot <= end_) && !(slot < dead_.size() && dead_[slot]);
    }

    // size is the number of records. capacity counts the slots with memory. max_size is the maximum
    // size.
    std::size_t size() const noexcept { return std::size_t{top_} - holes_.size() - (end_ - last_); }
    bool empty() const noexcept { return size() == 0; }
    std::size_t capacity() const noexcept {
        if (max_ == 0) return 0;
        return (std::min)(region_.committed() / sizeof(T) - 1, std::size_t{max_});
    }
    std::size_t max_size() const noexcept { return max_; }

    // Returns a range over all records as pairs of a ref and a record, in the order of refs, for
    // `for (auto [r, record] : nodes.all())`. The loop may change and delete records.
    live<store, T> all() noexcept { return live<store, T>(this); }
    live<const store, const T> all() const noexcept { return live<const store, const T>(this); }

    // Drops all records and keeps the memory. Its time does not depend on the number of records.
    // If any were deleted, the set of dead slots, a bit for each slot, is cleared. All refs
    // become stale.
    void reset() noexcept {
        if (max_ == 0) return;
        detail::poison(records_ + 1, top_ * sizeof(T));
        dirty_ = (std::max)(dirty_, top_);
        last_ = end_ = top_ = 0;
        holes_.clear();
        dead_.clear();
    }

    // Returns the memory above the last slot taken since the last reset to the system, in units of
    // 64 KiB. The slot of a deleted record counts as taken. Throws std::bad_alloc if the system
    // refuses, and then has no effect.
    void trim() {
        region_.decommit((std::size_t{top_} + 1) * sizeof(T));
        dirty_ = (std::min<std::uint32_t>)(dirty_, static_cast<std::uint32_t>(region_.committed() / sizeof(T)));
    }

    // Returns a copy of the store, made with one memcpy. Its records have the same refs. Throws
    // std::bad_alloc.
    store clone() const {
        store copy(max_ == 0 ? store(nothing{}) : store({max_, region_.huge()}));
        copy.copy_from(*this);
        return copy;
    }

    // Replaces all records by those of `from`, with one memcpy. They keep their refs. Throws
    // store_full if such a ref exceeds max_size, and std::bad_alloc; then it has no effect.
    // It reuses the memory of this store.
    void copy_from(const store& from) {
        if (this == &from) return;
        const std::uint32_t used = from.used();
        if (used > max_) raise_full("; the refs to copy go up to " + std::to_string(used));
        std::vector<std::uint32_t> holes(from.holes_);
        std::vector<bool> dead(from.dead_);
        if (max_ > 0) commit(used);
        reset();
        copy_records(from, used);
        last_ = end_ = top_ = used;  // the rest of the window of `from` is not taken here
        dirty_ = (std::max)(dirty_, used);  // dead slots are copied as they are
        holes_ = std::move(holes);
        dead_ = std::move(dead);
        dead_.resize((std::min<std::size_t>)(dead_.size(), std::size_t{used} + 1));
    }

private:
    struct nothing {};
    explicit store(nothing) noexcept {}

    // The window has this many bytes, so that alloc rarely commits memory.
    static constexpr std::size_t block_bytes = std::size_t{16} << 10;
    static constexpr std::uint32_t block = static_cast<std::uint32_t>((std::max<std::size_t>)(1, block_bytes / sizeof(T)));
    static constexpr std::size_t max_records = (std::numeric_limits<std::uint32_t>::max)() - 1;
    static constexpr std::size_t default_bytes = std::size_t{1} << (sizeof(void*) == 8 && !detail::shadows ? 35 : 28);

    // The smallest size that a store of the default size falls back to.
    static constexpr std::size_t least_bytes = (std::max)(std::size_t{1} << 20, 2 * sizeof(T));

    // Reserves address space for the records that the options ask for.
    static detail::region reserve(store_options options) {
        if (options.max > max_records) {
            detail::raise<std::length_error>("coppice::store: refs of 32 bits name at most 4294967294 records");
        }
        if (options.max > 0) {
            if (options.max >= (std::numeric_limits<std::size_t>::max)() / 2 / sizeof(T)) detail::raise<std::bad_alloc>();
            return detail::region((options.max + 1) * sizeof(T), options.huge);
        }
        for (std::size_t bytes = (std::max)(default_bytes, least_bytes);; bytes /= 2) {
            detail::region r = detail::region::reserve(bytes, options.huge);
            if (r) return r;
            if (bytes / 2 < least_bytes) detail::raise<std::bad_alloc>();
        }
    }

    // Returns T(arguments...), or T{arguments...} if T has no such constructor.
    template <class... Arguments>
    static T construct(Arguments&&... arguments) {
        if constexpr (std::is_constructible_v<T, Arguments...>) {
            return T(std::forward<Arguments>(arguments)...);
        } else {
            return T{std::forward<Arguments>(arguments)...};
        }
    }

    // Commits memory for the slots up to `last`. New slots hold no record.
    bool try_commit(std::size_t last) noexcept {
        const std::size_t before = (std::max)(region_.committed(), sizeof(T));
        if (!region_.try_commit((last + 1) * sizeof(T))) return false;
        if (region_.committed() > before) detail::poison(region_.data() + before, region_.committed() - before);
        return true;
    }
    void commit(std::size_t last) {
        if (!try_commit(last)) detail::raise<std::bad_alloc>();
    }

    // Takes the slot for the next record.
    [[gnu::always_inline]] std::uint32_t take() {
        if (last_ == end_) [[unlikely]] {
            refill();
        }
        ++last_;
        detail::unpoison(records_ + last_, sizeof(T));
        return last_;
    }

    // Moves the empty window to a hole or to fresh slots.
    [[gnu::noinline, gnu::cold]] void refill() {
        if (try_refill()) return;
        if (top_ == max_) raise_full();
        detail::raise<std::bad_alloc>();
    }
    [[gnu::noinline]] bool try_refill() noexcept {
        if (!holes_.empty()) {
            const std::uint32_t slot = holes_.back();
            holes_.pop_back();
            dead_[slot] = false;
            last_ = slot - 1;
            end_ = slot;
            return true;
        }
        if (top_ == max_) return false;
        const std::uint32_t n = (std::min)(block, max_ - top_);
        if (!try_commit(std::size_t{top_} + n)) return false;
        last_ = top_;
        end_ = top_ += n;
        return true;
    }

    // Extends the window, which ends at top, by n fresh slots.
    void grow(std::uint32_t n) {
        commit(std::size_t{top_} + n);
        top_ += n;
        end_ = top_;
    }

    // Takes n fresh slots outside the window.
    std::pair<ref<T>, std::span<T>> fresh_row(std::uint32_t n) {
        commit(std::size_t{top_} + n);
        const std::uint32_t first = top_ + 1;
        top_ += n;
        return row(first, n);
    }

    // Returns n taken slots as zeroed records. Slots fresh from the system are zero already.
    std::pair<ref<T>, std::span<T>> row(std::uint32_t first, std::uint32_t n) {
        detail::unpoison(records_ + first, n * sizeof(T));
        if (first <= dirty_) {
            const std::uint32_t last = (std::min)(dirty_, first + n - 1);
            std::memset(static_cast<void*>(records_ + first), 0, (std::size_t{last} - first + 1) * sizeof(T));
        }
        return {ref<T>(first), std::span<T>(records_ + first, n)};
    }

    // Copies the first slots of another store. Their memory must be committed here.
    void copy_records(const store& from, std::uint32_t used) {
        if (used == 0) return;
        const std::size_t bytes = used * sizeof(T);
        detail::unpoison(records_ + 1, bytes);
#ifdef COPPICE_ASAN
        for (std::uint32_t slot = 1; slot <= used; ++slot) {  // the others are poisoned
            if (from.contains(ref<T>(slot))) {
                std::memcpy(static_cast<void*>(records_ + slot), from.records_ + slot, sizeof(T));
            } else {
                detail::poison(records_ + slot, sizeof(T));
            }
        }
#else
        std::memcpy(static_cast<void*>(records_ + 1), from.records_ + 1, bytes);
#endif
    }

    // Returns the last slot that may hold a record.
    std::uint32_t used() const noexcept { return end_ == top_ ? last_ : top_; }

    // The length of slice().
    std::size_t bound() const noexcept { return records_ == nullptr ? 0 : std::size_t{used()} + 1; }

    void must_name([[maybe_unused]] ref<T> r) const noexcept {
        COPPICE_REQUIRE(r, "coppice::store::operator[]: the ref is nil");
        COPPICE_REQUIRE(contains(r), "coppice::store::operator[]: the ref names no record");
    }

    void must_be_live(ref<T> r, const char* where) const {
        if (!contains(r)) [[unlikely]] {
            detail::raise<std::out_of_range>("coppice::store::" + std::string(where) + ": ref " + std::to_string(r.index()) +
                                    (r ? " names no record" : " is nil"));
        }
    }

    [[noreturn]] void raise_full(const std::string& more = "") const {
        detail::raise<store_full>("coppice::store: it holds " + std::to_string(size()) +
                                  " records, and the maximum is " + std::to_string(max_) + more);
    }

    void swap(store& other) noexcept {
        std::swap(last_, other.last_);
        std::swap(end_, other.end_);
        std::swap(records_, other.records_);
        std::swap(region_, other.region_);
        std::swap(max_, other.max_);
        std::swap(top_, other.top_);
        std::swap(dirty_, other.dirty_);
        holes_.swap(other.holes_);
        dead_.swap(other.dead_);
    }

    std::uint32_t last_ = 0, end_ = 0;  // the window: alloc fills the slots after last up to end
    detail::region region_;
    T* records_ = nullptr;              // all slots, committed or not; the first is the nil record
    std::uint32_t max_ = 0;             // the largest ref
    std::uint32_t top_ = 0;             // slots up to here were taken since the last reset
    std::uint32_t dirty_ = 0;           // free slots up to here may be non-zero
    std::vector<std::uint32_t> holes_;  // dead slots; the last is reused first
    std::vector<bool> dead_;            // the same, as a set
};

// A range over the records of a store, in the order of their refs.
template <class T>
template <class Store, class Record>
class store<T>::live {
public:
    class iterator {
    public:
        using value_type = std::pair<ref<T>, Record&>;
        using difference_type = std::ptrdiff_t;
        using iterator_concept = std::input_iterator_tag;

        iterator() = default;
        iterator(Store* owner, std::uint32_t slot) : owner_(owner), slot_(slot) { skip(); }

        value_type operator*() const {
            COPPICE_REQUIRE(owner_ != nullptr && slot_ <= owner_->top_, "coppice::store::all: a read at the end");
            return {ref<T>(slot_), owner_->records_[slot_]};
        }
        iterator& operator++() {
            COPPICE_REQUIRE(owner_ != nullptr && slot_ <= owner_->top_, "coppice::store::all: a step beyond the end");
            ++slot_;
            skip();
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const { return slot_ > owner_->top_; }

    private:
        void skip() {
            while (slot_ <= owner_->top_ && !owner_->contains(ref<T>(slot_))) ++slot_;
        }

        Store* owner_ = nullptr;
        std::uint32_t slot_ = 0;
    };

    iterator begin() const { return {owner_, 1}; }
    std::default_sentinel_t end() const { return {}; }

private:
    friend class store;
    explicit live(Store* owner) : owner_(owner) {}
    Store* owner_;
};

}  // namespace coppice

template <class T>
struct std::hash<coppice::ref<T>> {
    std::size_t operator()(coppice::ref<T> r) const noexcept { return std::hash<std::uint32_t>{}(r.index()); }
};
