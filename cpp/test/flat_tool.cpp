// The C++ side of TestEveryPairOfProducerAndConsumer in ../../flat: for each file NAME.flat of a
// folder it writes NAME.built, the same tree made by a builder; NAME.canonical; NAME.rewritten;
// NAME.edited, the canonical form after an edit; NAME.dump; and, if there is a file NAME.mutants,
// into that what it says about each truncation and of each flip of a bit. If there is a file
// NAME.program, it runs that as edits, and writes NAME.log, NAME.after, NAME.after-dump and
// NAME.after-file, which is empty if references lead forward.
#include "flat_edits.hpp"

#include <iostream>

namespace {

namespace fs = std::filesystem;
using namespace coppice::flat::formats;

void write(const fs::path& path, std::span<const std::byte> bytes) {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

// What there is to say about a file: an error, or the hash of the dump.
template <class Format>
std::string verdict(std::span<const std::byte> file) {
    try {
        const auto t = Format::tree::view(file);
        return "ok " + coppice::flat::detail::hex(coppice::flat::detail::layout_hash(walked<Format>(t)));
    } catch (const coppice::flat::error& e) {
        return e.what();
    }
}

template <class Format>
void mutants(std::vector<std::byte> file, std::ostream& out) {
    for (std::size_t n = 0; n < file.size(); ++n) {
        // A copy of its own, so that a read beyond it is seen.
        const std::vector<std::byte> start(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(n));
        out << verdict<Format>(start) << '\n';
    }
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
        const auto flip = static_cast<std::byte>(1 << bit % 8);
        file[bit / 8] ^= flip;
        out << verdict<Format>(file) << '\n';
        file[bit / 8] ^= flip;
    }
}

// Runs the program of edits.
template <class Format>
void edits(const fs::path& path) {
    const auto beside = [&](const char* extension) { return fs::path(path).replace_extension(extension); };
    auto t = Format::tree::load(bytes_of(path));
    std::ofstream(beside(".log")) << run_edits<Format>(t, bytes_of(beside(".program")));
    write(beside(".after"), t.compact().bytes());
    std::ofstream(beside(".after-dump")) << dump_of(t);
    write(beside(".after-file"), {});
    try {
        write(beside(".after-file"), t.bytes());
    } catch (const std::logic_error&) {  // it was edited
    }
}

void handle(const fs::path& path) {
    const auto beside = [&](const char* extension) { return fs::path(path).replace_extension(extension); };
    with_format(path.stem().string(), [&](auto format) {
        using Format = decltype(format);
        const auto t = Format::tree::open(path.string());
        write(beside(".built"), rebuilt<Format>(t).bytes());
        write(beside(".canonical"), t.compact().bytes());
        write(beside(".rewritten"), rewritten<Format>(t).bytes());
        write(beside(".edited"), edited<Format>(Format::tree::load(bytes_of(path))).compact().bytes());
        if constexpr (std::is_same_v<typename Format::schema, exprflat::schema> || std::is_same_v<typename Format::schema, dagflat::schema>) {
            if (fs::exists(beside(".program"))) edits<Format>(path);
        }
        if constexpr (std::is_same_v<typename Format::tree, exprflat::tree>) write(beside(".renamed"), renamed(t).compact().bytes());
        std::ofstream(beside(".dump")) << walked<Format>(t);
        if (fs::exists(beside(".mutants"))) {
            std::ofstream out(beside(".mutants"));
            mutants<Format>(bytes_of(path), out);
        }
    });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: flat_tool FOLDER\n";
        return 2;
    }
    try {
        for (const auto& entry : fs::directory_iterator(argv[1])) {
            if (entry.path().extension() == ".flat") handle(entry.path());
        }
    } catch (const std::exception& e) {
        std::cerr << "flat_tool: " << e.what() << '\n';
        return 1;
    }
}
