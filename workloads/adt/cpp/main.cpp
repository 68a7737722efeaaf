// adt solves ../spec.md with a choice of strategies:
//
//     adt STRATEGY [-report=FILE] DEPTH
#include <charconv>
#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <string>
#include <string_view>

#include "buffer.hpp"
#include "floor.hpp"
#include "malloc.hpp"
#include "pmr.hpp"
#include "store.hpp"

namespace {

using strategy = void (*)(int depth, const std::string& report);

const std::map<std::string_view, strategy> strategies{
    {"malloc", adt::run<adt::malloc_trees>},
    {"buffer", adt::run<adt::buffer_trees>},
    {"malloc-published", adt::run<adt::malloc_trees, true>},
    {"buffer-published", adt::run<adt::buffer_trees, true>},
    {"pmr", adt::run<adt::pmr_trees>},
    {"store", adt::run<adt::store_trees<false>>},
    {"store-reused", adt::run<adt::store_trees<true>>},
    {"floor-fresh", adt::run<adt::floor_bytes<false>>},
    {"floor-warm", adt::run<adt::floor_bytes<true>>},
};

int usage(const std::string& what) {
    std::fprintf(stderr, "adt: %s; usage: adt STRATEGY [-report=FILE] DEPTH, with a strategy of", what.c_str());
    for (const auto& [name, run] : strategies) std::fprintf(stderr, " %s", std::string(name).c_str());
    std::fprintf(stderr, ", and a depth from 1 to 31\n");
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    std::string report;
    int at = 1;
    const auto chosen = at < argc ? strategies.find(argv[at++]) : strategies.end();
    if (chosen == strategies.end()) return usage(argc < 2 ? "no strategy" : "no strategy \"" + std::string(argv[1]) + "\"");
    constexpr std::string_view flag = "-report=";
    if (at < argc && std::string_view(argv[at]).starts_with(flag)) report = argv[at++] + flag.size();
    if (at + 1 != argc) return usage(at < argc ? "too many arguments" : "no depth");
    const std::string_view text = argv[at];
    int depth = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), depth);
    if (error != std::errc() || end != text.data() + text.size() || depth < 1 || depth > 31) {
        return usage("depth \"" + std::string(text) + "\" is not a whole number from 1 to 31");
    }
    try {
        chosen->second(depth, report);
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "adt: the system gives no more memory; take a smaller depth\n");
        return 1;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "adt: %s\n", e.what());
        return 1;
    }
}
