// The memory of coppice::inline_string, and the change that all others reduce to: replacing
// some of its characters. They are inside the object or in an allocated block. The last byte
// of the object distinguishes the two.
//
//     inside:   c h a r a c t e r s 0 ? ? ? ? ? ? ? ? r    r = capacity - size, at most 254
//     block:    (unused)  | pointer | size | capacity 255
//
// In a full object r = 0, and this byte is part of the terminator. The three words of a
// block are at the end of the object; 255 takes the place of the capacity's top byte.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "coppice/detail/raise.hpp"

namespace coppice::detail {

// Marks unreachable code; std::unreachable needs C++23.
[[noreturn]] inline void unreachable() noexcept {
#if defined(_MSC_VER) && !defined(__clang__)
    __assume(false);
#else
    __builtin_unreachable();
#endif
}

template <class CharT, std::size_t N, class Traits, class Allocator>
class inline_text {
protected:
    using traits = std::allocator_traits<Allocator>;
    using view = std::basic_string_view<CharT, Traits>;

    // N and the terminator, rounded up to words. Bytes added by rounding hold characters too.
    static constexpr std::size_t word = sizeof(std::size_t);
    static constexpr std::size_t bytes = ((std::max)((N + 1) * sizeof(CharT), 3 * word) + word - 1) / word * word;
    static constexpr unsigned char mark = 255;
    static constexpr std::size_t room = (std::min<std::size_t>)(bytes / sizeof(CharT), mark) - 1;
    static constexpr std::size_t taggable = ((std::numeric_limits<std::size_t>::max)() >> 8) - 1;
    static_assert(N < mark, "at most 254 characters live inside");
    static_assert(sizeof(CharT*) == word);
    static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big);

    // Sets the words of a block too: the compiler cannot prove that they are set before they are
    // read.
    explicit inline_text(const Allocator& a) noexcept : alloc_(a) {
        std::memset(bytes_at(offset), 0, 3 * word);
        set_inside(0);
    }
    inline_text(const inline_text&) = delete;
    inline_text& operator=(const inline_text&) = delete;
    ~inline_text() { free_block(); }

    [[nodiscard]] bool inside() const noexcept { return last_byte() != mark; }
    [[nodiscard]] CharT* first() noexcept { return inside() ? chars_ : block_first(); }
    [[nodiscard]] const CharT* first() const noexcept { return inside() ? chars_ : block_first(); }
    [[nodiscard]] std::size_t length() const noexcept {
        return inside() ? room - last_byte() : get<std::size_t>(1);
    }
    [[nodiscard]] std::size_t room_for() const noexcept { return inside() ? room : block_room(); }

    // Sets the size and writes the terminator.
    void put_size(std::size_t n) noexcept {
        if (inside()) {
            set_inside(n);
            return;
        }
        put(1, n);
        Traits::assign(block_first()[n], CharT());
    }

    // Sets the size to n characters inside, which the caller has written.
    void set_inside(std::size_t n) noexcept {
        if (n > room) {
            unreachable();  // set_inside is not called on a block, which the compiler cannot prove
        }
        *bytes_at(bytes - 1) = static_cast<unsigned char>(room - n);
        Traits::assign(chars_[n], CharT());
    }

    // Allocates a block for that many characters and the terminator.
    [[nodiscard]] CharT* new_block(std::size_t capacity) { return traits::allocate(alloc_, capacity + 1); }

    // Frees the old block, if any, and owns a block from new_block that has n characters.
    void adopt(CharT* first, std::size_t n, std::size_t capacity) noexcept {
        free_block();
        put(0, first);
        put(1, n);
        put(2, tag(capacity));
        Traits::assign(first[n], CharT());
    }

    // Frees the block, if any. The text is then empty and inside.
    void free_block() noexcept {
        if (!inside()) {
            traits::deallocate(alloc_, block_first(), block_room() + 1);
            set_inside(0);
        }
    }

    // Moves the characters of a block inside, if they fit.
    void bring_inside() noexcept {
        CharT* const from = block_first();
        const std::size_t n = length();
        const std::size_t capacity = block_room();
        Traits::copy(chars_, from, n);
        set_inside(n);
        traits::deallocate(alloc_, from, capacity + 1);
    }

    // Takes over the characters of another text with an equal allocator.
    void take(inline_text& other) noexcept {
        free_block();
        std::memcpy(static_cast<void*>(chars_), other.chars_, bytes);
        other.set_inside(0);
    }

    // The object has no pointer into itself, so swapping its bytes is enough.
    void swap_bytes(inline_text& other) noexcept {
        unsigned char kept[bytes];
        std::memcpy(kept, chars_, bytes);
        std::memcpy(static_cast<void*>(chars_), other.chars_, bytes);
        std::memcpy(static_cast<void*>(other.chars_), kept, bytes);
    }

    [[nodiscard]] std::size_t most() const noexcept {
        constexpr auto half = static_cast<std::size_t>((std::numeric_limits<std::ptrdiff_t>::max)());
        return (std::min)({taggable, traits::max_size(alloc_) - 1, half / sizeof(CharT) - 1});
    }

    [[noreturn]] static void too_long() {
        detail::raise<std::length_error>("coppice::inline_string: more than max_size() characters");
    }

    // Sets the first characters of a new string.
    void start(view s) {
        if (s.size() > room) {
            if (s.size() > most()) {
                too_long();
            }
            CharT* const to = new_block(s.size());
            Traits::copy(to, s.data(), s.size());
            adopt(to, s.size(), s.size());
            return;
        }
        Traits::copy(chars_, s.data(), s.size());
        set_inside(s.size());
    }

    void move_to_block(std::size_t capacity) {
        const std::size_t n = length();
        CharT* const to = new_block(capacity);
        Traits::copy(to, first(), n);
        adopt(to, n, capacity);
    }

    void add(CharT c) {
        const std::size_t left = last_byte();
        const bool in = left != mark;
        const std::size_t n = in ? room - left : get<std::size_t>(1);
        if (n == (in ? room : block_room())) {
            replace_by(n, 0, 1, c);
        } else if (in) {
            chars_[n] = c;
            set_inside(n + 1);
        } else {
            CharT* const to = block_first() + n;
            put(1, n + 1);
            to[0] = c;
            to[1] = CharT();
        }
    }

    void replace_by(std::size_t at, std::size_t gone, std::size_t n, CharT c) {
        replace_with(at, gone, n, [&](CharT* to) { Traits::assign(to, n, c); });
    }

    // The text may be part of this one. It is copied first if the change would move it.
    void replace_by(std::size_t at, std::size_t gone, view s) {
        const bool shifts = s.size() != gone && at + gone != length();
        if (shifts && !s.empty() && has(s)) {
            inline_text copy(alloc_);
            copy.start(s);
            return replace_by(at, gone, view(copy.first(), copy.length()));
        }
        replace_with(at, gone, s.size(), [&](CharT* to) { Traits::move(to, s.data(), s.size()); });
    }

    [[no_unique_address]] Allocator alloc_;

private:
    // Replaces characters by n that write produces. If there is a new block, write may read the old
    // characters until it returns. No effect if it throws.
    template <class Write>
    void replace_with(std::size_t at, std::size_t gone, std::size_t n, Write write) {
        const std::size_t old = length();
        if (n > most() - (old - gone)) {
            too_long();
        }
        const std::size_t now = old - gone + n;
        const std::size_t rest = old - gone - at;
        CharT* const from = first();
        if (now <= room_for()) {
            Traits::move(from + at + n, from + at + gone, rest);
            write(from + at);
            put_size(now);
            return;
        }
        const std::size_t larger = (std::max)(now, (std::min)(2 * room_for(), most()));
        CharT* const to = new_block(larger);
        Traits::copy(to, from, at);
        write(to + at);
        Traits::copy(to + at + n, from + at + gone, rest);
        adopt(to, now, larger);
    }

    [[nodiscard]] bool has(view s) const noexcept {
        return std::less_equal<>()(first(), s.data()) && std::less_equal<>()(s.data(), first() + length());
    }

    static constexpr std::size_t offset = bytes - 3 * word;
    static constexpr bool little = std::endian::native == std::endian::little;
    static constexpr int top = std::numeric_limits<std::size_t>::digits - 8;

    // The mark is in the byte of the word that is last in memory.
    static constexpr std::size_t tag(std::size_t capacity) noexcept {
        return little ? capacity | (std::size_t{mark} << top) : (capacity << 8) | mark;
    }
    static constexpr std::size_t untag(std::size_t tagged) noexcept {
        return little ? tagged & ~(std::size_t{mark} << top) : tagged >> 8;
    }

    unsigned char* bytes_at(std::size_t i) noexcept { return reinterpret_cast<unsigned char*>(chars_) + i; }
    const unsigned char* bytes_at(std::size_t i) const noexcept {
        return reinterpret_cast<const unsigned char*>(chars_) + i;
    }
    [[nodiscard]] unsigned char last_byte() const noexcept { return *bytes_at(bytes - 1); }

    // Reads the words of a block one by one: a load that is wider than the preceding store
    // stalls.
    template <class Word>
    [[nodiscard]] Word get(std::size_t i) const noexcept {
        Word w;
        std::memcpy(&w, bytes_at(offset + i * word), word);
        return w;
    }
    template <class Word>
    void put(std::size_t i, Word w) noexcept {
        std::memcpy(bytes_at(offset + i * word), &w, word);
    }
    [[nodiscard]] CharT* block_first() const noexcept { return get<CharT*>(0); }
    [[nodiscard]] std::size_t block_room() const noexcept { return untag(get<std::size_t>(2)); }

    alignas(std::size_t) CharT chars_[bytes / sizeof(CharT)];
};

}  // namespace coppice::detail
