namespace coppice::flat::detail {

// The numbers in the header of a file.
struct header {
    std::uint32_t version = 0, text_bytes = 0, root = 0, words = 0, nodes = 0, strings = 0, strings_bytes = 0;
    std::uint64_t hash = 0;

    std::uint64_t body_at() const noexcept { return header_bytes + padded(text_bytes); }
    std::uint64_t size() const noexcept {
        return body_at() + std::uint64_t{4} * words + std::uint64_t{4} * strings + strings_bytes;
    }
};

// Decodes a header and checks everything that does not depend on the schema.
inline header decode_header(std::span<const std::byte> b) {
    if (b.size() < header_bytes) invalid(b.size(), " bytes, less than a header, ", header_bytes);
    if (std::memcmp(b.data(), magic.data(), magic.size()) != 0) invalid("it does not start with the magic of flat trees");
    const auto at = [&](std::size_t i) { return get32(b.data() + i); };
    if (at(8) != 1) invalid("format ", at(8), "; this program reads 1");
    header h;
    h.version = at(12);
    h.hash = std::uint64_t{at(16)} | std::uint64_t{at(20)} << 32;
    h.text_bytes = at(24);
    h.root = at(28);
    h.words = at(32);
    h.nodes = at(36);
    h.strings = at(40);
    h.strings_bytes = at(44);
    for (std::size_t i = 48; i < header_bytes; ++i) {
        if (b[i] != std::byte{0}) invalid("reserved bytes of the header are not 0");
    }
    if (h.words == 0 || h.strings == 0) invalid("no word 0 or no string 0");
    if (h.text_bytes > max_schema_text) {
        invalid("a schema's text of ", h.text_bytes, " bytes, more than ", max_schema_text);
    }
    return h;
}

// Compares the header with the size of the file and the limits.
inline void check_size(const header& h, std::uint64_t size, const load_limits& limits) {
    if (size > limits.max_bytes) beyond(size, " bytes, more than LoadLimits.MaxBytes, ", limits.max_bytes);
    if (size != h.size()) invalid(size, " bytes, and the header says ", h.size());
}

// FNV-1a.
constexpr std::uint64_t layout_hash(std::string_view text) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

// The tables for the schema version of a file.
inline const schema& tables_for(const header& h, std::span<const std::byte> file, const schema& newest) {
    for (std::size_t i = header_bytes + h.text_bytes; i < h.body_at(); ++i) {
        if (file[i] != std::byte{0}) invalid("the bytes after the schema's text are not 0");
    }
    const std::string_view text(reinterpret_cast<const char*>(file.data()) + header_bytes, h.text_bytes);
    if (layout_hash(text) != h.hash) invalid("the layout hash is not that of the schema's text");
    const schema* found = text == newest.text ? &newest : nullptr;
    for (const schema& earlier : newest.earlier) {
        if (text == earlier.text) found = &earlier;
    }
    if (found == nullptr && newest.version > 0 && h.version > newest.version) {
        invalid("version ", h.version, "; this program reads up to ", newest.version,
                ": build it with the newer schema, unless coppice flat dump shows another one");
    }
    if (found == nullptr) {
        invalid("it has another schema (layout hash ", hex(h.hash, 16), ", want ", hex(newest.hash, 16),
                "); coppice flat dump shows it");
    }
    if (found->version != h.version) {
        invalid("version ", h.version, " in the header, ", found->version, " in the schema's text");
    }
    return *found;
}

// The parts of a file whose header was checked.
inline image image_of(const header& h, std::span<const std::byte> file, const schema& tables) {
    image m;
    m.tables = &tables;
    m.file = file;
    m.records = file.data() + h.body_at();
    m.ends = m.records + std::size_t{4} * h.words;
    m.text = reinterpret_cast<const char*>(m.ends + std::size_t{4} * h.strings);
    m.words = h.words;
    m.strings = h.strings;
    m.text_bytes = h.strings_bytes;
    m.root = h.root;
    m.nodes = h.nodes;
    return m;
}

// The image of a validated file, of this or an earlier version of the schema.
inline image examine(std::span<const std::byte> file, const schema& newest, const load_limits& limits) {
    const header h = decode_header(file);
    check_size(h, file.size(), limits);
    image m = image_of(h, file, tables_for(h, file, newest));
    m.whole = validate(m, limits);
    return m;
}

// An upgrader copies records to the newest version of the schema, in which the fields of the first
// versions come first.
class upgrader {
public:
    explicit upgrader(const image& from) : from_(from), moved_(from.words) {}

    std::vector<std::byte> run(const schema& newest) {
        for (std::uint64_t i = 1; i < from_.words;) i = record(static_cast<std::uint32_t>(i));
        for (const std::uint32_t at : links_) to_.words[at] = moved_.at(to_.words[at]);
        to_.nodes = from_.nodes;
        to_.text.assign(from_.text, from_.text_bytes);
        to_.ends.clear();
        for (std::uint32_t i = 0; i < from_.strings; ++i) to_.ends.push_back(get32(from_.ends + std::size_t{4} * i));
        return encode(to_, newest, moved_[from_.root]);
    }

private:
    std::uint64_t record(std::uint32_t i) {
        const auto kind = static_cast<std::uint8_t>(from_.word(i));
        if (kind >= from_.tables->conversions.size()) [[unlikely]] changed();
        const conversion& c = from_.tables->conversions[kind];
        const std::uint32_t start = extend(c.to_words);
        moved_[i] = start;
        to_.words[start] = kind;
        std::uint32_t end = i + c.from_words;
        for (const move& m : c.moves) {
            if (m.what == move::list) {
                end = list(m, i, end, start);
            } else {
                one(m, i, start);
            }
        }
        nested(c.moves, i, i + c.from_words, start, start + c.to_words);
        return end_of(from_, i);
    }

    // Appends the slices of structs in the block at word `from`, whose copy is at word to. Its own
    // first slices start at from_first and to_first.
    void nested(table<move> moves, std::uint32_t from, std::uint32_t from_first, std::uint32_t to, std::uint32_t to_first) {
        for (const move& m : moves) {
            switch (m.what) {
                case move::list: {
                    const std::uint32_t n = count_of(from_, from, m.from, m.from_shift, from_first);
                    if (m.to_shift != 0 && n >= ~std::uint32_t{0} >> m.to_shift) ++to_first;
                    nested_items(m, n, from_first, to_first);
                    from_first += static_cast<std::uint32_t>(words_of(n, m.from_item));
                    to_first += static_cast<std::uint32_t>(words_of(n, m.to_item));
                    break;
                }
                case move::array: nested_items(m, m.count, from + m.from, to + m.to); break;
                case move::empty: place(to + m.to); break;
                case move::nested: {
                    const far_list l = nested_list(from_, from + m.from + 1);
                    place(to + m.to);
                    to_.words[to + m.to] = l.count;
                    const std::uint32_t first = extend(words_of(l.count, m.to_item));
                    items(m, l.count, l.first, first);
                    nested_items(m, l.count, l.first, first);
                    break;
                }
                default: break;
            }
        }
    }
    void nested_items(const move& m, std::uint32_t n, std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t k = 0; !m.moves.empty() && k < n; ++k) {
            nested(m.moves, from + k * (m.from_item / 32), 0, to + k * (m.to_item / 32), 0);
        }
    }
    // Stores where the items of a slice will be, whose count is in a word.
    void place(std::uint32_t word) { to_.words[word + 1] = static_cast<std::uint32_t>(to_.words.size()) - word - 1; }

    void one(const move& m, std::uint32_t from, std::uint32_t to) {
        const std::uint32_t w = from_.word(from + m.from);
        switch (m.what) {
            case move::bits: {
                const std::uint32_t mask = m.width == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << m.width) - 1;
                to_.words[to + m.to] |= (w >> m.from_shift & mask) << m.to_shift;
                break;
            }
            case move::ref: to_.words[to + m.to] = moved_.at(w); break;
            case move::link:
                links_.push_back(to + m.to);
                to_.words[to + m.to] = w;
                break;
            case move::nested:
            case move::empty: break;  // later
            default: items(m, m.count, from + m.from, to + m.to);
        }
    }

    void items(const move& m, std::uint32_t n, std::uint32_t from, std::uint32_t to) {
        if (m.moves.empty()) {
            for (std::uint32_t k = 0; k < words_of(n, m.from_item); ++k) to_.words[to + k] = from_.word(from + k);
            return;
        }
        for (std::uint32_t k = 0; k < n; ++k) {
            for (const move& inner : m.moves) one(inner, from + k * (m.from_item / 32), to + k * (m.to_item / 32));
        }
    }

    // Appends a slice of the record at i, whose items come after end, and returns where they end.
    std::uint32_t list(const move& m, std::uint32_t i, std::uint32_t end, std::uint32_t start) {
        const std::uint32_t n = count_of(from_, i, m.from, m.from_shift, end);
        const std::uint32_t all = ~std::uint32_t{0} >> m.to_shift;
        const bool escapes = m.to_shift != 0 && n >= all;
        to_.words[start + m.to] |= (escapes ? all : n) << m.to_shift;
        if (escapes) to_.words[extend(1)] = n;
        items(m, n, end, extend(words_of(n, m.to_item)));
        return end + static_cast<std::uint32_t>(words_of(n, m.from_item));
    }

    std::uint32_t extend(std::uint64_t n) {
        if (to_.words.size() + n > draft::most) beyond("the tree needs more than 2^32 words in the newest version of its schema");
        return to_.extend(n);
    }

    const image& from_;
    draft to_;
    std::vector<std::uint32_t> moved_;  // where records are now
    std::vector<std::uint32_t> links_;  // the words that link to records, which may come later
};

// A mapping is a read-only file in memory. It is not used on systems without mmap.
class mapping {
public:
    mapping() = default;
    mapping(mapping&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    mapping& operator=(mapping&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
#ifdef COPPICE_FLAT_MMAP
    mapping(int file, std::size_t size) : data_(::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0)), size_(size) {
        if (data_ == MAP_FAILED) {
            data_ = nullptr;
            raise<std::system_error>(errno, std::generic_category(), "mapping");
        }
    }
    ~mapping() {
        if (data_ != nullptr) ::munmap(data_, size_);
    }
#endif
    std::span<const std::byte> bytes() const noexcept { return {static_cast<const std::byte*>(data_), size_}; }

private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

// Reads a stream that must end after the tree. The header may claim any size, so memory is
// allocated for a part first, and later for at most 128 times the bytes read so far.
inline std::vector<std::byte> read_all(std::istream& in, const load_limits& limits) {
    constexpr std::uint64_t trust = 128, first = 1 << 20;
    std::vector<std::byte> all;
    const auto read_to = [&](std::uint64_t size) {
        const std::size_t have = all.size();
        all.reserve(static_cast<std::size_t>(size));
        all.resize(static_cast<std::size_t>(size));
        in.read(reinterpret_cast<char*>(all.data() + have), static_cast<std::streamsize>(size - have));
        all.resize(have + static_cast<std::size_t>(in.gcount()));
        return all.size() == size;
    };
    read_to(header_bytes);
    const std::uint64_t size = decode_header(all).size();
    check_size(decode_header(all), size, limits);
    for (bool more = true; more && all.size() < size;) {
        std::uint64_t step = size;
        while (step > first && step / trust > all.size()) step = step / trust + 1;
        more = read_to(step);
    }
    if (all.size() == size && in.peek() != std::istream::traits_type::eof()) invalid("bytes follow the tree");
    return all;
}

// What a tree owns: an image, and the memory of its bytes unless the caller owns that.
struct storage {
    image m;
    std::vector<std::byte> own;
    mapping map;
    std::unique_ptr<draft> kept;  // of a tree in which references lead forward: its words and strings, unless they are in the file

    // whole says that each record but the root has a parent.
    void adopt(std::vector<std::byte> file, const schema& tables, bool whole) {
        own = std::move(file);
        m = image_of(decode_header(own), own, tables);
        m.whole = whole && m.root != 0;
    }
    // Begins and ends an edit by a draft. If there is no memory, nothing has changed.
    void begin_edit(draft& d) {
        if (kept != nullptr) {
            d = std::move(*kept);
            kept.reset();
        }
        d.begin_edit(m, own.data() + padded(header_bytes + m.tables->text.size()));
    }
    void end_edit(draft& d, std::uint32_t root) {
        if (d.forward()) {
            kept = std::make_unique<draft>();
            d.end_edit(root);
            *kept = std::move(d);
            kept->rest(m);
        } else if (d.in_file()) {
            constexpr std::size_t root_at = 28;
            put32(own.data() + root_at, root);
            d.end_edit(root);
        } else {
            std::vector<std::byte> file = encode(d, *m.tables, root);
            d.end_edit(root);
            adopt(std::move(file), *m.tables, m.whole);
        }
    }
    void take(std::span<const std::byte> file, const schema& newest, const load_limits& limits) {
        m = examine(file, newest, limits);
        if (m.tables == &newest) return;
        const bool whole = m.whole;
        std::vector<std::byte> upgraded = upgrader(m).run(newest);
        if (upgraded.size() > limits.max_bytes) {
            beyond("more than LoadLimits.MaxBytes, ", limits.max_bytes, ", in the newest version of its schema");
        }
        map = mapping();
        adopt(std::move(upgraded), newest, whole);
    }
};

// Opens a file: maps it if the system can, otherwise reads it.
inline void open_into(storage& s, const std::string& path, const schema& newest, const load_limits& limits) {
#ifdef COPPICE_FLAT_MMAP
    struct closer {
        int file;
        ~closer() {
            if (file >= 0) ::close(file);
        }
    };
    const closer f{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    struct stat info {};
    if (f.file < 0 || ::fstat(f.file, &info) != 0) raise<std::system_error>(errno, std::generic_category(), path);
    if (S_ISREG(info.st_mode) && info.st_size >= static_cast<off_t>(header_bytes)) {
        std::array<std::byte, header_bytes> start{};
        if (::pread(f.file, start.data(), start.size(), 0) == static_cast<ssize_t>(start.size())) {
            check_size(decode_header(start), static_cast<std::uint64_t>(info.st_size), limits);
        }
        s.map = mapping(f.file, static_cast<std::size_t>(info.st_size));
        s.take(s.map.bytes(), newest, limits);
        return;
    }
#endif
    std::ifstream in(path, std::ios::binary);
    if (!in) raise<std::system_error>(errno, std::generic_category(), path);
    s.own = read_all(in, limits);
    s.take(s.own, newest, limits);
}

}  // namespace coppice::flat::detail

