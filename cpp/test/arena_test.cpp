// Tests of the promises of arena.hpp: each separately, and in long random programs against a model.
#include <coppice/arena.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory_resource>
#include <random>
#include <string>
#include <vector>

#include "raises.hpp"

namespace {

using coppice::arena;

// An upstream that counts, and fails at the n-th request.
struct upstream final : std::pmr::memory_resource {
    std::size_t requests = 0, live = 0, bytes = 0;
    std::size_t fail_at = std::numeric_limits<std::size_t>::max();

    void* do_allocate(std::size_t n, std::size_t alignment) override {
        if (++requests >= fail_at) coppice::detail::raise<std::bad_alloc>();
        ++live;
        bytes += n;
        return std::pmr::new_delete_resource()->allocate(n, alignment);
    }
    void do_deallocate(void* p, std::size_t n, std::size_t alignment) override {
        --live;
        bytes -= n;
        std::pmr::new_delete_resource()->deallocate(p, n, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

struct point {
    int x, y;
};

TEST(Arena, ValuesOfManyTypes) {
    arena a;
    const point* p = a.emplace<point>(1, 2);
    const std::span<double> zeros = a.make<double>(100);
    const std::string_view text = a.string("coppice");
    EXPECT_EQ(p->y, 2);
    EXPECT_TRUE(std::ranges::all_of(zeros, [](double v) { return v == 0; }));
    EXPECT_EQ(text, "coppice");
    EXPECT_EQ(text.data()[7], '\0');
    EXPECT_EQ(a.string(""), "");
    EXPECT_TRUE(a.make<int>(0).empty());
    EXPECT_RAISES((void)a.make<int>(std::numeric_limits<std::size_t>::max() / 2), std::bad_array_new_length);
    EXPECT_RAISES((void)a.make<char>(std::numeric_limits<std::size_t>::max() / 2), std::bad_alloc);
}

TEST(Arena, MakeZeroesUsedMemory) {
    arena a;
    std::ranges::fill(a.make<int>(500), -1);
    a.reset();
    EXPECT_TRUE(std::ranges::all_of(a.make<int>(500), [](int v) { return v == 0; }));
}

TEST(Arena, AlignmentHolds) {
    arena a;
    for (std::size_t alignment = 1; alignment <= 8192; alignment *= 2) {
        for (int i = 0; i < 20; ++i) {
            (void)a.take(1, 1);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.take(3, alignment)) % alignment, 0u);
        }
    }
}

// The ends of chunks, whatever size they have, are where an alignment would lead beyond them.
TEST(Arena, NothingIsBeyondTheEndOfItsChunk) {
    for (std::size_t odd = 1; odd < 200; ++odd) {
        for (std::size_t alignment = 1; alignment <= 256; alignment *= 2) {
            arena a;
            (void)a.take(5000 + odd, 1);  // a chunk of its own, of an odd size
            for (int i = 0; i < 20; ++i) std::memset(a.take(1 + odd % 24, alignment), 1, 1 + odd % 24);
            ASSERT_LE(a.stats().used, a.stats().size) << odd << " bytes aligned to " << alignment;
        }
    }
}

TEST(Arena, NoBytesHaveAPlace) {
    arena a;
    EXPECT_NE(a.take(0, 1), nullptr);
    EXPECT_NE(a.take(0, 64), nullptr);
    EXPECT_NE(a.allocate(0, 8), nullptr);
}

TEST(Arena, SteadyPhasesAskForNoMemory) {
    upstream up;
    arena a(&up);
    std::size_t after_two = 0;
    for (int phase = 0; phase < 50; ++phase) {
        for (int i = 0; i < 10'000; ++i) (void)a.make<char>(static_cast<std::size_t>(i % 97));
        (void)a.make<char>(3'000'000);
        (void)a.make<char>(10);
        a.reset();
        if (phase == 1) after_two = up.requests;
    }
    EXPECT_EQ(up.requests, after_two);
}

// As above, with a container that is destroyed before the reset, and with memory that is rewound:
// the need of a phase is its peak use.
TEST(Arena, SteadyPhasesWithScratchAskForNoMemory) {
    upstream up;
    arena a(&up);
    std::size_t after_two = 0;
    for (int phase = 0; phase < 20; ++phase) {
        {
            std::pmr::vector<char> v(3'000'000, &a);
        }
        const arena::mark m = a.checkpoint();
        (void)a.make<char>(5'000'000);
        a.rewind(m);
        a.reset();
        if (phase == 1) after_two = up.requests;
    }
    EXPECT_EQ(up.requests, after_two);
}

TEST(Arena, UnusedChunksAreGivenBack) {
    upstream up;
    arena a(&up);
    for (int i = 0; i < 100'000; ++i) (void)a.make<char>(10);  // many chunks, none of them large
    const std::size_t chunks = a.stats().chunks;
    EXPECT_GT(chunks, 5u);
    for (int phase = 0; phase < 3; ++phase) {
        a.reset();
        (void)a.make<char>(10);
    }
    EXPECT_EQ(a.stats().chunks, 1u);
    a.reset();
    a.reset();
    a.reset();
    EXPECT_EQ(a.stats().chunks, 0u);
    EXPECT_EQ(up.live, 0u);
}

TEST(Arena, TheLastAllocationIsTakenBack) {
    arena a;
    (void)a.make<char>(100);
    const std::size_t before = a.stats().used;
    {
        std::pmr::vector<char> v(100, &a);
        EXPECT_EQ(a.stats().used, before + 100);
    }
    EXPECT_EQ(a.stats().used, before);
}

TEST(Arena, IsEasyToHold) {
    struct request {
        arena memory;
        int number = 0;
    };
    request r{};
    EXPECT_EQ(*r.memory.emplace<double>(1), 1.0);
}

TEST(Arena, OneLargePhaseDoesNotPinItsMemory) {
    upstream up;
    arena a(&up);
    (void)a.make<char>(100'000'000);
    for (int phase = 0; phase < 3; ++phase) {
        a.reset();
        (void)a.make<char>(100);
    }
    EXPECT_LT(up.bytes, 10'000u);
}

TEST(Arena, ReleaseGivesEverythingBack) {
    upstream up;
    {
        arena a(&up);
        (void)a.make<char>(1'000'000);
        a.release();
        EXPECT_EQ(up.live, 0u);
        EXPECT_EQ(a.stats().size, 0u);
        (void)a.make<char>(10);
        EXPECT_EQ(a.stats().used, 10u);
    }
    EXPECT_EQ(up.live, 0u);
}

TEST(Arena, RewindDropsWhatCameAfter) {
    arena a;
    const arena::mark start = a.checkpoint();
    int* kept = a.emplace<int>(7);
    const arena::mark middle = a.checkpoint();
    const std::size_t used = a.stats().used;
    for (int i = 0; i < 100'000; ++i) (void)a.emplace<int>(i);
    a.rewind(middle);
    EXPECT_EQ(a.stats().used, used);
    EXPECT_EQ(*kept, 7);
    int* next = a.emplace<int>(8);
    EXPECT_EQ(next, kept + 1);
    a.rewind(start);
    EXPECT_EQ(a.stats().used, 0u);
    EXPECT_EQ(a.emplace<int>(9), kept);
}

#ifdef __cpp_exceptions
TEST(Arena, RefusedMemoryLosesNothing) {
    for (std::size_t n = 1; n < 12; ++n) {
        upstream up;
        up.fail_at = n;
        arena a(&up);
        std::vector<std::pair<int*, int>> values;
        try {
            for (int i = 0; i < 2'000'000; ++i) values.emplace_back(a.emplace<int>(i), i);
        } catch (const std::bad_alloc&) {
        }
        up.fail_at = std::numeric_limits<std::size_t>::max();
        values.emplace_back(a.emplace<int>(-1), -1);
        for (auto [p, v] : values) ASSERT_EQ(*p, v);
    }
}
#endif

TEST(Arena, PlugsIntoPmrContainers) {
    upstream up;
    arena a(&up);
    {
        std::pmr::map<int, std::pmr::string> m(&a);
        for (int i = 0; i < 1000; ++i) m.emplace(i, std::pmr::string(static_cast<std::size_t>(i), 'x'));
        for (const auto& [k, v] : m) ASSERT_EQ(v.size(), static_cast<std::size_t>(k));
    }
    EXPECT_GT(up.live, 0u);
    a.reset();
    std::pmr::vector<int> alone(&a);
    for (int i = 0; i < 100; ++i) alone.push_back(i);
    EXPECT_TRUE(a.is_equal(a));
    EXPECT_FALSE(a.is_equal(up));
}

#ifdef COPPICE_ASAN
TEST(ArenaDeathTest, DroppedMemoryIsPoisoned) {
    arena a;
    auto* dropped = static_cast<volatile int*>(a.emplace<int>(1));
    const arena::mark m = a.checkpoint();
    auto* rewound = static_cast<volatile int*>(a.emplace<int>(2));
    EXPECT_DEATH(rewound[2] = 1, "use-after-poison");
    a.rewind(m);
    EXPECT_DEATH(*rewound = 1, "use-after-poison");
    a.reset();
    EXPECT_DEATH(*dropped = 1, "use-after-poison");
}
#endif

// Random programs: every allocation is aligned, does not overlap another, and keeps its bytes.
TEST(Arena, RandomProgramsAgainstModel) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        upstream up;
        arena a(&up);
        std::map<char*, std::pair<std::size_t, char>> model;  // start -> size, content
        std::vector<std::pair<arena::mark, std::size_t>> marks;
        std::vector<char*> order;
        const auto check = [&model] {
            for (const auto& [p, v] : model) {
                ASSERT_TRUE(std::all_of(p, p + v.first, [c = v.second](char b) { return b == c; }));
            }
        };
        for (int step = 0; step < 3000; ++step) {
            const auto roll = random() % 1000;
            if (roll < 3) {
                check();
                roll == 0 ? a.release() : a.reset();
                model.clear();
                order.clear();
                marks.clear();
            } else if (roll < 40) {
                marks.emplace_back(a.checkpoint(), order.size());
            } else if (roll < 60 && !marks.empty()) {
                check();
                const std::size_t back = random() % marks.size();
                a.rewind(marks[back].first);
                for (std::size_t i = marks[back].second; i < order.size(); ++i) model.erase(order[i]);
                order.resize(marks[back].second);
                marks.resize(back + 1);
            } else {
                const std::size_t alignment = std::size_t{1} << (random() % 8);
                const std::size_t size = 1 + random() % (roll > 990 ? 50'000 : 60);
                char* p = static_cast<char*>(a.take(size, alignment));
                ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
                auto after = model.lower_bound(p);
                ASSERT_TRUE(after == model.end() || p + size <= after->first);
                ASSERT_TRUE(after == model.begin() || std::prev(after)->first + std::prev(after)->second.first <= p);
                std::memset(p, static_cast<char>(step), size);
                model.emplace(p, std::pair{size, static_cast<char>(step)});
                order.push_back(p);
            }
        }
        check();
        ASSERT_LE(a.stats().used, a.stats().size);
    }
}

}  // namespace
