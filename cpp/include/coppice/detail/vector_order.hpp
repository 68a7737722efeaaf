// Non-member functions of coppice::inline_vector: comparison, erase and erase_if. The header of
// inline_vector includes this one at its end.
#pragma once

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>

#include "coppice/inline_vector.hpp"

namespace coppice {

namespace detail {

template <class T>
concept ordered = std::three_way_comparable<T> || requires(const T& a, const T& b) {
    { a < b } -> std::convertible_to<bool>;
};

// Compares with <=> if T has it, otherwise with <, as the standard's containers do.
inline constexpr auto three_way = []<ordered T>(const T& a, const T& b) {
    if constexpr (std::three_way_comparable<T>) {
        return a <=> b;
    } else {
        return a < b   ? std::weak_ordering::less
               : b < a ? std::weak_ordering::greater
                       : std::weak_ordering::equivalent;
    }
};

}  // namespace detail

template <class T, std::size_t N, class Allocator>
bool operator==(const inline_vector<T, N, Allocator>& a, const inline_vector<T, N, Allocator>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

template <detail::ordered T, std::size_t N, class Allocator>
auto operator<=>(const inline_vector<T, N, Allocator>& a, const inline_vector<T, N, Allocator>& b) {
    // std::lexicographical_compare_three_way, written out: LLVM's library has it only from version
    // 17 on.
    using order = decltype(detail::three_way(*a.begin(), *b.begin()));
    const T *i = a.begin(), *j = b.begin();
    for (; i != a.end() && j != b.end(); ++i, ++j) {
        if (const order o = detail::three_way(*i, *j); o != 0) {
            return o;
        }
    }
    return order(a.size() <=> b.size());
}

// Like std::erase and std::erase_if. Argument-dependent lookup finds them.
template <class T, std::size_t N, class Allocator, class U = T>
std::size_t erase(inline_vector<T, N, Allocator>& v, const U& value) {
    return erase_if(v, [&](const T& x) { return x == value; });
}

template <class T, std::size_t N, class Allocator, class Predicate>
std::size_t erase_if(inline_vector<T, N, Allocator>& v, Predicate p) {
    const auto kept = std::remove_if(v.begin(), v.end(), p);
    const auto gone = static_cast<std::size_t>(v.end() - kept);
    v.erase(kept, v.end());
    return gone;
}

}  // namespace coppice
