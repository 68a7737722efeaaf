// coppice::store<T>: records without pointers, in one region of memory, linked by refs
// of 32 bits.
//
//     struct node { coppice::ref<node> left, right; };
//     coppice::store<node> nodes;
//     coppice::ref<node> leaf = nodes.put({});
//     coppice::ref<node> root = nodes.put({leaf, leaf});
//     nodes.at(root).left;                    // checked; nodes[root] is not
//     coppice::store<node> copy = nodes.clone();  // one memcpy; the refs hold in it
//     nodes.reset();                          // all gone at once; the memory stays
//
// Addresses for the greatest count are reserved at once and become memory as the store
// fills, so a record never moves: references into the store stay valid until the record
// is deleted, or the store is reset, copied into or destroyed; moving the store keeps
// them. A link costs 4 bytes, where a pointer costs 8; a record has no header.
//
//     slot  0    1 ............................ top ............ max
//           nil  taken: live, dead, or in the    fresh
//                window (last, end]
//
// The design is that of the Go package store of the same project. One thread may use a
// store at a time; several may read it meanwhile if none writes.
//
// Under AddressSanitizer a slot that holds no record is poisoned: touching it through a
// stale pointer or ref is reported. The sanitizer sees units of 8 bytes, so a record that
// shares one with a live neighbour is not.
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

// A ref names a record of a store<T>: its index, from 1. The default ref is nil and names
// none. It is 4 bytes and trivially copyable, so that records can hold it, and T may be
// incomplete. It does not know its store, nor whether its record was deleted since.
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

// store_full is thrown when a store has no room for a record, or for so many in a row.
struct store_full : std::length_error {
    using std::length_error::length_error;
};

// How a store takes memory. The default is a good one.
struct store_options {
    // The greatest count of records. It costs addresses, not memory. 0 stands for as
    // many as 32 GiB have room for (256 MiB on 32-bit machines and under ThreadSanitizer,
    // which must find room for its own notes), at most 2^32 - 2; or, where a limit on
    // addresses leaves no room for them, for half as many, a quarter and so on, down to
    // 1 MiB.
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

    // An empty store. Throws std::bad_alloc if the system has no room for that many
    // records, and std::length_error if refs cannot name them.
    store() : store(store_options{}) {}
    explicit store(store_options options) : region_(reserve(options)), records_(reinterpret_cast<T*>(region_.data())) {
        const std::size_t room = region_.reserved() / sizeof(T) - 1;
        max_ = static_cast<std::uint32_t>(options.max > 0 ? options.max : std::min(room, max_records));
        commit(0);  // the nil record, which is zero
    }

    // The store that was moved from has room for no record.
    store(store&& other) noexcept : store(nothing{}) { swap(other); }
    store& operator=(store&& other) noexcept {
        store taken(std::move(other));
        swap(taken);
        return *this;
    }

    // Stores v in a free slot and returns its ref, which is never nil. It costs about a
    // nanosecond. Throws store_full, or std::bad_alloc; the store is as it was then. v may
    // be a record of this store.
    ref<T> put(const T& v) {
        const std::uint32_t slot = take();
        ::new (static_cast<void*>(records_ + slot)) T(v);
        return ref<T>(slot);
    }

    // put, but returns nil where put throws.
    ref<T> try_put(const T& v) noexcept {
        if (last_ == end_ && !try_refill()) [[unlikely]] {
            return {};
        }
        return put(v);
    }

    // Makes a record T(arguments...), or T{arguments...} for an aggregate, which is zeroed if
    // there are none, and returns its ref and the record. It costs and throws like put.
    template <class... Arguments>
    std::pair<ref<T>, T&> emplace(Arguments&&... arguments) {
        const ref<T> r = put(construct(std::forward<Arguments>(arguments)...));
        return {r, records_[r.index()]};
    }

    // Makes n zeroed records in a row, and returns the ref of the first: that of record i is
    // ref<T>(first.index() + i). To fill them is the fastest way to store many. For n = 0 it
    // returns nil and no records. Throws like put, and store_full too if there are as many
    // free slots but not in a row.
    std::pair<ref<T>, std::span<T>> make(std::size_t n) {
        if (n == 0) return {};
        if (n == 1) return row(take(), 1);  // a hole will do
        if (end_ - last_ < n) {
            // The window grows where it stands, or, if it is a hole, n fresh slots are taken
            // above it.
            const std::uint32_t have = end_ == top_ ? end_ - last_ : 0;
            if (n - have > max_ - top_) raise_full(", of which no " + std::to_string(n) + " free slots are in a row");
            if (end_ != top_) return fresh_row(static_cast<std::uint32_t>(n));
            grow(static_cast<std::uint32_t>(n) - have);
        }
        const std::uint32_t first = last_ + 1;
        last_ += static_cast<std::uint32_t>(n);
        return row(first, static_cast<std::uint32_t>(n));
    }

    // The record of a ref. Throws std::out_of_range if r names none.
    T& at(ref<T> r) {
        must_be_live(r, "at");
        return records_[r.index()];
    }
    const T& at(ref<T> r) const {
        must_be_live(r, "at");
        return records_[r.index()];
    }

    // The record of a ref, unchecked as an index into a vector is: r must name one of this
    // store. That it names one is asserted unless NDEBUG is defined.
    T& operator[](ref<T> r) noexcept {
        must_name(r);
        return records_[r.index()];
    }
    const T& operator[](ref<T> r) const noexcept {
        must_name(r);
        return records_[r.index()];
    }

    // All slots up to the last record, to be indexed by ref::index. Element 0 is the nil
    // record, which is zero and must not be written. Deleted records are in it.
    std::span<T> slice() noexcept { return {records_, bound()}; }
    std::span<const T> slice() const noexcept { return {records_, bound()}; }

    // Frees the slot of a record for a later put. It costs amortized constant time, 4 bytes
    // while the slot is free, and a bit for every slot. Throws std::out_of_range if r names
    // no record, also if it was deleted before.
    void del(ref<T> r) {
        must_be_live(r, "del");
        if (dead_.size() <= top_) dead_.resize(std::size_t{top_} + 1);
        holes_.push_back(r.index());  // may throw; nothing has changed yet
        dead_[r.index()] = true;
        dirty_ = std::max(dirty_, r.index());
        detail::poison(records_ + r.index(), sizeof(T));
    }

    // Whether r names a record.
    bool contains(ref<T> r) const noexcept {
        const std::uint32_t slot = r.index();
        return slot != 0 && slot <= top_ && !(slot > last_ && slot <= end_) && !(slot < dead_.size() && dead_[slot]);
    }

    // The count of records; of those that there is memory for; of those there can be.
    std::size_t size() const noexcept { return std::size_t{top_} - holes_.size() - (end_ - last_); }
    bool empty() const noexcept { return size() == 0; }
    std::size_t capacity() const noexcept {
        if (max_ == 0) return 0;
        return std::min(region_.committed() / sizeof(T) - 1, std::size_t{max_});
    }
    std::size_t max_size() const noexcept { return max_; }

    // All records, in the order of their refs: a range of pairs of a ref and a record, for
    // `for (auto [r, record] : nodes.all())`. Meanwhile records may be changed and deleted.
    live<store, T> all() noexcept { return live<store, T>(this); }
    live<const store, const T> all() const noexcept { return live<const store, const T>(this); }

    // Drops all records and keeps the memory. It costs nothing for each record; if any was
    // deleted, an eighth of a byte for each slot is dropped too. All refs are stale.
    void reset() noexcept {
        if (max_ == 0) return;
        detail::poison(records_ + 1, top_ * sizeof(T));
        dirty_ = std::max(dirty_, top_);
        last_ = end_ = top_ = 0;
        holes_.clear();
        dead_.clear();
    }

    // Gives the memory above the last slot that was taken since the last reset, to the next
    // 64 KiB, back to the system; a deleted record counts as taken. Throws std::bad_alloc if
    // the system refuses, and changes nothing then.
    void trim() {
        region_.decommit((std::size_t{top_} + 1) * sizeof(T));
        dirty_ = std::min<std::uint32_t>(dirty_, static_cast<std::uint32_t>(region_.committed() / sizeof(T)));
    }

    // A store with the same records under the same refs, by one copy of memory. Throws
    // std::bad_alloc.
    store clone() const {
        store copy(max_ == 0 ? store(nothing{}) : store({max_, region_.huge()}));
        copy.copy_from(*this);
        return copy;
    }

    // Replaces all records by those of `from`, under the same refs, by one copy of memory.
    // Throws store_full if a ref of those exceeds max_size, and std::bad_alloc; the store is
    // as it was then. Memory that the store has is used again.
    void copy_from(const store& from) {
        if (this == &from) return;
        const std::uint32_t used = from.used();
        if (used > max_) raise_full(", and the refs to copy go up to " + std::to_string(used));
        std::vector<std::uint32_t> holes(from.holes_);
        std::vector<bool> dead(from.dead_);
        if (max_ > 0) commit(used);
        reset();
        copy_records(from, used);
        last_ = end_ = top_ = used;  // what is left of the window of `from` is nobody's here
        dirty_ = std::max(dirty_, used);  // dead slots are copied as they are
        holes_ = std::move(holes);
        dead_ = std::move(dead);
        dead_.resize(std::min<std::size_t>(dead_.size(), std::size_t{used} + 1));
    }

private:
    struct nothing {};
    explicit store(nothing) noexcept {}

    // The window moves by this many bytes, so that put rarely asks for memory.
    static constexpr std::size_t block_bytes = std::size_t{16} << 10;
    static constexpr std::uint32_t block = static_cast<std::uint32_t>(std::max<std::size_t>(1, block_bytes / sizeof(T)));
    static constexpr std::size_t max_records = std::numeric_limits<std::uint32_t>::max() - 1;
    static constexpr std::size_t default_bytes = std::size_t{1} << (sizeof(void*) == 8 && !detail::shadows ? 35 : 28);

    // The least that a store of the default size makes do with.
    static constexpr std::size_t least_bytes = std::max(std::size_t{1} << 20, 2 * sizeof(T));

    // Addresses for the options' records.
    static detail::region reserve(store_options options) {
        if (options.max > max_records) {
            detail::raise<std::length_error>("coppice::store: refs of 32 bits name at most 4294967294 records");
        }
        if (options.max > 0) {
            if (options.max >= std::numeric_limits<std::size_t>::max() / 2 / sizeof(T)) detail::raise<std::bad_alloc>();
            return detail::region((options.max + 1) * sizeof(T), options.huge);
        }
        for (std::size_t bytes = std::max(default_bytes, least_bytes);; bytes /= 2) {
            detail::region r = detail::region::reserve(bytes, options.huge);
            if (r) return r;
            if (bytes / 2 < least_bytes) detail::raise<std::bad_alloc>();
        }
    }

    // T(arguments...), or T{arguments...} if T has no such constructor.
    template <class... Arguments>
    static T construct(Arguments&&... arguments) {
        if constexpr (std::is_constructible_v<T, Arguments...>) {
            return T(std::forward<Arguments>(arguments)...);
        } else {
            return T{std::forward<Arguments>(arguments)...};
        }
    }

    // Makes the slots up to `last` memory; what is new of it holds no record.
    bool try_commit(std::size_t last) noexcept {
        const std::size_t before = std::max(region_.committed(), sizeof(T));
        if (!region_.try_commit((last + 1) * sizeof(T))) return false;
        if (region_.committed() > before) detail::poison(region_.data() + before, region_.committed() - before);
        return true;
    }
    void commit(std::size_t last) {
        if (!try_commit(last)) detail::raise<std::bad_alloc>();
    }

    // The slot for the next record.
    std::uint32_t take() {
        if (last_ == end_) [[unlikely]] {
            refill();
        }
        ++last_;
        detail::unpoison(records_ + last_, sizeof(T));
        return last_;
    }

    // Moves the window, which is used up, to a hole or to fresh slots.
    [[gnu::noinline]] void refill() {
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
        const std::uint32_t n = std::min(block, max_ - top_);
        if (!try_commit(std::size_t{top_} + n)) return false;
        last_ = top_;
        end_ = top_ += n;
        return true;
    }

    // Takes n fresh slots into the window, which ends at top.
    void grow(std::uint32_t n) {
        commit(std::size_t{top_} + n);
        top_ += n;
        end_ = top_;
    }

    // Takes n fresh slots beside the window.
    std::pair<ref<T>, std::span<T>> fresh_row(std::uint32_t n) {
        commit(std::size_t{top_} + n);
        const std::uint32_t first = top_ + 1;
        top_ += n;
        return row(first, n);
    }

    // Hands out n slots that were taken, zeroed where they are not fresh from the system.
    std::pair<ref<T>, std::span<T>> row(std::uint32_t first, std::uint32_t n) {
        detail::unpoison(records_ + first, n * sizeof(T));
        if (first <= dirty_) {
            const std::uint32_t last = std::min(dirty_, first + n - 1);
            std::memset(static_cast<void*>(records_ + first), 0, (std::size_t{last} - first + 1) * sizeof(T));
        }
        return {ref<T>(first), std::span<T>(records_ + first, n)};
    }

    // Copies the first slots of a store, which must be memory here.
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

    // The last slot that may hold a record.
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
        detail::raise<store_full>("coppice::store: it holds " + std::to_string(size()) + " of at most " +
                                  std::to_string(max_) + " records" + more);
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

    std::uint32_t last_ = 0, end_ = 0;  // the window: put fills the slots after last up to end
    detail::region region_;
    T* records_ = nullptr;              // all slots, memory or not; the nil record is the first
    std::uint32_t max_ = 0;             // the greatest ref
    std::uint32_t top_ = 0;             // slots up to here were taken since the last reset
    std::uint32_t dirty_ = 0;           // slots up to here may be other than zero, of those not taken
    std::vector<std::uint32_t> holes_;  // dead slots, the next to be used last
    std::vector<bool> dead_;            // the same as a set
};

// The records of a store in the order of their refs.
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
