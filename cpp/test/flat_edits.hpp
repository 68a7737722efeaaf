// Edits of trees, which TestEditIsTheSameInCpp of ../../flat does in Go too.
#pragma once

#include "flat_formats.hpp"

namespace coppice::flat::formats {

// A new node of a tree, with children or without.
inline exprflat::made<exprflat::Expr> make_node(exprflat::builder& b, std::uint32_t what, std::uint32_t c,
                                                exprflat::made<exprflat::Expr> x, exprflat::made<exprflat::Expr> y) {
    switch (what % 3) {
        case 0: return b.add(exprflat::NumFields{static_cast<double>(c)});
        case 1: return b.add(exprflat::BinFields{.op = static_cast<std::uint8_t>(c), .l = x, .r = y});
        default: return b.add(exprflat::CallFields{.fn = "", .args = {{}, y}, .doc = {}});
    }
}
inline dagflat::made<dagflat::Term> make_node(dagflat::builder& b, std::uint32_t what, std::uint32_t,
                                              dagflat::made<dagflat::Term> x, dagflat::made<dagflat::Term> y) {
    switch (what % 3) {
        case 0: return b.add(dagflat::AtomFields{});
        case 1: return b.add(dagflat::PairFields{x, y});
        default: return b.add(dagflat::ListFields{.items = {{}, y}});
    }
}

// Sets a field of a node, and returns whether it has one that c chooses.
inline bool set_field(exprflat::Expr n, std::uint32_t c, exprflat::made<exprflat::Expr> child) {
    switch (n.kind()) {
        case exprflat::kind::Num: return n.as_num().set_value(c), true;
        case exprflat::kind::Bin:
            if (c % 3 == 0) {
                n.as_bin().set_l(child);
            } else if (c % 3 == 1) {
                n.as_bin().set_r(child);
            } else {
                n.as_bin().set_op(static_cast<std::uint8_t>(c));
            }
            return true;
        case exprflat::kind::Call: {
            const auto call = n.as_call();
            if (call.args().empty()) return false;
            return call.set_args(c % call.args().size(), child), true;
        }
        default: return false;
    }
}
inline bool set_field(dagflat::Term n, std::uint32_t c, dagflat::made<dagflat::Term> child) {
    switch (n.kind()) {
        case dagflat::kind::Pair: return c % 2 == 0 ? n.as_pair().set_a(child) : n.as_pair().set_b(child), true;
        case dagflat::kind::List: {
            const auto list = n.as_list();
            if (list.items().empty()) return false;
            return list.set_items(c % list.items().size(), child), true;
        }
        default: return false;
    }
}

// Runs a program of edits, six bytes for each, on a tree that is loaded. Returns what became of
// them: '.' if one was accepted, 'r' if it was refused, '-' if there is no such field, and '|' and
// the number of the root for each finish.
template <class Format>
std::string run_edits(typename Format::tree& t, std::span<const std::byte> text) {
    using node = typename Format::tree::root_type;
    using record = coppice::flat::made<node>;
    constexpr std::size_t step = 6;
    std::vector<node> nodes;
    for (const auto n : t.all()) nodes.push_back(n);
    typename Format::builder b;
    std::string log;
    const auto finish = [&] {
        for (std::size_t i = nodes.size(); i-- > 0;) {
            try {
                t = b.finish(b.reuse(nodes[i]));
                log += "|" + std::to_string(i);
                return;
            } catch (const std::logic_error&) {  // it has a parent
            }
        }
        t = b.finish({});
        log += "|nil";
    };
    bool open = false;
    for (std::size_t at = 0; at + step <= text.size(); at += step) {
        const auto byte = [&](std::size_t k) { return std::to_integer<std::uint32_t>(text[at + k]); };
        const std::uint32_t what = byte(0), i = byte(1) + 256 * byte(2), k = byte(3) + 256 * byte(4), c = byte(5);
        if (!open) {
            b.edit(std::move(t));
            open = true;
        }
        if (what % 32 == 31) {
            finish();
            open = false;
            continue;
        }
        const auto pick = [&](std::uint32_t one) -> record {
            const std::size_t index = one % (nodes.size() + 1);
            return index < nodes.size() ? b.reuse(nodes[index]) : record();
        };
        try {
            if (nodes.empty() || what % 4 == 0) {
                nodes.push_back(b.at(make_node(b, what / 4, c, pick(i), pick(k))));
            } else if (!set_field(nodes[i % nodes.size()], c, pick(k))) {
                log += '-';
                continue;
            }
            log += '.';
        } catch (const std::logic_error&) {
            log += 'r';
        }
    }
    if (open) finish();
    return log;
}

// Sets item i of a list for the last one, if there is one.
template <class List, class F>
void set_last(const List& l, F&& f) {
    if (!l.empty()) f(l.size() - 1);
}

// Sets fields of all types.
template <class Builder, class View>
void set_fields(Builder&, View) {}

inline void set_fields(everyflat::builder&, everyflat::Scalars n) {
    n.set_b(!n.b());
    n.set_i8(-7);
    n.set_u8(250);
    n.set_i16(-3000);
    n.set_u16(60'000);
    n.set_i32(-7);
    n.set_u32(0xfffffff0);
    n.set_f32(0.5F);
    n.set_i64(-(std::int64_t{1} << 40));
    n.set_u64(std::uint64_t{1} << 63);
    n.set_f64(-0.25);
    n.set_s("set");
    n.set_t("bytes");
}
inline void set_fields(everyflat::builder& b, everyflat::Named n) {
    n.set_flag(!n.flag());
    n.set_level(-128);
    n.set_short(-1);
    n.set_name("named");
    n.set_blob("");
    n.set_real(2.5);
    n.set_vec(1, 1.5F);
    set_last(n.refs(), [&](std::size_t i) { n.set_refs(i, b.add(everyflat::NullFields{})); });
}
inline void set_fields(everyflat::builder&, everyflat::Optional n) {
    n.set_b(true);
    n.set_i8({});
    n.set_i16(-5);
    n.set_u32({});
    n.set_f32(1.0F);
    n.set_i64(-9);
    n.set_f64({});
    n.set_s("");
    n.set_name({});
    n.set_l(std::int8_t{3});
}
inline void set_fields(everyflat::builder&, everyflat::Interned n) {
    n.set_s("set");
    n.set_t("set");
    set_last(n.list(), [&](std::size_t i) { n.set_list(i, "an item"); });
    n.set_twice(1, "set");
}
inline void set_fields(everyflat::builder& b, everyflat::Links n) {
    n.set_null({});
    n.set_null(b.add(everyflat::NullFields{}));
    const auto leaf = n.leaf();
    n.set_leaf({});
    n.set_leaves(1, b.reuse(leaf));
}
inline void set_fields(everyflat::builder&, everyflat::Lists n) {
    n.set_small(1);
    set_last(n.bools(), [&](std::size_t i) { n.set_bools(i, true); });
    set_last(n.octets(), [&](std::size_t i) { n.set_octets(i, 200); });
    set_last(n.i8(), [&](std::size_t i) { n.set_i8(i, -100); });
    set_last(n.i16(), [&](std::size_t i) { n.set_i16(i, -100); });
    set_last(n.u16(), [&](std::size_t i) { n.set_u16(i, 65'000); });
    set_last(n.i32(), [&](std::size_t i) { n.set_i32(i, -100); });
    set_last(n.f32(), [&](std::size_t i) { n.set_f32(i, -100); });
    set_last(n.i64(), [&](std::size_t i) { n.set_i64(i, -100); });
    set_last(n.f64(), [&](std::size_t i) { n.set_f64(i, -100); });
    set_last(n.strings(), [&](std::size_t i) { n.set_strings(i, "an item"); });
    set_last(n.blobs(), [&](std::size_t i) { n.set_blobs(i, "a blob"); });
    set_last(n.vecs(), [&](std::size_t i) { n.set_vecs(i, {1, 2, 3}); });
    set_last(n.grids(), [&](std::size_t i) { n.set_grids(i, {{{1, -2}, {3, -4}}}); });
    set_last(n.pairs(), [&](std::size_t i) { n.pairs()[i].set_key("a key"); });
    set_last(n.spots(), [&](std::size_t i) { n.spots()[i].set_col(9); });
    set_last(n.arms(), [&](std::size_t i) { n.set_arms(i, {}); });
}
inline void set_fields(everyflat::builder&, everyflat::Arrays n) {
    n.set_bools(8, true);
    n.set_bytes(4, 77);
    n.set_i16(2, -77);
    n.set_u32(1, 77);
    n.set_f64(1, 77);
    n.set_strings(0, "in an array");
    n.set_blobs(1, "in an array");
    n.set_grid(1, {-1, -2, -3});
    n.set_vecs(1, {-1, -2, -3});
    n.nested()[1][0].set_key("nested");
}
inline void set_fields(everyflat::builder& b, everyflat::Inline n) {
    n.set_on(!n.on());
    n.at().set_line(5);
    n.at().set_end(6);
    n.at().set_hint({});
    n.at().set_note("a note");
    n.at().set_big(-1);
    n.pair().set_value({});
    n.pair().set_value(b.add(everyflat::NullFields{}));
    n.pair().spot().set_on(true);
}
inline void set_fields(narrowflat::builder&, narrowflat::Ident n) { n.set_at(0xffffff); }
inline void set_fields(narrowflat::builder&, narrowflat::Move n) {
    n.set_by(-(1 << 23));
    n.set_fast(!n.fast());
    n.set_back(-1);
    n.set_from(1);
    n.set_level(-1);
}
inline void set_fields(narrowflat::builder&, narrowflat::Optional n) {
    n.set_u({});
    n.set_i(coppice::flat::int24(-2));
}
inline void set_fields(narrowflat::builder&, narrowflat::Lists n) {
    set_last(n.u(), [&](std::size_t i) { n.set_u(i, 3); });
    set_last(n.i(), [&](std::size_t i) { n.set_i(i, -3); });
    set_last(n.grid(), [&](std::size_t i) { n.set_grid(i, {-4, 4}); });
    set_last(n.spans(), [&](std::size_t i) { n.spans()[i].set_by(-5); });
}
inline void set_fields(astflat::builder&, astflat::Num n) {
    n.set_base(63);
    n.set_exp(-1024);
    n.set_sub({});
}
inline void set_fields(astflat::builder& b, astflat::Call n) {
    const auto fn = n.fn();
    n.set_fn({});
    n.set_fn(b.add(astflat::CallFields{.fn = b.reuse(fn)}));
    set_last(n.args().list(), [&](std::size_t i) { n.args().set_list(i, {}); });
}
inline void set_fields(astflat::builder& b, astflat::Func n) {
    n.set_line(9);
    n.set_name("a function");
    n.set_body({});
    n.set_body(b.add(astflat::BlockFields{.line = 1, .names = {"a name"}}));
    const auto params = n.params();
    set_last(params.kind(), [&](std::size_t i) { params.set_kind(i, -1); });
    set_last(params.bits(), [&](std::size_t i) { params.set_bits(i, true); });
    set_last(params.list(), [&](std::size_t i) { params.list()[i].set_name("a parameter"); });
}
inline void set_fields(linksflat::builder& b, linksflat::Group n) {
    n.set_pair(0, b.reuse(linksflat::Node(n)));
    set_last(n.uses(), [&](std::size_t i) { n.set_uses(i, {}); });
    const auto use = b.add(linksflat::UseFields{});
    n.set_pair(1, use);
    set_last(n.items(), [&](std::size_t i) {
        n.set_items(i, {});
        n.set_items(i, use);
    });
}
inline void set_fields(linksflat::builder& b, linksflat::Scope n) {
    n.set_up(b.reuse(n));
    n.last().set_at(-3);
    set_last(n.last().vars(), [&](std::size_t i) { n.last().set_vars(i, {}); });
}

// The tree with fields of all of its nodes set.
template <class Format>
typename Format::tree edited(typename Format::tree t) {
    typename Format::builder b;
    const auto root = b.edit(std::move(t));
    std::vector<typename Format::tree::any> nodes;
    for (const auto n : typename Format::tree::any(root).preorder()) nodes.push_back(n);
    for (const auto n : nodes) n.visit([&](auto view) { set_fields(b, view); });
    return b.finish(b.reuse(root));
}

}  // namespace coppice::flat::formats
