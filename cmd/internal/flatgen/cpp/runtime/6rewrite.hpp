
namespace coppice::flat::detail {

// Says where records are now: those from index from on, up to the next entry, have moved by the
// offset by, modulo 2^32.
class moves {
public:
    void add(std::uint32_t from, std::uint32_t by) {
        if (all_.empty() || all_.back().by != by || all_.back().replaced) all_.push_back({from, by, false});
    }
    // Where the record at i was is now the one at r, or nil.
    void replace(std::uint32_t i, std::uint32_t r) {
        if (all_.back().from == i) all_.pop_back();
        all_.push_back({i, r - i, true});
    }
    // Where the record at r is now, and whether it was replaced.
    std::pair<std::uint32_t, bool> find(std::uint32_t r) const {
        if (all_.empty() || r < all_.front().from) [[unlikely]] changed();
        const entry* e = &all_.back();
        if (r < e->from) {
            e = &*std::prev(std::upper_bound(all_.begin(), all_.end(), r, [](std::uint32_t i, const entry& one) { return i < one.from; }));
        }
        return {r + e->by, e->replaced};
    }

private:
    struct entry {
        std::uint32_t from, by;
        bool replaced;
    };
    std::vector<entry> all_;
};

// A bit for each record of the image that is reachable from the root, and how many there are. If
// once, a record with several parents is a logic_error.
inline std::pair<std::vector<bool>, std::uint32_t> reachable(const image& m, std::uint32_t root, bool once) {
    std::vector<bool> live(m.words);
    std::vector<std::uint32_t> todo;
    std::uint32_t n = 0;
    const auto reach = [&](std::uint32_t r, std::uint32_t parent) {
        if (r == 0) return;
        if (r >= parent) [[unlikely]] changed();
        if (live[r]) {
            if (!once) return;
            raise<std::logic_error>("coppice::flat::builder::rewrite: record " + std::to_string(r) +
                                    " has several parents; use it once, or say flat:share in the schema");
        }
        live[r] = true;
        todo.push_back(r);
    };
    reach(root, m.words);
    while (!todo.empty()) {
        const std::uint32_t i = todo.back();
        todo.pop_back();
        ++n;
        mentions(m, i, [&](std::uint32_t at, op what) {
            if (what == op::ref) reach(m.word(at), i);
        });
    }
    return {std::move(live), n};
}

// A rewriter copies a tree into a draft, record by record in the order of the file, which has
// children before parents. When f gets a record, its children are rewritten already. Other records
// are copied in runs, whose references move by one offset. The words are those that the Go package
// makes.
class rewriter {
public:
    rewriter(const image& from, draft& to) : from_(from), to_(to) { to.begin_rewrite(from); }

    // Copies all records, and returns the index of the root. f(i) gets the record at i of the
    // draft, if its kind is in wanted, and returns the index of its replacement.
    template <class F>
    std::uint32_t run(const kind_set& wanted, F&& f) {
        const std::vector<bool>& live = live_ = reachable(from_, from_.root, false).first;
        std::uint32_t first = 1;
        for (std::uint32_t i = 1; i < from_.words;) {
            const std::uint32_t next = end_of(from_, i);
            if (next <= i) [[unlikely]] changed();
            const bool visited = live[i] && wanted.has(static_cast<std::uint8_t>(from_.word(i)));
            if (!live[i] || visited) {
                copy(first, i);
                first = visited ? i : next;
            }
            if (visited) {
                copy(i, next);
                visit(i, static_cast<std::uint32_t>(to_.words.size()) - (next - i), f);
                first = next;
            }
            i = next;
        }
        copy(first, from_.words);
        const std::uint32_t root = from_.root == 0 ? 0 : moved_.find(from_.root).first;
        for (const waiting& w : waiting_) {
            if (to_.words[w.at] == pending_link) to_.words[w.at] = moved_link(w.to, *w.kinds);
        }
        return changed_ ? sweep(root) : root;
    }

private:
    void copy(std::uint32_t first, std::uint32_t end) {
        if (first >= end) return;
        const std::uint32_t at = to_.extend(end - first);
        to_.refresh();
        if constexpr (std::endian::native == std::endian::little) {
            if (end > from_.words) [[unlikely]] changed();
            std::memcpy(to_.words.data() + at, from_.records + std::size_t{4} * first, std::size_t{4} * (end - first));
        } else {
            for (std::uint32_t i = first; i < end; ++i) to_.words[at + (i - first)] = from_.word(i);
        }
        moved_.add(first, at - first);
        to_.nodes += move_refs(at, at + (end - first), at - first, moved_);
    }

    template <class F>
    void visit(std::uint32_t i, std::uint32_t n, F&& f) {
        const std::size_t size = to_.words.size();
        const std::uint32_t r = f(n);
        if (r != n) {
            moved_.replace(i, r);
            turn_links(n, r);
        }
        if (r != n || to_.words.size() != size) changed_ = true;
    }

    // Lets the links of the record at n to itself lead to the one at index r, which has replaced
    // it, or be nil.
    void turn_links(std::uint32_t n, std::uint32_t r) {
        to_.refresh();
        links(to_.seen, n, [&](std::uint32_t at, const slot& s) {
            std::uint32_t& to = to_.words[at];
            if (to == n) to = r != 0 && s.kinds.has(static_cast<std::uint8_t>(to_.words[r])) ? r : 0;
        });
    }

    // Moves the references in the records from index at to end, whose own offset was by. Returns
    // how many records these are.
    std::uint32_t move_refs(std::uint32_t at, std::uint32_t end, std::uint32_t by, const moves& moved) {
        std::uint32_t n = 0;
        for (std::uint32_t i = at; i < end; ++n) {
            mentions(to_.seen, i, [&](std::uint32_t w, op what) {
                std::uint32_t& r = to_.words[w];
                if (what != op::ref || r == 0) return;
                if (r >= i - by) [[unlikely]] changed();
                const auto [now, replaced] = moved.find(r);
                if (now >= i) [[unlikely]] changed();
                if (replaced && now != 0 && !accepts(i, w, now)) {
                    raise<std::logic_error>("coppice::flat::builder::rewrite: " + kind_name(i) + " does not accept " + kind_name(now) + " as a child");
                }
                r = now;
            });
            if (&moved == &moved_) take_links(i, i - by);
            i = end_of(to_.seen, i);
        }
        return n;
    }
    std::string kind_name(std::uint32_t i) const { return to_.seen.tables->kind_name(static_cast<std::uint8_t>(to_.words[i])); }

    // Whether the reference in word w of the record at i may lead to the record at r.
    bool accepts(std::uint32_t i, std::uint32_t w, std::uint32_t r) const {
        bool ok = false;
        mentioned_slots(to_.seen, i, [&](std::uint32_t at, const slot& s) {
            if (at == w) ok = s.kinds.has(static_cast<std::uint8_t>(to_.words[r]));
        });
        return ok;
    }

    // Maps the links of the record at i, which was at index was before. Those that lead to later
    // records wait, and are nil until all records are there.
    void take_links(std::uint32_t i, std::uint32_t was) {
        links(to_.seen, i, [&](std::uint32_t at, const slot& s) {
            std::uint32_t& r = to_.words[at];
            if (r == 0) return;
            if (r > was) {
                waiting_.push_back({at, r, &s.kinds});
                r = pending_link;
            } else {
                r = moved_link(r, s.kinds);
            }
        });
    }
    // What became of the record at index r of the old tree, if a link to these kinds may lead
    // there; otherwise nil.
    std::uint32_t moved_link(std::uint32_t r, const kind_set& kinds) const {
        if (r >= live_.size() || !live_[r]) return 0;
        const std::uint32_t to = moved_.find(r).first;
        return to != 0 && to < to_.words.size() && kinds.has(static_cast<std::uint8_t>(to_.words[to])) ? to : 0;
    }

    // Removes the records of the draft that are not reachable; the others close up in their order.
    // Returns the index of the root.
    std::uint32_t sweep(std::uint32_t root) {
        const auto reached = reachable(to_.seen, root, !to_.seen.tables->share);
        const std::vector<bool>& live = reached.first;
        if (reached.second == to_.nodes) return root;
        to_.nodes = reached.second;
        moves closed;
        std::uint32_t out = 1;
        for (std::uint32_t i = 1, next = 0; i < to_.seen.words; i = next) {
            next = end_of(to_.seen, i);
            if (!live[i]) continue;
            closed.add(i, out - i);
            const std::uint32_t at = out;
            for (std::uint32_t w = i; w < next; ++w) to_.words[out++] = to_.words[w];
            if (at != i) move_refs(at, out, at - i, closed);
        }
        to_.words.resize(out);
        to_.refresh();
        for (std::uint32_t i = 1; i < out; i = end_of(to_.seen, i)) {
            links(to_.seen, i, [&](std::uint32_t at, const slot&) {
                std::uint32_t& r = to_.words[at];
                if (r != 0) r = live[r] ? closed.find(r).first : 0;
            });
        }
        return root == 0 ? 0 : closed.find(root).first;
    }

    const image& from_;
    draft& to_;
    moves moved_;
    struct waiting {
        std::uint32_t at, to;  // the word with the link, and the record of the old tree
        const kind_set* kinds;
    };
    std::vector<waiting> waiting_;
    std::vector<bool> live_;  // the records of the old tree that are reachable
    bool changed_ = false;  // the draft may have records that are not reachable, or records with several parents
};

}  // namespace coppice::flat::detail
