namespace coppice::flat::detail {

// The functions by which the setters of views write. Each throws std::logic_error unless a builder
// edits the tree.
struct edits {
    // A value in some bits of a word.
    template <class T>
    static void packed(node n, std::uint32_t w, std::uint32_t shift, std::uint32_t width, T v) {
        draft_of(n).set_bits(access::index(n) + w, shift, (std::uint32_t{1} << width) - 1, draft::bits_of(v));
    }
    // A value in whole words.
    template <class T>
    static void value(node n, std::uint32_t w, const T& v) {
        draft_of(n).set_value(access::index(n), access::index(n) + w, v);
    }
    static void optional_text(node n, std::uint32_t w, const std::optional<std::string_view>& v) {
        draft_of(n).set_optional(access::index(n) + w, v);
    }
    // Item i of a list of a node.
    template <class Item, class T>
    static void item(node n, const list<Item>& l, std::size_t i, const T& v) {
        draft& d = draft_of(n);
        (void)l[i];  // which throws if there is none
        put_item<Item>(d, access::first(l), static_cast<std::uint32_t>(i), v);
    }

private:
    static draft& draft_of(node n) {
        draft* const d = access::of(n).editor;
        if (d == nullptr) [[unlikely]] {
            raise<std::logic_error>("coppice::flat: a setter of a node whose tree no builder is editing; call builder::edit first");
        }
        return *d;
    }
    template <class Item, class T>
    static void put_item(draft& d, std::uint32_t first, std::uint32_t i, const T& v) {
        if constexpr (is_array<T>) {
            for (std::uint32_t k = 0; k < v.size(); ++k) put_item<typename Item::item>(d, first + i * (Item::bits / 32), k, v[k]);
        } else if constexpr (Item::bits < 32) {
            constexpr std::uint32_t each = 32 / Item::bits;
            d.set_bits(first + i / each, i % each * Item::bits, (std::uint32_t{1} << Item::bits) - 1, draft::bits_of(v));
        } else {
            d.set_value(first, first + i * (Item::bits / 32), v);
        }
    }
};

}  // namespace coppice::flat::detail

