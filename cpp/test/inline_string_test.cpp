// Tests of coppice::inline_string: the behaviour of std::string, inline or not.
#include "coppice/inline_string.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory_resource>
#include <random>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "inline_programs.hpp"
#include "inline_values.hpp"
#include "raises.hpp"

namespace {

using coppice::basic_inline_string;
using coppice::inline_string;
using namespace coppice::testing_values;
using namespace std::string_literals;
using namespace std::string_view_literals;

using text = inline_string<23>;
static_assert(std::contiguous_iterator<text::iterator> && std::ranges::contiguous_range<const text>);
static_assert(std::is_nothrow_move_constructible_v<text> && std::is_nothrow_move_assignable_v<text>);
static_assert(std::is_nothrow_swappable_v<text> && std::is_nothrow_default_constructible_v<text>);
static_assert(std::is_convertible_v<text, std::string_view> && std::is_convertible_v<const char*, text>);
static_assert(!std::is_convertible_v<std::string_view, text> && std::is_constructible_v<text, std::string_view>);

// The formula of the header's comment.
static_assert(sizeof(text) == 24 && sizeof(inline_string<31>) == 32 && sizeof(inline_string<0>) == 24);
static_assert(sizeof(inline_string<32>) == 40 && inline_string<32>::inline_capacity == 39);
static_assert(sizeof(basic_inline_string<char16_t, 15>) == 32 && sizeof(inline_string<254>) == 256);

constexpr auto long_text = "a text of more than twenty-three characters"sv;

template <class CharT, std::size_t N>
void run_random_programs() {
    std::mt19937_64 random(11);
    std::vector<std::uint8_t> input;
    for (int i = 0; i < 400; ++i) {
        input.resize(random() % 600);
        for (auto& b : input) {
            b = static_cast<std::uint8_t>(random());
        }
        coppice::programs::string_program<CharT, N>().run({input.data(), input.size()});
    }
}

TEST(InlineStringPrograms, AgreeWithStdString) {
    run_random_programs<char, 0>();
    run_random_programs<char, 23>();
    run_random_programs<char, 31>();
    run_random_programs<char, 120>();
    run_random_programs<char, 254>();
    run_random_programs<wchar_t, 9>();
    run_random_programs<char16_t, 15>();
    run_random_programs<char32_t, 20>();
}

TEST(InlineString, IsInlineUpToNAndTerminated) {
    text s;
    for (std::size_t n = 0; n < 60; ++n) {
        EXPECT_EQ(s.size(), n);
        EXPECT_EQ(std::strlen(s.c_str()), n);
        EXPECT_EQ(s.is_inline(), n <= 23);
        s += 'x';
    }
    s.resize(23);
    s.shrink_to_fit();
    EXPECT_TRUE(s.is_inline());
    EXPECT_EQ(s, std::string(23, 'x'));
}

TEST(InlineString, GivesBackWhatItAllocated) {
    using named = named_allocator<char, true>;
    basic_inline_string<char, 23, std::char_traits<char>, named> s(long_text, named(1));
    EXPECT_EQ(named::given[1], static_cast<long>(long_text.size() + 1));
    s.reserve(100);
    EXPECT_EQ(named::given[1], 101);
    s.resize(40);
    s.shrink_to_fit();
    EXPECT_EQ(named::given[1], 41);
    s.resize(23);
    s.shrink_to_fit();
    EXPECT_TRUE(named::all_is_back());
    EXPECT_EQ(s, long_text.substr(0, 23));
}

TEST(InlineString, ConstructsLikeStdString) {
    EXPECT_EQ(text("abc"), "abc");
    EXPECT_EQ(text("abc", 2), "ab");
    EXPECT_EQ(text(3, 'a'), "aaa");
    EXPECT_EQ(text("abc"s), "abc"sv);
    EXPECT_EQ(text("abcd"sv, 1, 2), "bc");
    EXPECT_EQ(text(text("abcd"), 2), "cd");
    EXPECT_EQ((text{'a', '\0', 'b'}), "a\0b"sv);
    std::istringstream in("a b c");
    EXPECT_EQ(text(std::istream_iterator<char>(in), std::istream_iterator<char>()), "abc");
    EXPECT_EQ(text(long_text), long_text);
    EXPECT_EQ(std::string(text(long_text)), long_text);
    text s;
    s = 'a';
    s = "abc"s;
    EXPECT_EQ(s = "de", "de"sv);
    EXPECT_EQ((s = {'x', 'y'}), "xy");
}

TEST(InlineString, EditsInEveryForm) {
    text s = "0123456789";
    EXPECT_EQ(text(s).insert(0, 1, 'c').insert(0, "ab", 1), "ac0123456789");
    EXPECT_EQ(text(s).insert(2, "abcd"sv, 1, 2), "01bc23456789");
    EXPECT_EQ(text(s).erase(0), "");
    EXPECT_EQ(text(s).replace(0, 0, "ab").replace(1, 3, "xyz", 1), "ax23456789");
    EXPECT_EQ(text(s).replace(8, 9, "abc"s, 1), "01234567bc");
    EXPECT_EQ(text(s).replace(s.size(), 0, 2, '!'), "0123456789!!");
    EXPECT_EQ(text(s).append("abc", 1).append("abc"sv, 2).append({'x'}), "0123456789acx");
    EXPECT_EQ(text(s).assign("abc", 2).assign(2, 'c'), "cc");
    EXPECT_EQ(*s.insert(s.begin() + 1, 'a'), 'a');
    EXPECT_EQ(*s.insert(s.cbegin() + 2, 2, 'b'), 'b');
    EXPECT_EQ(*s.insert(s.begin(), {'y', 'z'}), 'y');
    EXPECT_EQ(s, "yz0abb123456789");
    EXPECT_EQ(*s.erase(s.begin()), 'z');
    EXPECT_EQ(*s.erase(s.begin(), s.begin() + 2), 'a');
    s.replace(s.begin(), s.begin() + 3, "-").replace(s.begin(), s.begin(), 2, '+');
    EXPECT_EQ(s, "++-123456789");
    EXPECT_EQ(erase(s, '+'), 2u);
    EXPECT_EQ(erase_if(s, [](char c) { return c > '5'; }), 4u);
    EXPECT_EQ(s.substr(1, 3), "123");
}

TEST(InlineString, SearchesLikeStdString) {
    const text s = "abcabc";
    EXPECT_EQ(s.find('c'), 2u);
    EXPECT_EQ(s.find("c", 3), 5u);
    EXPECT_EQ(s.find("cx", 3, 1), 5u);
    EXPECT_EQ(s.rfind("ab"s), 3u);
    EXPECT_EQ(s.find_first_of("cb"), 1u);
    EXPECT_EQ(s.find_last_of('a'), 3u);
    EXPECT_EQ(s.find_first_not_of("ab"), 2u);
    EXPECT_EQ(s.find_last_not_of("bc"), 3u);
    EXPECT_EQ(s.find("x"), text::npos);
    EXPECT_TRUE(s.starts_with("ab") && s.ends_with('c') && s.contains("ca") && !s.contains('x'));
    EXPECT_TRUE(s.compare("abd") < 0 && s.compare(3, 2, "ab") == 0 && s.compare(0, 1, "aa", 1) == 0);
    std::array<char, 2> out{};
    EXPECT_EQ(s.copy(out.data(), 2, 1), 2u);
    EXPECT_EQ(out[1], 'c');
}

TEST(InlineString, ComparesHashesAndPrints) {
    const text s = "abc";
    EXPECT_TRUE(s == "abc" && "abc" == s && s == "abc"s && s == inline_string<40>("abc"));
    EXPECT_TRUE(s < "abd" && "abb"sv < s && s < inline_string<40>("abd") && s <= s);
    const std::unordered_set<text> set{s, "abc", "d"};
    EXPECT_EQ(set.size(), 2u);
    EXPECT_EQ(std::hash<text>()(s), std::hash<std::string_view>()("abc"));
    std::ostringstream out;
    out << s << text(long_text);
    EXPECT_EQ(out.str(), "abc" + std::string(long_text));
    EXPECT_EQ(s + s + 'd' + "e" + inline_string<40>("f"), "abcabcdef");
    EXPECT_EQ('x' + ("y" + s), "xyabc");
}

TEST(InlineString, RefusesBadPositionsAndSizes) {
    text s = "abc";
    EXPECT_RAISES((void)s.at(3), std::out_of_range);
    EXPECT_RAISES(s.insert(4, "x"), std::out_of_range);
    EXPECT_RAISES(s.erase(4), std::out_of_range);
    EXPECT_RAISES(s.replace(4, 1, "x"), std::out_of_range);
    EXPECT_RAISES((void)s.substr(4), std::out_of_range);
    EXPECT_RAISES((void)s.compare(4, 1, "x"), std::out_of_range);
    EXPECT_RAISES((void)s.compare(0, 1, "x", 2, 1), std::out_of_range);
    EXPECT_RAISES((void)s.copy(s.data(), 1, 4), std::out_of_range);
    EXPECT_RAISES(s.append("x"sv, 2, 1), std::out_of_range);
    EXPECT_RAISES(text("x"sv, 2), std::out_of_range);
    EXPECT_RAISES(s.reserve(s.max_size() + 1), std::length_error);
    EXPECT_RAISES(s.append(s.max_size() - 2, 'x'), std::length_error);
    EXPECT_RAISES(s.resize(s.max_size() + 1), std::length_error);
    EXPECT_EQ(s, "abc");
}

template <bool Propagate>
void copies_moves_and_swaps() {
    using named = named_allocator<char, Propagate>;
    using string = basic_inline_string<char, 23, std::char_traits<char>, named>;
    for (const auto a : {""sv, "short"sv, long_text}) {
        for (const auto b : {"other"sv, long_text}) {
            string from(a, named(1));
            string to(b, named(2));
            to = from;
            EXPECT_EQ(to, a);
            EXPECT_EQ(to.get_allocator().name(), Propagate ? 1 : 2);
            EXPECT_EQ(string(from).get_allocator().name(), 3);
            string other(b, named(2));
            other = std::move(from);
            EXPECT_EQ(other, a);
            EXPECT_EQ(from, "");
            EXPECT_EQ(other.get_allocator().name(), Propagate ? 1 : 2);
            string third(b, named(Propagate ? 3 : 2));
            third.swap(other);
            EXPECT_TRUE(third == a && other == b);
            const string fourth(std::move(third), named(0));
            EXPECT_TRUE(fourth == a && third.empty());
            const string fifth(std::move(other));
            EXPECT_TRUE(fifth == b && other.empty() && other.is_inline());
        }
    }
    EXPECT_TRUE(named::all_is_back());
}

TEST(InlineString, RespectsAllocators) {
    copies_moves_and_swaps<true>();
    copies_moves_and_swaps<false>();
    std::pmr::monotonic_buffer_resource arena;
    using pmr = basic_inline_string<char, 23, std::char_traits<char>, std::pmr::polymorphic_allocator<char>>;
    const pmr s(long_text, &arena);
    EXPECT_EQ(s.get_allocator().resource(), &arena);
    EXPECT_EQ(pmr(s).get_allocator().resource(), std::pmr::get_default_resource());
}

#ifdef __cpp_exceptions
TEST(InlineString, IsUnchangedWhenAllocationThrows) {
    using named = named_allocator<char, true>;
    using string = basic_inline_string<char, 23, std::char_traits<char>, named>;
    const auto attempt = [](std::string_view start, auto change) {
        string s(start);
        countdown::left = 0;
        EXPECT_RAISES(change(s), std::runtime_error);
        countdown::left = -1;
        EXPECT_EQ(s, start);
    };
    attempt("twenty-three characters", [](string& s) { s.push_back('x'); });
    attempt("short", [](string& s) { s.append(long_text); });
    attempt("short", [](string& s) { s.insert(1, long_text); });
    attempt("short", [](string& s) { s.replace(1, 2, long_text); });
    attempt("short", [](string& s) { s.reserve(24); });
    attempt("short", [](string& s) { s.assign(30, 'x'); });
    attempt("short", [](string& s) { s = string("", named(1)).append(long_text); });
    EXPECT_TRUE(named::all_is_back());
}
#endif

}  // namespace
