// Fuzzes coppice::store: the bytes are a program of operations, run on a store beside a
// map from refs to records.
#include <coppice/store.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>

namespace {

using coppice::ref;

struct record {
    std::uint32_t value, inverse;
    friend bool operator==(const record&, const record&) = default;
};

void require(bool condition, const char* what) {
    if (!condition) throw std::logic_error(what);
}

class machine {
public:
    explicit machine(std::size_t max) : store_({.max = max}) {}

    void step(std::uint8_t operation, std::uint8_t argument) {
        switch (operation % 8) {
            case 0: store_.reset(); model_.clear(); break;
            case 1: store_.trim(); break;
            case 2: store_ = store_.clone(); break;
            case 3: copy(argument); break;
            case 4: make(argument); break;
            case 5: erase(argument); break;
            default: for (int i = 0; i <= argument; ++i) alloc();
        }
    }

    void check() const {
        require(store_.size() == model_.size(), "the sizes differ");
        auto want = model_.begin();
        for (auto [r, v] : store_.all()) {
            require(want != model_.end() && r.index() == want->first && v == want->second, "the records differ");
            ++want;
        }
        for (std::uint32_t slot = 0; slot < 300; ++slot) {
            require(store_.contains(ref<record>(slot)) == model_.contains(slot), "contains is wrong");
        }
    }

private:
    void keep(std::uint32_t slot, const record& v) {
        require(slot != 0 && model_.emplace(slot, v).second, "a slot was handed out twice");
    }

    void alloc() {
        const record v{++last_, ~last_};
        const ref<record> r = store_.try_alloc(v);
        require(r || store_.size() == store_.max_size(), "a store with room refused a record");
        if (r) keep(r.index(), v);
    }

    void make(std::size_t n) {
        try {
            auto [first, row] = store_.make(n);
            for (std::uint32_t i = 0; i < n; ++i) {
                require(row[i] == record{}, "a made record is not zero");
                row[i] = {++last_, ~last_};
                keep(first.index() + i, row[i]);
            }
        } catch (const coppice::store_full&) {
            require(n > store_.max_size() + 1 - store_.slice().size(), "a store with room refused a row");
        }
    }

    // Deletes records at regular intervals.
    void erase(std::uint8_t stride) {
        int i = 0;
        for (auto r = model_.begin(); r != model_.end();) {
            if (++i % (stride + 1) != 0) {
                ++r;
                continue;
            }
            store_.erase(ref<record>(r->first));
            r = model_.erase(r);
        }
    }

    void copy(std::uint8_t max) {
        coppice::store<record> other({.max = std::size_t{max} * 20 + 1});
        (void)other.try_alloc({1, 2});
        try {
            other.copy_from(store_);
            store_ = std::move(other);
        } catch (const coppice::store_full&) {
            require(other.max_size() + 1 < store_.slice().size() && other.size() == 1, "a copy that fits was refused");
        }
    }

    coppice::store<record> store_;
    std::map<std::uint32_t, record> model_;
    std::uint32_t last_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n) {
    if (n < 1) return 0;
    machine m(std::size_t{data[0]} * 40 + 1);
    for (std::size_t i = 1; i + 1 < n && i < 200; i += 2) {
        m.step(data[i], data[i + 1]);
        m.check();
    }
    return 0;
}
