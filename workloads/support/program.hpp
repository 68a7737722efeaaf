// What every C++ contender needs besides its work: arguments, phases, a report for the
// lab, and a count of what operator new gave out. Shared code of programs that consist of one
// source file each.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace program {

// Calls of operator new, and the bytes they asked for. Contenders have one thread.
inline std::size_t allocs = 0;
inline std::size_t allocated_bytes = 0;

inline void* allocate(std::size_t n, std::size_t alignment) {
    ++allocs;
    allocated_bytes += n;
    const std::size_t rounded = (n + alignment - 1) / alignment * alignment;
    void* const p = alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, rounded) : std::malloc(n);
    if (p == nullptr) {
        throw std::bad_alloc();
    }
    return p;
}

// The figures of a contender by name, in the order in which they came.
class report {
public:
    // The CPU seconds of the process since the last call count for this phase.
    void phase(const char* name) {
        const double now = cpu_seconds();
        figures_.emplace_back(name, now - last_);
        last_ = now;
    }

    // Writes a JSON object of numbers to the named file, none if it has no name.
    [[nodiscard]] bool write(const std::string& file) const {
        if (file.empty()) {
            return true;
        }
        std::FILE* const out = std::fopen(file.c_str(), "w");
        if (out == nullptr) {
            return false;
        }
        std::fprintf(out, "{\"allocs\":%zu,\"bytes\":%zu", allocs, allocated_bytes);
        for (const auto& [name, value] : figures_) {
            std::fprintf(out, ",\"%s\":%.9f", name, value);
        }
        std::fprintf(out, "}\n");
        return std::fclose(out) == 0;
    }

private:
    static double cpu_seconds() {
        std::timespec t{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
    }

    std::vector<std::pair<const char*, double>> figures_;
    double last_ = cpu_seconds();
};

// The arguments of a contender: -KEY VALUE for any of the keys, and last the depth.
class arguments {
public:
    arguments(int argc, char** argv, const std::vector<std::string_view>& keys, int least, int most) {
        for (int i = 1; i + 1 < argc; i += 2) {
            const std::string_view flag = argv[i];
            const auto key = std::find(keys.begin(), keys.end(), flag.substr(flag.starts_with('-') ? 1 : flag.size()));
            good_ = good_ && key != keys.end();
            if (good_) {
                values_.emplace_back(*key, argv[i + 1]);
            }
        }
        const char* const text = argc % 2 == 0 ? argv[argc - 1] : "";
        const char* const end = text + std::strlen(text);
        const auto parsed = std::from_chars(text, end, depth);
        good_ = good_ && parsed.ec == std::errc() && parsed.ptr == end && depth >= least && depth <= most;
    }

    [[nodiscard]] bool good() const { return good_; }

    // The value of a key, "" if it was not given.
    [[nodiscard]] std::string value(std::string_view key) const {
        for (const auto& [k, v] : values_) {
            if (k == key) {
                return std::string(v);
            }
        }
        return "";
    }

    int depth = -1;

private:
    std::vector<std::pair<std::string_view, std::string_view>> values_;
    bool good_ = true;
};

}  // namespace program

void* operator new(std::size_t n) { return program::allocate(n, 1); }
void* operator new(std::size_t n, std::align_val_t a) { return program::allocate(n, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
