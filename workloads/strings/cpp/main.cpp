// Tokenises a text, sorts and deduplicates the words, and looks all of them up, with one
// type of string. The problem is in ../spec.md.
#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../support/program.hpp"
#include "coppice/inline_string.hpp"
#include "plain_string.hpp"
#include "text.hpp"

namespace {

// Calls use with each word of a text.
template <class Use>
void each_word(std::string_view all, Use use) {
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t blank = all.find(' ', at);
        use(all.substr(at, blank - at));
        at = blank + 1;
    }
}

// One hash for all types of string.
struct hash {
    template <class String>
    std::size_t operator()(const String& s) const noexcept {
        return std::hash<std::string_view>()(s);
    }
};

template <class String>
std::vector<String> tokenise(std::string_view all, std::size_t count) {
    std::vector<String> words;
    words.reserve(count);
    each_word(all, [&](std::string_view word) { words.emplace_back(word); });
    return words;
}

// A sum of all bytes of all words, in their order.
template <class String>
std::uint64_t spelling(const std::vector<String>& words) {
    std::uint64_t y = 0;
    for (const std::string_view word : words) {
        for (const char c : word) {
            y = 31 * y + static_cast<unsigned char>(c);
        }
        y *= 31;
    }
    return y;
}

template <class String>
std::uint64_t look_up(std::string_view all, std::vector<String> words) {
    std::unordered_map<String, std::uint64_t, hash> places(words.size());
    std::uint64_t place = 0;
    for (String& word : words) {
        places.emplace(std::move(word), ++place);
    }
    std::uint64_t x = 0;
    each_word(all, [&](std::string_view word) { x = 31 * x + places.find(String(word))->second; });
    return x;
}

template <class String>
void work(std::string_view all, std::size_t count, program::report& report) {
    std::vector<String> words = tokenise<String>(all, count);
    report.phase("tokenise_s");
    std::sort(words.begin(), words.end());
    report.phase("sort_s");
    std::size_t over15 = 0;
    std::size_t over31 = 0;
    for (const String& word : words) {
        over15 += word.size() > 15;
        over31 += word.size() > 31;
    }
    words.erase(std::unique(words.begin(), words.end()), words.end());
    const std::size_t distinct = words.size();
    const std::uint64_t y = spelling(words);
    report.phase("unique_s");
    const std::uint64_t x = look_up(all, std::move(words));
    report.phase("lookup_s");
    std::printf("%zu words, %zu longer than 15, %zu longer than 31\n", count, over15, over31);
    std::printf("%zu distinct words, spelling %" PRIu64 "\nchecksum %" PRIu64 "\n", distinct, y, x);
}

int usage() {
    std::fputs("usage: strings -string std|plain|inline -words long|short [-report FILE] DEPTH, "
               "with a depth from 4 to 26\n", stderr);
    return 2;
}

int run(int argc, char** argv) {
    const program::arguments args(argc, argv, {"string", "words", "report"}, 4, 26);
    const std::string string = args.value("string");
    const std::string words = args.value("words");
    if (!args.good() || (words != "long" && words != "short")) {
        return usage();
    }
    void (*worker)(std::string_view, std::size_t, program::report&) = nullptr;
    if (string == "std") {
        worker = work<std::string>;
    } else if (string == "plain") {
        worker = work<plain_string>;
    } else if (string == "inline") {
        worker = work<coppice::inline_string<31>>;
    }
    if (worker == nullptr) {
        return usage();
    }
    const std::string all = text::make(args.depth, words == "long" ? text::long_words : text::short_words);
    program::allocs = program::allocated_bytes = 0;
    program::report report;
    worker(all, std::size_t{1} << args.depth, report);
    if (!report.write(args.value("report"))) {
        std::fprintf(stderr, "strings: cannot write %s\n", args.value("report").c_str());
        return 1;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "strings: %s\n", e.what());
        return 1;
    }
}
