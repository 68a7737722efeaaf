// Operation programs: bytes that encode operations on a coppice container and on the
// corresponding standard one. Both must agree after each step. The tests run random
// programs, and the fuzzer searches for failing ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coppice/inline_string.hpp"
#include "coppice/inline_vector.hpp"

namespace coppice::programs {

// The bytes of a program. Behind its end there are zeros.
class source {
public:
    source(const std::uint8_t* data, std::size_t n) : next_(data), end_(data + n) {}

    [[nodiscard]] bool done() const { return next_ == end_; }
    std::uint8_t byte() { return done() ? std::uint8_t{0} : *next_++; }
    std::size_t upto(std::size_t most) { return byte() % (most + 1); }

private:
    const std::uint8_t* next_;
    const std::uint8_t* end_;
};

inline void require(bool holds, const char* what, int step) {
    if (!holds) {
        detail::raise<std::logic_error>(std::string(what) + " after step kind " + std::to_string(step));
    }
}

// How a program makes elements, and how it compares them.
template <class T>
struct element {
    static T make(std::uint8_t b) { return static_cast<T>(b); }
    static bool same(const T& a, const T& b) { return a == b; }
};

template <>
struct element<std::string> {
    static std::string make(std::uint8_t b) { return std::string(b % 40, static_cast<char>('a' + b % 26)); }
    static bool same(const std::string& a, const std::string& b) { return a == b; }
};

template <class T>
struct element<std::unique_ptr<T>> {
    static std::unique_ptr<T> make(std::uint8_t b) { return std::make_unique<T>(element<T>::make(b)); }
    static bool same(const std::unique_ptr<T>& a, const std::unique_ptr<T>& b) { return *a == *b; }
};

// Two vectors of each kind, so that programs can swap, copy and move.
template <class T, std::size_t N, class Allocator = std::allocator<T>>
class vector_program {
    using ours = inline_vector<T, N, Allocator>;
    using theirs = std::vector<T>;

public:
    explicit vector_program(const Allocator& alloc = Allocator()) : a_(alloc), b_(alloc) {}

    void run(source in) {
        while (!in.done()) {
            const int step = in.byte() % 24;
            at_ = in.upto(x_.size());
            to_ = at_ + in.upto(x_.size() - at_);
            if (step < 14) {
                any(step, in);
            } else if constexpr (std::is_copy_constructible_v<T>) {
                copying(step, in);
            }
            check(step);
        }
    }

private:
    T make(source& in) { return element<T>::make(in.byte()); }

    // Steps that any type can do.
    void any(int step, source& in) {
        const std::uint8_t v = in.byte();
        const auto at = static_cast<std::ptrdiff_t>(at_);
        const auto to = static_cast<std::ptrdiff_t>(to_);
        switch (step) {
        case 0: case 1: case 2:
            a_.push_back(element<T>::make(v));
            x_.push_back(element<T>::make(v));
            break;
        case 3: case 4: {
            const auto i = a_.insert(a_.begin() + at, element<T>::make(v));
            x_.insert(x_.begin() + at, element<T>::make(v));
            require(i == a_.begin() + at, "insert returned another place", step);
            break;
        }
        case 5:
            if (!x_.empty()) {
                a_.pop_back();
                x_.pop_back();
            }
            break;
        case 6: {
            const auto i = a_.erase(a_.begin() + at, a_.begin() + to);
            x_.erase(x_.begin() + at, x_.begin() + to);
            require(i == a_.begin() + at, "erase returned another place", step);
            break;
        }
        case 7:
            if (at_ < x_.size()) {
                a_.erase(a_.begin() + at);
                x_.erase(x_.begin() + at);
            }
            break;
        case 8: a_.swap(b_); x_.swap(y_); break;
        case 9: a_ = std::move(b_); x_ = std::move(y_); y_.clear(); break;
        case 10: {
            ours moved(std::move(a_));
            require(a_.empty() && a_.is_inline(), "not empty when moved from", step);
            a_ = std::move(moved);
            break;
        }
        case 11: a_.reserve(v % 64); require(a_.capacity() >= v % 64u, "too little capacity", step); break;
        case 12: a_.shrink_to_fit(); require(a_.is_inline() == (a_.size() <= N), "not shrunk", step); break;
        default:
            if (v % 4 == 0) {
                a_.clear();
                x_.clear();
            }
        }
    }

    // Steps that copy elements, some of them the vector's own.
    void copying(int step, source& in) {
        const auto at = static_cast<std::ptrdiff_t>(at_);
        const std::size_t n = in.upto(2 * N + 3);
        const T v = make(in);
        switch (step) {
        case 14: a_.insert(a_.begin() + at, n, v); x_.insert(x_.begin() + at, n, v); break;
        case 15: {
            std::vector<T> more;
            for (std::size_t i = 0; i < n; ++i) {
                more.push_back(make(in));
            }
            a_.insert(a_.begin() + at, more.begin(), more.end());
            x_.insert(x_.begin() + at, more.begin(), more.end());
            break;
        }
        case 16: a_.assign(n, v); x_.assign(n, v); break;
        case 17: a_ = b_; x_ = y_; break;
        case 18: a_.resize(n, v); x_.resize(n, v); break;
        case 19:
            if (at_ < x_.size()) {
                a_.push_back(a_[at_]);
                x_.push_back(T(x_[at_]));
            }
            break;
        case 20:
            if (!x_.empty()) {
                a_.insert(a_.begin() + at, a_.back());
                x_.insert(x_.begin() + at, T(x_.back()));
            }
            break;
        case 21:
            if (at_ < x_.size()) {
                a_.insert(a_.begin() + at, n, a_[at_]);
                x_.insert(x_.begin() + at, n, T(x_[at_]));
            }
            break;
        case 22: {
            const ours copy(a_);
            require(copy == a_, "a copy differs", step);
            a_.assign(b_.begin(), b_.end());
            x_.assign(y_.begin(), y_.end());
            break;
        }
        default: a_ = static_cast<const ours&>(a_);
        }
    }

    void check(int step) const {
        check(a_, x_, step);
        check(b_, y_, step);
    }

    static void check(const ours& a, const theirs& x, int step) {
        require(a.size() == x.size(), "another size", step);
        require(a.is_inline() == (a.capacity() == N) && a.capacity() >= a.size(), "wrong capacity", step);
        for (std::size_t i = 0; i < a.size(); ++i) {
            require(element<T>::same(a[i], x[i]), "another element", step);
        }
    }

    ours a_, b_;
    theirs x_, y_;
    std::size_t at_ = 0, to_ = 0;
};

// The same for strings.
template <class CharT, std::size_t N>
class string_program {
    using ours = basic_inline_string<CharT, N>;
    using theirs = std::basic_string<CharT>;
    using view = std::basic_string_view<CharT>;

public:
    void run(source in) {
        while (!in.done()) {
            const int step = in.byte() % 22;
            at_ = in.upto(x_.size());
            n_ = in.upto(x_.size() - at_);
            if (step < 12) {
                edit(step, in);
            } else {
                more(step, in);
            }
            check(step);
            if (x_.size() > 4000) {
                a_.clear();
                x_.clear();
            }
        }
    }

private:
    theirs text(source& in) {
        theirs s;
        for (std::size_t i = in.upto(2 * N); i > 0; --i) {
            s.push_back(static_cast<CharT>(in.byte()));
        }
        return s;
    }

    // Steps with texts from elsewhere or from the string itself.
    void edit(int step, source& in) {
        const theirs s = step < 6 ? text(in) : theirs();
        const std::size_t from = in.upto(x_.size());
        const std::size_t length = in.upto(x_.size() - from);
        const view own(a_.data() + from, length);
        const theirs same(x_, from, length);
        switch (step) {
        case 0: a_ += s; x_ += s; break;
        case 1: a_ = s; x_ = s; break;
        case 2: a_.insert(at_, s); x_.insert(at_, s); break;
        case 3: a_.replace(at_, n_, s); x_.replace(at_, n_, s); break;
        case 4: a_.assign(s.rbegin(), s.rend()); x_.assign(s.rbegin(), s.rend()); break;
        case 5: a_.insert(a_.begin() + at_, s.begin(), s.end()); x_.insert(at_, s); break;
        case 6: a_ += own; x_ += same; break;
        case 7: a_.assign(own); x_.assign(same); break;
        case 8: a_.insert(at_, own); x_.insert(at_, same); break;
        case 9: a_.replace(at_, n_, own); x_.replace(at_, n_, same); break;
        case 10: a_ += a_; x_ += theirs(x_); break;
        default: a_ = a_.substr(from, length); x_ = same;
        }
    }

    void more(int step, source& in) {
        const auto c = static_cast<CharT>(in.byte());
        const std::size_t n = in.upto(2 * N);
        switch (step) {
        case 12: a_.push_back(c); x_.push_back(c); break;
        case 13:
            if (!x_.empty()) {
                a_.pop_back();
                x_.pop_back();
            }
            break;
        case 14: a_.erase(at_, n_); x_.erase(at_, n_); break;
        case 15: a_.resize(n, c); x_.resize(n, c); break;
        case 16: a_.reserve(n); require(a_.capacity() >= n, "too little capacity", step); break;
        case 17:
            a_.shrink_to_fit();
            require(a_.is_inline() == (x_.size() <= ours::inline_capacity), "not shrunk", step);
            break;
        case 18: a_.swap(b_); x_.swap(y_); break;
        case 19: a_ = std::move(b_); x_ = std::move(y_); y_.clear(); break;
        case 20: a_.replace(at_, n_, n, c); x_.replace(at_, n_, n, c); break;
        default: a_ = b_; x_ = y_;
        }
        require(a_.find(c, at_) == x_.find(c, at_) && a_.rfind(c) == x_.rfind(c), "found elsewhere", step);
    }

    void check(int step) const {
        check(a_, x_, step);
        check(b_, y_, step);
        require((a_ == b_) == (x_ == y_) && (a_ < b_) == (x_ < y_), "another order", step);
    }

    static void check(const ours& a, const theirs& x, int step) {
        require(a.size() == x.size() && a == x, "another text", step);
        require(a.c_str()[a.size()] == CharT(), "no zero at the end", step);
        require(a.capacity() >= a.size() && (!a.is_inline() || a.capacity() == ours::inline_capacity),
                "wrong capacity", step);
    }

    ours a_, b_;
    theirs x_, y_;
    std::size_t at_ = 0, n_ = 0;
};

// Runs a program on the container that its first byte names.
inline void run_any(const std::uint8_t* data, std::size_t n) {
    source in(data, n);
    switch (in.byte() % 8) {
    case 0: vector_program<int, 4>().run(in); break;
    case 1: vector_program<std::string, 3>().run(in); break;
    case 2: vector_program<std::unique_ptr<int>, 2>().run(in); break;
    case 3: vector_program<char, 0>().run(in); break;
    case 4: string_program<char, 23>().run(in); break;
    case 5: string_program<char, 40>().run(in); break;
    case 6: string_program<char16_t, 12>().run(in); break;
    default: string_program<char32_t, 7>().run(in);
    }
}

}  // namespace coppice::programs
