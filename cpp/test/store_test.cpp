// Tests of the promises of store.hpp: each separately, and in long random programs against a model.
#include <coppice/store.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <random>
#include <ranges>
#include <thread>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "raises.hpp"

namespace {

using coppice::ref;
using coppice::store;
using namespace coppice::testing_failures;

struct node {
    ref<node> left, right;
    friend bool operator==(const node&, const node&) = default;
};

static_assert(sizeof(ref<node>) == 4 && std::is_trivially_copyable_v<ref<node>>);
static_assert(!std::is_copy_constructible_v<store<node>>, "a copy is asked for by name: clone");
static_assert(std::is_nothrow_move_constructible_v<store<node>> && std::is_nothrow_move_assignable_v<store<node>>);
static_assert(std::ranges::input_range<decltype(std::declval<store<node>&>().all())>);

TEST(Store, RefsCountFromOneAndNilIsNone) {
    store<node> s;
    EXPECT_FALSE(ref<node>());
    const ref<node> first = s.alloc({});
    const auto [second, record] = s.emplace(first, first);
    EXPECT_EQ(first.index(), 1u);
    EXPECT_EQ(second.index(), 2u);
    EXPECT_EQ(&record, &s.at(second));
    EXPECT_EQ(s.slice()[second.index()], (node{first, first}));
    EXPECT_EQ(s.slice()[0], node{});
    EXPECT_EQ(s.slice().size(), 3u);
    EXPECT_TRUE((std::unordered_set<ref<node>>{first, second, first}.size()) == 2);
}

TEST(Store, AtAndDelRefuseRefsThatNameNothing) {
    store<node> s;
    EXPECT_RAISES(s.at({}), std::out_of_range);
    EXPECT_RAISES(s.at(ref<node>(1)), std::out_of_range);
    const ref<node> r = s.alloc({});
    EXPECT_RAISES(s.at(ref<node>(r.index() + 1)), std::out_of_range);
    EXPECT_RAISES(s.at(ref<node>(0xffffffff)), std::out_of_range);
    s.erase(r);
    EXPECT_RAISES(s.at(r), std::out_of_range);
    EXPECT_RAISES(s.erase(r), std::out_of_range);
    EXPECT_SAYS(s.erase({}), "coppice::store::erase: ref 0 is nil");
}

TEST(Store, RecordsNeverMove) {
    store<node> s;
    node* first = &s.at(s.alloc({}));
    for (int i = 0; i < 5'000'000; ++i) s.alloc({});
    EXPECT_EQ(first, &s.at(ref<node>(1)));
    EXPECT_EQ(s.size(), 5'000'001u);
    EXPECT_GE(s.capacity(), s.size());
}

TEST(Store, PutOfOwnRecordIsRight) {
    store<std::array<std::uint64_t, 64>> s;
    ref<std::array<std::uint64_t, 64>> last = s.alloc({1, 2, 3});
    for (int i = 0; i < 1000; ++i) last = s.alloc(s.at(last));
    EXPECT_EQ(s.at(last)[2], 3u);
}

TEST(Store, FullIsThrownAndLeavesAllAsItWas) {
    store<int> s({.max = 3});
    for (int i = 0; i < 3; ++i) s.alloc(i);
    EXPECT_RAISES(s.alloc(3), coppice::store_full);
    EXPECT_RAISES(s.make(1), coppice::store_full);
    EXPECT_FALSE(s.try_alloc(3));
    EXPECT_EQ(s.size(), 3u);
    EXPECT_EQ(s.max_size(), 3u);
    s.erase(ref<int>(2));
    EXPECT_EQ(s.try_alloc(7), ref<int>(2));
    EXPECT_RAISES(s.make(std::numeric_limits<std::size_t>::max()), coppice::store_full);
    EXPECT_SAYS(s.alloc(1), "coppice::store: it holds 3 records, and the maximum is 3");
}

TEST(Store, BoundsOfOptions) {
    EXPECT_RAISES(store<char>({.max = std::size_t{1} << 32}), std::length_error);
    EXPECT_EQ(store<char>({.max = (std::size_t{1} << 32) - 2}).max_size(), (std::size_t{1} << 32) - 2);
    struct page {
        char bytes[1 << 30];
    };
    EXPECT_RAISES(store<page>({.max = (std::size_t{1} << 32) - 2}), std::bad_alloc);
}

// With a limit on addresses the system refuses the n-th commit; no record may be lost.
TEST(Store, RefusedMemoryIsBadAllocAndLosesNothing) {
    if (coppice::detail::poisons || coppice::detail::shadows) {
        GTEST_SKIP() << "sanitizers need more memory than any limit leaves";
    }
    store<std::uint64_t> s;
    ref<std::uint64_t> last = s.alloc(1);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_DATA, &before), 0);
    const rlimit tight{std::size_t{64} << 20, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_DATA, &tight), 0);
    std::uint64_t count = 1;
    for (ref<std::uint64_t> next; (next = s.try_alloc(count + 1)); ++count) last = next;
    EXPECT_RAISES(s.alloc(0), std::bad_alloc);
    EXPECT_RAISES(s.clone(), std::bad_alloc);
    EXPECT_FALSE(s.try_alloc(0));
    ASSERT_EQ(::setrlimit(RLIMIT_DATA, &before), 0);
    EXPECT_EQ(last.index(), count);
    EXPECT_EQ(s.size(), count);
    for (auto [r, v] : s.all()) ASSERT_EQ(v, r.index());
    EXPECT_EQ(s.at(s.alloc(count + 1)), count + 1);
}

TEST(Store, MakeGivesZeroedRowsAlsoOfUsedMemory) {
    store<int> s;
    for (int phase = 0; phase < 3; ++phase) {
        for (std::size_t n : {1u, 7u, 100'000u, 3u}) {
            auto [first, row] = s.make(n);
            ASSERT_EQ(row.size(), n);
            EXPECT_EQ(&s.at(first), row.data());
            EXPECT_TRUE(std::ranges::all_of(row, [](int v) { return v == 0; }));
            std::ranges::fill(row, -1);
            s.at(s.alloc(5)) = -1;
        }
        s.reset();
        EXPECT_TRUE(s.empty());
    }
    const auto [none, row] = s.make(0);
    EXPECT_FALSE(none);
    EXPECT_TRUE(row.empty());
}

TEST(Store, MakeOfADeletedSlotIsZeroed) {
    store<int> s({.max = 1});
    s.alloc(7);
    s.erase(ref<int>(1));
    s.alloc(8);  // through the hole
    s.erase(ref<int>(1));
    EXPECT_EQ(s.make(1).second.front(), 0);
}

TEST(Store, MakeOfASlotThatWasDeadInTheOriginalIsZeroed) {
    store<int> s({.max = 2});
    s.alloc(7);
    s.alloc(8);
    s.erase(ref<int>(1));
    EXPECT_EQ(s.clone().make(1).second.front(), 0);
}

TEST(Store, CloneAndCopyKeepRefs) {
    store<node> s;
    const ref<node> leaf = s.alloc({});
    const ref<node> gone = s.alloc({});
    const ref<node> root = s.alloc({leaf, gone});
    s.erase(gone);
    store<node> copy = s.clone();
    s.at(root) = {};
    EXPECT_EQ(copy.at(root), (node{leaf, gone}));
    EXPECT_RAISES(copy.at(gone), std::out_of_range);
    EXPECT_EQ(copy.size(), 2u);
    copy.alloc({});

    store<node> small({.max = 2});
    small.alloc({root, root});
    EXPECT_RAISES(small.copy_from(s), coppice::store_full);
    EXPECT_EQ(small.at(ref<node>(1)), (node{root, root}));

    s.copy_from(copy);
    EXPECT_EQ(s.at(root), (node{leaf, gone}));
    s.copy_from(s);
    EXPECT_EQ(s.size(), 3u);
}

// The rest of a window has no records, and needs no room in a copy.
TEST(Store, CopyNeedsRoomForRecordsOnly) {
    store<int> s;
    for (int i = 0; i < 3; ++i) s.alloc(i);
    store<int> fits({.max = 3});
    fits.copy_from(s);
    EXPECT_EQ(fits.size(), 3u);
    EXPECT_EQ(fits.at(ref<int>(3)), 2);
    EXPECT_FALSE(fits.try_alloc(3));
    store<int> small({.max = 2});
    EXPECT_SAYS(small.copy_from(s), "coppice::store: it holds 0 records, and the maximum is 2; the refs to copy go up to 3");
}

TEST(Store, ARowNeedsSlotsInARow) {
    store<int> s({.max = 3});
    for (int i = 0; i < 3; ++i) s.alloc(i);
    s.erase(ref<int>(1));
    s.erase(ref<int>(3));
    EXPECT_SAYS(s.make(2), "coppice::store: it holds 1 records, and the maximum is 3; no 2 free slots are in a row");
    EXPECT_EQ(s.make(1).second.size(), 1u);
}

// Ordinary uses: members, arrays, const stores, mixed arguments.
TEST(Store, IsEasyToHold) {
    struct world {
        store<node> nodes;
        int tick = 0;
    };
    world w{};
    std::array<store<int>, 2> two{};
    two[1].alloc(7);
    const store<int>& seen = two[1];
    for (auto [r, v] : seen.all()) EXPECT_EQ(v, 7) << r.index();
    struct small {
        std::uint8_t a;
        float b;
    };
    store<small> s;
    EXPECT_EQ(s.emplace(std::uint8_t{1}, 2.0f).second.b, 2.0f);
    EXPECT_EQ(w.nodes.size(), 0u);
}

// Several threads may read one store, and each may have its own store.
TEST(Store, ThreadsMayReadOneStoreAndFillTheirOwn) {
    store<std::uint32_t> shared;
    for (std::uint32_t i = 1; i <= 10'000; ++i) shared.alloc(i);
    std::array<std::uint64_t, 4> sums{};
    std::vector<std::thread> threads;
    for (auto& sum : sums) {
        threads.emplace_back([&shared, &sum] {
            store<std::uint64_t> own;
            for (std::uint32_t i = 1; i <= 10'000; ++i) own.alloc(shared.at(ref<std::uint32_t>(i)));
            for (auto [r, v] : own.all()) sum += v;
        });
    }
    for (auto& t : threads) t.join();
    for (auto sum : sums) EXPECT_EQ(sum, 10'000u * 10'001u / 2);
}

TEST(Store, MovedFromHasRoomForNothing) {
    store<node> s;
    const ref<node> r = s.alloc({});
    store<node> t(std::move(s));
    EXPECT_EQ(t.at(r), node{});
    EXPECT_EQ(s.size(), 0u);        // NOLINT(bugprone-use-after-move): that is the subject
    EXPECT_EQ(s.max_size(), 0u);
    EXPECT_EQ(s.capacity(), 0u);
    EXPECT_TRUE(s.slice().empty());
    EXPECT_RAISES(s.alloc({}), coppice::store_full);
    EXPECT_EQ(s.clone().size(), 0u);
    store<node> into;
    into.alloc({});
    into.copy_from(s);
    EXPECT_TRUE(into.empty());
    s.reset();
    s.trim();
    EXPECT_TRUE(s.all().begin() == s.all().end());
    s = std::move(t);
    EXPECT_EQ(s.at(r), node{});
}

TEST(Store, TrimGivesMemoryBackAndItComesBackZeroed) {
    store<std::uint64_t> s;
    std::ranges::fill(s.make(1'000'000).second, ~std::uint64_t{0});
    const std::size_t before = s.capacity();
    s.reset();
    s.alloc(1);
    s.trim();
    EXPECT_LT(s.capacity(), before / 100);
    EXPECT_EQ(s.at(ref<std::uint64_t>(1)), 1u);
    EXPECT_TRUE(std::ranges::all_of(s.make(1'000'000).second, [](std::uint64_t v) { return v == 0; }));
}

#ifdef COPPICE_ASAN
TEST(StoreDeathTest, StaleMemoryIsPoisoned) {
    store<std::uint64_t> s;
    std::uint64_t* deleted = &s.at(s.alloc(1));
    std::uint64_t* dropped = &s.at(s.alloc(2));
    s.erase(ref<std::uint64_t>(1));
    EXPECT_DEATH(*static_cast<volatile std::uint64_t*>(deleted) = 1, "use-after-poison");
    s.reset();
    EXPECT_DEATH(*static_cast<volatile std::uint64_t*>(dropped) = 1, "use-after-poison");
    EXPECT_DEATH(s.slice().data()[5] = 1, "use-after-poison");       // in the window
    EXPECT_DEATH(s.slice().data()[5'000] = 1, "use-after-poison");   // memory, but never taken
    s.alloc(1);
    s.alloc(2);
    s.erase(ref<std::uint64_t>(1));
    store<std::uint64_t> copy = s.clone();
    EXPECT_DEATH(copy.slice().data()[1] = 1, "use-after-poison");
    EXPECT_DEATH(copy.slice().data()[3] = 1, "use-after-poison");
}
#endif

// A record of N bytes that can check its contents.
template <std::size_t N>
struct filled {
    std::array<unsigned char, N> bytes;
    explicit filled(unsigned seed = 0) { bytes.fill(static_cast<unsigned char>(seed)); }
    friend bool operator==(const filled&, const filled&) = default;
};

template <class T>
class StoreAgainstModel : public testing::Test {
public:
    store<T> s;
    std::map<std::uint32_t, T> model;
    std::mt19937 random;

    // A store of a size that programs meet the end of, or do not.
    static store<T> any_size(std::mt19937& random) {
        constexpr std::size_t block = std::max<std::size_t>(1, 16384 / sizeof(T));
        const std::array<std::size_t, 6> sizes{1, 7, block - (block > 1 ? 1 : 0), block + 1, 3 * block, 0};
        return store<T>({.max = sizes[random() % sizes.size()]});
    }

    ref<T> any() {
        if (model.empty()) return {};
        auto i = model.lower_bound(std::uniform_int_distribution<std::uint32_t>(1, model.rbegin()->first)(random));
        return ref<T>(i->first);
    }

    void alloc() {
        const T v(static_cast<unsigned>(random()));
        const ref<T> r = s.try_alloc(v);
        if (!r) {
            ASSERT_EQ(s.size(), s.max_size());
            return;
        }
        ASSERT_TRUE(model.emplace(r.index(), v).second) << "slot " << r.index() << " was handed out twice";
    }

    void make() {
        const auto n = static_cast<std::uint32_t>(random() % (random() % 8 == 0 ? 5000 : 10));
        const bool fits = n <= s.max_size() - s.slice().size() + 1;
        if (!throws && !fits) return;
        std::pair<ref<T>, std::span<T>> made;
        if (raises<coppice::store_full>([&] { made = s.make(n); })) {
            ASSERT_FALSE(fits);
            return;
        }
        auto [first, row] = made;
        for (std::uint32_t i = 0; i < n; ++i) {
            ASSERT_EQ(row[i], T());
            row[i] = T(i);
            ASSERT_TRUE(model.emplace(first.index() + i, T(i)).second);
        }
    }

    void erase() {
        const ref<T> r = any();
        if (!r) return;
        s.erase(r);
        model.erase(r.index());
    }

    void compare() {
        ASSERT_EQ(s.size(), model.size());
        auto want = model.begin();
        for (auto [r, v] : s.all()) {
            ASSERT_EQ(r.index(), want->first);
            ASSERT_EQ(v, want->second);
            ++want;
        }
        ASSERT_TRUE(want == model.end());
        const auto last = model.empty() ? 0 : model.rbegin()->first;
        ASSERT_GE(s.slice().size(), last + 1);
        for (std::uint32_t slot = 0; slot <= last + 3; ++slot) {
            ASSERT_EQ(s.contains(ref<T>(slot)), model.contains(slot)) << slot;
        }
    }

    void step() {
        switch (random() % 16) {
            case 0: s.reset(); model.clear(); break;
            case 1: s.trim(); break;
            case 2: s = s.clone(); break;
            case 3: {
                store<T> other = any_size(random);
                for (auto i = random() % 100; i > 0; --i) other.try_alloc(T(1));
                if (random() % 2 == 0) other.reset();
                const bool fits = s.slice().size() - 1 <= other.max_size();
                if (!throws && !fits) break;
                if (raises<coppice::store_full>([&] { other.copy_from(s); })) {
                    ASSERT_FALSE(fits);
                } else {
                    s = std::move(other);
                }
                break;
            }
            case 4: case 5: make(); break;
            case 6: case 7: case 8: for (auto i = random() % 50; i > 0; --i) erase(); break;
            case 9: compare(); break;
            default: for (auto i = random() % 3000; i > 0; --i) alloc();
        }
    }
};

using Records = testing::Types<filled<1>, filled<3>, filled<8>, filled<12>, filled<100>, filled<20000>>;
TYPED_TEST_SUITE(StoreAgainstModel, Records);

TYPED_TEST(StoreAgainstModel, RandomPrograms) {
    for (unsigned seed = 0; seed < 40 && !this->HasFatalFailure(); ++seed) {
        this->random.seed(seed);
        this->s = this->any_size(this->random);
        const unsigned steps = sizeof(TypeParam) > 1000 ? 5 : 40;
        for (unsigned i = 0; i < steps && !this->HasFatalFailure(); ++i) this->step();
        this->compare();
        this->s.reset();
        this->model.clear();
    }
}

}  // namespace
