// coppice::inline_string<N>: a string with room for N characters inside the object.
//
// Idea.  Most strings of a program are short, but the 15 characters that std::string
// stores inline may be too few for names and paths. Here the user chooses N: up to N
// characters need no allocation, and longer strings are in an allocated block.
//
// Size.  sizeof = N + 1, at least 24, rounded up to 8 bytes. inline_string<23> has 24
// bytes; inline_string<31> has 32, like libstdc++'s std::string. Bytes added by rounding
// hold characters too, so inline_capacity may exceed N. N is at most 254.
//
// The last byte of the object distinguishes the two forms. It is 255 for a block. Otherwise
// it is the number of characters that still fit; when that is 0, the byte is also the
// terminator. The object has no pointer into itself, so its bytes could be moved anywhere.
// Each access tests the last byte, which costs about a nanosecond unless it is hoisted.
//
// Interface.  That of std::string; iterators are plain pointers. Parameters for text accept
// anything that converts to std::string_view, including parts of the string itself. c_str()
// and data() are zero-terminated.
//
// Invalidation.  As with std::string: every non-const member, and a move or swap.
//
// Cost.  Moves and swaps copy sizeof bytes. Appending doubles the capacity. push_back takes
// about twice the time of std::string's, because each call reads the byte that the previous
// one wrote. replace and insert first copy a text that is part of the string.
//
// Exceptions.  A member that throws has no effect: length_error above max_size(),
// out_of_range for a position after the end, and exceptions of the allocator.
//
// Unsuited to large arrays of strings that are mostly much shorter or longer than N, as each
// has the inline bytes. A string that was moved from is empty. Only one thread at a time may
// use a string that changes, as with std::string.
#pragma once

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "coppice/detail/check.hpp"
#include "coppice/detail/inline_text.hpp"
#include "coppice/detail/raise.hpp"
#include "coppice/detail/text_edit.hpp"
#include "coppice/detail/text_search.hpp"

namespace coppice {

template <class CharT, std::size_t N, class Traits = std::char_traits<CharT>,
          class Allocator = std::allocator<CharT>>
class basic_inline_string
    : private detail::inline_text<CharT, N, Traits, Allocator>,
      public detail::text_search<basic_inline_string<CharT, N, Traits, Allocator>, CharT, Traits>,
      public detail::text_edit<basic_inline_string<CharT, N, Traits, Allocator>, CharT, Traits> {
    using text = detail::inline_text<CharT, N, Traits, Allocator>;
    using typename text::traits;
    using text::alloc_;
    using text::first;
    using edit = detail::text_edit<basic_inline_string, CharT, Traits>;
    using search = detail::text_search<basic_inline_string, CharT, Traits>;
    using view = std::basic_string_view<CharT, Traits>;

    static_assert(std::is_trivially_copyable_v<CharT> && std::is_same_v<typename traits::value_type, CharT>);
    static_assert(std::is_same_v<typename traits::pointer, CharT*>, "fancy pointers are not supported");

    static constexpr bool always_equal = traits::is_always_equal::value;
    static constexpr bool assigns_allocator_on_copy = traits::propagate_on_container_copy_assignment::value;
    static constexpr bool assigns_allocator_on_move = traits::propagate_on_container_move_assignment::value;

public:
    using traits_type = Traits;
    using value_type = CharT;
    using allocator_type = Allocator;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = CharT&;
    using const_reference = const CharT&;
    using pointer = CharT*;
    using const_pointer = const CharT*;
    using iterator = CharT*;
    using const_iterator = const CharT*;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    using edit::append;
    using edit::assign;
    using search::npos;

    // The number of characters that fit inside the object: N or a few more.
    static constexpr size_type inline_capacity = text::room;

    basic_inline_string() noexcept(noexcept(Allocator())) : basic_inline_string(Allocator()) {}
    explicit basic_inline_string(const Allocator& a) noexcept : text(a) {}

    basic_inline_string(const CharT* s, const Allocator& a = Allocator()) : text(a) { this->start(s); }
    basic_inline_string(std::nullptr_t) = delete;

    basic_inline_string(const CharT* s, size_type n, const Allocator& a = Allocator()) : text(a) {
        this->start(view(s, n));
    }

    basic_inline_string(size_type n, CharT c, const Allocator& a = Allocator()) : basic_inline_string(a) {
        append(n, c);
    }

    template <class V>
        requires detail::is_text<V, CharT, Traits>
    explicit basic_inline_string(const V& s, const Allocator& a = Allocator()) : text(a) {
        this->start(s);
    }

    template <class V>
        requires detail::is_text<V, CharT, Traits>
    basic_inline_string(const V& s, size_type pos, size_type n = npos, const Allocator& a = Allocator())
        : basic_inline_string(detail::part_of(view(s), pos, n), a) {}

    // Delegates, so that the destructor runs if the body throws.
    template <std::input_iterator It>
    basic_inline_string(It from, It to, const Allocator& a = Allocator()) : basic_inline_string(a) {
        append(from, to);
    }

    basic_inline_string(std::initializer_list<CharT> chars, const Allocator& a = Allocator())
        : basic_inline_string(chars.begin(), chars.size(), a) {}

    basic_inline_string(const basic_inline_string& other)
        : basic_inline_string(other, traits::select_on_container_copy_construction(other.alloc_)) {}

    basic_inline_string(const basic_inline_string& other, const std::type_identity_t<Allocator>& a)
        : text(a) {
        this->start(other);
    }

    basic_inline_string(basic_inline_string&& other) noexcept : text(other.alloc_) { this->take(other); }

    basic_inline_string(basic_inline_string&& other, const std::type_identity_t<Allocator>& a) noexcept(
        always_equal)
        : basic_inline_string(a) {
        take_or_copy(other);
    }

    ~basic_inline_string() = default;

    basic_inline_string& operator=(const basic_inline_string& other) {
        if (this == &other) {
            return *this;
        }
        if constexpr (assigns_allocator_on_copy) {
            if (alloc_ != other.alloc_) {
                basic_inline_string copy(other, other.alloc_);
                this->free_block();
                alloc_ = other.alloc_;
                this->take(copy);
                return *this;
            }
        }
        return assign(view(other));
    }

    basic_inline_string& operator=(basic_inline_string&& other) noexcept(assigns_allocator_on_move ||
                                                                         always_equal) {
        if (this == &other) {
            return *this;
        }
        if constexpr (assigns_allocator_on_move) {
            this->free_block();
            alloc_ = other.alloc_;
            this->take(other);
        } else {
            take_or_copy(other);
        }
        return *this;
    }

    basic_inline_string& operator=(const CharT* s) { return assign(view(s)); }
    basic_inline_string& operator=(CharT c) { return assign(1, c); }
    basic_inline_string& operator=(std::initializer_list<CharT> chars) { return assign(chars); }
    template <class V>
        requires detail::is_text<V, CharT, Traits>
    basic_inline_string& operator=(const V& s) {
        return assign(view(s));
    }

    [[nodiscard]] allocator_type get_allocator() const noexcept { return alloc_; }
    operator view() const noexcept { return view(first(), size()); }

    // Element access. at throws out_of_range for an invalid index; the others assert it unless
    // NDEBUG is defined. operator[] may also read the terminator.
    [[nodiscard]] const CharT* c_str() const noexcept { return first(); }
    [[nodiscard]] const CharT* data() const noexcept { return first(); }
    [[nodiscard]] CharT* data() noexcept { return first(); }
    [[nodiscard]] CharT& operator[](size_type i) noexcept { return first()[present(i)]; }
    [[nodiscard]] const CharT& operator[](size_type i) const noexcept { return first()[present(i)]; }
    [[nodiscard]] CharT& at(size_type i) { return first()[index(i)]; }
    [[nodiscard]] const CharT& at(size_type i) const { return first()[index(i)]; }
    [[nodiscard]] CharT& front() noexcept {
        COPPICE_REQUIRE(!empty(), "coppice::inline_string::front: the string is empty");
        return first()[0];
    }
    [[nodiscard]] const CharT& front() const noexcept {
        COPPICE_REQUIRE(!empty(), "coppice::inline_string::front: the string is empty");
        return first()[0];
    }
    [[nodiscard]] CharT& back() noexcept {
        COPPICE_REQUIRE(!empty(), "coppice::inline_string::back: the string is empty");
        return first()[size() - 1];
    }
    [[nodiscard]] const CharT& back() const noexcept {
        COPPICE_REQUIRE(!empty(), "coppice::inline_string::back: the string is empty");
        return first()[size() - 1];
    }

    [[nodiscard]] iterator begin() noexcept { return first(); }
    [[nodiscard]] const_iterator begin() const noexcept { return first(); }
    [[nodiscard]] const_iterator cbegin() const noexcept { return first(); }
    [[nodiscard]] iterator end() noexcept { return first() + size(); }
    [[nodiscard]] const_iterator end() const noexcept { return first() + size(); }
    [[nodiscard]] const_iterator cend() const noexcept { return first() + size(); }
    [[nodiscard]] reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
    [[nodiscard]] const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
    [[nodiscard]] const_reverse_iterator crbegin() const noexcept { return rbegin(); }
    [[nodiscard]] reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
    [[nodiscard]] const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
    [[nodiscard]] const_reverse_iterator crend() const noexcept { return rend(); }

    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] size_type size() const noexcept { return text::length(); }
    [[nodiscard]] size_type length() const noexcept { return text::length(); }
    [[nodiscard]] size_type capacity() const noexcept { return this->room_for(); }

    // Returns whether the characters are inside the object.
    [[nodiscard]] bool is_inline() const noexcept { return text::inside(); }

    [[nodiscard]] size_type max_size() const noexcept { return this->most(); }

    void reserve(size_type n) {
        if (n > max_size()) {
            text::too_long();
        }
        if (n > capacity()) {
            this->move_to_block(n);
        }
    }

    // Moves the characters into the object if they fit, otherwise into a block without spare room.
    void shrink_to_fit() {
        if (is_inline() || size() == capacity()) {
            return;
        }
        if (size() <= inline_capacity) {
            this->bring_inside();
        } else {
            this->move_to_block(size());
        }
    }

    void resize(size_type n, CharT c = CharT()) {
        if (n > size()) {
            append(n - size(), c);
        } else {
            this->put_size(n);
        }
    }

    void clear() noexcept { this->put_size(0); }

    void push_back(CharT c) { this->add(c); }

    basic_inline_string& operator+=(view s) { return append(s); }
    basic_inline_string& operator+=(std::initializer_list<CharT> chars) { return append(chars); }
    basic_inline_string& operator+=(CharT c) {
        push_back(c);
        return *this;
    }

    void pop_back() noexcept {
        COPPICE_REQUIRE(!empty(), "coppice::inline_string::pop_back: the string is empty");
        this->put_size(size() - 1);
    }

    [[nodiscard]] basic_inline_string substr(size_type pos = 0, size_type n = npos) const {
        return basic_inline_string(detail::part_of(view(*this), pos, n));
    }

    // Allocators that do not propagate on swap must be equal, as in the standard.
    void swap(basic_inline_string& other) noexcept {
        if constexpr (traits::propagate_on_container_swap::value) {
            std::swap(alloc_, other.alloc_);
        } else {
            COPPICE_REQUIRE(alloc_ == other.alloc_, "coppice::inline_string::swap: the allocators differ");
        }
        this->swap_bytes(other);
    }
    friend void swap(basic_inline_string& a, basic_inline_string& b) noexcept { a.swap(b); }

    // Strings compare as std::string_view does, even if their inline capacities differ.
    friend bool operator==(const basic_inline_string& a, view b) noexcept { return view(a) == b; }
    friend auto operator<=>(const basic_inline_string& a, view b) noexcept { return view(a) <=> b; }

    friend std::basic_ostream<CharT, Traits>& operator<<(std::basic_ostream<CharT, Traits>& out,
                                                         const basic_inline_string& s) {
        return out << view(s);
    }

private:
    friend edit;

    [[nodiscard]] size_type present(size_type i) const noexcept {
        COPPICE_REQUIRE(i <= size(), "coppice::inline_string::operator[]: an index beyond the end");
        return i;
    }

    [[nodiscard]] size_type index(size_type i) const {
        if (i >= size()) {
            detail::raise<std::out_of_range>("coppice::inline_string::at: no such index");
        }
        return i;
    }

    void take_or_copy(basic_inline_string& other) {
        if (always_equal || alloc_ == other.alloc_) {
            this->take(other);
        } else {
            assign(view(other));
            other.clear();
        }
    }
};

// A string of char with room for N characters inside.
template <std::size_t N>
using inline_string = basic_inline_string<char, N>;

template <class CharT, std::size_t N, std::size_t M, class Traits, class A, class B>
bool operator==(const basic_inline_string<CharT, N, Traits, A>& a,
                const basic_inline_string<CharT, M, Traits, B>& b) noexcept {
    using view = std::basic_string_view<CharT, Traits>;
    return view(a) == view(b);
}

template <class CharT, std::size_t N, std::size_t M, class Traits, class A, class B>
auto operator<=>(const basic_inline_string<CharT, N, Traits, A>& a,
                 const basic_inline_string<CharT, M, Traits, B>& b) noexcept {
    using view = std::basic_string_view<CharT, Traits>;
    return view(a) <=> view(b);
}

// Concatenates. The result has the type of the left operand if it is an inline string, otherwise
// that of the right.
template <class CharT, std::size_t N, class Traits, class A, class Right>
    requires std::is_convertible_v<const Right&, std::basic_string_view<CharT, Traits>>
basic_inline_string<CharT, N, Traits, A> operator+(basic_inline_string<CharT, N, Traits, A> a, const Right& b) {
    a.append(b);
    return a;
}

template <class Left, class CharT, std::size_t N, class Traits, class A>
    requires(std::is_convertible_v<const Left&, std::basic_string_view<CharT, Traits>> &&
             !requires(const Left& a) { a.is_inline(); })
basic_inline_string<CharT, N, Traits, A> operator+(const Left& a,
                                                   const basic_inline_string<CharT, N, Traits, A>& b) {
    basic_inline_string<CharT, N, Traits, A> joined(a, b.get_allocator());
    joined.append(b);
    return joined;
}

template <class CharT, std::size_t N, class Traits, class A>
basic_inline_string<CharT, N, Traits, A> operator+(basic_inline_string<CharT, N, Traits, A> a, CharT b) {
    a.push_back(b);
    return a;
}

template <class CharT, std::size_t N, class Traits, class A>
basic_inline_string<CharT, N, Traits, A> operator+(CharT a, const basic_inline_string<CharT, N, Traits, A>& b) {
    return std::basic_string_view<CharT, Traits>(&a, 1) + b;
}

// Like std::erase and std::erase_if. Argument-dependent lookup finds them.
template <class CharT, std::size_t N, class Traits, class A, class Predicate>
std::size_t erase_if(basic_inline_string<CharT, N, Traits, A>& s, Predicate p) {
    const auto kept = std::remove_if(s.begin(), s.end(), p);
    const auto gone = static_cast<std::size_t>(s.end() - kept);
    s.erase(kept, s.end());
    return gone;
}

template <class CharT, std::size_t N, class Traits, class A>
std::size_t erase(basic_inline_string<CharT, N, Traits, A>& s, const CharT& c) {
    return erase_if(s, [c](CharT x) { return x == c; });
}

}  // namespace coppice

template <class CharT, std::size_t N, class Traits, class A>
struct std::hash<coppice::basic_inline_string<CharT, N, Traits, A>> {
    std::size_t operator()(const coppice::basic_inline_string<CharT, N, Traits, A>& s) const noexcept {
        return std::hash<std::basic_string_view<CharT>>()({s.data(), s.size()});
    }
};
