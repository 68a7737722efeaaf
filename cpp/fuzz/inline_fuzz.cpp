// A libFuzzer target: bytes are operation programs on the inline containers and the
// standard ones, which must agree. A program that ends in an exception is a finding.
#include <cstddef>
#include <cstdint>

#include "../test/inline_programs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n) {
    coppice::programs::run_any(data, n);
    return 0;
}
