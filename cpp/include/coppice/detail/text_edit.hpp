// The members that change the text of coppice::inline_string, in all forms of std::string.
// Each replaces some characters by others or by copies of one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "coppice/detail/check.hpp"
#include "coppice/detail/raise.hpp"

namespace coppice::detail {

// A type that converts to a view but is not a pointer to terminated text.
template <class V, class CharT, class Traits>
inline constexpr bool is_text = std::is_convertible_v<const V&, std::basic_string_view<CharT, Traits>> &&
                                !std::is_convertible_v<const V&, const CharT*>;

template <class String, class CharT, class Traits>
class text_edit {
    using view = std::basic_string_view<CharT, Traits>;
    using size_type = std::size_t;
    using list = std::initializer_list<CharT>;
    static constexpr size_type npos = view::npos;

    template <class V>
    static constexpr bool is_text = detail::is_text<V, CharT, Traits>;

    // An iterator of this string. A literal 0 is an index, but would convert to a plain pointer as
    // null.
    template <class I>
    static constexpr bool is_place = std::is_same_v<I, CharT*> || std::is_same_v<I, const CharT*>;

public:
    String& assign(view s) { return put(0, size(), s); }
    String& assign(const CharT* s, size_type n) { return put(0, size(), view(s, n)); }
    template <class V>
        requires is_text<V>
    String& assign(const V& s, size_type pos, size_type n = npos) {
        return put(0, size(), part_of(view(s), pos, n));
    }
    String& assign(size_type n, CharT c) { return put(0, size(), n, c); }
    String& assign(list s) { return put(0, size(), view_of(s)); }
    template <std::input_iterator It>
    String& assign(It from, It to) {
        return put_range(0, size(), from, to);
    }

    String& append(view s) { return put(size(), 0, s); }
    String& append(const CharT* s, size_type n) { return put(size(), 0, view(s, n)); }
    template <class V>
        requires is_text<V>
    String& append(const V& s, size_type pos, size_type n = npos) {
        return put(size(), 0, part_of(view(s), pos, n));
    }
    String& append(size_type n, CharT c) { return put(size(), 0, n, c); }
    String& append(list s) { return put(size(), 0, view_of(s)); }
    template <std::input_iterator It>
    String& append(It from, It to) {
        return put_range(size(), 0, from, to);
    }

    String& insert(size_type at, view s) { return put(position(at), 0, s); }
    String& insert(size_type at, const CharT* s, size_type n) { return put(position(at), 0, view(s, n)); }
    template <class V>
        requires is_text<V>
    String& insert(size_type at, const V& s, size_type pos, size_type n = npos) {
        return put(position(at), 0, part_of(view(s), pos, n));
    }
    String& insert(size_type at, size_type n, CharT c) { return put(position(at), 0, n, c); }
    template <class I>
        requires is_place<I>
    CharT* insert(I place, CharT c) {
        return insert(place, 1, c);
    }
    template <class I>
        requires is_place<I>
    CharT* insert(I place, size_type n, CharT c) {
        const size_type at = insertion(place);
        return put(at, 0, n, c).begin() + at;
    }
    template <class I, std::input_iterator It>
        requires is_place<I>
    CharT* insert(I place, It from, It to) {
        const size_type at = insertion(place);
        return put_range(at, 0, from, to).begin() + at;
    }
    template <class I>
        requires is_place<I>
    CharT* insert(I place, list s) {
        return insert(place, s.begin(), s.end());
    }

    String& erase(size_type at = 0, size_type n = npos) { return put(position(at), at_most(at, n), view()); }
    template <class I>
        requires is_place<I>
    CharT* erase(I place) {
        COPPICE_REQUIRE(has(place, place) && place != self().data() + size(),
                        "coppice::inline_string::erase: there is no character at the place");
        return erase(place, place + 1);
    }
    template <class I, class J>
        requires(is_place<I> && is_place<J>)
    CharT* erase(I first, J last) {
        COPPICE_REQUIRE(has(first, last), "coppice::inline_string::erase: the range is not in the string");
        const size_type at = index_of(first);
        return put(at, count(first, last), view()).begin() + at;
    }

    String& replace(size_type at, size_type gone, view s) { return put(position(at), at_most(at, gone), s); }
    String& replace(size_type at, size_type gone, const CharT* s, size_type n) {
        return replace(at, gone, view(s, n));
    }
    template <class V>
        requires is_text<V>
    String& replace(size_type at, size_type gone, const V& s, size_type pos, size_type n = npos) {
        return put(position(at), at_most(at, gone), part_of(view(s), pos, n));
    }
    String& replace(size_type at, size_type gone, size_type n, CharT c) {
        return put(position(at), at_most(at, gone), n, c);
    }
    template <class I, class J>
        requires(is_place<I> && is_place<J>)
    String& replace(I first, J last, view s) {
        return put(replaced(first, last), count(first, last), s);
    }
    template <class I, class J>
        requires(is_place<I> && is_place<J>)
    String& replace(I first, J last, const CharT* s, size_type n) {
        return put(replaced(first, last), count(first, last), view(s, n));
    }
    template <class I, class J>
        requires(is_place<I> && is_place<J>)
    String& replace(I first, J last, size_type n, CharT c) {
        return put(replaced(first, last), count(first, last), n, c);
    }
    template <class I, class J, std::input_iterator It>
        requires(is_place<I> && is_place<J>)
    String& replace(I first, J last, It from, It to) {
        return put_range(replaced(first, last), count(first, last), from, to);
    }
    template <class I, class J>
        requires(is_place<I> && is_place<J>)
    String& replace(I first, J last, list s) {
        return put(replaced(first, last), count(first, last), view_of(s));
    }

private:
    [[nodiscard]] String& self() noexcept { return static_cast<String&>(*this); }
    [[nodiscard]] size_type size() noexcept { return self().size(); }
    [[nodiscard]] size_type index_of(const CharT* place) noexcept { return count(self().data(), place); }
    [[nodiscard]] size_type insertion(const CharT* place) noexcept {
        COPPICE_REQUIRE(has(place, place), "coppice::inline_string::insert: the place is not in the string");
        return index_of(place);
    }
    [[nodiscard]] size_type replaced([[maybe_unused]] const CharT* first, [[maybe_unused]] const CharT* last) noexcept {
        COPPICE_REQUIRE(has(first, last), "coppice::inline_string::replace: the range is not in the string");
        return index_of(first);
    }
    // Returns whether both point into the string or to its end, in that order.
    [[nodiscard]] bool has(const CharT* first, const CharT* last) noexcept {
        const std::less_equal<> before;
        return before(self().data(), first) && before(first, last) && before(last, self().data() + size());
    }
    [[nodiscard]] size_type at_most(size_type at, size_type n) noexcept { return (std::min)(n, size() - at); }

    static size_type count(const CharT* first, const CharT* last) noexcept {
        return static_cast<size_type>(last - first);
    }

    static view view_of(list s) noexcept { return view(s.begin(), s.size()); }

    [[nodiscard]] size_type position(size_type at) {
        if (at > size()) {
            detail::raise<std::out_of_range>("coppice::inline_string: position beyond the end");
        }
        return at;
    }

    String& put(size_type at, size_type gone, view s) {
        self().replace_by(at, gone, s);
        return self();
    }

    String& put(size_type at, size_type gone, size_type n, CharT c) {
        self().replace_by(at, gone, n, c);
        return self();
    }

    // Characters that are not contiguous are collected first.
    template <class It>
    String& put_range(size_type at, size_type gone, It from, It to) {
        if constexpr (std::contiguous_iterator<It> && std::is_same_v<std::iter_value_t<It>, CharT>) {
            return put(at, gone, view(std::to_address(from), static_cast<size_type>(to - from)));
        } else {
            String collected(self().get_allocator());
            for (; from != to; ++from) {
                collected.push_back(*from);
            }
            return put(at, gone, collected);
        }
    }
};

}  // namespace coppice::detail
