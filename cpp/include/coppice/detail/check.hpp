// Misuse that is too dear to look for in every program: it is looked for where NDEBUG is not defined, as with assert,
// and ends the program with a line that says what was misused, `coppice::class::function: what`. With NDEBUG nothing
// is looked for, and nothing is paid. No class has other members because of it.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace coppice::detail {

#ifdef NDEBUG
inline constexpr bool checks = false;
#else
inline constexpr bool checks = true;
#endif

[[noreturn, gnu::cold, gnu::noinline]] inline void misuse(const char* what) noexcept {
    std::fputs(what, stderr);
    std::fputc('\n', stderr);
    std::abort();
}

}  // namespace coppice::detail

// Ends the program unless the condition holds; with NDEBUG it does not look at it.
#ifdef NDEBUG
#define COPPICE_REQUIRE(condition, what) static_cast<void>(0)
#else
#define COPPICE_REQUIRE(condition, what) ((condition) ? static_cast<void>(0) : ::coppice::detail::misuse(what))
#endif
