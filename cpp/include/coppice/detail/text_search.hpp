// Searching and comparing for coppice::inline_string. Each member behaves like that of
// std::string_view.
#pragma once

#include <cstddef>
#include <string_view>

#include "coppice/detail/raise.hpp"

namespace coppice::detail {

template <class String, class CharT, class Traits>
class text_search {
    using view = std::basic_string_view<CharT, Traits>;
    using size_type = std::size_t;

    [[nodiscard]] view text() const noexcept { return static_cast<const String&>(*this); }

public:
    static constexpr size_type npos = view::npos;

    [[nodiscard]] size_type find(view s, size_type pos = 0) const noexcept {
        return text().find(s, pos);
    }
    [[nodiscard]] size_type find(CharT c, size_type pos = 0) const noexcept {
        return text().find(c, pos);
    }
    [[nodiscard]] size_type find(const CharT* s, size_type pos, size_type n) const noexcept {
        return text().find(s, pos, n);
    }

    [[nodiscard]] size_type rfind(view s, size_type pos = npos) const noexcept {
        return text().rfind(s, pos);
    }
    [[nodiscard]] size_type rfind(CharT c, size_type pos = npos) const noexcept {
        return text().rfind(c, pos);
    }
    [[nodiscard]] size_type rfind(const CharT* s, size_type pos, size_type n) const noexcept {
        return text().rfind(s, pos, n);
    }

    [[nodiscard]] size_type find_first_of(view s, size_type pos = 0) const noexcept {
        return text().find_first_of(s, pos);
    }
    [[nodiscard]] size_type find_first_of(CharT c, size_type pos = 0) const noexcept {
        return text().find_first_of(c, pos);
    }
    [[nodiscard]] size_type find_first_of(const CharT* s, size_type pos, size_type n) const noexcept {
        return text().find_first_of(s, pos, n);
    }

    [[nodiscard]] size_type find_last_of(view s, size_type pos = npos) const noexcept {
        return text().find_last_of(s, pos);
    }
    [[nodiscard]] size_type find_last_of(CharT c, size_type pos = npos) const noexcept {
        return text().find_last_of(c, pos);
    }
    [[nodiscard]] size_type find_last_of(const CharT* s, size_type pos, size_type n) const noexcept {
        return text().find_last_of(s, pos, n);
    }

    [[nodiscard]] size_type find_first_not_of(view s, size_type pos = 0) const noexcept {
        return text().find_first_not_of(s, pos);
    }
    [[nodiscard]] size_type find_first_not_of(CharT c, size_type pos = 0) const noexcept {
        return text().find_first_not_of(c, pos);
    }
    [[nodiscard]] size_type find_first_not_of(const CharT* s, size_type pos, size_type n) const noexcept {
        return text().find_first_not_of(s, pos, n);
    }

    [[nodiscard]] size_type find_last_not_of(view s, size_type pos = npos) const noexcept {
        return text().find_last_not_of(s, pos);
    }
    [[nodiscard]] size_type find_last_not_of(CharT c, size_type pos = npos) const noexcept {
        return text().find_last_not_of(c, pos);
    }
    [[nodiscard]] size_type find_last_not_of(const CharT* s, size_type pos, size_type n) const noexcept {
        return text().find_last_not_of(s, pos, n);
    }

    [[nodiscard]] int compare(view s) const noexcept { return text().compare(s); }
    [[nodiscard]] int compare(size_type at, size_type n, view s) const { return part_of(text(), at, n).compare(s); }
    [[nodiscard]] int compare(size_type at, size_type n, const CharT* s, size_type m) const {
        return part_of(text(), at, n).compare(view(s, m));
    }
    [[nodiscard]] int compare(size_type at, size_type n, view s, size_type pos, size_type m) const {
        return part_of(text(), at, n).compare(part_of(s, pos, m));
    }

    [[nodiscard]] bool starts_with(view s) const noexcept { return text().starts_with(s); }
    [[nodiscard]] bool starts_with(CharT c) const noexcept { return text().starts_with(c); }
    [[nodiscard]] bool ends_with(view s) const noexcept { return text().ends_with(s); }
    [[nodiscard]] bool ends_with(CharT c) const noexcept { return text().ends_with(c); }
    [[nodiscard]] bool contains(view s) const noexcept { return find(s) != npos; }
    [[nodiscard]] bool contains(CharT c) const noexcept { return find(c) != npos; }

    size_type copy(CharT* to, size_type n, size_type pos = 0) const { return part_of(text(), pos, n).copy(to, n); }
};

}  // namespace coppice::detail
