// Checks for misuse that cost too much for every program. Like assert they are active unless NDEBUG
// is defined. A failed check prints one line, `coppice::class::function: what`, and aborts. With
// NDEBUG the checks cost nothing. NDEBUG does not change the members of any class.
// docs/decisions/0015 says why.
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

// Aborts unless the condition holds. With NDEBUG the condition is not evaluated.
#ifdef NDEBUG
#define COPPICE_REQUIRE(condition, what) static_cast<void>(0)
#else
#define COPPICE_REQUIRE(condition, what) ((condition) ? static_cast<void>(0) : ::coppice::detail::misuse(what))
#endif
