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

// Writes the figures as JSON for the lab; does nothing if the file has no name.
inline void write_report(const std::string& file, const std::array<round_times, rounds>& times) {
    if (file.empty()) return;
    round_times mean;
    for (int i = 1; i < rounds; ++i) {
        mean.generate += times[i].generate / (rounds - 1);
        mean.copy += times[i].copy / (rounds - 1);
        mean.destroy += times[i].destroy / (rounds - 1);
    }
    double squares = 0;
    for (int i = 1; i < rounds; ++i) squares += std::pow(times[i].total() - mean.total(), 2);

    std::FILE* out = std::fopen(file.c_str(), "w");
    if (out == nullptr) throw std::runtime_error("report " + file + ": " + std::strerror(errno));
    std::fprintf(out,
                 "{\"generate_s\": %.9f, \"copy_s\": %.9f, \"delete_s\": %.9f, \"total_s\": %.9f, \"total_sd_s\": %.9f,\n"
                 " \"first_generate_s\": %.9f, \"first_copy_s\": %.9f, \"first_delete_s\": %.9f, \"first_total_s\": %.9f,\n"
                 " \"virtual_bytes\": %.0f}\n",
                 mean.generate, mean.copy, mean.destroy, mean.total(), std::sqrt(squares / (rounds - 2)),
                 times[0].generate, times[0].copy, times[0].destroy, times[0].total(), status_bytes("VmPeak"));
    if (std::fclose(out) != 0) throw std::runtime_error("report " + file + ": " + std::strerror(errno));
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
template <class Strategy>
void run(int depth, const std::string& report) {
    require_memory(depth, Strategy::node_bytes);
    Strategy strategy(depth);
    std::array<round_times, rounds> times;
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
        times[i] = {generated - start, copied - generated, cpu_now() - checked};
    }
    write_report(report, times);
    if (std::fflush(stdout) != 0) throw std::runtime_error(std::string("standard output: ") + std::strerror(errno));
}

}  // namespace adt
