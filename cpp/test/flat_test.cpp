// Tests of the headers that coppice flat generates: the vectors, hostile files, views, walks and
// the builder.
#include "flat_formats.hpp"

#include <gtest/gtest.h>

#include <ranges>
#include <thread>

#include "raises.hpp"

namespace {

namespace fs = std::filesystem;
using namespace coppice::flat::formats;
using coppice::flat::beyond_limit;
using coppice::flat::invalid_file;
using namespace coppice::testing_failures;

using args_list = decltype(std::declval<exprflat::Call>().args());
static_assert(std::ranges::random_access_range<args_list> && std::ranges::sized_range<args_list>);
static_assert(std::ranges::input_range<decltype(std::declval<exprflat::Expr>().preorder())>);
static_assert(std::is_trivially_copyable_v<exprflat::Call> && sizeof(exprflat::Call) == 2 * sizeof(void*));
static_assert(std::is_nothrow_move_constructible_v<exprflat::tree> && !std::is_copy_constructible_v<exprflat::tree>);
static_assert(std::is_convertible_v<exprflat::Call, exprflat::Expr> && std::is_convertible_v<exprflat::Expr, exprflat::any>);
static_assert(!std::is_convertible_v<exprflat::Expr, exprflat::Call> && !std::is_convertible_v<everyflat::Links, everyflat::Leaf>);
static_assert(std::is_convertible_v<exprflat::made<exprflat::Num>, exprflat::made<exprflat::Expr>>);
static_assert(!std::is_convertible_v<everyflat::made<everyflat::Node>, everyflat::made<everyflat::Leaf>>);
static_assert(!std::is_constructible_v<everyflat::Leaf, everyflat::Node> && !std::is_constructible_v<exprflat::Call, exprflat::Num>);
static_assert(!std::is_constructible_v<exprflat::made<exprflat::Call>, exprflat::made<exprflat::Num>>);
// Kinds are numbers, and those of another schema are equal ones.
static_assert(!std::is_constructible_v<dagflat::made<dagflat::Term>, exprflat::made<exprflat::Num>>);
static_assert(!std::is_constructible_v<dagflat::Term, exprflat::Num> && !std::is_assignable_v<coppice::flat::node&, exprflat::Num>);
// The records of a copy, of equal numbers, would be children for the original.
static_assert(!std::is_copy_constructible_v<exprflat::builder> && !std::is_move_constructible_v<exprflat::builder>);
static_assert(!std::is_copy_assignable_v<exprflat::builder> && !std::is_move_assignable_v<exprflat::builder>);

// The files of a folder of vectors, and how many there are at least.
std::vector<fs::path> vectors(const fs::path& folder, std::size_t least) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(fs::path(FLAT_VECTORS) / folder)) {
        if (entry.path().extension() == ".flat") found.push_back(entry.path());
    }
    EXPECT_GE(found.size(), least);
    return found;
}

fs::path text_beside(fs::path path) { return path.replace_extension(".txt"); }

TEST(Flat, ValidVectorsAreReadAsGoReadsThem) {
    for (const fs::path& path : vectors(".", 19)) {
        with_format(path.stem().string(), [&](auto format) {
            using Format = decltype(format);
            const auto bytes = bytes_of(path);
            const auto opened = Format::tree::open(path.string());
            const auto loaded = Format::tree::load(bytes);
            EXPECT_EQ(walked<Format>(opened), walked<Format>(loaded)) << path;
            if (path.stem() != "version1-box" && path.stem() != "web1-old") {  // which are converted
                EXPECT_EQ(dump_of(opened), text_of(text_beside(path))) << path;
                EXPECT_TRUE(std::ranges::equal(opened.bytes(), bytes)) << path;
            }
            EXPECT_TRUE(std::ranges::equal(rebuilt<Format>(loaded).compact().bytes(), opened.compact().bytes())) << path;
        });
    }
}

TEST(Flat, InvalidVectorsAreRefusedInGosWords) {
    for (const fs::path& path : vectors("invalid", 50)) {
        with_format(path.stem().string(), [&](auto format) {
            using tree = typename decltype(format)::tree;
            const auto bytes = bytes_of(path);
            std::string want = text_of(text_beside(path));
            want.pop_back();  // the end of the line
            EXPECT_RAISES((void)tree::load(bytes), invalid_file) << path;
            EXPECT_SAYS((void)tree::load(bytes), want);
            EXPECT_SAYS((void)tree::view(bytes), want);
            EXPECT_SAYS((void)tree::open(path.string()), (throws ? path.string() + ": " : "") + want);
        });
    }
}

// Bytes may be at any address, and every truncation is detected.
TEST(Flat, AnyAddressWillDo) {
    const auto file = bytes_of(fs::path(FLAT_VECTORS) / "expr-call.flat");
    for (std::size_t offset = 0; offset < 8; ++offset) {
        std::vector<std::byte> moved(offset);
        moved.insert(moved.end(), file.begin(), file.end());
        const auto t = exprflat::tree::view(std::span(moved).subspan(offset));
        EXPECT_EQ(t.root().as_call().fn(), "sqrt");
        EXPECT_EQ(dump_of(t), text_of(fs::path(FLAT_VECTORS) / "expr-call.txt"));
    }
}

exprflat::tree nested(std::uint32_t levels) {
    exprflat::builder b;
    exprflat::made<exprflat::Expr> n = b.add(exprflat::NumFields{1});
    for (std::uint32_t i = 1; i < levels; ++i) n = b.add(exprflat::BinFields{.op = 1, .l = n});
    return b.finish(n);
}

TEST(Flat, DepthIsBounded) {
    const auto fits = nested(10'000), bomb = nested(10'001), deep = nested(1'000'000);
    EXPECT_EQ(walked<format<exprflat::schema>>(exprflat::load(fits.bytes())).size(), dump_of(fits).size());
    EXPECT_SAYS((void)exprflat::load(bomb.bytes()),
                "flat: beyond the limit: record #30001 (Bin) is 10001 levels above its deepest leaf, more than LoadLimits.MaxDepth, 10000");
    EXPECT_RAISES((void)exprflat::load(deep.bytes()), beyond_limit);
    const auto allowed = exprflat::load(deep.bytes(), {.max_depth = 1'000'000});
    std::size_t met = 0;
    for (auto n : allowed.root().preorder()) met += n ? 1 : 0;
    EXPECT_EQ(met, 1'000'000u);  // and nothing recurses
    EXPECT_EQ(allowed.compact().bytes().size(), deep.bytes().size());
}

TEST(Flat, WhatAWalkMeetsIsBounded) {
    dagflat::builder b;
    dagflat::made<dagflat::Term> n = b.add(dagflat::AtomFields{"a"});
    for (int i = 0; i < 60; ++i) n = b.add(dagflat::PairFields{n, n});
    const auto bomb = b.finish(n);
    EXPECT_RAISES((void)dagflat::load(bomb.bytes()), beyond_limit);
#ifdef __cpp_exceptions
    EXPECT_NE(message_of([&] { (void)dagflat::load(bomb.bytes()); }).find("LoadLimits.MaxWalk may allow more"), std::string::npos);
#endif
    (void)dagflat::load(bomb.bytes(), {.max_nodes = 61, .max_walk = std::uint64_t{1} << 32});
    const auto few = bytes_of(fs::path(FLAT_VECTORS) / "dag-dag.flat");
    EXPECT_RAISES((void)dagflat::load(few, {.max_nodes = 2}), beyond_limit);
    EXPECT_RAISES((void)dagflat::load(few, {.max_bytes = few.size() - 1}), beyond_limit);
    (void)dagflat::load(few, {.max_bytes = few.size()});
}

TEST(Flat, ViewsReadWhatWasBuilt) {
    exprflat::builder b;
    const auto x = b.add(exprflat::VarFields{"x"});
    const auto sum = b.add(exprflat::BinFields{.op = 2, .l = x, .r = b.add(exprflat::NumFields{-0.5})});
    const auto t = b.finish(b.add(exprflat::CallFields{.fn = "f", .args = {sum, {}}, .doc = ""}));
    const exprflat::Call call = t.root().as_call();
    EXPECT_EQ(call.args().size(), 2u);
    EXPECT_EQ(call.args()[0].as_bin().l().as_var().name(), "x");
    EXPECT_EQ(call.args()[0].as_bin().r().as_num().value(), -0.5);
    EXPECT_FALSE(call.args()[1]);
    EXPECT_EQ(call.args()[1].kind(), exprflat::kind::none);
    EXPECT_EQ(call.doc(), std::optional(std::string_view()));
    EXPECT_EQ(exprflat::Expr(call), t.root());
    EXPECT_RAISES((void)call.args()[2], std::out_of_range);
    EXPECT_RAISES((void)t.root().as_num(), std::logic_error);
    EXPECT_RAISES((void)exprflat::Num().value(), std::logic_error);
    EXPECT_RAISES((void)exprflat::Expr().visit([](auto) { return 0; }), std::logic_error);
    std::vector<exprflat::kind> order, all;
    for (auto n : t.root().preorder()) order.push_back(n.kind());
    for (auto n : t.all()) all.push_back(n.kind());
    using enum exprflat::kind;
    EXPECT_EQ(order, (std::vector{Call, Bin, Var, Num}));
    EXPECT_EQ(all, (std::vector{Var, Num, Bin, Call}));
}

TEST(Flat, HandlesReadWhatAllVariantsHave) {
    positionsflat::builder b;
    const auto name = b.add(positionsflat::NameFields{.line = 7, .file = "a.go", .weight = 0.5, .text = "x"});
    const auto pair = b.add(positionsflat::PairFields{.line = 8, .file = "b.go", .a = name, .weight = 1.5});
    const auto t = b.finish(b.add(positionsflat::BlockFields{.line = 9, .file = "c.go", .list = {pair}, .weight = 2.5}));
    std::vector<std::string> all;
    for (auto n : t.root().preorder()) {
        all.push_back(std::to_string(n.line()) + std::string(n.file()) + std::to_string(static_cast<int>(2 * n.weight())));
    }
    EXPECT_EQ(all, (std::vector<std::string>{"9c.go5", "8b.go3", "7a.go1"}));
    EXPECT_EQ(t.root().weight(), 2.5);
    EXPECT_EQ(t.root().kind(), positionsflat::kind::Block);
    EXPECT_RAISES((void)positionsflat::Node().line(), std::logic_error);
    EXPECT_RAISES((void)positionsflat::Node().weight(), std::logic_error);
}

TEST(Flat, ANewTreeHoldsWhereItIsMoved) {
    auto t = nested(3);
    const exprflat::Expr root = t.root();
    const exprflat::tree moved = std::move(t);
    EXPECT_EQ(root, moved.root());
    EXPECT_EQ(root.as_bin().op(), 1);
    EXPECT_FALSE(exprflat::builder().finish({}).root());
}

TEST(Flat, OldFilesAreConverted) {
    const auto t = version2flat::open((fs::path(FLAT_VECTORS) / "version1-box.flat").string());
    const version2flat::Box box = t.root();
    EXPECT_EQ(box.kind(), 9);
    EXPECT_EQ(box.size().w(), 3);
    EXPECT_EQ(box.size().grow(), std::nullopt);
    EXPECT_EQ(box.edges()[0].h(), 65535);
    EXPECT_EQ(box.kids()[0].as_text().words()[0], "a");
    EXPECT_EQ(box.kids()[0].as_text().lang(), "");
    EXPECT_EQ(box.long_(), -5);
    EXPECT_TRUE(box.notes().empty());
}

TEST(Flat, BuilderRefusesWhatIsNoTreeAndStaysAsItWas) {
    exprflat::builder b, other;
    const auto x = b.add(exprflat::VarFields{"x"}), y = b.add(exprflat::VarFields{"y"});
    const auto foreign = other.add(exprflat::VarFields{"z"});
    EXPECT_RAISES((void)b.add(exprflat::BinFields{.l = x, .r = foreign}), std::logic_error);
    EXPECT_RAISES((void)b.add(exprflat::BinFields{.l = x, .r = x}), std::logic_error);
    const auto sum = b.add(exprflat::BinFields{.l = x, .r = y});  // x has no parent yet
    EXPECT_RAISES((void)b.finish(x), std::logic_error);
    EXPECT_RAISES((void)b.finish(foreign), std::logic_error);
    EXPECT_RAISES((void)b.as<exprflat::Num>(exprflat::made<exprflat::any>(sum)), std::logic_error);
    const auto t = b.finish(sum);
    EXPECT_EQ(t.num_nodes(), 3u);
    (void)exprflat::load(t.bytes());
    EXPECT_RAISES((void)b.finish(sum), std::logic_error);  // a new tree has begun
}

// A number that has more bits than its field never enters a tree.
TEST(Flat, NarrowNumbersAreChecked) {
    using coppice::flat::int24, coppice::flat::uint24;
    static_assert(uint24(0xffffff) == 0xffffff && int24(-1) == -1 && int24(-1).encode() == 0xffffff && int24(-(1 << 23)) == -(1 << 23));
    EXPECT_RAISES((void)uint24(1 << 24), std::out_of_range);
    EXPECT_RAISES((void)uint24(static_cast<std::uint32_t>(-1)), std::out_of_range);
    EXPECT_RAISES((void)int24(1 << 23), std::out_of_range);
    EXPECT_RAISES((void)int24(-(1 << 23) - 1), std::out_of_range);
    narrowflat::builder b;
    const auto ident = b.add(narrowflat::IdentFields{.at = 0xffffff, .name = "x"});
    const auto t = b.finish(b.add(narrowflat::ListsFields{.u = {0, 0xffffff}, .i = {-(1 << 23), (1 << 23) - 1}, .nodes = {ident}}));
    const auto loaded = narrowflat::load(t.bytes());
    const narrowflat::Lists lists = loaded.root().as_lists();
    EXPECT_EQ(lists.u()[1], 0xffffffu);
    EXPECT_EQ(lists.i()[0], -(1 << 23));
    EXPECT_EQ(lists.nodes()[0].as_ident().at(), 0xffffffu);
}

// A count of the header's 24 bits whose bits are all ones says that the count follows.
TEST(Flat, LongListsHaveTheirCountBehind) {
    for (const std::size_t n : {std::size_t{254}, std::size_t{255}, std::size_t{256}, std::size_t{70'000}}) {
        everyflat::builder b;
        const auto t = b.finish(b.add(everyflat::ListsFields{.bools = std::vector<bool>(n, true), .i8 = {-1, 2}}));
        const auto loaded = everyflat::load(t.bytes());
        EXPECT_EQ(loaded.root().as_lists().bools().size(), n);
        EXPECT_TRUE(std::ranges::all_of(loaded.root().as_lists().bools(), std::identity()));
        EXPECT_EQ(loaded.root().as_lists().i8()[0], -1);
    }
}

TEST(Flat, FilesThatAreNoneAreErrors) {
    EXPECT_RAISES((void)exprflat::open("no/such/file"), std::system_error);
    EXPECT_SAYS((void)exprflat::open("no/such/file"), "no/such/file: No such file or directory");
    EXPECT_SAYS((void)exprflat::open("/dev/null"),
                std::string(throws ? "/dev/null: " : "") + "flat: invalid file: 0 bytes, less than a header, 64");
    EXPECT_RAISES((void)exprflat::open("."), std::exception);
}

#if defined(__linux__) && defined(__cpp_exceptions)
// A file that is not regular is read: by its header, and to its end.
TEST(Flat, StreamsAreReadByTheirHeader) {
    EXPECT_NE(message_of([] { (void)exprflat::open("/dev/zero"); }).find("does not start with the magic"), std::string::npos);
    const auto good = bytes_of(fs::path(FLAT_VECTORS) / "expr-call.flat");
    const auto through_a_pipe = [](const std::vector<std::byte>& bytes) {
        std::array<int, 2> ends{};
        EXPECT_EQ(pipe(ends.data()), 0);
        EXPECT_EQ(write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
        close(ends[1]);
        const auto message = message_of([&] { (void)exprflat::open("/dev/fd/" + std::to_string(ends[0])); });
        close(ends[0]);
        return message;
    };
    EXPECT_EQ(through_a_pipe(good), "no exception");
    auto changed = good;
    changed.push_back(std::byte{0});
    EXPECT_NE(through_a_pipe(changed).find("bytes follow the tree"), std::string::npos);
    changed.resize(good.size() - 1);
    EXPECT_NE(through_a_pipe(changed).find("425 bytes, and the header says 426"), std::string::npos);
    changed[35] = std::byte{0x70};  // words: the header claims 7 GiB
    EXPECT_NE(through_a_pipe(changed).find("425 bytes, and the header says 7516193194"), std::string::npos);
}
#endif

#ifdef __cpp_exceptions
// A mapped file that is overwritten may read as anything, but no read is outside it.
TEST(Flat, AFileThatChangesIsReadWithinItsBounds) {
    const auto good = bytes_of(fs::path(FLAT_VECTORS) / "expr-call.flat");
    for (std::size_t at = good.size() - 26 - 8 * 4 - 30 * 4; at < good.size(); ++at) {
        for (const int v : {0x00, 0x01, 0x1c, 0xff}) {
            auto bytes = good;
            const auto t = exprflat::tree::view(bytes);
            bytes[at] = static_cast<std::byte>(v);
            (void)raises<std::exception>([&] { (void)walked<format<exprflat::schema>>(t); });
        }
    }
}
#endif

TEST(Flat, ManyThreadsRead) {
    const auto t = exprflat::open((fs::path(FLAT_VECTORS) / "expr-call.flat").string());
    const std::string want = dump_of(t);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] { EXPECT_EQ(dump_of(t), want); });
    }
    for (std::thread& one : threads) one.join();
}

// What rewrite makes of a tree; the same trees as in Go are in TestRewriteIsTheSameInCpp.
TEST(Flat, RewriteReplacesNodes) {
    exprflat::builder b;
    const auto number = [&](double v) { return b.add(exprflat::NumFields{v}); };
    const auto sum = b.add(exprflat::BinFields{.op = 0, .l = number(1), .r = number(2)});
    const auto name = b.add(exprflat::VarFields{"x"});
    const auto t = b.finish(b.add(exprflat::CallFields{.fn = "f", .args = {sum, name}, .doc = "of f"}));

    // Views and their text hold while the builder adds records and strings.
    const auto next = b.rewrite(
        t,
        [&](exprflat::Bin n) -> exprflat::made<exprflat::Expr> { return number(n.l().as_num().value() + n.r().as_num().value()); },
        [&](exprflat::Call n) {
            const auto wrapped = b.reuse(n);
            return b.add(exprflat::CallFields{.fn = n.fn(), .args = {wrapped, b.add(exprflat::VarFields{"a new string, longer than any"})}, .doc = *n.doc()});
        },
        [&](exprflat::Expr n) { return b.reuse(n); });
    const auto call = next.root().as_call(), inner = call.args()[0].as_call();
    EXPECT_EQ(next.num_nodes(), 5U);
    EXPECT_EQ(call.fn(), "f");
    EXPECT_EQ(call.doc(), "of f");
    EXPECT_EQ(call.args()[1].as_var().name(), "a new string, longer than any");
    EXPECT_EQ(inner.args()[0].as_num().value(), 3);
    EXPECT_EQ(inner.args()[1].as_var().name(), "x");
    (void)exprflat::load(next.bytes());
    EXPECT_TRUE(std::ranges::equal(b.rewrite(t).bytes(), t.bytes()));
    EXPECT_FALSE(b.rewrite(t, [](exprflat::Call) { return exprflat::made<exprflat::Expr>(); }).root());
}

// A node that links to itself and is wrapped links to the wrapper, as others do that linked to it.
TEST(Flat, RewriteTurnsLinksToOneself) {
    const auto t = linksflat::open((fs::path(FLAT_VECTORS) / "links-scopes.flat").string());
    const auto group = t.root().body()[0].as_group();
    ASSERT_EQ(group.pair()[0].as_group(), group);

    linksflat::builder b;
    const auto next = b.rewrite(t, [&](linksflat::Group n) -> linksflat::made<linksflat::Node> {
        EXPECT_EQ(n.pair()[0].as_group(), n);
        return b.add(linksflat::GroupFields{.items = {b.reuse(n)}});
    });
    (void)linksflat::load(next.bytes());
    const auto wrapper = next.root().body()[0].as_group(), wrapped = wrapper.items()[0].as_group();
    EXPECT_EQ(wrapped.pair()[0].as_group(), wrapper);
    EXPECT_EQ(next.root().last().node().as_group(), wrapper);
    EXPECT_EQ(wrapped.pair()[1].as_use(), wrapped.uses()[0]);
}

TEST(Flat, RewriteRefusesWhatIsNoTree) {
    exprflat::builder b, other;
    const auto t = b.finish(b.add(exprflat::BinFields{.l = b.add(exprflat::NumFields{1}), .r = b.add(exprflat::NumFields{2})}));
    const auto foreign = other.add(exprflat::VarFields{"z"});
    using result = exprflat::made<exprflat::Expr>;
    EXPECT_RAISES((void)b.rewrite(t, [&](exprflat::Bin) -> result { return foreign; }), std::logic_error);
    EXPECT_RAISES((void)b.rewrite(t, [&](exprflat::Bin) -> result { return b.reuse(t.root()); }), std::logic_error);
    EXPECT_RAISES((void)b.rewrite(t, [&](exprflat::Bin n) { return b.add(exprflat::BinFields{.l = b.reuse(n.l()), .r = b.reuse(n.l())}); }), std::logic_error);
    EXPECT_RAISES((void)b.rewrite(t, [&](exprflat::Bin n) { return (void)b.finish(b.reuse(n)), b.reuse(n); }), std::logic_error);
    EXPECT_RAISES((void)b.rewrite(t, [&](exprflat::Bin n) { return (void)b.rewrite(t), b.reuse(n); }), std::logic_error);
    EXPECT_TRUE(std::ranges::equal(b.rewrite(t).bytes(), t.bytes()));
    (void)b.add(exprflat::NumFields{1});
    EXPECT_RAISES((void)b.rewrite(t), std::logic_error);

    everyflat::builder every;
    const auto links = every.finish(every.add(everyflat::LinksFields{.leaf = every.add(everyflat::NullFields{})}));
    EXPECT_RAISES((void)every.rewrite(links, [&](everyflat::Null) { return every.add(everyflat::ValueFields{}); }), std::logic_error);
}

// The sum of the numbers from 1 on: (1+2)+3 for 3.
exprflat::tree sum_of(int n) {
    exprflat::builder b;
    exprflat::made<exprflat::Expr> sum = b.add(exprflat::NumFields{1});
    for (int i = 2; i <= n; ++i) sum = b.add(exprflat::BinFields{.l = sum, .r = b.add(exprflat::NumFields{static_cast<double>(i)})});
    return b.finish(sum);
}

// The edits of docs/FLAT.md. The same edits as in Go are in TestEdit...InCpp.
TEST(Flat, EditChangesATreeWhereItIs) {
    exprflat::builder b;
    auto t = sum_of(3);
    const auto before = t.root();
    const auto root = b.edit(std::move(t)).as_bin();
    EXPECT_EQ(exprflat::Expr(root), before);
    root.set_op(2);
    EXPECT_EQ(root.op(), 2);
    const auto inner = root.l();
    root.set_l({});  // so that it may be used elsewhere
    EXPECT_FALSE(root.l());
    const auto neg = b.add(exprflat::CallFields{.fn = "neg", .args = {b.reuse(inner)}});
    root.set_l(neg);
    b.at(neg).set_doc("a note");
    inner.as_bin().r().as_num().set_value(20);
    t = b.finish(b.reuse(root));

    EXPECT_EQ(t.root(), before);  // nodes stay valid
    EXPECT_EQ(root.l().as_call().fn(), "neg");
    EXPECT_EQ(root.l().as_call().doc(), "a note");
    EXPECT_EQ(inner.as_bin().r().as_num().value(), 20);
    EXPECT_EQ(t.num_nodes(), 6U);
    const auto canonical = t.compact();
    (void)exprflat::load(canonical.bytes());
    EXPECT_EQ(canonical.num_nodes(), 6U);
    std::vector<exprflat::kind> order;
    for (auto n : t.root().preorder()) order.push_back(n.kind());
    using enum exprflat::kind;
    EXPECT_EQ(order, (std::vector{Bin, Call, Bin, Num, Num, Num}));
    EXPECT_NE(dump_of(t).find("6 records, 20 words, 2 strings of 9 bytes, root #13"), std::string::npos) << dump_of(t);

    b.edit(std::move(t));  // again
    root.set_r(b.add(exprflat::VarFields{"neg"}));
    t = b.finish(b.reuse(root));
    EXPECT_NE(dump_of(t).find("2 strings of 9 bytes"), std::string::npos) << dump_of(t);
    EXPECT_EQ(root.r().as_var().name(), "neg");
    EXPECT_EQ(b.rewrite(t).num_nodes(), 6U);  // the number is dropped
}

// If no reference leads forward, the tree is a file again.
TEST(Flat, EditWithoutForwardReferencesLeavesAFile) {
    exprflat::builder b;
    auto t = sum_of(3);
    const std::vector<std::byte> same(t.bytes().begin(), t.bytes().end());
    auto root = b.edit(std::move(t));
    t = b.finish(b.reuse(root));
    EXPECT_TRUE(std::ranges::equal(t.bytes(), same));

    root = b.edit(std::move(t));
    root.as_bin().r().as_num().set_value(7);
    const auto left = root.as_bin().l();
    root.as_bin().set_l({});
    root.as_bin().set_l(b.reuse(left));
    t = b.finish(b.reuse(root));
    EXPECT_EQ(exprflat::load(t.bytes()).root().as_bin().r().as_num().value(), 7);

    b.edit(std::move(t));
    const auto above = b.add(exprflat::CallFields{.fn = "f", .args = {b.reuse(root)}});
    t = b.finish(above);
    EXPECT_EQ(exprflat::load(t.bytes()).root().as_call().args()[0].as_bin().r().as_num().value(), 7);
    EXPECT_EQ(root.as_bin().r().as_num().value(), 7);

    b.edit(std::move(t));
    t = b.finish({});
    EXPECT_FALSE(exprflat::load(t.bytes()).root());
}

// Loaded trees may have records without a parent.
TEST(Flat, EditKnowsWhoHasAParent) {
    exprflat::builder b;
    const auto orphan = b.add(exprflat::NumFields{1}), x = b.add(exprflat::NumFields{2});
    (void)orphan;
    const auto built = b.finish(b.add(exprflat::BinFields{.l = x}));
    for (const bool loads : {false, true}) {
        auto t = loads ? exprflat::load(built.bytes()) : b.rewrite(built);
        const auto root = b.edit(std::move(t)).as_bin();
        EXPECT_RAISES(root.set_r(b.reuse(root.l())), std::logic_error);
        const auto l = root.l();
        root.set_l({});
        root.set_r(b.reuse(l));
        t = b.finish(b.reuse(root));
        EXPECT_EQ(exprflat::load(t.bytes()).root().as_bin().r().as_num().value(), 2);
    }
}

// Text that a view has returned can be added until the edit ends.
TEST(Flat, EditKeepsText) {
    const auto file = bytes_of(fs::path(FLAT_VECTORS) / "expr-call.flat");
    exprflat::builder b;
    const auto call = b.edit(exprflat::load(file)).as_call();
    const std::string_view doc = *call.doc(), fn = call.fn();
    for (int i = 0; i < 1000; ++i) (void)b.add(exprflat::VarFields{doc});
    call.set_fn(doc);
    call.set_doc(fn);
    const auto t = b.finish(b.reuse(call));
    EXPECT_EQ(t.root().as_call().fn(), "the length");
    EXPECT_EQ(t.root().as_call().doc(), "sqrt");
    EXPECT_EQ(exprflat::load(t.bytes()).root().as_call().doc(), "sqrt");
    EXPECT_EQ(t.compact().bytes().size(), exprflat::load(file).compact().bytes().size());
}

TEST(Flat, EditRefusesWhatIsNoTree) {
    exprflat::builder b, other;
    auto t = sum_of(3);
    EXPECT_RAISES(t.root().as_bin().set_op(1), std::logic_error);  // no builder edits it
    EXPECT_RAISES((void)b.edit(exprflat::tree::view(t.bytes())), std::logic_error);
    EXPECT_RAISES((void)b.edit(exprflat::open((fs::path(FLAT_VECTORS) / "expr-call.flat").string())), std::logic_error);
    const auto root = b.edit(std::move(t)).as_bin();
    EXPECT_RAISES((void)other.edit(std::move(t)), std::logic_error);  // it was moved from
    auto second = sum_of(2);
    EXPECT_RAISES((void)b.edit(std::move(second)), std::logic_error);
    EXPECT_RAISES((void)b.rewrite(second), std::logic_error);
    EXPECT_RAISES(root.set_l(b.reuse(root)), std::logic_error);
    EXPECT_RAISES(root.set_l(other.add(exprflat::NumFields{1})), std::logic_error);
    EXPECT_RAISES((void)b.reuse(second.root()), std::logic_error);
    EXPECT_RAISES(root.l().as_bin().set_l(b.reuse(root)), std::logic_error);
    const auto around = b.add(exprflat::BinFields{.l = b.reuse(root)});
    EXPECT_RAISES(root.l().as_bin().set_l(around), std::logic_error);
    EXPECT_RAISES(root.set_l(b.reuse(root.r())), std::logic_error);
    EXPECT_RAISES((void)b.finish(b.reuse(root)), std::logic_error);  // it is below another
    EXPECT_RAISES((void)b.add(exprflat::BinFields{.l = b.reuse(root)}), std::logic_error);
    EXPECT_RAISES((void)exprflat::Bin().set_op(1), std::logic_error);
    t = b.finish(around);
    EXPECT_RAISES((void)b.at(around), std::logic_error);
    EXPECT_EQ(exprflat::load(t.bytes()).num_nodes(), 6U);
    EXPECT_EQ(exprflat::load(t.bytes()).root().as_bin().l().as_bin().op(), 0);

    everyflat::builder every;
    const auto lists = every.edit(every.finish(every.add(everyflat::ListsFields{.i16 = {1}})));
    EXPECT_RAISES(lists.as_lists().set_i16(1, 5), std::out_of_range);
    narrowflat::builder narrow;
    const auto ident = narrow.edit(narrow.finish(narrow.add(narrowflat::IdentFields{}))).as_ident();
    EXPECT_RAISES(ident.set_at(1 << 24), std::out_of_range);
    EXPECT_EQ(ident.at(), 0U);
    dagflat::builder dag;
    const auto pair = dag.edit(dag.finish(dag.add(dagflat::PairFields{}))).as_pair();
    const auto list = dag.add(dagflat::ListFields{.items = {{}, {}}});
    pair.set_a(list);
    pair.set_b(list);  // a second parent
    EXPECT_RAISES(dag.at(list).set_items(1, dag.reuse(pair)), std::logic_error);
}

// A tree whose children come after their parents is refused where it matters, and the canonical
// form never is.
TEST(Flat, EditedTreesAreRefusedWhereOrderMatters) {
    exprflat::builder b;
    const auto root = b.edit(sum_of(3)).as_bin();
    root.set_r(b.add(exprflat::NumFields{4}));
    const auto t = b.finish(b.reuse(root));
    std::ostringstream out;
    EXPECT_RAISES((void)t.all(), std::logic_error);
    EXPECT_RAISES((void)t.bytes(), std::logic_error);
    EXPECT_RAISES(t.write(out), std::logic_error);
    EXPECT_RAISES((void)t.fold<int>([](auto, const auto&) { return 0; }), std::logic_error);
    EXPECT_EQ(exprflat::load(t.compact().bytes()).root().as_bin().r().as_num().value(), 4);
    const auto next = b.rewrite(t, [&](exprflat::Bin n) -> exprflat::made<exprflat::Expr> {
        return b.add(exprflat::NumFields{n.l().as_num().value() + n.r().as_num().value()});
    });
    EXPECT_EQ(next.root().as_num().value(), 7);
    EXPECT_EQ(exprflat::load(next.bytes()).num_nodes(), 1U);
}

}  // namespace
