// The schemas of ../../flat, for the tests of the headers that coppice flat writes.
#pragma once

#include "../../flat/internal/cases/cpp/astflat.hpp"
#include "../../flat/internal/cases/cpp/positionsflat.hpp"
#include "../../flat/internal/cases/cpp/everyflat.hpp"
#include "../../flat/internal/cases/cpp/fortyflat.hpp"
#include "../../flat/internal/cases/cpp/dagflat.hpp"
#include "../../flat/internal/cases/cpp/linksflat.hpp"
#include "../../flat/internal/cases/cpp/narrowflat.hpp"
#include "../../flat/internal/cases/cpp/version1flat.hpp"
#include "../../flat/internal/cases/cpp/version2flat.hpp"
#include "../../flat/internal/cases/cpp/web1flat.hpp"
#include "../../flat/internal/cases/cpp/web2flat.hpp"
#include "../../flat/internal/example/exprflat/exprflat.hpp"

#include <filesystem>
#include <sstream>

namespace coppice::flat::formats {

template <class Schema>
struct format {
    using schema = Schema;
    using tree = coppice::flat::tree<Schema>;
    using builder = coppice::flat::builder<Schema>;
};

// Calls f with the format that the first word of a vector's name selects, and returns its result.
// Files of version 1 are read as version 2.
template <class F>
auto with_format(const std::string& name, F&& f) {
    const std::string first = name.substr(0, name.find('-'));
    if (first == "expr") return f(format<exprflat::schema>());
    if (first == "every") return f(format<everyflat::schema>());
    if (first == "forty") return f(format<fortyflat::schema>());
    if (first == "ast") return f(format<astflat::schema>());
    if (first == "links") return f(format<linksflat::schema>());
    if (first == "dag") return f(format<dagflat::schema>());
    if (first == "narrow") return f(format<narrowflat::schema>());
    if (first == "version1") return f(format<version2flat::schema>());
    if (first == "web1" || first == "web2") return f(format<web2flat::schema>());
    coppice::flat::detail::raise<std::invalid_argument>(name + " is a vector of no known schema");
}

// The same tree, each record read through its view and added by a builder.
template <class Format>
typename Format::tree rebuilt(const typename Format::tree& from) {
    using any = typename Format::tree::any;
    using made_any = coppice::flat::made<any>;
    typename Format::builder b;
    if constexpr (std::is_same_v<typename Format::schema, linksflat::schema> || std::is_same_v<typename Format::schema, web2flat::schema>) {
        return b.rewrite(from);  // a builder cannot link to records that come later
    }
    const auto root = from.template fold<made_any>([&](any n, const auto& done) {
        const auto child = [&](auto handle) {
            using handle_type = decltype(handle);
            return handle ? b.template as<handle_type>(done(handle)) : coppice::flat::made<handle_type>();
        };
        return n.visit([&](auto view) -> made_any { return b.add(fields_of(view, child)); });
    });
    return b.finish(b.template as<typename Format::tree::root_type>(root));
}

// What TestRewriteIsTheSameInCpp of ../../flat does to trees of three schemas. Others are copied.
template <class Format>
typename Format::tree rewritten(const typename Format::tree& from) {
    typename Format::builder b;
    if constexpr (std::is_same_v<typename Format::schema, exprflat::schema>) {
        return b.rewrite(
            from,
            [&](exprflat::Bin n) -> exprflat::made<exprflat::Expr> {
                if (n.l().kind() == exprflat::kind::Num && n.r().kind() == exprflat::kind::Num) {
                    return b.add(exprflat::NumFields{n.l().as_num().value() + n.r().as_num().value()});
                }
                if (n.op() % 2 == 0) return b.add(exprflat::BinFields{.op = n.op(), .l = b.reuse(n.r()), .r = b.reuse(n.l())});
                return n.op() % 5 == 0 ? exprflat::made<exprflat::Expr>() : b.reuse(n);
            },
            [&](exprflat::Call n) -> exprflat::made<exprflat::Expr> {
                if (n.args().empty()) return b.reuse(n);
                return b.reuse(n.args()[n.args().size() - 1]);
            });
    } else if constexpr (std::is_same_v<typename Format::schema, dagflat::schema>) {
        return b.rewrite(
            from, [&](dagflat::Pair n) { return b.add(dagflat::PairFields{b.reuse(n.b()), b.reuse(n.a())}); },
            [&](dagflat::List n) -> dagflat::made<dagflat::Term> {
                if (n.items().empty()) return {};
                return b.add(dagflat::PairFields{b.reuse(n.items()[0]), b.reuse(n.items()[0])});
            });
    } else if constexpr (std::is_same_v<typename Format::schema, everyflat::schema>) {
        return b.rewrite(
            from, [&](everyflat::Interned) { return b.add(everyflat::NullFields{}); },
            [&](everyflat::Scalars n) -> everyflat::made<everyflat::Leaf> {
                if (n.u8() % 2 == 1) return {};
                return b.reuse(n);
            });
    } else if constexpr (std::is_same_v<typename Format::schema, astflat::schema>) {
        return b.rewrite(
            from, [&](astflat::Num n) { return b.add(astflat::CallFields{.fn = b.reuse(n)}); },
            [&](astflat::Int) { return astflat::made<astflat::Expr>(); });
    } else if constexpr (std::is_same_v<typename Format::schema, linksflat::schema>) {
        return b.rewrite(
            from, [&](linksflat::Use n) { return b.add(linksflat::UseFields{b.reuse(n.var())}); },
            [&](linksflat::Group n) -> linksflat::made<linksflat::Node> {
                if (n.items().empty()) return b.reuse(n);
                return b.reuse(n.items()[0]);
            });
    } else if constexpr (std::is_same_v<typename Format::schema, web2flat::schema>) {
        return b.rewrite(
            from,
            [&](web2flat::Knot n) -> web2flat::made<web2flat::Node> {
                if (n.prec() % 2 == 0) return b.reuse(n);
                return b.add(web2flat::KnotFields{.on = b.reuse(n.on()), .prec = -16, .up = b.reuse(n.up())});
            },
            [&](web2flat::Web n) -> web2flat::made<web2flat::Node> {
                if (n.kids().empty() || n.kids()[0].kind() != web2flat::kind::Web) return b.reuse(n);
                return b.reuse(n.kids()[0]);
            });
    } else {
        return b.rewrite(from);
    }
}

// The same names with a prime, which are new strings.
inline exprflat::tree renamed(const exprflat::tree& from) {
    exprflat::builder b;
    return b.rewrite(from, [&](exprflat::Var n) {
        const std::string name = std::string(n.name()) + "'";
        return b.add(exprflat::VarFields{name});
    });
}

template <class Tree>
std::string dump_of(const Tree& t) {
    std::ostringstream out;
    t.dump(out);
    return std::move(out).str();
}

// Walks a tree in every way there is, and returns its dump.
template <class Format>
std::string walked(const typename Format::tree& t) {
    std::size_t all = 0, preorder = 0;
    for (auto n : t.all()) all += n ? 1 : 0;
    if (all != t.num_nodes()) coppice::flat::detail::raise<std::logic_error>("all() meets another number of nodes than num_nodes says");
    for (auto n : typename Format::tree::any(t.root()).preorder()) preorder += n ? 1 : 0;
    const auto levels = t.template fold<std::uint32_t>([](auto n, const auto&) { return static_cast<std::uint32_t>(n.kind()); });
    const auto canonical = t.compact();
    if ((levels == 0) != !t.root() || (preorder == 0) != !t.root() || canonical.num_nodes() > all) {
        coppice::flat::detail::raise<std::logic_error>("the walks of a tree differ");
    }
    return dump_of(t);
}

inline std::vector<std::byte> bytes_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(in)), {});
    if (!in && !in.eof()) coppice::flat::detail::raise<std::runtime_error>("cannot read " + path.string());
    const auto* p = reinterpret_cast<const std::byte*>(all.data());
    return {p, p + all.size()};
}

inline std::string text_of(const std::filesystem::path& path) {
    const auto all = bytes_of(path);
    return {reinterpret_cast<const char*>(all.data()), all.size()};
}

}  // namespace coppice::flat::formats
