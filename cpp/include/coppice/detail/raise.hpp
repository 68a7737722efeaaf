// The library reports failures by exceptions. In a program built with -fno-exceptions it prints the
// message of the exception and calls std::terminate instead.
#pragma once

#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

namespace coppice::detail {

// Throws an E. Without exceptions it ends the program.
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

// Returns s.substr(at, n), but fails like the rest of this library.
template <class View>
[[nodiscard]] View part_of(View s, std::size_t at, std::size_t n) {
    if (at > s.size()) raise<std::out_of_range>("coppice::inline_string: position beyond the end");
    return s.substr(at, n);
}

}  // namespace coppice::detail
