namespace coppice::flat::detail {

// What a tree remembers while a builder edits it, and afterwards as long as references lead
// forward. Then children may come after their parents, but no record is its own ancestor. The rules
// are the same as in the Go package; docs/decisions/0024 explains them.
//
// Each record has a height: an old one its index, a new one that of the highest record below it,
// and one that can have no children 0. An old record is higher than its children, and a new one is
// at least as high as its children and comes after those that are new. So a chain of references
// never comes back to where it began.
class heights {
public:
    explicit heights(const image& m) : base_(m.words) {
        for (std::size_t kind = 1; kind < m.tables->shapes.size(); ++kind) {
            if (has_refs(m.tables->shapes[kind].parts)) inner_.bits[kind / 32] |= std::uint32_t{1} << (kind % 32);
        }
    }

    // Whether a reference leads forward, or may.
    bool forward() const noexcept { return forward_; }

    // Whether the word at of the record, struct or list that starts at word n may refer to the
    // record at c, which must be neither the record with the word nor above it. has_parent(i) says
    // whether the record at i has a parent. If heights do not tell, it looks at all nodes below c.
    template <class F>
    bool accept(const image& m, std::uint32_t n, std::uint32_t at, std::uint32_t c, F&& has_parent) {
        const bool back = end_of(m, c) <= at;
        if (inner(m, c) && (mixed_ || !lower(m, n, at, c, back, has_parent))) {
            if (below(m, c, at)) return false;
            mixed_ = true;
        }
        forward_ = forward_ || !back;
        return true;
    }

private:
    // Whether records of the kind of the one at i can have children.
    bool inner(const image& m, std::uint32_t i) const { return inner_.has(static_cast<std::uint8_t>(m.word(i))); }

    // Whether the heights of all records stay what they must be if the word at refers to c. May
    // raise that of the record at n, if it has no parent. back says that c comes before the word.
    template <class F>
    bool lower(const image& m, std::uint32_t n, std::uint32_t at, std::uint32_t c, bool back, F&& has_parent) {
        measure(m);
        const std::uint32_t height = c < base_ ? c : all_[c - base_] - 1;
        if (at < base_) return height == 0 || end_of(m, height) <= at;
        const std::uint32_t i = record_of(n);
        if (i == 0 || !back) return false;  // or c is new and comes after n
        std::uint32_t& of = all_[i - base_];
        if (height >= of && !m.tables->share && !has_parent(i)) of = height + 1;
        return height < of;
    }

    // The index of the new record with that word, which may be of a list or a struct; 0 if it
    // begins far before the word.
    std::uint32_t record_of(std::uint32_t word) const {
        constexpr std::uint32_t far_away = 64;
        for (std::uint32_t back = 0; back < far_away && back <= word - base_; ++back) {
            if (all_[word - base_ - back] != 0) return word - back;
        }
        return 0;
    }

    // Computes the heights of the new records that have none yet. Their references lead backwards,
    // but for those to records that can have no children.
    void measure(const image& m) {
        for (auto i = base_ + static_cast<std::uint32_t>(all_.size()); i < m.words;) {
            const std::uint32_t end = end_of(m, i);
            std::uint32_t height = 0;
            mentions(m, i, [&](std::uint32_t at, op what) {
                const std::uint32_t r = what == op::ref ? m.word(at) : 0;
                if (r != 0 && inner(m, r)) height = (std::max)(height, r < base_ ? r : all_[r - base_] - 1);
            });
            all_.resize(end - base_);
            all_[i - base_] = height + 1;
            i = end;
        }
    }

    // Whether the word at belongs to the record at c, or to one below it.
    bool below(const image& m, std::uint32_t c, std::uint32_t at) {
        if (m.tables->share) seen_.assign(m.words, false);
        todo_.assign(1, c);
        while (!todo_.empty()) {
            const std::uint32_t i = todo_.back();
            todo_.pop_back();
            if (i <= at && at < end_of(m, i)) return true;
            if (m.tables->share) {
                if (seen_[i]) continue;
                seen_[i] = true;
            }
            mentions(m, i, [&](std::uint32_t w, op what) {
                const std::uint32_t r = what == op::ref ? m.word(w) : 0;
                if (r != 0) todo_.push_back(r);
            });
        }
        return false;
    }

    std::uint32_t base_;              // the records from this word on are new
    kind_set inner_{};                // the kinds whose records can have children
    bool forward_ = false;
    bool mixed_ = false;              // heights are not kept any more: a child was accepted that is higher than its parent
    std::vector<std::uint32_t> all_;  // by the words from base_ on: 1 + the height of the record that starts there
    std::vector<std::uint32_t> todo_;
    std::vector<bool> seen_;
};

}  // namespace coppice::flat::detail

