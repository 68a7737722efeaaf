namespace coppice::flat {

// The items of a slice or an array: a random-access range of values. operator[] throws
// std::out_of_range.
template <class Item>
class list {
public:
    using value_type = typename Item::type;
    class iterator;

    list() = default;

    std::size_t size() const noexcept { return count_; }
    bool empty() const noexcept { return count_ == 0; }
    value_type operator[](std::size_t i) const {
        if (i >= count_) [[unlikely]] {
            detail::raise<std::out_of_range>("coppice::flat::list: item " + std::to_string(i) + " of " + std::to_string(count_));
        }
        return get(i);
    }
    iterator begin() const noexcept { return iterator(*this, 0); }
    iterator end() const noexcept { return iterator(*this, count_); }

private:
    friend struct detail::access;
    value_type get(std::size_t i) const { return Item::get(*image_, first_, static_cast<std::uint32_t>(i)); }

    const detail::image* image_ = nullptr;
    std::uint32_t first_ = 0, count_ = 0;
};

template <class Item>
class list<Item>::iterator {
public:
    using value_type = typename Item::type;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using reference = value_type;
    using pointer = void;

    iterator() = default;

    value_type operator*() const { return items_.get(i_); }
    value_type operator[](difference_type n) const { return *(*this + n); }
    iterator& operator++() noexcept { return *this += 1; }
    iterator operator++(int) noexcept { return std::exchange(*this, *this + 1); }
    iterator& operator--() noexcept { return *this -= 1; }
    iterator operator--(int) noexcept { return std::exchange(*this, *this - 1); }
    iterator& operator+=(difference_type n) noexcept {
        i_ += static_cast<std::size_t>(n);
        return *this;
    }
    iterator& operator-=(difference_type n) noexcept { return *this += -n; }
    friend iterator operator+(iterator i, difference_type n) noexcept { return i += n; }
    friend iterator operator+(difference_type n, iterator i) noexcept { return i += n; }
    friend iterator operator-(iterator i, difference_type n) noexcept { return i -= n; }
    friend difference_type operator-(const iterator& a, const iterator& b) noexcept {
        return static_cast<difference_type>(a.i_) - static_cast<difference_type>(b.i_);
    }
    friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.i_ == b.i_; }
    friend auto operator<=>(const iterator& a, const iterator& b) noexcept { return a.i_ <=> b.i_; }

private:
    friend class list;
    iterator(const list& items, std::size_t i) noexcept : items_(items), i_(i) {}
    list items_;
    std::size_t i_ = 0;
};

namespace detail {

// The functions by which handles and views read. They are not members of nodes because fields can
// have any name.
struct access {
    template <class T>
    static T make(const image* m, std::uint32_t index) noexcept {
        T t;
        node& n = t;
        n.image_ = m;
        n.index_ = index;
        return t;
    }
    template <class T>
    static T as(node n) noexcept { return make<T>(n.image_, n.index_); }

    static const image& of(node n) {
        if (n.image_ == nullptr) [[unlikely]] {
            detail::raise<std::logic_error>("coppice::flat: a field of nil");
        }
        return *n.image_;
    }
    static const image* image_of(node n) noexcept { return n.image_; }
    static std::uint32_t index(node n) noexcept { return n.index_; }
    static std::uint8_t kind(node n) { return n.index_ == 0 ? 0 : static_cast<std::uint8_t>(of(n).word(n.index_)); }

    // The node as a T, if it is of that kind.
    template <class T>
    static T cast(node n, std::uint8_t wanted) {
        if (kind(n) != wanted || wanted == 0) [[unlikely]] {
            detail::raise<std::logic_error>("coppice::flat: the node is of another kind");
        }
        return as<T>(n);
    }

    static std::uint32_t word(node n, std::uint32_t w) { return of(n).word(n.index_ + w); }
    static bool flag(node n, std::uint32_t w, std::uint32_t bit) { return (word(n, w) >> bit & 1) != 0; }
    template <class T>
    static T packed(node n, std::uint32_t w, std::uint32_t shift) { return static_cast<T>(word(n, w) >> shift); }
    template <class N>
    static typename N::value_type narrow(node n, std::uint32_t w, std::uint32_t shift) { return N::decode(word(n, w) >> shift); }
    template <class T>
    static T scalar(node n, std::uint32_t w) { return scalar_at<T>(of(n), n.index_ + w); }
    template <class T>
    static T scalar_at(const image& m, std::uint32_t at) {
        if constexpr (sizeof(T) == 8) {
            return std::bit_cast<T>(std::uint64_t{m.word(at)} | std::uint64_t{m.word(at + 1)} << 32);
        } else {
            return std::bit_cast<T>(m.word(at));
        }
    }
    static std::string_view text(node n, std::uint32_t w) { return of(n).string(word(n, w)); }
    static std::optional<std::string_view> optional_text(node n, std::uint32_t w) {
        const std::uint32_t i = word(n, w);
        return i == 0 ? std::nullopt : std::optional(of(n).string(i));
    }
    template <class T>
    static T ref(node n, std::uint32_t w) { return ref_at<T>(of(n), n.index_ + w); }
    // References must lead backwards, even if the file has changed, so that traversals end. A tree
    // that a builder edits is its own, and has no cycles.
    template <class T>
    static T ref_at(const image& m, std::uint32_t at) {
        const std::uint32_t r = m.word(at);
        if (r >= at) [[unlikely]] {
            if (!m.edited || r >= m.words) changed();
        }
        return make<T>(r == 0 ? nullptr : &m, r);
    }
    // A link, which leads in any direction.
    template <class T>
    static T link(node n, std::uint32_t w) { return link_at<T>(of(n), n.index_ + w); }
    template <class T>
    static T link_at(const image& m, std::uint32_t at) {
        const std::uint32_t r = m.word(at);
        if (r == 0 || (m.draft && r == pending_link)) return {};
        if (r >= m.words) [[unlikely]] changed();
        return make<T>(&m, r);
    }
    template <class T>
    static T part(node n, std::uint32_t w) noexcept { return make<T>(n.image_, n.index_ + w); }

    template <class Item>
    static list<Item> items(const image& m, std::uint32_t first, std::uint32_t count) noexcept {
        list<Item> l;
        l.image_ = &m;
        l.first_ = first;
        l.count_ = count;
        return l;
    }
    template <class Item>
    static const image* image_of(const list<Item>& l) noexcept { return l.image_; }
    template <class Item>
    static std::uint32_t first(const list<Item>& l) noexcept { return l.first_; }
    // The first slice of a record with `fixed` words in its fixed part and the count in the header
    // from bit `shift` on.
    template <class Item>
    static list<Item> slice(node n, std::uint32_t fixed, std::uint32_t shift) {
        std::uint32_t end = n.index_ + fixed;
        const std::uint32_t count = count_of(of(n), n.index_, 0, shift, end);
        return items<Item>(of(n), end, count);
    }
    // A first slice with the count in a word, and a later one.
    template <class Item>
    static list<Item> slice_at(node n, std::uint32_t fixed, std::uint32_t count_word) {
        return items<Item>(of(n), n.index_ + fixed, word(n, count_word));
    }
    template <class Item, class Before>
    static list<Item> slice_after(node n, const list<Before>& before, std::uint32_t count_word) {
        const auto end = before.first_ + static_cast<std::uint32_t>(words_of(before.count_, Before::bits));
        return items<Item>(of(n), end, word(n, count_word));
    }
    // A slice in a struct.
    template <class Item>
    static list<Item> nested(node n, std::uint32_t count_word) {
        const far_list l = nested_list(of(n), n.index_ + count_word + 1);
        return items<Item>(of(n), l.first, l.count);
    }
    template <class Item>
    static list<Item> array(node n, std::uint32_t w, std::uint32_t count) {
        return items<Item>(of(n), n.index_ + w, count);
    }
};

}  // namespace detail

// Descriptions of list items: their type, their size in bits, and a function that reads item i of a
// list.
template <class T>
struct scalar_item {
    using type = T;
    static constexpr std::uint32_t bits = 8 * sizeof(T);
    static T get(const detail::image& m, std::uint32_t first, std::uint32_t i) {
        if constexpr (bits >= 32) {
            return detail::access::scalar_at<T>(m, first + i * (bits / 32));
        } else {
            constexpr std::uint32_t each = 32 / bits;
            const std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
            return static_cast<T>(m.word(first + i / each) >> (i % each * bits) & mask);
        }
    }
};
template <class N>
struct narrow_item {
    using type = typename N::value_type;
    static constexpr std::uint32_t bits = 32;
    static type get(const detail::image& m, std::uint32_t first, std::uint32_t i) { return N::decode(m.word(first + i)); }
};
struct text_item {
    using type = std::string_view;
    static constexpr std::uint32_t bits = 32;
    static type get(const detail::image& m, std::uint32_t first, std::uint32_t i) { return m.string(m.word(first + i)); }
};
template <class Handle>
struct ref_item {
    using type = Handle;
    static constexpr std::uint32_t bits = 32;
    static type get(const detail::image& m, std::uint32_t first, std::uint32_t i) {
        return detail::access::ref_at<Handle>(m, first + i);
    }
};
template <class Handle>
struct link_item {
    using type = Handle;
    static constexpr std::uint32_t bits = 32;
    static type get(const detail::image& m, std::uint32_t first, std::uint32_t i) {
        return detail::access::link_at<Handle>(m, first + i);
    }
};
template <class View, std::uint32_t words>
struct struct_item {
    using type = View;
    static constexpr std::uint32_t bits = 32 * words;
    static type get(const detail::image& m, std::uint32_t first, std::uint32_t i) {
        return detail::access::make<View>(&m, first + i * words);
    }
};
template <class Item, std::uint32_t count>
struct array_item {
    using type = list<Item>;
    using item = Item;
    static constexpr std::uint32_t bits = 32 * static_cast<std::uint32_t>(detail::words_of(count, Item::bits));
    static type get(const detail::image& m, std::uint32_t first, std::uint32_t i) {
        return detail::access::items<Item>(m, first + i * (bits / 32), count);
    }
};

}  // namespace coppice::flat

