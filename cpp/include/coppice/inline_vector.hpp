// coppice::inline_vector: a vector whose first N elements live inside the object.
//
// Idea.  Most vectors of a program are short. Up to N elements are in the object; more
// than N are in an allocated block. LLVM's SmallVector and Boost's small_vector do the same.
//
// Size.  With w = 8, or 16 if sizeof(T) < 4, and a stateless allocator:
//
//     sizeof = w + max(8, N * sizeof(T)), rounded up to max(8, alignof(T))
//
// inline_vector<int, 4> has 24 bytes, like a std::vector. Size and capacity are 32-bit
// counts for elements of 4 bytes and more, so max_size() is then below 2^32. The object has
// no pointer into itself. A vector is inline exactly while capacity() == N; each access
// tests that, which costs about a nanosecond unless it is hoisted.
//
// Invalidation.  As with std::vector; moving and swapping also invalidate iterators,
// pointers and references, because elements inside the object cannot change their owner.
// shrink_to_fit may move elements back into the object.
//
// Cost.  Up to N elements need no allocation; beyond N it allocates like a std::vector that
// doubles its capacity. A move or swap is O(N) moves of elements while inline, O(1) otherwise.
// Inserting more than one element in the middle appends and rotates them.
//
// Exceptions.  push_back, emplace_back, reserve and shrink_to_fit have no effect if they
// throw, unless the move constructor of a non-copyable T throws. Every other member leaves
// a valid vector and leaks nothing. More than max_size() elements throw length_error.
//
// Unsuited to objects that are moved often, to large arrays of mostly empty vectors, and to
// lengths that usually exceed N: the N inline slots are then wasted.
//
// Elements are constructed through the allocator. Trivially copyable types are copied with
// memcpy if the allocator has no construct or destroy of its own. A vector that was moved
// from is empty. Only one thread at a time may use a vector that changes, as with
// std::vector. N may be 0.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "coppice/detail/check.hpp"
#include "coppice/detail/inline_storage.hpp"
#include "coppice/detail/raise.hpp"

namespace coppice {

template <class T, std::size_t N, class Allocator = std::allocator<T>>
class inline_vector : private detail::inline_storage<T, N, Allocator> {
    using storage = detail::inline_storage<T, N, Allocator>;
    using typename storage::count;
    using typename storage::traits;
    using storage::alloc_;
    using storage::always_equal;
    using storage::build;
    using storage::build_range;
    using storage::capacity_;
    using storage::construct;
    using storage::destroy;
    using storage::moves_safely;
    using storage::rebuild;
    using storage::size_;

    static_assert(std::is_object_v<T> && std::is_same_v<T, std::remove_cv_t<T>>);
    static_assert(std::is_same_v<typename traits::value_type, T>, "the allocator is for another type");
    static_assert(std::is_same_v<typename traits::pointer, T*>, "fancy pointers are not supported");
    static_assert(N < (std::numeric_limits<std::uint32_t>::max)() / sizeof(T));

    static constexpr bool assigns_allocator_on_copy = traits::propagate_on_container_copy_assignment::value;
    static constexpr bool assigns_allocator_on_move = traits::propagate_on_container_move_assignment::value;
    static constexpr bool swaps_allocator = traits::propagate_on_container_swap::value;
    static constexpr bool goes_by_value = storage::plain && std::is_move_constructible_v<T> && sizeof(T) <= 64;

public:
    using value_type = T;
    using allocator_type = Allocator;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using pointer = T*;
    using const_pointer = const T*;
    using iterator = T*;
    using const_iterator = const T*;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    // The number of elements that fit inside the object.
    static constexpr size_type inline_capacity = N;

    inline_vector() noexcept(noexcept(Allocator())) : inline_vector(Allocator()) {}
    explicit inline_vector(const Allocator& a) noexcept : storage(a) {}

    // The constructors below delegate, so that the destructor runs if their bodies throw.
    explicit inline_vector(size_type n, const Allocator& a = Allocator()) : inline_vector(a) { resize(n); }

    inline_vector(size_type n, const T& value, const Allocator& a = Allocator()) : inline_vector(a) {
        resize(n, value);
    }

    template <std::input_iterator It>
    inline_vector(It first, It last, const Allocator& a = Allocator()) : inline_vector(a) {
        if constexpr (std::forward_iterator<It>) {
            reserve(static_cast<size_type>(std::distance(first, last)));
        }
        append(first, last);
    }

    inline_vector(std::initializer_list<T> values, const Allocator& a = Allocator())
        : inline_vector(values.begin(), values.end(), a) {}

    inline_vector(const inline_vector& other)
        : inline_vector(other, traits::select_on_container_copy_construction(other.alloc_)) {}

    inline_vector(const inline_vector& other, const std::type_identity_t<Allocator>& a)
        : inline_vector(other.begin(), other.end(), a) {}

    inline_vector(inline_vector&& other) noexcept(moves_safely) : inline_vector(other.alloc_) {
        this->take(other);
    }

    inline_vector(inline_vector&& other, const std::type_identity_t<Allocator>& a) noexcept(
        always_equal && moves_safely)
        : inline_vector(a) {
        this->take_or_move(other);
    }

    ~inline_vector() = default;

    inline_vector& operator=(const inline_vector& other) {
        if (this == &other) {
            return *this;
        }
        if constexpr (assigns_allocator_on_copy) {
            if (alloc_ != other.alloc_) {
                clear();
                this->free_block();  // the new allocator cannot free it
            }
            alloc_ = other.alloc_;
        }
        assign(other.begin(), other.end());
        return *this;
    }

    inline_vector& operator=(inline_vector&& other) noexcept((assigns_allocator_on_move || always_equal) &&
                                                             moves_safely) {
        if (this == &other) {
            return *this;
        }
        if constexpr (std::is_trivially_destructible_v<T>) {
            absorb(other);
        } else {
            inline_vector taken(std::move(other));  // first: other may be part of one of our elements
            absorb(taken);
        }
        return *this;
    }

    inline_vector& operator=(std::initializer_list<T> values) {
        assign(values);
        return *this;
    }

    void assign(size_type n, const T& value) {
        if (n > capacity_) {
            replace_with(inline_vector(n, value, alloc_));
            return;
        }
        std::fill_n(data(), (std::min)(n, size()), value);
        resize(n, value);
    }

    template <std::input_iterator It>
    void assign(It first, It last) {
        if constexpr (std::forward_iterator<It>) {
            if (static_cast<size_type>(std::distance(first, last)) > capacity_) {
                replace_with(inline_vector(first, last, alloc_));
                return;
            }
        }
        T* to = begin();
        for (; first != last && to != end(); ++first, ++to) {
            *to = *first;
        }
        truncate(static_cast<size_type>(to - begin()));
        append(first, last);
    }

    void assign(std::initializer_list<T> values) { assign(values.begin(), values.end()); }

    [[nodiscard]] allocator_type get_allocator() const noexcept { return alloc_; }

    // Element access. at throws out_of_range for an invalid index; the others assert it unless
    // NDEBUG is defined.
    [[nodiscard]] T* data() noexcept { return this->first(); }
    [[nodiscard]] const T* data() const noexcept { return this->first(); }
    [[nodiscard]] T& operator[](size_type i) noexcept { return data()[present(i)]; }
    [[nodiscard]] const T& operator[](size_type i) const noexcept { return data()[present(i)]; }
    [[nodiscard]] T& at(size_type i) { return data()[checked(i)]; }
    [[nodiscard]] const T& at(size_type i) const { return data()[checked(i)]; }
    [[nodiscard]] T& front() noexcept { return data()[present(0, front_of_none)]; }
    [[nodiscard]] const T& front() const noexcept { return data()[present(0, front_of_none)]; }
    [[nodiscard]] T& back() noexcept { return data()[present(size() - 1, back_of_none)]; }
    [[nodiscard]] const T& back() const noexcept { return data()[present(size() - 1, back_of_none)]; }

    [[nodiscard]] iterator begin() noexcept { return data(); }
    [[nodiscard]] const_iterator begin() const noexcept { return data(); }
    [[nodiscard]] const_iterator cbegin() const noexcept { return data(); }
    [[nodiscard]] iterator end() noexcept { return data() + size_; }
    [[nodiscard]] const_iterator end() const noexcept { return data() + size_; }
    [[nodiscard]] const_iterator cend() const noexcept { return data() + size_; }
    [[nodiscard]] reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
    [[nodiscard]] const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
    [[nodiscard]] const_reverse_iterator crbegin() const noexcept { return rbegin(); }
    [[nodiscard]] reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
    [[nodiscard]] const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
    [[nodiscard]] const_reverse_iterator crend() const noexcept { return rend(); }

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] size_type size() const noexcept { return size_; }
    [[nodiscard]] size_type capacity() const noexcept { return capacity_; }

    // Returns whether the elements are inside the object. A block always has room for more than N.
    [[nodiscard]] bool is_inline() const noexcept { return storage::inside(); }

    [[nodiscard]] size_type max_size() const noexcept {
        constexpr auto bytes = static_cast<size_type>((std::numeric_limits<difference_type>::max)());
        constexpr size_type counts = (std::numeric_limits<count>::max)();
        return (std::min)({traits::max_size(alloc_), bytes / sizeof(T), counts});
    }

    void reserve(size_type n) {
        if (n > max_size()) {
            too_long();
        }
        if (n > capacity_) {
            rebuild(n, size_, 0, [](T*) {});
        }
    }

    // Moves the elements into the object if they fit, otherwise into a block without spare room.
    void shrink_to_fit() {
        if (!is_inline() && size_ < capacity_) {
            this->shrink();
        }
    }

    void clear() noexcept { this->destroy_all(); }

    template <class... Args>
    T& emplace_back(Args&&... args) {
        if constexpr (goes_by_value && std::is_constructible_v<T, Args...>) {
            return append_plain(T(std::forward<Args>(args)...));
        } else {
            if (size_ == capacity_) [[unlikely]] {
                return emplace_growing(std::forward<Args>(args)...);
            }
            const count n = size_;
            T* const to = data() + n;
            construct(to, std::forward<Args>(args)...);
            size_ = static_cast<count>(n + 1);
            return *to;
        }
    }

    void push_back(const T& value) { emplace_back(value); }
    void push_back(T&& value) { emplace_back(std::move(value)); }

    void pop_back() noexcept {
        COPPICE_REQUIRE(!empty(), "coppice::inline_vector::pop_back: the vector is empty");
        --size_;
        destroy(data() + size_, 1);
    }

    // The value may be an element of the vector; a range may not be part of it.
    template <class... Args>
    iterator emplace(const_iterator pos, Args&&... args) {
        return insert_with(pos, 1, [&](T* to) { construct(to, std::forward<Args>(args)...); });
    }

    iterator insert(const_iterator pos, const T& value) { return emplace(pos, value); }
    iterator insert(const_iterator pos, T&& value) { return emplace(pos, std::move(value)); }

    iterator insert(const_iterator pos, size_type n, const T& value) {
        return insert_with(pos, n, [&](T* to) { build(to, n, value); });
    }

    template <std::input_iterator It>
    iterator insert(const_iterator pos, It first, It last) {
        if constexpr (std::forward_iterator<It>) {
            const auto n = static_cast<size_type>(std::distance(first, last));
            COPPICE_REQUIRE(n == 0 || !this->holds(first), "coppice::inline_vector::insert: the range is part of the vector");
            return insert_with(pos, n, [&](T* to) { build_range(to, first, n); });
        } else {
            COPPICE_REQUIRE(this->is_range(pos, pos), "coppice::inline_vector::insert: the place is not in the vector");
            const difference_type at = pos - begin();
            const difference_type before = end() - begin();
            append(first, last);
            std::rotate(begin() + at, begin() + before, end());
            return begin() + at;
        }
    }

    iterator insert(const_iterator pos, std::initializer_list<T> values) {
        return insert(pos, values.begin(), values.end());
    }

    iterator erase(const_iterator pos) {
        COPPICE_REQUIRE(this->is_range(pos, pos) && pos != end(),
                        "coppice::inline_vector::erase: there is no element at the place");
        return erase(pos, pos + 1);
    }

    iterator erase(const_iterator first, const_iterator last) {
        COPPICE_REQUIRE(this->is_range(first, last), "coppice::inline_vector::erase: the range is not in the vector");
        T* const to = begin() + (first - begin());
        if (first != last) {
            T* const kept = std::move(to + (last - first), end(), to);
            const auto gone = static_cast<count>(end() - kept);
            destroy(kept, gone);
            size_ -= gone;
        }
        return to;
    }

    void resize(size_type n) {
        resize_with(n, [&](T* to, size_type more) { build(to, more); });
    }

    void resize(size_type n, const T& value) {
        resize_with(n, [&](T* to, size_type more) { build(to, more, value); });
    }

    // Allocators that do not propagate on swap must be equal, as in the standard.
    void swap(inline_vector& other) noexcept((swaps_allocator || always_equal) && moves_safely) {
        if (this == &other) {
            return;
        }
        if constexpr (swaps_allocator) {
            std::swap(alloc_, other.alloc_);
        } else {
            COPPICE_REQUIRE(always_equal || alloc_ == other.alloc_, "coppice::inline_vector::swap: the allocators differ");
        }
        if (!is_inline() && !other.is_inline()) {
            std::swap(this->block_, other.block_);
            std::swap(capacity_, other.capacity_);
            std::swap(size_, other.size_);
            return;
        }
        inline_vector between(other.alloc_);  // the allocator that owns our elements after the swap
        between.take(*this);
        this->take(other);
        other.take(between);
    }

    friend void swap(inline_vector& a, inline_vector& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

private:
    [[noreturn]] static void too_long() {
        detail::raise<std::length_error>("coppice::inline_vector: more than max_size() elements");
    }

    static constexpr const char* front_of_none = "coppice::inline_vector::front: the vector is empty";
    static constexpr const char* back_of_none = "coppice::inline_vector::back: the vector is empty";

    [[nodiscard]] size_type present(size_type i, [[maybe_unused]] const char* what =
                                                     "coppice::inline_vector::operator[]: no such index") const noexcept {
        COPPICE_REQUIRE(i < size_, what);
        return i;
    }

    [[nodiscard]] size_type checked(size_type i) const {
        if (i >= size_) {
            detail::raise<std::out_of_range>("coppice::inline_vector::at: no such index");
        }
        return i;
    }

    // Returns the capacity for that many more elements: at least twice the current one.
    [[nodiscard]] size_type grown(size_type more) const {
        const size_type most = max_size();
        if (more > most - size_) {
            too_long();
        }
        return (std::max)(size_ + more, capacity_ > most / 2 ? most : 2 * size_type{capacity_});
    }

    // Appends a value that fits in registers. Growth gets no pointer to it, and the new size is
    // stored once, after the element. So a loop of push_backs keeps value and size in registers and
    // reloads neither.
    T& append_plain(T value) {
        const count n = size_;
        if (n == capacity_) [[unlikely]] {
            make_room();
        }
        T* const to = data() + n;
        construct(to, std::move(value));
        size_ = static_cast<count>(n + 1);
        return *to;
    }

    // Growth is not inlined: it takes much longer than a call, and the rest stays small enough to
    // inline.
    [[gnu::noinline]] void make_room() { rebuild(grown(1), size_, 0, [](T*) {}); }
    template <class... Args>
    [[gnu::noinline]] T& emplace_growing(Args&&... args) {
        rebuild(grown(1), size_, 1, [&](T* to) { construct(to, std::forward<Args>(args)...); });
        return this->block_[size_ - 1];
    }

    // Appends n elements. Unlike an insertion it does not assign elements.
    template <class Build>
    void append_with(size_type n, Build&& build_more) {
        if (n > capacity_ - size_type{size_}) {
            rebuild(grown(n), size_, n, build_more);
            return;
        }
        build_more(end());
        size_ += static_cast<count>(n);
    }

    template <std::input_iterator It>
    void append(It first, It last) {
        if constexpr (std::forward_iterator<It>) {
            const auto n = static_cast<size_type>(std::distance(first, last));
            append_with(n, [&](T* to) { build_range(to, first, n); });
        } else {
            for (; first != last; ++first) {
                emplace_back(*first);
            }
        }
    }

    void truncate(size_type n) noexcept {
        destroy(data() + n, size_ - n);
        size_ = static_cast<count>(n);
    }

    // Inserts n elements. In a new block they are built in place; otherwise they are appended and
    // rotated.
    template <class Build>
    iterator insert_with(const_iterator pos, size_type n, Build&& build_more) {
        COPPICE_REQUIRE(this->is_range(pos, pos), "coppice::inline_vector::insert: the place is not in the vector");
        const auto at = static_cast<size_type>(pos - begin());
        if (n > capacity_ - size_type{size_}) {
            rebuild(grown(n), at, n, build_more);
            return begin() + at;
        }
        T* const old_end = end();
        T* const to = begin() + at;
        append_with(n, build_more);
        if (n != 1) {
            std::rotate(to, old_end, end());
        } else if (to != old_end) {
            T value = std::move(*old_end);
            std::move_backward(to, old_end, old_end + 1);
            *to = std::move(value);
        }
        return to;
    }

    template <class Build>
    void resize_with(size_type n, Build&& build_more) {
        if (n <= size_) {
            truncate(n);
            return;
        }
        const size_type more = n - size_;
        append_with(more, [&](T* to) { build_more(to, more); });
    }

    void replace_with(inline_vector&& other) {
        clear();
        this->take(other);
    }

    void absorb(inline_vector& other) {
        clear();
        if constexpr (assigns_allocator_on_move) {
            if (alloc_ != other.alloc_) {
                this->free_block();
            }
            alloc_ = std::move(other.alloc_);
            this->take(other);
        } else {
            this->take_or_move(other);
        }
    }
};

}  // namespace coppice

#include "coppice/detail/vector_order.hpp"
