// Fuzzes the reader of flat trees: each loaded tree is walked in every way, rebuilt and compacted.
// If the first byte is that of a file, the input is a file. Otherwise the byte selects a schema,
// whose header the target writes itself, so that the fuzzer need not guess a hash.
#include <cstddef>
#include <cstdint>

#include "../test/flat_formats.hpp"

namespace {

using namespace coppice::flat::formats;

template <class Format>
void load_and_walk(std::span<const std::byte> file) {
    try {
        const auto t = Format::tree::view(file, {.max_depth = 1000, .max_nodes = 100'000, .max_walk = 100'000});
        (void)walked<Format>(t);
        const auto canonical = t.compact();
        const auto again = rebuilt<Format>(t).compact();
        if (!std::ranges::equal(canonical.bytes(), again.bytes())) throw std::logic_error("the builder made another tree");
        (void)Format::tree::load(canonical.bytes());
    } catch (const coppice::flat::error&) {
    }
}

// A file with that body: three bytes choose the root, the records and the strings, words follow.
std::vector<std::byte> file_of(const coppice::flat::detail::schema& s, std::span<const std::byte> body) {
    coppice::flat::detail::draft d;
    if (body.size() < 3) return {};
    const auto root = std::to_integer<std::uint32_t>(body[0]);
    d.nodes = std::to_integer<std::uint32_t>(body[1]);
    const std::size_t strings = std::to_integer<std::size_t>(body[2]) % 16;
    for (std::size_t i = 1; i <= strings; ++i) d.ends.push_back(static_cast<std::uint32_t>(i - i % 3));
    d.text.assign(d.ends.back(), 'x');
    for (std::size_t at = 3; at + 4 <= body.size(); at += 4) d.words.push_back(coppice::flat::detail::get32(body.data() + at));
    return encode(d, s, root);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n) {
    if (n == 0) return 0;
    const auto bytes = std::as_bytes(std::span(data, n));
    static const std::array<std::string, 6> names{"expr", "every", "forty", "dag", "narrow", "version1"};
    if (data[0] == 0x89) {
        for (const std::string& name : names) {
            with_format(name, [&](auto format) { load_and_walk<decltype(format)>(bytes); });
        }
        return 0;
    }
    with_format(names[data[0] % names.size()], [&](auto format) {
        using Format = decltype(format);
        const auto& tables = Format::schema::tables();
        const bool old = data[0] >= 128 && !tables.earlier.empty();
        load_and_walk<Format>(file_of(old ? tables.earlier[0] : tables, bytes.subspan(1)));
    });
    return 0;
}
