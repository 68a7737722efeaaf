// Tests of coppice::inline_vector: the behaviour of std::vector, inline or not, for every kind of
// element, and the state after an exception.
#include "coppice/inline_vector.hpp"

#include <gtest/gtest.h>

#include <array>
#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <memory_resource>
#include <random>
#include <ranges>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "inline_programs.hpp"
#include "inline_values.hpp"
#include "raises.hpp"

namespace {

using coppice::inline_vector;
using namespace coppice::testing_values;

using ints = inline_vector<int, 4>;
static_assert(std::contiguous_iterator<ints::iterator> && std::contiguous_iterator<ints::const_iterator>);
static_assert(std::ranges::contiguous_range<ints> && std::ranges::sized_range<const ints>);
static_assert(std::is_nothrow_move_constructible_v<ints> && std::is_nothrow_move_assignable_v<ints>);
static_assert(std::is_nothrow_swappable_v<ints> && std::is_nothrow_default_constructible_v<ints>);
static_assert(!std::is_nothrow_move_constructible_v<inline_vector<counted<moves::throwing>, 2>>);
static_assert(std::is_nothrow_move_constructible_v<inline_vector<counted<moves::throwing>, 0>>);
static_assert(std::three_way_comparable<ints, std::strong_ordering>);
static_assert(ints::inline_capacity == 4);

struct unordered {
    bool operator==(const unordered&) const = default;
};
static_assert(std::equality_comparable<inline_vector<unordered, 1>>);
static_assert(!std::three_way_comparable<inline_vector<unordered, 1>>);

// Has < and no <=>.
struct lesser {
    int value;
    friend bool operator<(const lesser& a, const lesser& b) { return a.value < b.value; }
};

// The formula of the header's comment.
static_assert(sizeof(ints) == 24 && sizeof(inline_vector<int, 1>) == 16 && sizeof(inline_vector<char, 24>) == 40);
static_assert(sizeof(inline_vector<std::string, 2>) == 8 + 2 * sizeof(std::string));

struct alignas(64) wide {
    explicit wide(std::uint8_t b) : value(b) {}
    bool operator==(const wide&) const = default;
    int value;
};

// Cannot be copied, and may throw when moved as far as the vector knows.
class loose {
public:
    explicit loose(std::uint8_t b) : value_(std::make_unique<int>(b)) {}
    loose(loose&& other) noexcept(false) : value_(std::move(other.value_)) {}
    loose& operator=(loose&& other) noexcept(false) {
        value_ = std::move(other.value_);
        return *this;
    }
    friend bool operator==(const loose& a, const loose& b) { return *a.value_ == *b.value_; }

private:
    std::unique_ptr<int> value_;
};

template <class Program>
void run_random_programs(Program make) {
    std::mt19937_64 random(7);
    std::vector<std::uint8_t> input;
    for (int i = 0; i < 400; ++i) {
        input.resize(random() % 600);
        for (auto& b : input) {
            b = static_cast<std::uint8_t>(random());
        }
        make().run(coppice::programs::source(input.data(), input.size()));
    }
}

TEST(InlineVectorPrograms, AgreeWithStdVector) {
    using coppice::programs::vector_program;
    run_random_programs([] { return vector_program<int, 4>(); });
    run_random_programs([] { return vector_program<char, 7>(); });
    run_random_programs([] { return vector_program<int, 0>(); });
    run_random_programs([] { return vector_program<std::string, 3>(); });
    run_random_programs([] { return vector_program<std::unique_ptr<int>, 2>(); });
    run_random_programs([] { return vector_program<loose, 2>(); });
    run_random_programs([] { return vector_program<wide, 2>(); });
    run_random_programs([] { return vector_program<counted<moves::safely>, 3>(); });
    run_random_programs([] { return vector_program<counted<moves::throwing>, 3>(); });
    run_random_programs([] { return vector_program<counted<moves::not_at_all>, 3>(); });
    EXPECT_EQ(counted<moves::safely>::live, 0);
    EXPECT_EQ(counted<moves::throwing>::live, 0);
    EXPECT_EQ(counted<moves::not_at_all>::live, 0);
}

TEST(InlineVectorPrograms, AgreeWithAllocators) {
    using coppice::programs::vector_program;
    std::pmr::unsynchronized_pool_resource pool;
    run_random_programs([&] { return vector_program<int, 4, std::pmr::polymorphic_allocator<int>>(&pool); });
    using named = named_allocator<std::string, false>;
    run_random_programs([] { return vector_program<std::string, 2, named>(named(1)); });
    EXPECT_TRUE(named::all_is_back());
}

TEST(InlineVector, AlignsOveralignedElements) {
    inline_vector<wide, 2> v;
    for (std::uint8_t i = 0; i < 9; ++i) {
        v.emplace_back(i);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(v.data()) % 64, 0u);
    }
}

TEST(InlineVector, AllocatesOnlyAboveN) {
    using named = named_allocator<int, false>;
    inline_vector<int, 4, named> v(named(1));
    v = {1, 2, 3, 4};
    EXPECT_TRUE(v.is_inline() && named::all_is_back());
    v.push_back(5);
    EXPECT_FALSE(v.is_inline());
    EXPECT_EQ(named::given[1], 8);
    v.pop_back();
    v.shrink_to_fit();
    EXPECT_TRUE(v.is_inline() && named::all_is_back());
}

TEST(InlineVector, ConstructsLikeStdVector) {
    const std::list<int> list{1, 2, 3, 4, 5};
    std::istringstream digits("1 2 3 4 5");
    const ints v(list.begin(), list.end());
    EXPECT_EQ(v, ints(std::istream_iterator<int>(digits), std::istream_iterator<int>()));
    EXPECT_EQ(v, (ints{1, 2, 3, 4, 5}));
    EXPECT_EQ(v.capacity(), 5u);
    EXPECT_EQ(ints(3), (ints{0, 0, 0}));
    EXPECT_EQ(ints(2, 7), (ints{7, 7}));
    EXPECT_EQ(std::vector<int>(v.rbegin(), v.rend()), (std::vector<int>{5, 4, 3, 2, 1}));
    EXPECT_EQ(v.front() + v.back() + v.at(2) + v[1], 1 + 5 + 3 + 2);
}

TEST(InlineVector, TakesRangesOfInputIterators) {
    std::istringstream some("7 8 9"), others("4 5 6 7 8 9");
    ints v{1, 2, 3};
    v.insert(v.begin() + 1, std::istream_iterator<int>(some), std::istream_iterator<int>());
    EXPECT_EQ(v, (ints{1, 7, 8, 9, 2, 3}));
    v.assign(std::istream_iterator<int>(others), std::istream_iterator<int>());
    EXPECT_EQ(v, (ints{4, 5, 6, 7, 8, 9}));
}

TEST(InlineVector, ComparesAndErases) {
    ints v{1, 2, 3, 2, 5};
    EXPECT_LT(v, (ints{1, 2, 4}));
    EXPECT_GT(v, (ints{1, 2, 3}));
    EXPECT_EQ(erase(v, 2), 2u);
    EXPECT_EQ(erase_if(v, [](int i) { return i > 3; }), 1u);
    EXPECT_EQ(v, (ints{1, 3}));
    inline_vector<double, 2> a{1.0}, b{2.0};
    EXPECT_EQ(a <=> b, std::partial_ordering::less);
    inline_vector<lesser, 2> c{{1}, {2}}, d{{1}};
    EXPECT_TRUE(d < c && !(c < d));
}

TEST(InlineVector, RefusesBadIndexesAndSizes) {
    ints v{1, 2};
    EXPECT_RAISES((void)v.at(2), std::out_of_range);
    EXPECT_RAISES(v.reserve(v.max_size() + 1), std::length_error);
    EXPECT_RAISES(v.resize(v.max_size() + 1), std::length_error);
    EXPECT_RAISES(v.insert(v.begin(), v.max_size(), 1), std::length_error);
    EXPECT_RAISES(ints(v.max_size() + 1, 1), std::length_error);
    EXPECT_EQ(v, (ints{1, 2}));
}

TEST(InlineVector, SurvivesMovesFromItsOwnElements) {
    struct node {
        inline_vector<std::unique_ptr<node>, 2> children;
        int value = 0;
    };
    for (const int grandchildren : {1, 5}) {
        node root;
        root.children.push_back(std::make_unique<node>());
        for (int i = 0; i < grandchildren; ++i) {
            root.children[0]->children.push_back(std::make_unique<node>());
        }
        root.children = std::move(root.children[0]->children);
        EXPECT_EQ(root.children.size(), static_cast<std::size_t>(grandchildren));
    }
    inline_vector<std::string, 2> v{"a text that is not short at all", "b"};
    auto& same = v;
    v = std::move(same);
    v.swap(same);
    EXPECT_EQ(v.size(), 2u);
}

// Each kind of allocator, and each of the sides short or long.
template <bool Propagate>
void copies_moves_and_swaps() {
    using named = named_allocator<std::string, Propagate>;
    using strings = inline_vector<std::string, 2, named>;
    const std::vector<std::string> texts{"a text that is certainly not short", "b", "c", "d"};
    for (const int n : {0, 1, 2, 3, 4}) {
        for (const int m : {0, 2, 4}) {
            strings from(texts.begin(), texts.begin() + n, named(1));
            strings to(texts.begin(), texts.begin() + m, named(2));
            to = from;
            EXPECT_TRUE(to == from);
            EXPECT_EQ(to.get_allocator().name(), Propagate ? 1 : 2);
            EXPECT_EQ(strings(from).get_allocator().name(), 3);
            strings other(texts.begin(), texts.begin() + m, named(2));
            other = std::move(from);
            EXPECT_TRUE(other == to);
            EXPECT_TRUE(from.empty());
            EXPECT_EQ(other.get_allocator().name(), Propagate ? 1 : 2);
            strings third(texts.begin(), texts.begin() + m, named(Propagate ? 3 : 2));
            third.swap(other);
            EXPECT_EQ(third.size(), static_cast<std::size_t>(n));
            EXPECT_EQ(other.size(), static_cast<std::size_t>(m));
            const strings fourth(std::move(third), named(0));
            EXPECT_EQ(fourth.size(), static_cast<std::size_t>(n));
            EXPECT_TRUE(third.empty());
        }
    }
    EXPECT_TRUE(named::all_is_back());
}

TEST(InlineVector, RespectsAllocators) {
    copies_moves_and_swaps<true>();
    copies_moves_and_swaps<false>();
}

TEST(InlineVector, HandsItsMemoryResourceToElements) {
    std::array<std::byte, 8192> bytes;
    std::pmr::monotonic_buffer_resource arena(bytes.data(), bytes.size(), std::pmr::null_memory_resource());
    inline_vector<std::pmr::string, 2, std::pmr::polymorphic_allocator<std::pmr::string>> v(&arena);
    for (int i = 0; i < 5; ++i) {
        v.emplace_back("a text that is certainly not short");
        EXPECT_EQ(v.back().get_allocator().resource(), &arena);
    }
    const auto copy = v;
    EXPECT_EQ(copy.get_allocator().resource(), std::pmr::get_default_resource());
    EXPECT_TRUE(copy == v);
}

#ifdef __cpp_exceptions
// An operation, and whether it must have no effect if it throws.
template <class V>
struct operation {
    const char* name;
    bool strong;
    std::function<void(V&)> run;
};

template <class V>
std::vector<operation<V>> operations() {
    using T = typename V::value_type;
    const auto five = [] { return std::vector<T>(5, T(4)); };
    const auto middle = [](V& v) { return v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2); };
    return {
        {"push_back", true, [](V& v) { v.push_back(T(9)); }},
        {"push_back of its own", true, [](V& v) { if (!v.empty()) v.push_back(v[0]); }},
        {"emplace_back", true, [](V& v) { v.emplace_back(9); }},
        {"reserve", true, [](V& v) { v.reserve(v.capacity() + 1); }},
        {"shrink_to_fit", true, [](V& v) { v.shrink_to_fit(); }},
        {"resize", true, [](V& v) { v.resize(v.size() + 3); }},
        {"insert", false, [](V& v) { v.insert(v.begin(), T(9)); }},
        {"insert of its own", false, [](V& v) { if (!v.empty()) v.insert(v.begin(), v.back()); }},
        {"insert n", false, [](V& v) { v.insert(v.begin(), 3, T(9)); }},
        {"insert range", false, [=](V& v) { const auto r = five(); v.insert(middle(v), r.begin(), r.end()); }},
        {"erase", false, [](V& v) { if (!v.empty()) v.erase(v.begin()); }},
        {"assign n", false, [](V& v) { v.assign(5, T(9)); }},
        {"assign range", false, [=](V& v) { const auto r = five(); v.assign(r.begin(), r.end()); }},
        {"copy", true, [](V& v) { const V copy(v); }},
        {"copy assignment", false, [](V& v) { V copy(5); v = copy; }},
        {"move assignment", false, [](V& v) { V other(3); v = std::move(other); }},
        {"swap", false, [](V& v) { V other(2); v.swap(other); }},
    };
}

// Runs every operation on every size, throwing at the first, the second, ... step.
template <class T>
void throws_everywhere() {
    using named = named_allocator<T, true>;
    using vector = inline_vector<T, 3, named>;
    for (const auto& op : operations<vector>()) {
        for (int size = 0; size <= 8; ++size) {
            for (int n = 0;; ++n) {
                vector v;
                v.reserve(size == 2 ? 6 : 0);  // a small one that is not inline
                for (int i = 0; i < size; ++i) {
                    v.emplace_back(i);
                }
                const vector before = v;
                countdown::left = n;
                bool threw = false;
                try {
                    op.run(v);
                } catch (const std::exception&) {
                    threw = true;
                }
                countdown::left = -1;
                EXPECT_EQ(T::live, static_cast<long>(v.size() + before.size())) << op.name << " of " << size;
                if (threw && op.strong) {
                    EXPECT_TRUE(v == before) << op.name << " of " << size << ", step " << n;
                }
                v.push_back(T(1));
                EXPECT_TRUE(v.back() == T(1));
                if (!threw) {
                    break;
                }
            }
        }
    }
    EXPECT_EQ(T::live, 0);
    EXPECT_TRUE(named::all_is_back());
}

TEST(InlineVector, LosesNothingWhereverItThrows) {
    throws_everywhere<counted<moves::safely>>();
    throws_everywhere<counted<moves::throwing>>();
    throws_everywhere<counted<moves::not_at_all>>();
}
#endif

// Copies, ranges and resizing construct elements and assign none.
TEST(InlineVector, ElementsNeedNotBeAssignable) {
    struct fixed {
        const int v = 7;
    };
    coppice::inline_vector<fixed, 2> v(3);
    v.emplace_back();
    const coppice::inline_vector<fixed, 2> copy(v.begin(), v.end());
    v.resize(9);
    EXPECT_EQ(copy.size() + v.size(), 13u);
    EXPECT_EQ(copy[3].v, 7);
}

}  // namespace
