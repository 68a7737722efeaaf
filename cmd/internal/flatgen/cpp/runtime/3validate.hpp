namespace coppice::flat::detail {

// A validator checks the records once, in order, and recurses only into arrays of arrays. state has
// one element per word: 0 if no record starts there; otherwise the depth of the record, and in the
// top bit whether the record has a parent. A reference is valid only if it leads to an element that
// is not 0.
template <class State>
class validator {
public:
    validator(const image& m, const load_limits& limits) : m_(m), limits_(limits), state_(m.words) {
        walk_ = limits.max_walk != 0 ? limits.max_walk : (std::uint64_t{1} << 22) + std::uint64_t{64} * m.nodes;
        if (m.tables->share && walk_ < all) walked_.resize(m.words);
    }

    // Returns whether each record but the root has exactly one parent.
    bool run() {
        std::uint32_t nodes = 0;
        for (std::uint64_t i = 1; i < m_.words; ++nodes) i = record(static_cast<std::uint32_t>(i));
        if (nodes != m_.nodes) invalid(nodes, " records, and the header says ", m_.nodes);
        check_links();
        root();
        return !m_.tables->share && m_.root != 0 && adopted_ == nodes - 1;
    }

private:
    static constexpr State has_parent = static_cast<State>(State{1} << (8 * sizeof(State) - 1));
    static constexpr std::uint32_t all = ~std::uint32_t{0};

    std::uint32_t word(std::uint64_t i) const { return get32(m_.records + std::size_t{4} * i); }
    std::uint64_t left(std::uint64_t i) const { return m_.words - i; }

    // Checks the record at i and returns where it ends.
    std::uint64_t record(std::uint32_t i) {
        const std::uint32_t header = word(i);
        const auto kind = static_cast<std::uint8_t>(header);
        if (kind == 0 || kind >= m_.tables->shapes.size()) invalid("record #", i, ": there is no kind ", std::uint64_t{kind});
        const shape& s = m_.tables->shapes[kind];
        if (s.words > left(i)) wrong(i, "it needs ", s.words, " words, and ", left(i), " are left");
        if ((header & s.unused) != 0) wrong_bits(i, "its header", header, header & s.unused);
        depth_ = 0;
        sum_ = 1;
        std::uint64_t end = std::uint64_t{i} + s.words;
        for (const slot& one : s.parts) {
            if (one.what == op::list) {
                end = list(i, end, one);
            } else {
                examine(i, i, one);
            }
        }
        if (s.nested) end = nested_lists(i, i, std::uint64_t{i} + s.words, end, s.parts);
        if (depth_ >= limits_.max_depth) {
            beyond("record #", i, " (", s.name, ") is ", std::uint64_t{depth_} + 1,
                   " levels above its deepest leaf, more than LoadLimits.MaxDepth, ", limits_.max_depth);
        }
        state_[i] = static_cast<State>(depth_ + 1);
        if (!walked_.empty()) walked_[i] = sum_;
        return end;
    }

    // Checks a slot that is not a list, of a block that starts at word `from` and belongs to the
    // record at i.
    void examine(std::uint32_t i, std::uint64_t from, const slot& s) {
        const std::uint64_t at = from + s.off;
        const std::uint32_t w = word(at);
        switch (s.what) {
            case op::ref:
                if (w != 0) ref(i, at, w, s.kinds);
                break;
            case op::text:
            case op::optional_text:
                if (w >= m_.strings) wrong(i, "word ", at, " mentions string ", w, " of ", m_.strings);
                break;
            case op::mask:
                if ((w & ~s.mask) != 0) wrong_bits(i, join("word ", at), w, w & ~s.mask);
                break;
            case op::optional: {
                const bool present = (word(from + s.count) >> s.shift & 1) != 0;
                if (!present && ((w & s.mask) != 0 || (s.wide && word(at + 1) != 0))) {
                    wrong(i, "word ", at, " has the value of a field that is absent");
                }
                break;
            }
            case op::nested:
            case op::link: break;  // once all lists of the record itself are known, and all records
            default:
                for (std::uint64_t k = 0; k < s.count; ++k) {
                    for (const slot& inner : s.parts) examine(i, at + k * (s.item / 32), inner);
                }
        }
    }

    // Checks the slices of structs in the block at word `from` of the record at i. The first slice
    // of the block itself starts at word first. The slices of structs start at word end, one after
    // the other. Returns where they end.
    std::uint64_t nested_lists(std::uint32_t i, std::uint64_t from, std::uint64_t first, std::uint64_t end, table<slot> parts) {
        for (const slot& s : parts) {
            if (s.what == op::array) {
                if (has_nested(s.parts)) end = nested_items(i, from + s.off, s.count, end, s);
            } else if (s.what == op::list) {
                std::uint32_t n = word(from + s.count) >> s.shift;
                if (s.escapes && n == all >> s.shift) n = word(first++);
                if (has_nested(s.parts)) end = nested_items(i, first, n, end, s);
                first += words_of(n, s.item);
            } else if (s.what == op::nested) {
                const std::uint64_t at = from + s.off;
                if (const std::uint32_t way = word(at); way != end - at) {
                    wrong(i, "word ", at, " says that a list is ", way, " words on, and it is ", end - at);
                }
                const std::uint32_t n = word(at - 1);
                const std::uint64_t items = end;
                end = list_items(i, end, n, s);
                if (has_nested(s.parts)) end = nested_items(i, items, n, end, s);
            }
        }
        return end;
    }
    std::uint64_t nested_items(std::uint32_t i, std::uint64_t from, std::uint32_t n, std::uint64_t end, const slot& l) {
        for (std::uint32_t k = 0; k < n; ++k) end = nested_lists(i, from + std::uint64_t{k} * (l.item / 32), 0, end, l.parts);
        return end;
    }

    // Checks the reference r in a word of the record at i.
    void ref(std::uint32_t i, std::uint64_t at, std::uint32_t r, const kind_set& kinds) {
        if (r >= i || state_[r] == 0) wrong(i, "word ", at, " refers to ", r, ", where no earlier record starts");
        const auto kind = static_cast<std::uint8_t>(word(r));
        if (!kinds.has(kind)) {
            wrong(i, "word ", at, " refers to a ", m_.tables->kind_name(kind), ", which is not allowed there");
        }
        if (!m_.tables->share) {
            if ((state_[r] & has_parent) != 0) {
                wrong(i, "word ", at, " refers to record #", r, ", which has a parent already");
            }
            ++adopted_;
        } else if (!walked_.empty()) {
            sum_ += walked_[r];
            if (sum_ < walked_[r] || sum_ > walk_) {
                beyond("record #", i, ": a walk of it meets more than ", walk_,
                       " nodes, shared ones once for each path; LoadLimits.MaxWalk may allow more");
            }
        }
        depth_ = (std::max)(depth_, static_cast<State>(state_[r] & ~has_parent));
        state_[r] |= has_parent;
    }

    // Checks a list of the record at i whose items start at word `end`, and returns where they end.
    std::uint64_t list(std::uint32_t i, std::uint64_t end, const slot& l) {
        std::uint32_t n = word(std::uint64_t{i} + l.count) >> l.shift;
        if (l.escapes && n == all >> l.shift) {
            if (end >= m_.words) wrong(i, "its count is beyond the end");
            n = word(end++);
            if (n < all >> l.shift) wrong(i, "the count ", n, " would fit in the header");
        }
        return list_items(i, end, n, l);
    }

    // Checks n items from word end on, and returns where they end.
    std::uint64_t list_items(std::uint32_t i, std::uint64_t end, std::uint32_t n, const slot& l) {
        const std::uint64_t size = words_of(n, l.item);
        if (size > left(end)) wrong(i, n, " items need ", size, " words, and ", left(end), " are left");
        if (l.item < 32) {
            packed(i, end, n, l);
        } else if (!l.parts.empty()) {
            for (std::uint64_t k = 0; k < n; ++k) {
                for (const slot& s : l.parts) examine(i, end + k * (l.item / 32), s);
            }
        }
        return end + size;
    }

    // Checks n items that share words: bools must be 0 or 1, and unused bits of the last word must
    // be 0.
    void packed(std::uint32_t i, std::uint64_t at, std::uint32_t n, const slot& l) {
        const std::uint64_t size = words_of(n, l.item);
        for (std::uint64_t k = 0; k < size; ++k) {
            std::uint32_t mask = l.mask;
            const std::uint64_t used = std::uint64_t{n} * l.item - 32 * k;
            if (used < 32) mask &= (std::uint32_t{1} << used) - 1;
            const std::uint32_t w = word(at + k);
            if ((w & ~mask) != 0) wrong_bits(i, join("word ", at + k), w, w & ~mask);
        }
    }

    // Checks the links of all records, once it is known where records start.
    void check_links() const {
        bool linked = false;
        for (const shape& s : m_.tables->shapes) linked = linked || s.linked;
        if (!linked) return;
        for (std::uint32_t i = 1; i < m_.words; i = end_of(m_, i)) {
            links(m_, i, [&](std::uint32_t at, const slot& s) {
                const std::uint32_t r = word(at);
                if (r == 0) return;
                if (r >= m_.words || state_[r] == 0) wrong(i, "word ", at, " links to ", r, ", where no record starts");
                const auto kind = static_cast<std::uint8_t>(word(r));
                if (!s.kinds.has(kind)) wrong(i, "word ", at, " links to a ", m_.tables->kind_name(kind), ", which is not allowed there");
            });
        }
    }

    void root() const {
        const std::uint32_t r = m_.root;
        if (r == 0) return;
        if (r >= m_.words || state_[r] == 0) invalid("the root is ", r, ", where no record starts");
        const auto kind = static_cast<std::uint8_t>(word(r));
        if (!m_.tables->root.has(kind)) invalid("the root is a ", m_.tables->kind_name(kind), ", which is not allowed");
        if (!m_.tables->share && (state_[r] & has_parent) != 0) invalid("the root, record #", r, ", has a parent");
    }

    template <class... Pieces>
    [[noreturn]] void wrong(std::uint32_t i, const Pieces&... why) const {
        invalid("record #", i, " (", m_.tables->kind_name(static_cast<std::uint8_t>(word(i))), "): ", why...);
    }
    [[noreturn]] void wrong_bits(std::uint32_t i, std::string_view what, std::uint32_t w, std::uint32_t bits) const {
        wrong(i, what, " is 0x", hex(w), "; the bits 0x", hex(bits), " must be 0");
    }

    const image& m_;
    const load_limits& limits_;
    std::vector<State> state_;
    std::uint64_t walk_ = 0;             // in a schema that shares: how many nodes a walk may meet
    std::vector<std::uint32_t> walked_;  // how many a walk from here meets; empty if that has no bound
    State depth_ = 0;                    // of the deepest child of the current record
    std::uint32_t sum_ = 0;              // of what its children have in walked_
    std::uint32_t adopted_ = 0;          // unless the schema shares: records with a parent
};

// Checks that the string table divides the text.
inline void validate_strings(const image& m) {
    std::uint32_t last = 0;
    if (const auto end = get32(m.ends); end != 0) invalid("string 0 ends at ", end, ", want 0");
    for (std::uint32_t i = 0; i < m.strings; ++i) {
        const std::uint32_t end = get32(m.ends + std::size_t{4} * i);
        if (end < last) invalid("string ", i, " ends at ", end, ", before string ", i - 1, " does, at ", last);
        last = end;
    }
    if (last != m.text_bytes) invalid("the last string ends at ", last, ", and the text at ", m.text_bytes);
}

// Checks that a tree follows docs/FLAT.md, and returns whether each record but the root is known to
// have a parent. Besides the tree it needs two bytes per word (four if
// more than 32,766 levels are allowed, and four more if the schema has flat:share).
inline bool validate(const image& m, const load_limits& limits) {
    validate_strings(m);
    if (m.nodes > limits.max_nodes) beyond(m.nodes, " nodes, more than LoadLimits.MaxNodes, ", limits.max_nodes);
    if (const auto w = get32(m.records); w != 0) invalid("word 0 is 0x", hex(w), ", want 0");
    if (limits.max_depth < 32767) {
        return validator<std::uint16_t>(m, limits).run();
    }
    return validator<std::uint32_t>(m, limits).run();
}

}  // namespace coppice::flat::detail

