// Tests of the assertions without NDEBUG, each with its message. With NDEBUG they cost nothing:
// only the arena has a member for them, and its size is as before.
#include <gtest/gtest.h>

#include <memory_resource>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "coppice/arena.hpp"
#include "coppice/inline_string.hpp"
#include "coppice/inline_vector.hpp"
#include "coppice/store.hpp"
#include "inline_values.hpp"

namespace {

using coppice::arena;
using coppice::ref;
using coppice::store;
using coppice::testing_values::named_allocator;
using ints = coppice::inline_vector<int, 4>;
using text = coppice::inline_string<23>;

static_assert(sizeof(arena) == 10 * sizeof(void*) && sizeof(arena::mark) == 3 * sizeof(void*));
static_assert(sizeof(ints) == 24 && sizeof(text) == 24);

// A mark stays valid while its position exists, and can be used repeatedly.
TEST(Misuse, IsNotSeenInGoodPrograms) {
    arena a, b;
    a.rewind(arena::mark());
    b.rewind(a.checkpoint());  // the start of any arena
    (void)a.make<char>(100);
    const arena::mark first = a.checkpoint(), same = a.checkpoint();
    for (int i = 0; i < 1000; ++i) {
        (void)a.make<char>(static_cast<std::size_t>(i) * 37);
        const arena::mark inner = a.checkpoint();
        (void)a.make<char>(10);
        a.rewind(inner);
        a.rewind(inner);
        if (i % 3 == 0) a.rewind(first);
        if (i % 5 == 0) a.rewind(same);
    }
    a.rewind(first);
    EXPECT_EQ(a.stats().used, 100u);
    ints v{1, 2};
    v.erase(v.end(), v.end());
    v.insert(v.end(), v.begin(), v.begin());
    text s("ab");
    EXPECT_EQ(s[2], '\0');
    s.erase(s.end(), s.end());
}

#ifndef NDEBUG

constexpr const char* not_of_this_phase =
    "coppice::arena::rewind: the mark is not one of this phase of this arena, or a rewind went back beyond it";

TEST(MisuseDeathTest, ArenaMarks) {
    arena a, other;
    (void)a.make<char>(10);
    (void)other.make<char>(10);
    const arena::mark early = a.checkpoint();
    EXPECT_DEATH(other.rewind(early), not_of_this_phase);
    (void)other.checkpoint();
    EXPECT_DEATH(other.rewind(early), not_of_this_phase);
    (void)a.make<char>(10);
    const arena::mark late = a.checkpoint();
    a.rewind(early);
    EXPECT_DEATH(a.rewind(late), not_of_this_phase);
    (void)a.make<char>(100);  // also when there is something at its place again
    EXPECT_DEATH(a.rewind(late), not_of_this_phase);
    (void)a.checkpoint();
    EXPECT_DEATH(a.rewind(late), not_of_this_phase);
    a.rewind(early);
    a.rewind(arena::mark());
    EXPECT_DEATH(a.rewind(early), not_of_this_phase);
}

TEST(MisuseDeathTest, ArenaPhases) {
    arena a;
    (void)a.make<char>(10);
    const arena::mark before = a.checkpoint();
    a.reset();
    EXPECT_DEATH(a.rewind(before), not_of_this_phase);
    (void)a.make<char>(10);
    EXPECT_DEATH(a.rewind(before), not_of_this_phase);
    const arena::mark again = a.checkpoint();
    a.rewind(again);
    a.release();
    EXPECT_DEATH(a.rewind(again), not_of_this_phase);
    EXPECT_DEATH(a.rewind(before), not_of_this_phase);
    EXPECT_DEATH((void)a.take(8, 24), "coppice::arena::take: the alignment is not a power of two");
    EXPECT_DEATH((void)a.take(8, 0), "coppice::arena::take: the alignment is not a power of two");
}

TEST(MisuseDeathTest, StoreRefs) {
    store<int> s;
    const store<int>& c = s;
    const ref<int> r = s.alloc(1);
    EXPECT_DEATH(s[ref<int>()] = 1, "coppice::store::operator\\[\\]: the ref is nil");
    EXPECT_DEATH((void)c[ref<int>()], "coppice::store::operator\\[\\]: the ref is nil");
    EXPECT_DEATH(s[ref<int>(2)] = 1, "coppice::store::operator\\[\\]: the ref names no record");
    s.erase(r);
    EXPECT_DEATH((void)c[r], "coppice::store::operator\\[\\]: the ref names no record");
    const ref<int> back = s.alloc(2);
    EXPECT_EQ(s[back], 2);
    const store<int> taken = std::move(s);
    EXPECT_DEATH(s[back] = 1, "coppice::store::operator\\[\\]: the ref names no record");
    EXPECT_EQ(taken[back], 2);
}

TEST(MisuseDeathTest, StoreIterators) {
    store<int> s;
    s.alloc(1);
    auto i = s.all().begin();
    ++i;
    EXPECT_DEATH((void)*i, "coppice::store::all: a read at the end");
    EXPECT_DEATH(++i, "coppice::store::all: a step beyond the end");
    decltype(i) none;
    EXPECT_DEATH((void)*none, "coppice::store::all: a read at the end");
    auto j = s.all().begin();
    s.reset();
    EXPECT_DEATH((void)*j, "coppice::store::all: a read at the end");
}

template <class V>
void elements(V v, const std::string& name, const std::string& noun) {
    const auto last = v.end() - 1;
    const V& c = v;
    v.erase(last);
    EXPECT_DEATH(v.erase(last), name + "::erase: there is no .* at the place");
    EXPECT_DEATH(v.erase(v.begin(), v.end() + 1), name + "::erase: the range is not in the " + noun);
    EXPECT_DEATH(v.erase(v.end(), v.begin()), name + "::erase: the range is not in the " + noun);
    EXPECT_DEATH(v.insert(v.end() + 1, 'x'), name + "::insert: the place is not in the " + noun);
    const V taken = std::move(v);
    EXPECT_FALSE(taken.empty());
    EXPECT_DEATH(v.pop_back(), name + "::pop_back: the " + noun + " is empty");
    EXPECT_DEATH((void)v.front(), name + "::front: the " + noun + " is empty");
    EXPECT_DEATH((void)v.back(), name + "::back: the " + noun + " is empty");
    EXPECT_DEATH((void)c.front(), name + "::front: the " + noun + " is empty");
    EXPECT_DEATH((void)c.back(), name + "::back: the " + noun + " is empty");
}

// Inside and outside; the vectors that have been moved from are those that are empty.
TEST(MisuseDeathTest, Elements) {
    elements(ints{1, 2}, "coppice::inline_vector", "vector");
    elements(ints{1, 2, 3, 4, 5, 6}, "coppice::inline_vector", "vector");
    elements(text("ab"), "coppice::inline_string", "string");
    elements(text("a text that is certainly not short"), "coppice::inline_string", "string");
}

TEST(MisuseDeathTest, Indexes) {
    ints v{1, 2};
    const ints& c = v;
    EXPECT_DEATH(v[2] = 1, "coppice::inline_vector::operator\\[\\]: no such index");
    EXPECT_DEATH((void)c[2], "coppice::inline_vector::operator\\[\\]: no such index");
    text s("ab");
    EXPECT_DEATH(s[3] = 'x', "coppice::inline_string::operator\\[\\]: an index beyond the end");
}

TEST(MisuseDeathTest, Ranges) {
    ints v{1, 2};
    EXPECT_DEATH(v.insert(v.begin(), v.begin(), v.end()), "coppice::inline_vector::insert: the range is part of the vector");
    std::istringstream digits("7 8 9");
    EXPECT_DEATH(v.insert(v.end() + 1, std::istream_iterator<int>(digits), std::istream_iterator<int>()),
                 "coppice::inline_vector::insert: the place is not in the vector");
    text s("ab");
    EXPECT_DEATH(s.replace(s.begin(), s.end() + 1, "x"), "coppice::inline_string::replace: the range is not in the string");
}

TEST(MisuseDeathTest, SwapsOfOtherAllocators) {
    using numbers = coppice::inline_vector<int, 4, named_allocator<int, false>>;
    using letters = coppice::basic_inline_string<char, 23, std::char_traits<char>, named_allocator<char, false>>;
    numbers a(named_allocator<int, false>(1)), b(named_allocator<int, false>(2));
    EXPECT_DEATH(a.swap(b), "coppice::inline_vector::swap: the allocators differ");
    letters c(named_allocator<char, false>(1)), d(named_allocator<char, false>(2));
    EXPECT_DEATH(c.swap(d), "coppice::inline_string::swap: the allocators differ");
}

#endif

}  // namespace
