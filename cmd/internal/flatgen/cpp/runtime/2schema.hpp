namespace coppice::flat::detail {

// The kinds of slots.
enum class op : std::uint8_t {
    ref,            // a reference
    text,           // the number of a string
    optional_text,  // the same, or 0 for none
    mask,           // a word of which only the bits of mask may be set
    optional,       // a value that is 0 if bit shift of the word count is
    array,          // count times the slots, item bits apart
    list,           // the items of a slice
    nested,         // the items of a slice in a struct
    link,           // a reference to a record anywhere, which has another parent
};

// A slot is a part of a record that traversals or the validator look at.
struct slot {
    op what;
    std::uint32_t off = 0;    // its word, from the start of the record, struct or item; of nested: the one that says how far the first item is
    std::uint32_t count = 0;  // the word with the count or the bit of presence; of an array: how many items
    std::uint32_t shift = 0;  // the first bit of the count, or the bit of presence
    std::uint32_t mask = 0;   // the bits that may be set, or those of the optional value, or of packed items
    std::uint32_t item = 0;   // bits of an item
    bool escapes = false;     // the count may be after the fixed part
    bool wide = false;        // an optional value of two words
    kind_set kinds{};         // of a reference
    table<slot> parts{};  // of an item
};

constexpr slot ref_slot(std::uint32_t off, const kind_set& kinds) { return {.what = op::ref, .off = off, .kinds = kinds}; }
constexpr slot link_slot(std::uint32_t off, const kind_set& kinds) { return {.what = op::link, .off = off, .kinds = kinds}; }
constexpr slot text_slot(std::uint32_t off) { return {.what = op::text, .off = off}; }
constexpr slot optional_text_slot(std::uint32_t off) { return {.what = op::optional_text, .off = off}; }
constexpr slot mask_slot(std::uint32_t off, std::uint32_t mask) { return {.what = op::mask, .off = off, .mask = mask}; }
constexpr slot optional_slot(std::uint32_t off, std::uint32_t mask, bool wide, std::uint32_t word, std::uint32_t bit) {
    return {.what = op::optional, .off = off, .count = word, .shift = bit, .mask = mask, .wide = wide};
}
constexpr slot array_slot(std::uint32_t off, std::uint32_t n, std::uint32_t bits, table<slot> parts) {
    return {.what = op::array, .off = off, .count = n, .item = bits, .parts = parts};
}
// The count is in the header from bit shift on, or, if shift is 0, in a word of its own.
constexpr slot list_slot(std::uint32_t word, std::uint32_t shift, std::uint32_t bits, std::uint32_t mask,
                         table<slot> parts) {
    return {.what = op::list, .count = word, .shift = shift, .mask = mask, .item = bits, .escapes = shift != 0, .parts = parts};
}

constexpr slot nested_slot(std::uint32_t off, std::uint32_t bits, std::uint32_t mask, table<slot> parts) {
    return {.what = op::nested, .off = off, .mask = mask, .item = bits, .parts = parts};
}
// Whether there are slices of structs.
constexpr bool has_nested(table<slot> parts) {
    for (const slot& s : parts) {
        if (s.what == op::nested || has_nested(s.parts)) return true;
    }
    return false;
}

// Whether there are references to children.
constexpr bool has_refs(table<slot> parts) {
    for (const slot& s : parts) {
        if (s.what == op::ref || has_refs(s.parts)) return true;
    }
    return false;
}

constexpr bool has_links(table<slot> parts) {
    for (const slot& s : parts) {
        if (s.what == op::link || has_links(s.parts)) return true;
    }
    return false;
}

// A shape describes a kind.
struct shape {
    std::string_view name;
    std::uint32_t words = 0;   // of the fixed part
    std::uint32_t unused = 0;  // the bits of the header that must be 0
    table<slot> parts{};
    bool nested = false;  // whether there are slices in structs
    bool linked = false;  // whether there are links
};

// A move copies a part of a record of an earlier version to its location in the newest.
struct move {
    enum { bits, ref, link, array, list, nested, empty } what;  // nested: a slice in a struct; empty: one that the earlier version lacks
    std::uint32_t from = 0, to = 0;              // words; of lists those with the counts
    std::uint32_t from_shift = 0, to_shift = 0;  // of bits and counts
    std::uint32_t width = 32;                    // of bits
    std::uint32_t count = 0;                     // of an array
    std::uint32_t from_item = 0, to_item = 0;    // bits of an item; those that are packed have no moves
    table<move> moves{};               // of an item
};

// The moves of a record, and the old and new lengths of its fixed part.
struct conversion {
    std::uint32_t from_words = 0, to_words = 0;
    table<move> moves{};
};

// A schema is its text, which files contain, and the tables of its kinds.
struct schema {
    std::string_view text;
    std::uint64_t hash = 0;
    std::uint32_t version = 0;
    bool share = false;
    kind_set root{};
    table<shape> shapes{};  // by kind; the first is empty

    table<schema> earlier{};           // versions whose files load too
    table<conversion> conversions{};   // of an earlier version: by kind

    std::string kind_name(std::uint8_t kind) const {
        if (kind == 0 || kind >= shapes.size()) return join("kind ", std::uint64_t{kind});
        return std::string(shapes[kind].name);
    }
};

[[noreturn]] inline void changed() { raise<invalid_file>("flat: invalid file: it has changed since it was opened"); }

// An image is a file in memory, and the locations of its parts.
struct image {
    const schema* tables = nullptr;
    std::span<const std::byte> file{};
    const std::byte* records = nullptr;
    const std::byte* ends = nullptr;
    const char* text = nullptr;
    std::uint32_t words = 0, strings = 0, text_bytes = 0, root = 0, nodes = 0;
    bool draft = false;                                   // words in the machine's order, which a builder makes
    const std::vector<std::string_view>* fresh = nullptr;  // of a draft: the strings after those of the tree that is rewritten or edited
    bool whole = false;                                   // each record but the root is known to have a parent
    bool edited = false;                                  // references may lead forward: a builder edits the tree, or has
    detail_draft* editor = nullptr;                       // of the builder that edits the tree

    // Every read is checked, because a mapped file may change after it was validated.
    std::uint32_t word(std::uint32_t i) const {
        if (i >= words) [[unlikely]] changed();
        const std::uint32_t w = get32(records + std::size_t{4} * i);
        return draft ? swapped(w) : w;
    }
    std::string_view string(std::uint32_t i) const {
        if (i == 0) return {};
        if (i >= strings) [[unlikely]] {
            if (fresh == nullptr || i - strings >= fresh->size()) changed();
            return (*fresh)[i - strings];
        }
        const std::uint32_t start = get32(ends + std::size_t{4} * (i - 1)), end = get32(ends + std::size_t{4} * i);
        if (start > end || end > text_bytes) [[unlikely]] changed();
        return {text + start, end - start};
    }
    std::size_t all_strings() const noexcept { return strings + (fresh == nullptr ? 0 : fresh->size()); }
    const shape& shape_of(std::uint32_t i) const {
        const auto kind = static_cast<std::uint8_t>(word(i));
        if (kind == 0 || kind >= tables->shapes.size()) [[unlikely]] changed();
        return tables->shapes[kind];
    }
};

// The number of items of a list of the record at i. end is the end of the list before it, and
// becomes the start of this one.
inline std::uint32_t count_of(const image& m, std::uint32_t i, std::uint32_t word, std::uint32_t shift, std::uint32_t& end) {
    const std::uint32_t n = m.word(i + word) >> shift;
    return shift != 0 && n == ~std::uint32_t{0} >> shift ? m.word(end++) : n;
}

// A slice in a struct: the number of its items, and where the first is. The word at says how far.
struct far_list {
    std::uint32_t count, first;
};
inline far_list nested_list(const image& m, std::uint32_t at) { return {m.word(at - 1), at + m.word(at)}; }

// Calls f with each word of the slots from word `from` on that is a reference or a string, and its
// slot. Recurses as deep as the schema has structs in structs.
template <class F>
void mentioned_slots(const image& m, std::uint32_t from, table<slot> parts, F&& f) {
    for (const slot& s : parts) {
        if (s.what <= op::optional_text) {
            f(from + s.off, s);
        } else if (s.what == op::array) {
            for (std::uint32_t k = 0; k < s.count; ++k) mentioned_slots(m, from + s.off + k * (s.item / 32), s.parts, f);
        } else if (s.what == op::nested && !s.parts.empty()) {
            const auto [n, first] = nested_list(m, from + s.off);
            for (std::uint32_t k = 0; k < n; ++k) mentioned_slots(m, first + k * (s.item / 32), s.parts, f);
        }
    }
}

// The same for the record at i, field by field, item by item.
template <class F>
void mentioned_slots(const image& m, std::uint32_t i, F&& f) {
    const shape& s = m.shape_of(i);
    std::uint32_t end = i + s.words;
    for (const slot& one : s.parts) {
        if (one.what != op::list) {
            mentioned_slots(m, i, table<slot>(&one, 1), f);
            continue;
        }
        std::uint32_t at = end;
        const std::uint32_t n = count_of(m, i, one.count, one.shift, at);
        end = at + static_cast<std::uint32_t>(words_of(n, one.item));
        if (one.parts.empty()) continue;
        for (std::uint32_t k = 0; k < n; ++k) mentioned_slots(m, at + k * (one.item / 32), one.parts, f);
    }
}

// The same with the kind of slot.
template <class F>
void mentions(const image& m, std::uint32_t i, F&& f) {
    mentioned_slots(m, i, [&](std::uint32_t at, const slot& s) { f(at, s.what); });
}

// A link of the draft of a rewrite of which it is not known yet where its record will be.
inline constexpr std::uint32_t pending_link = ~std::uint32_t{0};

// Calls f with each word of the slots from word `from` on that is a link, and its slot. The block's
// own lists start at word end.
template <class F>
void linked_slots(const image& m, std::uint32_t i, std::uint32_t from, std::uint32_t end, table<slot> parts, F&& f) {
    for (const slot& s : parts) {
        std::uint32_t n = 0, first = 0;
        switch (s.what) {
            case op::link: f(from + s.off, s); continue;
            case op::array: n = s.count, first = from + s.off; break;
            case op::nested: {
                const far_list l = nested_list(m, from + s.off);
                n = l.count, first = l.first;
                break;
            }
            case op::list:
                n = count_of(m, i, s.count, s.shift, end);
                first = end;
                end += static_cast<std::uint32_t>(words_of(n, s.item));
                break;
            default: continue;
        }
        if (!has_links(s.parts)) continue;
        for (std::uint32_t k = 0; k < n; ++k) linked_slots(m, i, first + k * (s.item / 32), 0, s.parts, f);
    }
}
// The same for the record at i, field by field, item by item.
template <class F>
void links(const image& m, std::uint32_t i, F&& f) {
    if (const shape& s = m.shape_of(i); s.linked) linked_slots(m, i, i, i + s.words, s.parts, f);
}

// Where the last slice of a struct ends in the slots from word `from` on, whose own first slice
// starts at word first; end if there is none. Looks at the last items only, because every slice of
// a struct says where it is.
inline std::uint64_t nested_end(const image& m, std::uint32_t from, std::uint64_t first, std::uint64_t end, table<slot> parts) {
    for (const slot& s : parts) {
        std::uint32_t n = 0;
        std::uint64_t after = 0;
        switch (s.what) {
            case op::array:
                if (has_nested(s.parts)) end = nested_end(m, from + s.off + (s.count - 1) * (s.item / 32), 0, end, s.parts);
                continue;
            case op::nested: {
                const far_list l = nested_list(m, from + s.off);
                n = l.count;
                end = after = l.first + words_of(n, s.item);
                break;
            }
            case op::list: {
                auto at = static_cast<std::uint32_t>(first);
                n = count_of(m, from, s.count, s.shift, at);
                first = after = at + words_of(n, s.item);
                break;
            }
            default: continue;
        }
        if (n > 0 && after <= m.words && has_nested(s.parts)) end = nested_end(m, static_cast<std::uint32_t>(after) - s.item / 32, 0, end, s.parts);
    }
    return end;
}

// The end of the record at i.
inline std::uint32_t end_of(const image& m, std::uint32_t i) {
    const shape& s = m.shape_of(i);
    std::uint64_t end = std::uint64_t{i} + s.words;
    for (const slot& one : s.parts) {
        if (one.what != op::list || end >= m.words) continue;
        auto first = static_cast<std::uint32_t>(end);
        const std::uint32_t n = count_of(m, i, one.count, one.shift, first);
        end = first + words_of(n, one.item);
    }
    if (s.nested && end <= m.words) end = nested_end(m, i, std::uint64_t{i} + s.words, end, s.parts);
    if (end > m.words) [[unlikely]] changed();
    return static_cast<std::uint32_t>(end);
}

}  // namespace coppice::flat::detail

