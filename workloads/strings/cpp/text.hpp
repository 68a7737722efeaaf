// The text of the workload: words of a vocabulary, chosen and spelled as ../spec.md says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace text {

// SplitMix64.
class generator {
public:
    explicit generator(std::uint64_t state) : state_(state) {}

    std::uint64_t draw() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

struct lengths {
    std::uint64_t least, span, outlier;
};
inline constexpr lengths long_words{16, 16, 32};
inline constexpr lengths short_words{3, 13, 16};

inline std::string spell(std::uint64_t r, const lengths& of) {
    generator from(r);
    const std::uint64_t d = from.draw();
    std::string word(r % 10 == 9 ? of.outlier + d % of.outlier : of.least + d % of.span, ' ');
    for (char& c : word) {
        c = static_cast<char>('a' + from.draw() % 26);
    }
    return word;
}

// The whole text, with a blank after each word.
inline std::string make(int depth, const lengths& of) {
    const auto octaves = static_cast<std::uint64_t>(depth - 4);
    std::vector<std::string> words(std::max<std::size_t>(1, (std::size_t{1} << octaves) - 1));
    for (std::size_t r = 0; r < words.size(); ++r) {
        words[r] = spell(r, of);
    }
    generator from(1);
    std::string all;
    all.reserve((std::size_t{1} << depth) * 30);
    for (std::size_t i = 0; i < std::size_t{1} << depth; ++i) {
        std::uint64_t r = 0;
        if (octaves > 0) {
            const std::uint64_t size = std::uint64_t{1} << from.draw() % octaves;
            r = size - 1 + from.draw() % size;
        }
        all += words[r];
        all += ' ';
    }
    return all;
}

}  // namespace text
