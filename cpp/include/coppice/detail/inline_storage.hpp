// The memory of coppice::inline_vector: N slots inside the object, or an allocated block. It
// constructs, moves and destroys elements there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <memory_resource>
#include <type_traits>
#include <utility>

namespace coppice::detail {

// Whether the allocator A has no construct or destroy of its own for T.
template <class A, class T>
inline constexpr bool leaves_values_alone =
    !requires(A& a, T* p, T&& v) { a.construct(p, std::move(v)); } &&
    !requires(A& a, T* p) { a.destroy(p); };

template <class T>
inline constexpr bool leaves_values_alone<std::pmr::polymorphic_allocator<T>, T> =
    !std::uses_allocator_v<T, std::pmr::polymorphic_allocator<T>>;

// A block that goes back to the allocator unless it is kept.
template <class Allocator>
class new_block {
    using traits = std::allocator_traits<Allocator>;

public:
    new_block(Allocator& a, std::size_t n) : alloc_(a), n_(n), first_(traits::allocate(a, n)) {}
    new_block(const new_block&) = delete;
    new_block& operator=(const new_block&) = delete;
    ~new_block() {
        if (first_ != nullptr) {
            traits::deallocate(alloc_, first_, n_);
        }
    }

    [[nodiscard]] auto first() const noexcept { return first_; }
    [[nodiscard]] auto keep() noexcept { return std::exchange(first_, nullptr); }

private:
    Allocator& alloc_;
    std::size_t n_;
    typename traits::pointer first_;
};

template <class T, std::size_t N, class Allocator>
class inline_storage {
protected:
    using traits = std::allocator_traits<Allocator>;
    using count = std::conditional_t<(sizeof(T) >= 4), std::uint32_t, std::size_t>;

    static constexpr bool plain_allocator = leaves_values_alone<Allocator, T>;
    static constexpr bool plain = plain_allocator && std::is_trivially_copyable_v<T>;
    static constexpr bool always_equal = traits::is_always_equal::value;
    static constexpr bool moves_safely = N == 0 || plain || std::is_nothrow_move_constructible_v<T>;

    explicit inline_storage(const Allocator& a) noexcept : alloc_(a) {}
    inline_storage(const inline_storage&) = delete;
    inline_storage& operator=(const inline_storage&) = delete;

    ~inline_storage() {
        destroy_all();
        free_block();
    }

    // The elements are inside exactly while there is room for N; a block has room for more.
    [[nodiscard]] bool inside() const noexcept { return capacity_ == N; }
    [[nodiscard]] T* cells() noexcept { return reinterpret_cast<T*>(inside_); }
    // A branch, not a conditional move, which would always load the pointer to the block. Its bytes
    // may just have been written as elements, and a load that is wider than the preceding store
    // stalls.
    [[nodiscard]] T* first() noexcept {
        if (inside()) [[likely]] {
            return cells();
        }
        return block_;
    }
    [[nodiscard]] const T* first() const noexcept {
        if (inside()) [[likely]] {
            return reinterpret_cast<const T*>(inside_);
        }
        return block_;
    }

    // Returns whether both point into the vector or to its end, in that order.
    [[nodiscard]] bool is_range(const T* first, const T* last) const noexcept {
        const std::less_equal<> before;
        return before(this->first(), first) && before(first, last) && before(last, this->first() + size_);
    }

    // Returns whether a range starts with an element of this vector, as far as can be determined.
    template <class It>
    [[nodiscard]] bool holds(It first) const noexcept {
        if constexpr (std::contiguous_iterator<It> && std::is_same_v<std::iter_value_t<It>, T>) {
            const T* p = std::to_address(first);
            return is_range(p, p) && p != this->first() + size_;
        }
        return false;
    }

    template <class... Args>
    void construct(T* to, Args&&... args) {
        traits::construct(alloc_, to, std::forward<Args>(args)...);
    }

    void destroy(T* first, std::size_t n) noexcept {
        if constexpr (!(plain_allocator && std::is_trivially_destructible_v<T>)) {
            for (T* const last = first + n; first != last; ++first) {
                traits::destroy(alloc_, first);
            }
        }
    }

    // Constructs n elements from the arguments, or none if a constructor throws.
    template <class... Args>
    void build(T* to, std::size_t n, const Args&... args) {
        built done{*this, to};
        for (; done.n < n; ++done.n) {
            construct(to + done.n, args...);
        }
        done.keep();
    }

    // Constructs n elements from a range, or none if a constructor throws.
    template <class It>
    void build_range(T* to, It from, std::size_t n) {
        if constexpr (plain && std::contiguous_iterator<It> && std::is_same_v<std::iter_value_t<It>, T>) {
            if (n > 0) {
                std::memcpy(static_cast<void*>(to), std::to_address(from), n * sizeof(T));
            }
        } else {
            built done{*this, to};
            for (; done.n < n; ++done.n, ++from) {
                construct(to + done.n, *from);
            }
            done.keep();
        }
    }

    // Constructs n elements by moving. The caller destroys the old ones.
    void build_moved(T* to, T* from, std::size_t n) {
        if constexpr (plain) {
            build_range(to, from, n);
        } else {
            build_range(to, std::move_iterator(from), n);
        }
    }

    void destroy_all() noexcept {
        destroy(first(), size_);
        size_ = 0;
    }

    // Moves the elements to a new block and constructs n more at an index. Those are
    // constructed first, as they may be copies of elements. No effect if it throws.
    template <class Build>
    void rebuild(std::size_t capacity, std::size_t at, std::size_t n, Build&& build_more) {
        new_block<Allocator> block(alloc_, capacity);
        T* const old = first();
        build_more(block.first() + at);
        built more{*this, block.first() + at, n};
        relocate(old, at, block.first());
        built before{*this, block.first(), at};
        relocate(old + at, size_ - at, block.first() + at + n);
        before.keep();
        more.keep();
        destroy(old, size_);
        free_block();
        block_ = block.keep();
        capacity_ = static_cast<count>(capacity);
        size_ += static_cast<count>(n);
    }

    // Moves the elements inside if they fit, otherwise to a block without spare room.
    void shrink() {
        if (size_ > N) {
            rebuild(size_, size_, 0, [](T*) {});
            return;
        }
        T* const old = block_;
        lent_block lent{block_, old};
        relocate(old, size_, cells());
        lent.comes_back = false;
        destroy(old, size_);
        traits::deallocate(alloc_, old, capacity_);
        capacity_ = N;
    }

    // Takes over the elements of another storage with an equal allocator. This storage is empty.
    void take(inline_storage& other) noexcept(moves_safely) {
        if (other.inside()) {
            build_moved(first(), other.first(), other.size_);
            size_ = other.size_;
            other.destroy_all();
            return;
        }
        free_block();
        block_ = other.block_;
        capacity_ = std::exchange(other.capacity_, static_cast<count>(N));
        size_ = std::exchange(other.size_, 0);
    }

    // The same for any allocator of the other storage. If it is not equal, elements move one by
    // one.
    void take_or_move(inline_storage& other) {
        if (always_equal || alloc_ == other.alloc_) {
            take(other);
            return;
        }
        if (other.size_ > capacity_) {
            rebuild(other.size_, 0, 0, [](T*) {});
        }
        build_moved(first(), other.first(), other.size_);
        size_ = other.size_;
        other.destroy_all();
    }

    void free_block() noexcept {
        if (!inside()) {
            traits::deallocate(alloc_, block_, capacity_);
            capacity_ = N;
        }
    }

    count size_ = 0;
    count capacity_ = N;
    [[no_unique_address]] Allocator alloc_;
    union {
        T* block_ = nullptr;  // initialized because the compiler cannot prove that it is set before it is read
        alignas(T) std::byte inside_[N > 0 ? N * sizeof(T) : 1];
    };

private:
    // Constructed elements, which are destroyed again unless they are kept.
    struct built {
        inline_storage& storage;
        T* first;
        std::size_t n = 0;

        ~built() { storage.destroy(first, n); }
        void keep() noexcept { n = 0; }
    };

    // Saves the pointer to a block while elements move into the slots that share its bytes.
    // Restores it if a move throws.
    struct lent_block {
        T*& pointer;
        T* block;
        bool comes_back = true;

        ~lent_block() {
            if (comes_back) {
                pointer = block;
            }
        }
    };

    // Constructs n elements by moving, or by copying if a throwing move would lose elements.
    void relocate(T* from, std::size_t n, T* to) {
        if constexpr (plain || std::is_nothrow_move_constructible_v<T> || !std::is_copy_constructible_v<T>) {
            build_moved(to, from, n);
        } else {
            build_range(to, static_cast<const T*>(from), n);
        }
    }
};

}  // namespace coppice::detail
