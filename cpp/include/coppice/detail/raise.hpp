// How the library fails: it throws. In a program that is built with -fno-exceptions it prints what it would have
// thrown, and ends by std::terminate; no function of it throws through such code.
#pragma once

#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

namespace coppice::detail {

// Throws an E, or ends the program where there are no exceptions.
template <class E, class... Arguments>
[[noreturn]] void raise(Arguments&&... arguments) {
#ifdef __cpp_exceptions
    throw E(std::forward<Arguments>(arguments)...);
#else
    const E e(std::forward<Arguments>(arguments)...);
    std::fputs(e.what(), stderr);
    std::fputc('\n', stderr);
    std::terminate();
#endif
}

// The part of s from at on, of at most n characters: s.substr by the way in which this library fails.
template <class View>
[[nodiscard]] View part_of(View s, std::size_t at, std::size_t n) {
    if (at > s.size()) raise<std::out_of_range>("coppice::inline_string: position behind the end");
    return s.substr(at, n);
}

}  // namespace coppice::detail
