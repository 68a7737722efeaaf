// Checks that a call fails: it throws or, in a program without exceptions, prints the message and
// calls std::terminate.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <exception>
#include <string>
#include <string_view>

namespace coppice::testing_failures {

#ifdef __cpp_exceptions
inline constexpr bool throws = true;
#else
inline constexpr bool throws = false;
#endif

// Whether f throws an E. Where nothing can be thrown, f must not fail.
template <class E, class F>
bool raises(F&& f) {
#ifdef __cpp_exceptions
    try {
        f();
    } catch (const E&) {
        return true;
    }
#else
    f();
#endif
    return false;
}

// What f throws says. Where nothing can be thrown there is EXPECT_SAYS.
template <class F>
std::string message_of(F&& f) {
#ifdef __cpp_exceptions
    try {
        f();
    } catch (const std::exception& e) {
        return e.what();
    }
#else
    f();
#endif
    return "no exception";
}

// A regular expression for that text.
inline std::string quoted(std::string_view text) {
    std::string all;
    for (const char c : text) {
        if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) all += '\\';
        all += c;
    }
    return all;
}

}  // namespace coppice::testing_failures

#ifdef __cpp_exceptions
#define EXPECT_RAISES(statement, type) EXPECT_THROW(statement, type)
#define EXPECT_SAYS(statement, words) EXPECT_EQ(coppice::testing_failures::message_of([&] { statement; }), words)
#else
#define EXPECT_RAISES(statement, type) EXPECT_EXIT(statement, testing::KilledBySignal(SIGABRT), ".")
#define EXPECT_SAYS(statement, words) \
    EXPECT_EXIT(statement, testing::KilledBySignal(SIGABRT), coppice::testing_failures::quoted(words))
#endif
