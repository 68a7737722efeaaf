// How the library fails: it throws. In a program that is built with -fno-exceptions it prints what it would have
// thrown, and ends by std::terminate; no function of it throws through such code.
#pragma once

#include <cstdio>
#include <exception>
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

}  // namespace coppice::detail
