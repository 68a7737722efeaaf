// Compares push_back and emplace_back of coppice::inline_vector, into its inline part, with those
// of absl::InlinedVector and boost::container::small_vector, if they are installed. All run the
// same work with the same flags, in rounds that are interleaved at random. The last lines give the
// time per element for each row, and its ratio to the better of the two others.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/inline_vector.hpp"

#ifdef BENCH_ABSL
#include <absl/container/inlined_vector.h>
#endif
#ifdef BENCH_BOOST
#include <boost/container/small_vector.hpp>
#endif

namespace {

struct quad {
    std::uint64_t a, b, c, d;
    quad(std::uint64_t x, std::uint64_t y, std::uint64_t z, std::uint64_t w) : a(x), b(y), c(z), d(w) {}
};

// The elements for the vectors: a value for push_back, and the arguments of emplace_back.
template <class T>
struct source;
template <>
struct source<int> {
    int value(std::size_t i) const { return static_cast<int>(i); }
    template <class V>
    void emplace(V& v, std::size_t i) const { v.emplace_back(static_cast<int>(i)); }
};
template <>
struct source<const int*> {
    std::array<int, 16> targets{};
    const int* value(std::size_t i) const { return &targets[i]; }
    template <class V>
    void emplace(V& v, std::size_t i) const { v.emplace_back(&targets[i]); }
};
template <>
struct source<quad> {
    quad value(std::size_t i) const { return {i, i + 1, i + 2, i + 3}; }
    template <class V>
    void emplace(V& v, std::size_t i) const { v.emplace_back(i, i + 1, i + 2, i + 3); }
};
template <>
struct source<std::string> {
    std::string text = "ten letters";
    const std::string& value(std::size_t) const { return text; }
    template <class V>
    void emplace(V& v, std::size_t) const { v.emplace_back(text.data(), text.size()); }
};

template <class V, bool Emplace>
void fill(V& v, const source<typename V::value_type>& from, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        if constexpr (Emplace) {
            from.emplace(v, i);
        } else {
            v.push_back(from.value(i));
        }
    }
    benchmark::DoNotOptimize(v.data());
    benchmark::ClobberMemory();
}

template <class V, std::size_t N, bool Emplace>
void reused(benchmark::State& state) {
    const source<typename V::value_type> from{};
    std::size_t n = N;
    V v;
    for (auto _ : state) {
        benchmark::DoNotOptimize(n);
        v.clear();
        fill<V, Emplace>(v, from, n);
    }
}

template <class V, std::size_t N, bool Emplace>
void fresh(benchmark::State& state) {
    const source<typename V::value_type> from{};
    std::size_t n = N;
    for (auto _ : state) {
        benchmark::DoNotOptimize(n);
        V v;
        fill<V, Emplace>(v, from, n);
    }
}

template <class V, std::size_t N>
void add(const std::string& row, const std::string& who) {
    const auto one = [&](const char* what, auto* function) {
        benchmark::RegisterBenchmark((what + row + '/' + std::to_string(N) + '/' + who).c_str(), function);
    };
    one("push_back/reused/", &reused<V, N, false>);
    one("push_back/fresh/", &fresh<V, N, false>);
    one("emplace_back/reused/", &reused<V, N, true>);
    one("emplace_back/fresh/", &fresh<V, N, true>);
}

template <class T, std::size_t N>
void add_all(const std::string& row) {
    add<coppice::inline_vector<T, N>, N>(row, "coppice");
#ifdef BENCH_ABSL
    add<absl::InlinedVector<T, N>, N>(row, "absl");
#endif
#ifdef BENCH_BOOST
    add<boost::container::small_vector<T, N>, N>(row, "boost");
#endif
}

template <class T>
void add_sizes(const std::string& row) {
    add_all<T, 4>(row);
    add_all<T, 8>(row);
    add_all<T, 16>(row);
}

// Keeps every round of each benchmark, and prints the medians side by side.
class table : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context&) override { return true; }

    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.run_type != Run::RT_Iteration) continue;
            const std::string name = run.run_name.function_name;
            const auto who = name.rfind('/');
            const auto count = name.rfind('/', who - 1) + 1;
            const double n = std::stod(name.substr(count, who - count));
            rows_[name.substr(0, who)][name.substr(who + 1)].push_back(run.GetAdjustedCPUTime() / n);
        }
    }

    void Finalize() override {
        std::printf("%-34s %9s %9s %9s   ours/better\n", "median ns for each element", "coppice", "absl", "boost");
        for (auto& [row, times] : rows_) {
            std::printf("%-34s", row.c_str());
            double better = 0;
            for (const char* who : {"coppice", "absl", "boost"}) {
                if (!times.contains(who)) {
                    std::printf(" %9s", "-");
                    continue;
                }
                const double t = median(times[who]);
                std::printf(" %9.2f", t);
                if (std::string_view(who) != "coppice" && (better == 0 || t < better)) better = t;
            }
            if (better > 0) std::printf("   %.2f", median(times["coppice"]) / better);
            std::printf("\n");
        }
    }

private:
    static double median(std::vector<double>& v) {
        std::sort(v.begin(), v.end());
        return v[v.size() / 2];
    }

    std::map<std::string, std::map<std::string, std::vector<double>>> rows_;
};

}  // namespace

int main(int argc, char** argv) {
    std::vector<char*> args(argv, argv + argc);
    std::string defaults[] = {"--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=15",
                              "--benchmark_min_time=0.02"};
    // After the name of the program, so that the user's arguments take precedence.
    for (std::string& flag : defaults) args.insert(args.begin() + 1, flag.data());
    int n = static_cast<int>(args.size());
    benchmark::Initialize(&n, args.data());
    if (benchmark::ReportUnrecognizedArguments(n, args.data())) return 1;
    add_sizes<int>("int");
    add_sizes<const int*>("pointer");
    add_sizes<quad>("32bytes");
    add_sizes<std::string>("string");
    table out;
    benchmark::RunSpecifiedBenchmarks(&out);
}
