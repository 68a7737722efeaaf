namespace coppice::flat {

// A record that a builder has added, or nil. The builder accepts it as a child or as the root. T is
// a variant or a sum.
template <class T>
class made {
public:
    made() = default;
    template <part_of<T> Part>
    made(made<Part> part) noexcept : serial_(part.serial_), index_(part.index_) {}

    explicit operator bool() const noexcept { return index_ != 0; }

private:
    template <class>
    friend class made;
    template <class>
    friend class builder;
    friend class detail_draft;
    made(std::uint64_t serial, std::uint32_t index) noexcept : serial_(serial), index_(index) {}
    std::uint64_t serial_ = 0;  // of the builder's tree
    std::uint32_t index_ = 0;
};

// A link to a record that a builder has added, which is a child of another, or nil. Links to
// records that are added later are not possible here.
template <class T>
class link {
public:
    link() = default;
    template <class Part>
        requires std::is_convertible_v<made<Part>, made<T>>
    link(made<Part> to) noexcept : to_(to) {}

private:
    friend class detail_draft;
    made<T> to_;
};

namespace detail {

template <class T>
inline constexpr bool is_link = false;
template <class T>
inline constexpr bool is_link<link<T>> = true;

template <class T>
inline constexpr bool is_made = false;
template <class T>
inline constexpr bool is_made<made<T>> = true;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t n>
inline constexpr bool is_array<std::array<T, n>> = true;

template <class T>
inline constexpr bool is_narrow = false;
template <class T, unsigned bits>
inline constexpr bool is_narrow<narrow<T, bits>> = true;

// The size in bits of an item of a list of T.
template <class T>
constexpr std::uint64_t item_bits() {
    if constexpr (std::is_arithmetic_v<T>) {
        return 8 * sizeof(T);
    } else if constexpr (std::is_same_v<T, std::string_view> || is_made<T> || is_link<T> || is_narrow<T>) {
        return 32;
    } else if constexpr (is_array<T>) {
        return 32 * words_of(std::tuple_size_v<T>, item_bits<typename T::value_type>());
    } else {
        return 32 * words_in(std::type_identity<T>{});
    }
}

inline std::uint64_t next_serial() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace detail

// A draft is a tree that is being built: words, and strings, each stored once. For generated code.
//
// While a builder edits a tree, the words stay in the file of the tree until something is added.
// The strings of the file stay there until the edit ends, so that text which a view has returned
// can be added.
class detail_draft {
public:
    static constexpr std::uint64_t most = (std::numeric_limits<std::uint32_t>::max)();

    std::vector<std::uint32_t> words{0}, ends{0};
    std::string text;
    std::uint32_t nodes = 0;
    std::uint64_t serial = detail::next_serial();

    // Appends n words of 0 and returns the index of the first.
    std::uint32_t extend(std::uint64_t n) {
        const std::uint64_t at = words.size();
        if (at + n > most) detail::raise<std::length_error>("coppice::flat::builder: a tree has at most 2^32 - 1 words");
        words.resize(static_cast<std::size_t>(at + n));
        return static_cast<std::uint32_t>(at);
    }

    // Takes over the strings of a tree, with their numbers; the tree must outlive the draft. From
    // now on, seen shows the records of the draft to functions that read. Nodes may have several
    // parents until the end.
    void begin_rewrite(const detail::image& m) {
        seen = m;
        seen.draft = true;
        seen.fresh = &fresh_;
        take_strings(m);
        unknown_ = true;
        share = true;
        shown_ = &seen;
        refresh();
    }
    bool rewriting() const noexcept { return seen.draft; }
    detail::image seen{};

    // Must be called when words may have moved.
    void refresh() noexcept {
        if (shown_ == nullptr || in_file_ != nullptr) return;
        shown_->records = reinterpret_cast<const std::byte*>(words.data());
        shown_->words = static_cast<std::uint32_t>(words.size());
    }

    // Goes on with a tree, whose words are at `records` unless this draft has edited it before. If
    // there is no memory, nothing has changed.
    void begin_edit(detail::image& m, std::byte* records) {
        if (!heights_) {
            std::vector<bool> parents = m.tables->share ? std::vector<bool>() : parents_of(m);
            has_parent_.swap(parents);
            heights_.emplace(m);
            share = m.tables->share;
            nodes = m.nodes;
            unknown_ = true;
            in_file_ = records;
            leave_file_ = &detail_draft::leave_file;
        }
        serial = detail::next_serial();
        show(m);
        m.editor = this;
        m.edited = true;
    }
    // Ends an edit: the tree has the words and strings of the draft, which lets go of it.
    void end_edit(std::uint32_t root) noexcept {
        detail::image& m = *shown_;
        m.whole = m.whole && whole_ && nodes == m.nodes && root == m.root;
        m.root = root;
        m.nodes = nodes;
        m.editor = nullptr;
        m.edited = forward();
        shown_ = nullptr;
    }
    // After an edit, the draft may be moved to where the tree keeps it.
    void rest(detail::image& m) const noexcept {
        if (in_file_ == nullptr) m.fresh = &fresh_;
    }
    // Lets an image show the records and strings of the draft.
    void show(detail::image& m) noexcept {
        shown_ = &m;
        if (in_file_ != nullptr) return;
        m.draft = true;
        m.fresh = &fresh_;
        refresh();
    }
    bool forward() const noexcept { return heights_ && heights_->forward(); }
    bool in_file() const noexcept { return in_file_ != nullptr; }

    // Must be called before something is added. The words of a tree that is being edited leave the
    // file, and have room for half as many more.
    void make_room() {
        if (in_file_ != nullptr) [[unlikely]] (this->*leave_file_)();
    }

    // Stores the strings of a tree, with their numbers.
    void take_strings(const detail::image& m) {
        ends.resize(m.strings);
        for (std::uint32_t i = 0; i < m.strings; ++i) ends[i] = detail::get32(m.ends + std::size_t{4} * i);
        text.assign(m.text, m.text_bytes);
        if (m.fresh == nullptr) return;
        for (const std::string_view s : *m.fresh) {
            text += s;
            ends.push_back(static_cast<std::uint32_t>(text.size()));
        }
    }

    // The kind of the record at i.
    std::uint8_t kind_at(std::uint32_t i) const { return static_cast<std::uint8_t>(in_file_ != nullptr ? shown_->word(i) : words[i]); }

    // The number of a string, 0 for the empty one.
    std::uint32_t number_of(std::string_view s) { return s.empty() ? 0 : present_number_of(s); }

    // The same, but not 0 for the empty one.
    std::uint32_t present_number_of(std::string_view s) {
        if (unknown_) {
            make_room();
            unknown_ = false;
            for (std::uint32_t i = 1; i < shown_->strings; ++i) {
                if (!shown_->string(i).empty()) numbers_.try_emplace(std::string(shown_->string(i)), i);
            }
        }
        const auto [known, fresh] = numbers_.try_emplace(std::string(s), 0);
        if (fresh) {
            if (text.size() + s.size() > most || ends.size() == most) {
                numbers_.erase(known);
                detail::raise<std::length_error>("coppice::flat::builder: a tree has at most 2^32 - 1 strings and bytes of text");
            }
            if (shown_ != nullptr) fresh_.push_back(known->first);
            text += s;
            ends.push_back(static_cast<std::uint32_t>(text.size()));
            known->second = static_cast<std::uint32_t>(ends.size() - 1);
        }
        return known->second;
    }

    // Stores a bool or a number of 8, 16 or 24 bits in a word whose bits are 0 there.
    template <class T>
    void packed(std::uint32_t at, std::uint32_t shift, T v) {
        words[at] |= bits_of(v) << shift;
    }
    template <class T>
    static std::uint32_t bits_of(T v) {
        static_assert(sizeof(T) <= 2 || detail::is_narrow<T>);
        if constexpr (std::is_same_v<T, bool>) {
            return std::uint32_t{v};
        } else if constexpr (detail::is_narrow<T>) {
            return std::uint32_t{v.encode()};
        } else {
            return std::uint32_t{static_cast<std::make_unsigned_t<T>>(v)};
        }
    }

    // Stores a value in whole words.
    template <class T>
    void put(std::uint32_t at, const T& v) {
        if constexpr (std::is_arithmetic_v<T> && sizeof(T) == 8) {
            const auto bits = std::bit_cast<std::uint64_t>(v);
            words[at] = static_cast<std::uint32_t>(bits);
            words[at + 1] = static_cast<std::uint32_t>(bits >> 32);
        } else if constexpr (std::is_arithmetic_v<T>) {
            words[at] = std::bit_cast<std::uint32_t>(v);
        } else if constexpr (detail::is_narrow<T>) {
            words[at] = v.encode();
        } else if constexpr (std::is_same_v<T, std::string_view>) {
            words[at] = number_of(v);
        } else if constexpr (detail::is_made<T>) {
            words[at] = child(v.serial_, v.index_);
        } else if constexpr (detail::is_link<T>) {
            words[at] = target(v);
        } else if constexpr (detail::is_array<T>) {
            put_items(at, v);
        } else {
            put_fields(*this, at, v);
        }
    }
    void put_optional(std::uint32_t at, const std::optional<std::string_view>& v) {
        if (v) words[at] = present_number_of(*v);
    }

    // Setters, while a builder edits the tree. This sets the bits of a word from shift on that mask
    // selects.
    void set_bits(std::uint32_t at, std::uint32_t shift, std::uint32_t mask, std::uint32_t v) {
        set(at, (shown_->word(at) & ~(mask << shift)) | (v & mask) << shift);
    }
    // Sets a value in whole words of the record, struct or list that starts at word n.
    template <class T>
    void set_value(std::uint32_t n, std::uint32_t at, const T& v) {
        if constexpr (std::is_arithmetic_v<T> && sizeof(T) == 8) {
            const auto bits = std::bit_cast<std::uint64_t>(v);
            set(at, static_cast<std::uint32_t>(bits));
            set(at + 1, static_cast<std::uint32_t>(bits >> 32));
        } else if constexpr (std::is_arithmetic_v<T>) {
            set(at, std::bit_cast<std::uint32_t>(v));
        } else if constexpr (detail::is_narrow<T>) {
            set(at, v.encode());
        } else if constexpr (std::is_same_v<T, std::string_view>) {
            set(at, number_of(v));
        } else if constexpr (detail::is_made<T>) {
            set_child(n, at, v.serial_, v.index_);
        } else {
            static_assert(detail::is_link<T>);
            set(at, target(v));
        }
    }
    void set_optional(std::uint32_t at, const std::optional<std::string_view>& v) { set(at, v ? present_number_of(*v) : 0); }

    // Appends a record's slice, whose count is in the header from bit shift on, or in a word of its
    // own.
    template <class T>
    void slice(std::uint32_t record, std::uint32_t shift, const std::vector<T>& v) {
        const std::uint32_t count = count_of(v);
        const std::uint32_t all = ~std::uint32_t{0} >> shift;
        words[record] |= (std::min)(count, all) << shift;
        if (count >= all) words[extend(1)] = count;
        append(v);
    }
    template <class T>
    void slice_at(std::uint32_t record, std::uint32_t word, const std::vector<T>& v) {
        words[record + word] = count_of(v);
        append(v);
    }

    // Appends a slice of a struct, with the slices in its items. Its count is in a word, and after
    // that, how far the first item is.
    template <class T>
    void nested(std::uint32_t word, const std::vector<T>& v) {
        words[word] = count_of(v);
        words[word + 1] = static_cast<std::uint32_t>(words.size()) - word - 1;
        const auto first = static_cast<std::uint32_t>(words.size());
        append(v);
        tails(first, v);
    }
    // Appends the slices in structs of v, which is stored from word at on.
    template <class T>
    void tails(std::uint32_t at, const T& v) {
        if constexpr (requires { put_tails(*this, at, v); }) {
            put_tails(*this, at, v);
        } else if constexpr (requires { v.begin(); } && !std::is_same_v<T, std::string_view>) {
            constexpr auto bits = static_cast<std::uint32_t>(detail::item_bits<typename T::value_type>());
            if constexpr (bits >= 32) {
                std::uint32_t i = 0;
                for (const auto& item : v) tails(at + i++ * (bits / 32), item);
            }
        }
    }
    static std::uint32_t escape_words(std::uint32_t shift, std::size_t n) { return n >= ~std::uint32_t{0} >> shift ? 1 : 0; }
    template <class T>
    static std::uint32_t item_words(const std::vector<T>& v) {
        return static_cast<std::uint32_t>(detail::words_of(v.size(), detail::item_bits<T>()));
    }

    // After an exception, removes what was built since there were `size` words.
    void forget(std::size_t size) noexcept {
        words.resize(size);
        for (const std::uint32_t c : children_) has_parent_[c] = false;
        children_.clear();
    }
    void keep() noexcept {
        adopted_ += static_cast<std::uint32_t>(children_.size());
        children_.clear();
    }
    // Whether each record but the root of a tree that was built has a parent.
    bool is_whole() const noexcept { return !share && adopted_ + 1 == nodes; }

    bool share = false;
    bool has_parent(std::uint32_t i) const { return i < has_parent_.size() && has_parent_[i]; }

private:
    template <class Items>
    void put_items(std::uint32_t at, const Items& items) {
        constexpr auto bits = static_cast<std::uint32_t>(detail::item_bits<typename Items::value_type>());
        std::uint32_t i = 0;
        for (const auto& v : items) {
            if constexpr (bits < 32) {
                packed(at + i * bits / 32, i * bits % 32, static_cast<typename Items::value_type>(v));
            } else {
                put(at + i * (bits / 32), v);
            }
            ++i;
        }
    }

    template <class T>
    void append(const std::vector<T>& v) {
        put_items(extend(detail::words_of(v.size(), detail::item_bits<T>())), v);
    }

    template <class T>
    static std::uint32_t count_of(const std::vector<T>& v) {
        if (v.size() > most) detail::raise<std::length_error>("coppice::flat::builder: a list has at most 2^32 - 1 items");
        return static_cast<std::uint32_t>(v.size());
    }

    std::uint32_t child(std::uint64_t of, std::uint32_t index) {
        if (index == 0) return 0;
        if (of != serial) detail::raise<std::logic_error>("coppice::flat::builder: a child of another tree, or of one that is finished");
        if (!share) {
            if (has_parent(index)) {
                detail::raise<std::logic_error>("coppice::flat::builder: a child that has a parent already; use it once, or say flat:share in the schema");
            }
            if (has_parent_.size() < words.size()) has_parent_.resize(words.size());
            children_.push_back(index);  // and forget finds it in has_parent_, whatever throws
            has_parent_[index] = true;
        }
        return index;
    }

    // The record that a link leads to.
    template <class T>
    std::uint32_t target(const link<T>& v) const {
        if (v.to_.index_ != 0 && v.to_.serial_ != serial) detail::raise<std::logic_error>("coppice::flat::builder: a link to a record of another tree, or of one that is finished");
        return v.to_.index_;
    }

    void set(std::uint32_t at, std::uint32_t v) {
        if (at >= shown_->words) [[unlikely]] detail::changed();
        if (in_file_ != nullptr) {
            detail::put32(in_file_ + std::size_t{4} * at, v);
        } else {
            words[at] = v;
        }
    }

    // Sets a reference of the record, struct or list that starts at word n. The previous child has no
    // parent afterwards.
    void set_child(std::uint32_t n, std::uint32_t at, std::uint64_t of, std::uint32_t index) {
        const std::uint32_t old = shown_->word(at);
        if (index != 0) {
            if (of != serial) detail::raise<std::logic_error>("coppice::flat::builder: a child of another tree, or of one that is finished");
            if (!heights_->accept(*shown_, n, at, index, [this](std::uint32_t i) { return has_parent(i); })) {
                detail::raise<std::logic_error>("coppice::flat::builder: a child that is the parent, or is above it; a tree has no cycles");
            }
            if (!share && index != old && has_parent(index)) {
                detail::raise<std::logic_error>("coppice::flat::builder: a child that has a parent already; set that place to nil first, or say flat:share in the schema");
            }
        }
        if (!share) {
            if (has_parent_.size() < shown_->words) has_parent_.resize(shown_->words);
            if (old != 0) has_parent_[old] = false;
            if (index != 0) has_parent_[index] = true;
        }
        whole_ = false;
        set(at, index);
    }

    // The records that have a parent. If each but the root has one, the bits of all words are set.
    static std::vector<bool> parents_of(const detail::image& m) {
        std::vector<bool> all(m.words, m.whole);
        if (m.whole) {
            all[m.root] = false;
            return all;
        }
        for (std::uint32_t i = 1; i < m.words; i = detail::end_of(m, i)) {
            detail::mentions(m, i, [&](std::uint32_t at, detail::op what) {
                if (what == detail::op::ref) all[m.word(at)] = true;
            });
        }
        return all;
    }

    void leave_file() {
        take_strings(*shown_);
        std::vector<std::uint32_t> all;
        all.reserve(std::size_t{shown_->words} + shown_->words / 2);
        all.resize(shown_->words);
        for (std::uint32_t i = 0; i < shown_->words; ++i) all[i] = detail::get32(in_file_ + std::size_t{4} * i);
        words.swap(all);
        in_file_ = nullptr;
        show(*shown_);
    }

    std::unordered_map<std::string, std::uint32_t> numbers_;
    bool unknown_ = false;                 // there are strings that numbers_ does not have yet
    std::vector<std::string_view> fresh_;  // of a rewrite or an edit: the new strings
    std::vector<bool> has_parent_;         // by the index of the record
    std::vector<std::uint32_t> children_;  // of the record that is being added
    std::uint32_t adopted_ = 0;            // of a tree that is built: records with a parent
    detail::image* shown_ = nullptr;       // of a rewrite or an edit: the image by which views read the records
    std::byte* in_file_ = nullptr;         // of an edit to which nothing was added: the words, in the file of the tree
    void (detail_draft::*leave_file_)() = nullptr;  // which programs that edit no tree do not have
    std::optional<detail::heights> heights_;  // of an edit
    bool whole_ = true;                    // of an edit: no reference was set
};

namespace detail {

using draft = detail_draft;

inline constexpr std::string_view magic{"\x89" "FLAT\r\n\x1a", 8};
inline constexpr std::size_t header_bytes = 64;
inline constexpr std::uint32_t max_schema_text = 1 << 20;

constexpr std::uint64_t padded(std::uint64_t n) noexcept { return (n + 3) & ~std::uint64_t{3}; }

// The file of a draft with that root.
inline std::vector<std::byte> encode(const draft& d, const schema& s, std::uint32_t root) {
    std::vector<std::byte> file;
    const auto bytes = [&](std::string_view v) {
        const auto* p = reinterpret_cast<const std::byte*>(v.data());
        file.insert(file.end(), p, p + v.size());
    };
    const auto body = static_cast<std::size_t>(padded(header_bytes + s.text.size()));
    file.reserve(body + 4 * (d.words.size() + d.ends.size()) + d.text.size());
    bytes(magic);
    for (const std::uint64_t v : {std::uint64_t{1}, std::uint64_t{s.version}, s.hash & 0xffffffff, s.hash >> 32,
                                  std::uint64_t{s.text.size()}, std::uint64_t{root}, std::uint64_t{d.words.size()},
                                  std::uint64_t{d.nodes}, std::uint64_t{d.ends.size()}, std::uint64_t{d.text.size()}}) {
        append32(file, static_cast<std::uint32_t>(v));
    }
    file.resize(header_bytes);
    bytes(s.text);
    file.resize(body);
    for (const std::uint32_t w : d.words) append32(file, w);
    for (const std::uint32_t end : d.ends) append32(file, end);
    bytes(d.text);
    return file;
}

}  // namespace detail
}  // namespace coppice::flat

