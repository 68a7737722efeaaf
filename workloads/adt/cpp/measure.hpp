// The rounds of ../spec.md, the clock and the report: what all strategies share.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace adt {

// The value of leaf number i.
inline std::int32_t leaf_value(std::uint32_t i) { return static_cast<std::int32_t>(i * 2654435761u); }

// What walking a tree comes to.
struct checksum {
    std::uint64_t nodes = 0;
    std::uint64_t leaves = 14695981039346656037u;

    void inner() { ++nodes; }
    void leaf(std::int32_t value) {
        ++nodes;
        leaves = (leaves ^ static_cast<std::uint32_t>(value)) * 1099511628211u;
    }
};

inline std::uint64_t nodes_of(int depth) { return (std::uint64_t{1} << depth) - 1; }

// CPU time of this process so far, in seconds.
inline double cpu_now() {
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The least of the machine's memory, the cgroup's limit and the process's own.
inline std::uint64_t memory_limit() {
    auto limit = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    std::uint64_t cgroup = 0;
    if (std::ifstream("/sys/fs/cgroup/memory.max") >> cgroup) limit = std::min(limit, cgroup);
    for (auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
        rlimit r{};
        if (::getrlimit(resource, &r) == 0 && r.rlim_cur != RLIM_INFINITY) {
            limit = std::min<std::uint64_t>(limit, r.rlim_cur);
        }
    }
    return limit;
}

// Throws if two trees of the depth do not fit the machine.
inline void require_memory(int depth, std::uint64_t bytes_per_node) {
    const std::uint64_t need = 2 * nodes_of(depth) * bytes_per_node;
    if (const std::uint64_t have = memory_limit(); need > have) {
        throw std::runtime_error("depth " + std::to_string(depth) + " takes " + std::to_string(need) +
                                 " bytes, and there are " + std::to_string(have) + "; take a smaller depth");
    }
}

// A field of /proc/self/status that counts KiB, in bytes; 0 where there is none.
inline double status_bytes(const std::string& field) {
    std::ifstream status("/proc/self/status");
    for (std::string name; status >> name; status.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
        double kib = 0;
        if (name == field + ":" && status >> kib) return kib * 1024;
    }
    return 0;
}

// CPU seconds of the phases of one round.
struct round_times {
    double generate = 0, copy = 0, destroy = 0;
    double total() const { return generate + copy + destroy; }
};

inline constexpr int rounds = 6;

// Times of rounds, and the seconds between their phases: the checks and the clock.
struct measured {
    std::array<round_times, rounds> times;
    std::array<double, rounds> between{};
};

// Writes figures as JSON for the lab; does nothing if the file has no name.
class report_file {
public:
    explicit report_file(const std::string& name) : name_(name) {
        if (name_.empty()) return;
        out_ = std::fopen(name_.c_str(), "w");
        if (out_ == nullptr) throw std::runtime_error("report " + name_ + ": " + std::strerror(errno));
    }
    report_file(const report_file&) = delete;
    report_file& operator=(const report_file&) = delete;
    ~report_file() {
        if (out_ != nullptr) std::fclose(out_);
    }

    void put(const std::string& metric, double value) {
        if (out_ != nullptr) std::fprintf(out_, "%s\"%s\": %.9f", separator_, metric.c_str(), value);
        separator_ = ", ";
    }
    void put(const std::string& prefix, const round_times& t) {
        put(prefix + "generate_s", t.generate);
        put(prefix + "copy_s", t.copy);
        put(prefix + "delete_s", t.destroy);
        put(prefix + "total_s", t.total());
    }
    void close() {
        if (out_ == nullptr) return;
        std::fputs("}\n", out_);
        std::FILE* out = std::exchange(out_, nullptr);
        if (std::fclose(out) != 0) throw std::runtime_error("report " + name_ + ": " + std::strerror(errno));
    }

private:
    std::string name_;
    std::FILE* out_ = nullptr;
    const char* separator_ = "{";
};

// Puts the means of the rounds from first up to end, and the standard deviation of their totals.
inline void put_means(report_file& file, const measured& m, int first, int end) {
    const int n = end - first;
    round_times mean;
    for (int i = first; i < end; ++i) {
        mean.generate += m.times[i].generate / n;
        mean.copy += m.times[i].copy / n;
        mean.destroy += m.times[i].destroy / n;
    }
    double squares = 0;
    for (int i = first; i < end; ++i) squares += std::pow(m.times[i].total() - mean.total(), 2);
    file.put("", mean);
    file.put("total_sd_s", std::sqrt(squares / (n - 1)));
}

// The figures of ../spec.md.
inline void write_report(const std::string& name, const measured& m) {
    report_file file(name);
    put_means(file, m, 1, rounds);
    file.put("first_", m.times[0]);
    file.put("virtual_bytes", status_bytes("VmPeak"));
    file.close();
}

inline constexpr int published_rounds = 5;

// The figures of the write-up: means of five rounds with the first among them, the rounds one by
// one, how the first and the even ones compare with the others, and what the harness costs.
inline void write_published(const std::string& name, const measured& m) {
    static_assert(published_rounds <= rounds);
    report_file file(name);
    put_means(file, m, 0, published_rounds);
    file.put("first_", m.times[0]);
    double later = 0, slow = 0, fast = 0, harness = 0;
    for (int i = 0; i < published_rounds; ++i) {
        const double total = m.times[i].total();
        file.put("round" + std::to_string(i + 1) + "_", m.times[i]);
        harness += m.between[i];
        if (i == 0) continue;
        later += total / (published_rounds - 1);
        (i % 2 == 1 ? slow : fast) += total;
    }
    file.put("first_to_later", m.times[0].total() / later);
    file.put("even_to_odd", slow / fast);
    file.put("harness_s", harness);
    file.put("virtual_bytes", status_bytes("VmPeak"));
    file.close();
}

inline void print(int round, const char* what, const checksum& c) {
    std::printf("round %d: %s %llu nodes %016llx\n", round, what, static_cast<unsigned long long>(c.nodes),
                static_cast<unsigned long long>(c.leaves));
}

// Runs all rounds of a strategy, which has
//
//     static constexpr std::size_t node_bytes;
//     explicit Strategy(int depth);
//     void generate();            // the first tree
//     void copy();                // the second, from the first
//     checksum check_tree(), check_copy();
//     void destroy();             // both
//
// As published, it reports the first five rounds; the sixth is there for the answer.
template <class Strategy, bool Published = false>
void run(int depth, const std::string& report) {
    require_memory(depth, Strategy::node_bytes);
    Strategy strategy(depth);
    measured m;
    for (int i = 0; i < rounds; ++i) {
        const double start = cpu_now();
        strategy.generate();
        const double generated = cpu_now();
        strategy.copy();
        const double copied = cpu_now();
        print(i, "tree", strategy.check_tree());
        print(i, "copy", strategy.check_copy());
        const double checked = cpu_now();
        strategy.destroy();
        m.times[i] = {generated - start, copied - generated, cpu_now() - checked};
        m.between[i] = checked - copied;
    }
    if constexpr (Published) {
        write_published(report, m);
    } else {
        write_report(report, m);
    }
    if (std::fflush(stdout) != 0) throw std::runtime_error(std::string("standard output: ") + std::strerror(errno));
}

}  // namespace adt
