// Fuzzes edits of flat trees: the first byte chooses the schema and how large the tree is, the rest
// is a program of edits. What comes of it is a tree, whose canonical form loads and is that of its
// copy.
#include <cstddef>
#include <cstdint>

#include "../test/flat_edits.hpp"

namespace {

using namespace coppice::flat::formats;

template <class Format>
void edit(typename Format::tree t, std::span<const std::byte> program) {
    (void)run_edits<Format>(t, program);
    const auto canonical = t.compact();
    const auto loaded = Format::tree::load(canonical.bytes(), {.max_walk = std::uint64_t{1} << 32});
    typename Format::builder b;
    if (loaded.num_nodes() != canonical.num_nodes() || !std::ranges::equal(b.rewrite(t).compact().bytes(), canonical.bytes())) {
        throw std::logic_error("a copy of the edited tree is another tree");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n) {
    if (n == 0) return 0;
    const auto program = std::as_bytes(std::span(data, n)).subspan(1);
    const std::uint32_t size = data[0] / 2;
    if (data[0] % 2 == 0) {
        exprflat::builder b;
        exprflat::made<exprflat::Expr> last;
        for (std::uint32_t i = 0; i < size; ++i) last = make_node(b, i, i, last, {});
        edit<format<exprflat::schema>>(b.finish(last), program);
    } else {
        dagflat::builder b;
        dagflat::made<dagflat::Term> last;
        for (std::uint32_t i = 0; i < size; ++i) last = make_node(b, i, i, last, last);
        edit<format<dagflat::schema>>(b.finish(last), program);
    }
    return 0;
}
