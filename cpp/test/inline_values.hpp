// Types that tests of the inline containers put into them: a value that counts its
// instances and throws at a chosen copy, and an allocator that has a name, counts what
// it gave out, and throws at a chosen allocation.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "coppice/detail/raise.hpp"

namespace coppice::testing_values {

// Counts down to the call that throws; below zero for never.
struct countdown {
    static inline int left = -1;

    static void step() {
        if (left >= 0 && left-- == 0) {
            detail::raise<std::runtime_error>("the countdown is over");
        }
    }
};

enum class moves { safely, throwing, not_at_all };

// A number that counts how many of its kind live.
template <moves M>
class counted {
public:
    static inline long live = 0;

    counted() : counted(0) {}
    explicit counted(int value) : value_(value) {
        countdown::step();
        ++live;
    }
    counted(const counted& other) : value_(other.value_) {
        countdown::step();
        ++live;
    }
    counted(counted&& other) noexcept(M == moves::safely)
        requires(M != moves::not_at_all)
        : value_(other.value_) {
        if (M == moves::throwing) {
            countdown::step();
        }
        other.value_ = -1;
        ++live;
    }
    counted& operator=(const counted& other) {
        countdown::step();
        value_ = other.value_;
        return *this;
    }
    counted& operator=(counted&& other) noexcept(M == moves::safely)
        requires(M != moves::not_at_all)
    {
        if (M == moves::throwing) {
            countdown::step();
        }
        value_ = other.value_;
        if (this != &other) {
            other.value_ = -1;
        }
        return *this;
    }
    ~counted() { --live; }

    friend auto operator<=>(const counted& a, const counted& b) = default;

private:
    int value_;
};

// An allocator with a name. Propagate says whether containers take it over from each other.
template <class T, bool Propagate>
class named_allocator {
public:
    using value_type = T;
    using propagate_on_container_copy_assignment = std::bool_constant<Propagate>;
    using propagate_on_container_move_assignment = std::bool_constant<Propagate>;
    using propagate_on_container_swap = std::bool_constant<Propagate>;
    template <class U>
    struct rebind {
        using other = named_allocator<U, Propagate>;
    };

    static inline long given[4] = {};  // elements that are out, by name

    explicit named_allocator(int name = 0) noexcept : name_(name) {}
    template <class U>
    named_allocator(const named_allocator<U, Propagate>& other) noexcept : name_(other.name()) {}

    T* allocate(std::size_t n) {
        countdown::step();
        T* const p = std::allocator<T>().allocate(n);
        given[name_] += static_cast<long>(n);
        return p;
    }
    void deallocate(T* p, std::size_t n) noexcept {
        given[name_] -= static_cast<long>(n);
        std::allocator<T>().deallocate(p, n);
    }
    [[nodiscard]] named_allocator select_on_container_copy_construction() const { return named_allocator(3); }
    [[nodiscard]] int name() const noexcept { return name_; }
    friend bool operator==(const named_allocator& a, const named_allocator& b) = default;

    static bool all_is_back() {
        return given[0] == 0 && given[1] == 0 && given[2] == 0 && given[3] == 0;
    }

private:
    int name_;
};

}  // namespace coppice::testing_values
