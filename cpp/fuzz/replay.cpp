// A main for fuzz targets without libFuzzer. It runs the given files, or a number of
// pseudo-random inputs, the same every time.
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n);

namespace {

// Returns whether the input passed; if not, one line says why.
bool passes(const std::vector<std::uint8_t>& input, const std::string& name) {
    try {
        LLVMFuzzerTestOneInput(input.data(), input.size());
        return true;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "replay: %s: %s\n", name.c_str(), e.what());
        return false;
    }
}

int run_random(int inputs) {
    std::mt19937_64 random(1);
    std::vector<std::uint8_t> input;
    for (int i = 0; i < inputs; ++i) {
        input.resize(random() % 512);
        for (auto& b : input) {
            b = static_cast<std::uint8_t>(random());
        }
        if (!passes(input, "random input " + std::to_string(i))) {
            return 1;
        }
    }
    std::printf("%d random inputs passed\n", inputs);
    return 0;
}

int run_file(const char* name) {
    std::ifstream file(name, std::ios::binary);
    if (!file) {
        std::fprintf(stderr, "replay: cannot read %s\n", name);
        return 1;
    }
    const std::vector<std::uint8_t> input(std::istreambuf_iterator<char>(file), {});
    return passes(input, name) ? 0 : 1;
}

int usage() {
    std::fputs("usage: replay FILE... | replay -random N, with an N from 1 to 1000000000\n", stderr);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        return usage();
    }
    if (std::string_view(argv[1]) == "-random") {
        int inputs = 0;
        const char* const end = argc == 3 ? argv[2] + std::strlen(argv[2]) : nullptr;
        if (argc != 3 || std::from_chars(argv[2], end, inputs).ptr != end || inputs < 1 || inputs > 1000000000) {
            return usage();
        }
        return run_random(inputs);
    }
    int failed = 0;
    for (int i = 1; i < argc; ++i) {
        failed |= run_file(argv[i]);
    }
    return failed;
}
