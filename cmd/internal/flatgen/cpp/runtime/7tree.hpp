namespace coppice::flat {

namespace detail {

// The nodes of a tree in buffer order: children before their parents.
template <class Any>
class all_nodes {
public:
    class iterator {
    public:
        using value_type = Any;
        using difference_type = std::ptrdiff_t;
        using iterator_concept = std::input_iterator_tag;

        iterator() = default;
        iterator(const image* m, std::uint32_t i) noexcept : m_(m), i_(i) {}
        Any operator*() const noexcept { return access::make<Any>(m_, i_); }
        iterator& operator++() {
            i_ = end_of(*m_, i_);
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const noexcept { return i_ >= m_->words; }

    private:
        const image* m_ = nullptr;
        std::uint32_t i_ = 0;
    };

    explicit all_nodes(const image* m) noexcept : m_(m) {}
    iterator begin() const noexcept { return {m_, 1}; }
    std::default_sentinel_t end() const noexcept { return {}; }

private:
    const image* m_;
};

// Appends the children of the record at i, the last one first.
inline void push_children(const image& m, std::uint32_t i, std::vector<std::uint32_t>& todo) {
    const std::size_t first = todo.size();
    mentions(m, i, [&](std::uint32_t at, op what) {
        const std::uint32_t r = what == op::ref ? m.word(at) : 0;
        if (r != 0 && (r < i || m.edited)) todo.push_back(r);
    });
    std::reverse(todo.begin() + static_cast<std::ptrdiff_t>(first), todo.end());
}

// A node and its descendants, parents first, without recursion.
template <class Any>
class preorder_nodes {
public:
    class iterator {
    public:
        using value_type = Any;
        using difference_type = std::ptrdiff_t;
        using iterator_concept = std::input_iterator_tag;

        iterator() = default;
        explicit iterator(node n) : m_(access::image_of(n)), i_(access::index(n)) {
            if (i_ != 0) push_children(*m_, i_, todo_);
        }
        Any operator*() const noexcept { return access::make<Any>(m_, i_); }
        iterator& operator++() {
            i_ = 0;
            if (todo_.empty()) return *this;
            i_ = todo_.back();
            todo_.pop_back();
            push_children(*m_, i_, todo_);
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const noexcept { return i_ == 0; }

    private:
        const image* m_ = nullptr;
        std::uint32_t i_ = 0;
        std::vector<std::uint32_t> todo_;
    };

    explicit preorder_nodes(node n) noexcept : n_(n) {}
    iterator begin() const { return iterator(n_); }
    std::default_sentinel_t end() const noexcept { return {}; }

private:
    node n_;
};

// Calls f with the index of each record reachable from the root, children first, each once, without
// recursion.
template <class F>
void postorder(const image& m, std::uint32_t root, F&& f) {
    std::vector<bool> met(m.words);
    std::vector<std::pair<std::uint32_t, bool>> todo{{root, false}};
    std::vector<std::uint32_t> children;
    while (!todo.empty()) {
        const auto [i, after] = todo.back();
        todo.pop_back();
        if (i == 0 || i >= m.words || met[i]) continue;
        if (after) {
            met[i] = true;
            f(i);
            continue;
        }
        todo.emplace_back(i, true);
        children.clear();
        push_children(m, i, children);
        for (const std::uint32_t c : children) todo.emplace_back(c, false);
    }
}

// What becomes of strings.
enum class texts { renumbered, kept };

// The file of a tree in canonical form: records in post-order, each string once in the order of
// first use, and only records that are reachable from the root. Or all strings are kept, with their
// numbers.
inline std::vector<std::byte> compact(const image& m, texts what_becomes = texts::renumbered) {
    draft d;
    if (what_becomes == texts::kept) d.take_strings(m);
    std::vector<std::uint32_t> moved(m.words);
    postorder(m, m.root, [&](std::uint32_t i) {
        const std::uint32_t end = end_of(m, i);
        const std::uint32_t at = d.extend(end - i);
        moved[i] = at;
        ++d.nodes;
        for (std::uint32_t w = i; w < end; ++w) d.words[at + (w - i)] = m.word(w);
        mentions(m, i, [&](std::uint32_t from, op what) {
            std::uint32_t& w = d.words.at(at + (from - i));
            if (what == op::ref) {
                w = moved.at(w);
            } else if (w != 0 && what_becomes == texts::renumbered) {
                w = what == op::text ? d.number_of(m.string(w)) : d.present_number_of(m.string(w));
            }
        });
    });
    image copy = m;
    copy.draft = true;
    copy.records = reinterpret_cast<const std::byte*>(d.words.data());
    copy.words = static_cast<std::uint32_t>(d.words.size());
    for (std::uint32_t i = 1; i < copy.words; i = end_of(copy, i)) {
        links(copy, i, [&](std::uint32_t at, const slot&) { d.words[at] = moved.at(d.words[at]); });
    }
    return encode(d, *m.tables, moved[m.root]);
}

}  // namespace detail

// A validated tree in a file or in memory. S is the generated description of its schema. It is
// read-only, unless builder::edit takes it. Nodes are valid while the tree exists, even if it is
// moved. Any number of threads may read it. A tree that was moved from can only be assigned to.
// After an edit that has put a child after its parent, all, fold, bytes and write throw
// std::logic_error: they promise children first. What compact returns has that order. Reading a mapped file that was truncated
// faults. If the file was overwritten, reads return any values or throw invalid_file, but never
// read beyond the file.
template <class S>
class tree {
public:
    using root_type = typename S::root_type;
    using any = typename S::any_type;

    // load copies the bytes, which need not be aligned; view does not copy them, and they must
    // outlive the tree.
    static tree load(std::span<const std::byte> file, const load_limits& limits = {}) {
        tree t;
        detail::check_size(detail::decode_header(file), file.size(), limits);  // before there is a copy
        t.storage_->own.assign(file.begin(), file.end());
        t.storage_->take(t.storage_->own, S::tables(), limits);
        return t;
    }
    static tree view(std::span<const std::byte> file, const load_limits& limits = {}) {
        tree t;
        t.storage_->take(file, S::tables(), limits);
        return t;
    }
    // Maps the file if the system can and it has the newest version; otherwise reads it. Also
    // throws std::system_error.
    static tree open(const std::string& path, const load_limits& limits = {}) {
        tree t;
#ifdef __cpp_exceptions
        try {
            detail::open_into(*t.storage_, path, S::tables(), limits);
        } catch (const invalid_file& e) {
            throw invalid_file(path + ": " + e.what());
        } catch (const beyond_limit& e) {
            throw beyond_limit(path + ": " + e.what());
        }
#else
        detail::open_into(*t.storage_, path, S::tables(), limits);  // whose last words do not name the file
#endif
        return t;
    }

    // The root, or nil if the tree is empty.
    root_type root() const noexcept {
        const auto& m = storage_->m;
        return detail::access::make<root_type>(m.root == 0 ? nullptr : &m, m.root);
    }
    std::size_t num_nodes() const noexcept { return storage_->m.nodes; }

    // All nodes in file order, children before their parents.
    detail::all_nodes<any> all() const {
        check_order("all");
        return detail::all_nodes<any>(&storage_->m);
    }

    // Calls f(node, done) for each node, children first, in one pass without recursion. Returns the
    // result of the root, or R{} for nil. done(child) is the result of a child. Allocates one R per
    // word.
    template <class R, class F>
    R fold(F&& f) const {
        check_order("fold");
        std::vector<R> results(storage_->m.words);
        const auto done = [&](node n) -> const R& { return results.at(detail::access::index(n)); };
        for (any n : all()) results[detail::access::index(n)] = f(n, done);
        return results[detail::access::index(root())];
    }

    // The tree in canonical form: equal trees have equal bytes.
    tree compact() const { return of(detail::compact(storage_->m), !S::tables().share); }

    // The bytes of the file, and a function that writes them.
    std::span<const std::byte> bytes() const {
        check_order("bytes");
        return storage_->m.file;
    }
    void write(std::ostream& out) const {
        out.write(reinterpret_cast<const char*>(bytes().data()), static_cast<std::streamsize>(bytes().size()));
    }

    // Writes one line per record: its index, by which others refer to it, its offset in the file,
    // its kind and its fields.
    void dump(std::ostream& out) const;

private:
    template <class>
    friend class builder;
    tree() : storage_(std::make_unique<detail::storage>()) {}
    explicit tree(std::unique_ptr<detail::storage> s) noexcept : storage_(std::move(s)) {}
    static tree of(std::vector<std::byte> file, bool whole) {
        tree t;
        t.storage_->adopt(std::move(file), S::tables(), whole);
        return t;
    }
    void check_order(const char* function) const {
        if (storage_->m.edited) [[unlikely]] {
            detail::raise<std::logic_error>(std::string("coppice::flat::tree::") + function +
                                            ": the tree was edited, and has children after their parents; use what compact returns");
        }
    }
    std::unique_ptr<detail::storage> storage_;
};

// A builder adds records, children first, and rewrites and edits trees. S is the generated description of its schema. It is for
// one thread at a time. Equal strings are stored once. Builders cannot be copied: records of one
// would be accepted as children by the other.
template <class S>
class builder {
public:
    builder() { draft_.share = S::tables().share; }
    builder(const builder&) = delete;
    builder& operator=(const builder&) = delete;

    // Adds a record with the given fields. Throws std::logic_error if a child belongs to another
    // tree or, without flat:share, already has a parent, and std::length_error if the tree is full.
    // Then nothing is added.
    template <class Fields>
    auto add(const Fields& fields) {
        draft_.make_room();
        attempt one{draft_, draft_.words.size()};
        const std::uint32_t at = put_record(draft_, fields);
        one.succeeded = true;
        draft_.keep();
        ++draft_.nodes;
        return made<typename Fields::record>(draft_.serial, at);
    }

    // The record as a T; throws if it is another variant.
    template <class T, class From>
    made<T> as(made<From> from) const {
        if (!from) return {};
        if (from.serial_ != draft_.serial || !kinds_of(std::type_identity<T>{}).has(draft_.kind_at(from.index_))) {
            detail::raise<std::logic_error>("coppice::flat::builder::as: a record of another kind, or of another tree");
        }
        return {from.serial_, from.index_};
    }

    // Copies a tree with what the functions make of its nodes, children first, and starts an empty
    // tree. A function takes a view or a handle, and gets the nodes that convert to it, with their
    // children rewritten; the first function that takes a node gets it. It returns the replacement,
    // made by add, or reuse(n) of the node itself or of a descendant, or nil. Nodes are valid until
    // the function returns. Other nodes are copied. The new tree has all strings of the old one,
    // and only nodes that are reachable. Throws std::logic_error if the builder has begun a tree,
    // if a node is not allowed in its place, or, without flat:share, if it has several parents.
    // Then, and if a function throws, the builder is empty.
    template <class... Functions>
    tree<S> rewrite(const tree<S>& from, Functions&&... functions) {
        if (begun()) detail::raise<std::logic_error>("coppice::flat::builder::rewrite: the builder has begun another tree");
        detail::storage ordered;  // of a tree in which references lead forward
        if (from.storage_->m.edited) ordered.adopt(detail::compact(from.storage_->m, detail::texts::kept), S::tables(), false);
        const ending end{*this};
        detail::rewriter r(from.storage_->m.edited ? ordered.m : from.storage_->m, draft_);
        const std::uint32_t root = r.run(wanted<Functions...>(typename S::template records<list_of>()), [&](std::uint32_t i) {
            const auto n = detail::access::make<typename S::any_type>(&draft_.seen, i);
            return n.visit([&](auto view) { return own(call(view, functions...)); });
        });
        if (root != 0 && !kinds_of(std::type_identity<typename S::root_type>{}).has(static_cast<std::uint8_t>(draft_.words[root]))) {
            detail::raise<std::logic_error>("coppice::flat::builder::rewrite: a root of a kind that the schema does not allow");
        }
        return tree<S>::of(detail::encode(draft_, S::tables(), root), !S::tables().share);
    }

    // Takes a tree, to change it in its own memory, and returns its root; finish returns the tree.
    // Until then, add adds records after the others, and the setters of views accept each of them
    // as a child, but no cycle: b.reuse(n) of a node of the tree, or what add returns, whose node is
    // b.at(m). Unless the schema has flat:share, each node has one parent: set its place to nil
    // before it gets another. Nodes stay valid, also after finish. Text that views return is valid
    // until finish. If the builder is destroyed, the tree is too.
    //
    // It costs a bit for each word, and one pass unless the tree is known to have no record without
    // a parent. The first record or string that is added costs a copy of the tree, and finish
    // another one, unless references lead forward. Throws std::logic_error if the builder has begun
    // a tree, or if the tree is mapped or views bytes of the caller.
    typename S::root_type edit(tree<S>&& from) {
        if (begun()) detail::raise<std::logic_error>("coppice::flat::builder::edit: the builder has begun another tree; call finish first");
        if (from.storage_ == nullptr) detail::raise<std::logic_error>("coppice::flat::builder::edit: the tree was moved from");
        if (from.storage_->own.empty()) {
            detail::raise<std::logic_error>("coppice::flat::builder::edit: the tree is mapped or views bytes of the caller, and is read-only; edit what rewrite or load makes of it");
        }
        from.storage_->begin_edit(draft_);
        edited_ = std::move(from.storage_);
        end_edit_ = &detail::storage::end_edit;
        const auto& m = edited_->m;
        return detail::access::make<typename S::root_type>(m.root == 0 ? nullptr : &m, m.root);
    }

    // During an edit, the node of a record, or nil.
    template <class T>
    T at(made<T> m) const {
        if (!m) return {};
        if (edited_ == nullptr || m.serial_ != draft_.serial) {
            detail::raise<std::logic_error>("coppice::flat::builder::at: a record of another tree, or of one that is not being edited");
        }
        return detail::access::make<T>(&edited_->m, m.index_);
    }

    // A node for add, for a setter, for finish, or as the result of a function of rewrite: one that
    // the function has got, or a descendant, or any of the tree that is being edited.
    template <class T>
    made<T> reuse(T n) const {
        if (!n) return {};
        if (detail::access::image_of(n) != (edited_ != nullptr ? &edited_->m : &draft_.seen)) detail::raise<std::logic_error>("coppice::flat::builder::reuse: a node of another tree");
        return {draft_.serial, detail::access::index(n)};
    }

    // Returns the tree with the given root and starts an empty one. Throws std::logic_error if the
    // root belongs to another tree or has a parent; nothing is lost then.
    tree<S> finish(made<typename S::root_type> root) {
        if (draft_.rewriting()) detail::raise<std::logic_error>("coppice::flat::builder::finish: called by a function that rewrite has called");
        if (root) {
            if (root.serial_ != draft_.serial) detail::raise<std::logic_error>("coppice::flat::builder: a root of another tree, or of one that is finished");
            if (draft_.has_parent(root.index_)) detail::raise<std::logic_error>("coppice::flat::builder: a root that has a parent");
        }
        if (edited_ != nullptr) {
            (edited_.get()->*end_edit_)(draft_, root.index_);
            tree<S> t(std::move(edited_));
            clear();
            return t;
        }
        auto t = tree<S>::of(detail::encode(draft_, S::tables(), root.index_), draft_.is_whole());
        clear();
        return t;
    }

private:
    bool begun() const noexcept { return edited_ != nullptr || draft_.rewriting() || draft_.words.size() > 1; }
    void clear() {
        draft_ = detail::draft();
        draft_.share = S::tables().share;
    }
    // The end of a rewrite, even by an exception.
    struct ending {
        builder& b;

        ~ending() { b.clear(); }
    };

    template <class...>
    struct list_of {};
    template <class View, class... Functions>
    static constexpr bool taken = (std::is_invocable_v<Functions&, View> || ...);
    template <class... Functions, class... Views>
    static kind_set wanted(list_of<Views...>) {
        kind_set all{};
        std::size_t kind = 0;
        for (const bool is : {taken<Views, Functions...>...}) {
            ++kind;
            if (is) all.bits[kind / 32] |= std::uint32_t{1} << (kind % 32);
        }
        return all;
    }
    // What the first function that takes the view makes of it.
    template <class View, class F, class... More>
    static made<typename S::any_type> call(View v, F& f, More&... more) {
        if constexpr (std::is_invocable_v<F&, View>) {
            return f(v);
        } else {
            return call(v, more...);
        }
    }
    template <class View>
    static made<typename S::any_type> call(View) { return {}; }  // rewrite asks for no such node
    std::uint32_t own(made<typename S::any_type> m) const {
        if (m && m.serial_ != draft_.serial) detail::raise<std::logic_error>("coppice::flat::builder::rewrite: a record of another tree");
        return m.index_;
    }

    // A record that is removed unless it was completed.
    struct attempt {
        detail::draft& draft;
        std::size_t before;
        bool succeeded = false;

        ~attempt() {
            if (!succeeded) draft.forget(before);
            draft.refresh();
        }
    };

    detail::draft draft_;
    std::unique_ptr<detail::storage> edited_;  // the tree that is being edited
    // What ends an edit. Programs that edit no tree do not have its code.
    void (detail::storage::*end_edit_)(detail::draft&, std::uint32_t) = nullptr;
};

// Converts a value that a view returned to the type that a builder accepts. child(handle) converts
// children.
template <class To, class From, class F>
To copied(const From& v, F&& child) {
    if constexpr (detail::is_made<To> || detail::is_link<To>) {
        return child(v);
    } else if constexpr (std::is_convertible_v<From, To>) {
        return v;
    } else if constexpr (detail::is_array<To>) {
        To all{};
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = copied<typename To::value_type>(v[i], child);
        return all;
    } else if constexpr (requires { v.begin(); }) {
        To all;
        all.reserve(v.size());
        for (auto item : v) all.push_back(copied<typename To::value_type>(item, child));
        return all;
    } else {
        return fields_of(v, child);
    }
}

}  // namespace coppice::flat

