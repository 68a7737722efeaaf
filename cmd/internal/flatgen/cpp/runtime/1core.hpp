// This part is the same in all headers of flat trees. A program can include several of them.
#ifndef COPPICE_FLAT
#define COPPICE_FLAT 1

namespace coppice::flat {

// load and open throw these if the bytes are not a valid tree or exceed the limits. what() says
// where and why, with the text of the Go package. Errors of the system are std::system_error. With
// -fno-exceptions, what() is printed and the program ends with std::terminate.
struct error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct invalid_file : error {
    using error::error;
};
struct beyond_limit : error {
    using error::error;
};

// The limits of load and open.
struct load_limits {
    std::uint64_t max_depth = 10'000;             // of nodes in nodes; the root's is 1
    std::uint64_t max_nodes = 1 << 28;            // records
    std::uint64_t max_walk = 0;  // in a schema that shares, nodes that a walk meets, a shared one once for each of its paths:
                                 // 0 for 2^22 and 64 for each record; no bound from 2^32 on
    std::uint64_t max_bytes = std::uint64_t{16} << 30;  // of the file
};

class detail_draft;

namespace detail {

struct image;
struct access;

// Throws an E, or ends the program if exceptions are disabled.
template <class E, class... Arguments>
[[noreturn]] void raise(Arguments&&... arguments) {
#ifdef __cpp_exceptions
    throw E(std::forward<Arguments>(arguments)...);
#else
    const E e(std::forward<Arguments>(arguments)...);
    std::fputs(e.what(), stderr);
    std::fputc('\n', stderr);
    std::terminate();
#endif
}

// A view of an array of T. Unlike std::span it allows an incomplete T.
template <class T>
class table {
public:
    constexpr table() noexcept = default;
    constexpr table(const T* first, std::size_t n) noexcept : first_(first), size_(n) {}
    template <std::size_t N>
    constexpr table(const T (&items)[N]) noexcept : table(items, N) {}

    constexpr const T* begin() const noexcept { return first_; }
    constexpr const T* end() const noexcept { return first_ + size_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr const T& operator[](std::size_t i) const noexcept { return first_[i]; }

private:
    const T* first_ = nullptr;
    std::size_t size_ = 0;
};

// Numbers in files are little-endian. The bytes need not be aligned.
inline std::uint32_t swapped(std::uint32_t v) noexcept {
    if constexpr (std::endian::native == std::endian::big) {
        return v << 24 | (v & 0xff00) << 8 | (v >> 8 & 0xff00) | v >> 24;
    } else {
        return v;
    }
}
inline std::uint32_t get32(const std::byte* p) noexcept {
    std::uint32_t v = 0;
    std::memcpy(&v, p, 4);
    return swapped(v);
}
inline void put32(std::byte* p, std::uint32_t v) noexcept {
    v = swapped(v);
    std::memcpy(p, &v, 4);
}
inline void append32(std::vector<std::byte>& to, std::uint32_t v) {
    v = swapped(v);
    const auto* p = reinterpret_cast<const std::byte*>(&v);
    to.insert(to.end(), p, p + 4);
}

// The number of words of n items with that many bits.
constexpr std::uint64_t words_of(std::uint64_t n, std::uint64_t bits) noexcept { return (n * bits + 31) / 32; }

inline std::string hex(std::uint64_t v, std::size_t least = 1) {
    char digits[16];
    const auto end = std::to_chars(digits, digits + 16, v, 16).ptr;
    const auto n = static_cast<std::size_t>(end - digits);
    return std::string(least > n ? least - n : 0, '0') + std::string(digits, n);
}

inline std::string piece(std::string_view s) { return std::string(s); }
inline std::string piece(std::uint64_t v) { return std::to_string(v); }
template <class... Pieces>
std::string join(const Pieces&... pieces) {
    return (piece(pieces) + ...);
}
template <class... Pieces>
[[noreturn]] void invalid(const Pieces&... why) {
    raise<invalid_file>("flat: invalid file: " + join(why...));
}
template <class... Pieces>
[[noreturn]] void beyond(const Pieces&... why) {
    raise<beyond_limit>("flat: beyond the limit: " + join(why...));
}

}  // namespace detail

// A number that has fewer bits in a tree than T has. The constructor throws std::out_of_range for a
// value that does not fit.
template <class T, unsigned bits>
class narrow {
    static constexpr unsigned above = 8 * sizeof(T) - bits;
    using word = std::make_unsigned_t<T>;

public:
    using value_type = T;

    constexpr narrow() noexcept = default;
    constexpr narrow(T v) : value_(v) {
        if (decode(encode()) != v) [[unlikely]] out_of_range(v);
    }
    constexpr operator T() const noexcept { return value_; }

    // Converts the value to its bits, and the low bits of a word to a value.
    constexpr word encode() const noexcept { return static_cast<word>(static_cast<word>(value_) << above) >> above; }
    static constexpr T decode(word w) noexcept { return static_cast<T>(static_cast<T>(w << above) >> above); }

private:
    [[noreturn]] static void out_of_range(T v) {
        detail::raise<std::out_of_range>("coppice::flat: " + std::to_string(v) + " has more than " + std::to_string(bits) + " bits");
    }
    T value_ = 0;
};
using uint24 = narrow<std::uint32_t, 24>;
using int24 = narrow<std::int32_t, 24>;

// A set of kinds, such as those of the variants of a sum.
struct kind_set {
    std::array<std::uint32_t, 8> bits{};

    constexpr kind_set(std::initializer_list<int> kinds) {
        for (const int kind : kinds) bits[static_cast<std::size_t>(kind) / 32] |= std::uint32_t{1} << (kind % 32);
    }
    constexpr bool has(std::uint8_t kind) const noexcept { return (bits[kind / 32] >> (kind % 32) & 1) != 0; }
    constexpr bool has_all_of(const kind_set& other) const noexcept {
        for (std::size_t i = 0; i < bits.size(); ++i) {
            if ((other.bits[i] & ~bits[i]) != 0) return false;
        }
        return true;
    }
};

// Each T is also an S: S is a sum, and T is one of its variants or a sum of some of them, in the
// same schema.
template <class T, class S>
concept part_of = !std::is_same_v<T, S> && requires {
    requires std::is_same_v<decltype(schema_of(std::type_identity<T>{})), decltype(schema_of(std::type_identity<S>{}))>;
} && kinds_of(std::type_identity<S>{}).has_all_of(kinds_of(std::type_identity<T>{}));

// A node is a record of a tree, or a struct in a record: a pointer to the tree's data and the index
// of a word. It is valid while the tree exists, even if the tree is moved. The default node is nil.
// Handles and views derive from node and add no members.
class node {
public:
    node() = default;
    node(const node&) = default;
    explicit operator bool() const noexcept { return index_ != 0; }
    friend bool operator==(node, node) noexcept = default;

protected:
    node& operator=(const node&) = default;  // through a reference to this base, a view would become one of another kind

private:
    friend struct detail::access;
    const detail::image* image_ = nullptr;
    std::uint32_t index_ = 0;
};

}  // namespace coppice::flat

