// Benchmarks of the inline containers, the standard ones, and ones without room inside: the same
// classes with an N of 0, and a string that always allocates. The argument is the number of
// elements or characters.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../workloads/strings/cpp/plain_string.hpp"
#include "coppice/inline_string.hpp"
#include "coppice/inline_vector.hpp"

namespace {

using inline_ints = coppice::inline_vector<int, 8>;
using outside_ints = coppice::inline_vector<int, 0>;
using inline_text = coppice::inline_string<31>;

// Building an empty vector up, one element at a time.
template <class V>
void vector_push_back(benchmark::State& state) {
    const auto n = static_cast<int>(state.range(0));
    for (auto _ : state) {
        V v;
        for (int i = 0; i < n; ++i) {
            v.push_back(i);
        }
        benchmark::DoNotOptimize(v.data());
        benchmark::ClobberMemory();
    }
}

template <class V>
void vector_copy(benchmark::State& state) {
    const V v(static_cast<std::size_t>(state.range(0)), 1);
    for (auto _ : state) {
        V copy(v);
        benchmark::DoNotOptimize(copy.data());
    }
}

template <class V>
void vector_move(benchmark::State& state) {
    V v(static_cast<std::size_t>(state.range(0)), 1);
    for (auto _ : state) {
        V moved(std::move(v));
        benchmark::DoNotOptimize(moved.data());
        v = std::move(moved);
    }
}

template <class V>
void vector_insert_front(benchmark::State& state) {
    const auto n = static_cast<int>(state.range(0));
    for (auto _ : state) {
        V v;
        for (int i = 0; i < n; ++i) {
            v.insert(v.begin(), i);
        }
        benchmark::DoNotOptimize(v.data());
    }
}

// Sums over many vectors, where the elements inside save a jump through memory.
template <class V>
void vector_walk(benchmark::State& state) {
    const std::vector<V> all(10000, V(static_cast<std::size_t>(state.range(0)), 1));
    for (auto _ : state) {
        std::int64_t sum = 0;
        for (const V& v : all) {
            for (const int i : v) {
                sum += i;
            }
        }
        benchmark::DoNotOptimize(sum);
    }
}

template <class S>
void string_construct(benchmark::State& state) {
    const std::string text(static_cast<std::size_t>(state.range(0)), 'x');
    std::string_view view = text;
    for (auto _ : state) {
        benchmark::DoNotOptimize(view);
        S s(view);
        benchmark::DoNotOptimize(s.c_str());
    }
}

template <class S>
void string_sort(benchmark::State& state) {
    std::mt19937_64 random(1);
    std::vector<S> words;
    for (int i = 0; i < 1000; ++i) {
        std::string word(static_cast<std::size_t>(state.range(0)), 'a');
        for (char& c : word) {
            c = static_cast<char>('a' + random() % 26);
        }
        words.emplace_back(std::string_view(word));
    }
    for (auto _ : state) {
        auto copy = words;
        std::sort(copy.begin(), copy.end());
        benchmark::DoNotOptimize(copy.data());
    }
}

template <class S>
void string_push_back(benchmark::State& state) {
    for (auto _ : state) {
        S s;
        for (std::int64_t i = 0; i < state.range(0); ++i) {
            s.push_back('x');
        }
        benchmark::DoNotOptimize(s.c_str());
        benchmark::ClobberMemory();
    }
}

void vector_sizes(benchmark::internal::Benchmark* b) { b->Arg(4)->Arg(8)->Arg(64)->Arg(1024); }
void string_sizes(benchmark::internal::Benchmark* b) { b->Arg(8)->Arg(15)->Arg(24)->Arg(31)->Arg(200); }

#define FOR_VECTORS(function)                                            \
    BENCHMARK_TEMPLATE(function, std::vector<int>)->Apply(vector_sizes); \
    BENCHMARK_TEMPLATE(function, outside_ints)->Apply(vector_sizes);     \
    BENCHMARK_TEMPLATE(function, inline_ints)->Apply(vector_sizes)
#define FOR_STRINGS(function)                                       \
    BENCHMARK_TEMPLATE(function, std::string)->Apply(string_sizes); \
    BENCHMARK_TEMPLATE(function, inline_text)->Apply(string_sizes)

FOR_VECTORS(vector_push_back);
FOR_VECTORS(vector_copy);
FOR_VECTORS(vector_move);
FOR_VECTORS(vector_insert_front);
FOR_VECTORS(vector_walk);
FOR_STRINGS(string_construct);
BENCHMARK_TEMPLATE(string_construct, plain_string)->Apply(string_sizes);
FOR_STRINGS(string_sort);
BENCHMARK_TEMPLATE(string_sort, plain_string)->Apply(string_sizes);
FOR_STRINGS(string_push_back);

}  // namespace

BENCHMARK_MAIN();
