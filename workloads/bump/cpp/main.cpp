// Allocates small objects one by one, and gives them back: the problem of ../spec.md.
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "../../support/program.hpp"
#include "coppice/arena.hpp"

namespace {

// As large as a node of binary-trees.
struct object {
    std::uint64_t number, other;
};

constexpr int allocations = 26;  // 2 to the power of this, in all rounds together

class by_malloc {
public:
    explicit by_malloc(std::size_t) {}
    object* take() {
        auto* const o = static_cast<object*>(std::malloc(sizeof(object)));
        if (o == nullptr) throw std::bad_alloc();
        return o;
    }
    void drop(const std::vector<object*>& all) {
        for (object* const o : all) std::free(o);
    }
};

class by_bump {
public:
    explicit by_bump(std::size_t n) : room_(n), next_(room_.data()), end_(next_ + n) {}
    object* take() {
        if (next_ == end_) throw std::bad_alloc();
        return next_++;
    }
    void drop(const std::vector<object*>&) { next_ = room_.data(); }

private:
    std::vector<object> room_;
    object *next_, *end_;
};

class by_arena {
public:
    explicit by_arena(std::size_t) {}
    object* take() { return static_cast<object*>(arena_.take(sizeof(object), alignof(object))); }
    void drop(const std::vector<object*>&) { arena_.reset(); }

private:
    coppice::arena arena_;
};

double cpu_now() {
    std::timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Seconds of all rounds but the first.
struct times {
    double allocate = 0, drop = 0;
};

template <class Way>
times work(int depth) {
    const std::size_t n = std::size_t{1} << depth;
    const std::uint64_t rounds = std::uint64_t{1} << (allocations - depth);
    Way way(n);
    std::vector<object*> all(n);
    std::uint64_t sum = 0;
    times t;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const double start = cpu_now();
        for (std::size_t i = 0; i < n; ++i) {
            object* o = way.take();
            __asm__ volatile("" : "+r"(o));  // each by itself: the compiler may not merge allocations
            o->number = i + round;
            all[i] = o;
        }
        const double allocated = cpu_now();
        for (const object* const o : all) sum += o->number;
        const double checked = cpu_now();
        way.drop(all);
        if (round > 0) {
            t.allocate += allocated - start;
            t.drop += cpu_now() - checked;
        }
    }
    std::printf("%zu objects, %" PRIu64 " rounds, sum %" PRIu64 "\n", n, rounds, sum);
    return t;
}

bool write(const std::string& file, const times& t) {
    if (file.empty()) return true;
    std::FILE* const out = std::fopen(file.c_str(), "w");
    if (out == nullptr) return false;
    std::fprintf(out, "{\"allocate_s\":%.9f,\"free_s\":%.9f}\n", t.allocate, t.drop);
    return std::fclose(out) == 0;
}

int run(int argc, char** argv) {
    const program::arguments args(argc, argv, {"way", "report"}, 4, 20);
    const std::string way = args.value("way");
    times (*worker)(int) = nullptr;
    if (way == "malloc") worker = work<by_malloc>;
    if (way == "bump") worker = work<by_bump>;
    if (way == "arena") worker = work<by_arena>;
    if (!args.good() || worker == nullptr) {
        std::fputs("usage: bump -way malloc|bump|arena [-report FILE] DEPTH, with a depth from 4 to 20\n", stderr);
        return 2;
    }
    if (!write(args.value("report"), worker(args.depth))) {
        std::fprintf(stderr, "bump: cannot write %s\n", args.value("report").c_str());
        return 1;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "bump: %s\n", e.what());
        return 1;
    }
}
