// Builds, walks and drops pages of objects that have a few small vectors each, with one
// type of vector. The problem is in ../spec.md.
#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include "../../support/program.hpp"
#include "coppice/inline_vector.hpp"
#include "page_arena.hpp"

namespace {

constexpr std::size_t page_objects = 512;

struct glyph {
    std::uint32_t code, advance;
};
struct point {
    std::uint32_t x, y;
};

// What the elements of one vector are.
struct contents {
    std::uint32_t count, base, step;
};

// Draws the contents of vectors and counts their elements.
class generator {
public:
    contents next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t d = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9;
        d = (d ^ (d >> 27)) * 0x94d049bb133111eb;
        d ^= d >> 31;
        const std::uint64_t count = d % 10 < 9 ? 1 + (d >> 8) % 8 : 9 + (d >> 8) % 64;
        elements_ += count;
        return {static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(d >> 16),
                static_cast<std::uint32_t>(d >> 48)};
    }
    [[nodiscard]] std::uint64_t elements() const { return elements_; }

private:
    std::uint64_t state_ = 1;
    std::uint64_t elements_ = 0;
};

// The ways to hold elements: how to make an empty vector, and what ends a page.
struct in_std {
    template <class T>
    std::vector<T> make() { return {}; }
    void end_page() {}
};

struct in_inline {
    template <class T>
    coppice::inline_vector<T, 8> make() { return {}; }
    void end_page() {}
};

struct in_arena {
    template <class T>
    std::pmr::vector<T> make() { return std::pmr::vector<T>(&arena); }
    void end_page() { arena.reset(); }
    page_arena arena;
};

template <class Way>
class object {
public:
    object(Way& way, generator& from)
        : glyphs_(way.template make<glyph>()),
          points_(way.template make<point>()),
          dashes_(way.template make<std::uint32_t>()) {
        contents c = from.next();
        for (std::uint32_t i = 0; i < c.count; ++i) {
            glyphs_.push_back({c.base + i * c.step, c.step + i});
        }
        c = from.next();
        for (std::uint32_t i = 0; i < c.count; ++i) {
            points_.push_back({c.base + i * c.step, c.base ^ i});
        }
        c = from.next();
        for (std::uint32_t i = 0; i < c.count; ++i) {
            dashes_.push_back(c.base + i * c.step);
        }
    }

    // What this object adds to the checksum.
    [[nodiscard]] std::uint64_t walk() const {
        std::uint64_t v = 0;
        for (const glyph& g : glyphs_) {
            v += std::uint64_t{g.code} * g.advance;
        }
        point corner{0, 0};
        for (const point& p : points_) {
            corner = {std::max(corner.x, p.x), std::max(corner.y, p.y)};
        }
        for (const std::uint32_t d : dashes_) {
            v += d;
        }
        return v + corner.x + corner.y;
    }

private:
    decltype(std::declval<Way&>().template make<glyph>()) glyphs_;
    decltype(std::declval<Way&>().template make<point>()) points_;
    decltype(std::declval<Way&>().template make<std::uint32_t>()) dashes_;
};

template <class Way>
void work(std::size_t objects) {
    Way way;
    generator from;
    std::uint64_t x = 0;
    std::vector<object<Way>> page;
    page.reserve(page_objects);
    for (std::size_t left = objects; left > 0; left -= page.size(), page.clear(), way.end_page()) {
        for (std::size_t i = std::min(left, page_objects); i > 0; --i) {
            page.emplace_back(way, from);
        }
        for (const auto& o : page) {
            x = 31 * x + o.walk();
        }
    }
    std::printf("%zu objects, %" PRIu64 " elements\nchecksum %" PRIu64 "\n", objects, from.elements(), x);
}

int usage() {
    std::fputs("usage: vectors -vector std|inline|arena [-report FILE] DEPTH, with a depth from 0 to 28\n", stderr);
    return 2;
}

int run(int argc, char** argv) {
    const program::arguments args(argc, argv, {"vector", "report"}, 0, 28);
    const std::string vector = args.value("vector");
    void (*worker)(std::size_t) = nullptr;
    if (vector == "std") {
        worker = work<in_std>;
    } else if (vector == "inline") {
        worker = work<in_inline>;
    } else if (vector == "arena") {
        worker = work<in_arena>;
    }
    if (!args.good() || worker == nullptr) {
        return usage();
    }
    program::allocs = program::allocated_bytes = 0;
    program::report report;
    worker(std::size_t{1} << args.depth);
    report.phase("pages_s");
    if (!report.write(args.value("report"))) {
        std::fprintf(stderr, "vectors: cannot write %s\n", args.value("report").c_str());
        return 1;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "vectors: %s\n", e.what());
        return 1;
    }
}
