// All headers compile behind headers of a system that define common words as macros: windows.h
// without NOMINMAX, Apple's AssertMacros.h, Objective-C++ and Qt. The standard library comes
// before, as it does there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <memory_resource>
#include <new>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#ifdef __unix__
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#define max(a, b) (((a) > (b)) ? (a) : (b))
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define CONST const
#define DELETE (0x00010000L)
#define ERROR 0
#define IN
#define OPTIONAL
#define OUT
#define VOID void
#define far
#define interface struct
#define near
#define small char

#define check(x)
#define require(x, y)
#define verify(x)

#define NO 0
#define Nil nullptr
#define YES 1
#define nil nullptr

#define emit
#define foreach(x, y) for (x : y)
#define forever for (;;)
#define signals public
#define slots

#include "coppice/arena.hpp"
#include "coppice/inline_string.hpp"
#include "coppice/inline_vector.hpp"
#include "coppice/store.hpp"
#include "../../flat/internal/cases/cpp/everyflat.hpp"
#include "../../flat/internal/cases/cpp/linksflat.hpp"
#include "../../flat/internal/cases/cpp/version2flat.hpp"

namespace {

// Templates, which may contain macros, are made too.
TEST(Macros, DoNotReachHeaders) {
    coppice::arena a;
    coppice::inline_vector<int, 2> v{1, 2, 3};
    coppice::inline_string<23> text = "a text that is longer than the room inside";
    coppice::store<int> s;
    EXPECT_EQ(s[s.alloc(7)], 7);
    v.push_back(4);
    text += "!";
    EXPECT_EQ(a.make<int>(3).size() + v.size() + text.size(), 3 + 4 + 43U);

    everyflat::builder b;
    const auto root = b.add(everyflat::NullFields{});
    const auto t = b.finish(root);
    EXPECT_EQ(t.root().kind(), everyflat::kind::Null);
    EXPECT_EQ(everyflat::load(t.bytes()).root().kind(), everyflat::kind::Null);
}

}  // namespace
