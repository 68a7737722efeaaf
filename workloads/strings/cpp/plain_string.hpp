// A string with no room inside: every one that is not empty is a block of just its size.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

class plain_string {
public:
    plain_string() = default;
    explicit plain_string(std::string_view s) : size_(s.size()) {
        if (size_ > 0) {
            first_ = new char[size_ + 1];
            std::memcpy(first_, s.data(), size_);
            first_[size_] = '\0';
        }
    }
    plain_string(const plain_string& other) : plain_string(std::string_view(other)) {}
    plain_string(plain_string&& other) noexcept
        : first_(std::exchange(other.first_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    plain_string& operator=(plain_string other) noexcept {
        std::swap(first_, other.first_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~plain_string() { delete[] first_; }

    [[nodiscard]] const char* c_str() const noexcept { return first_ == nullptr ? "" : first_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    operator std::string_view() const noexcept { return {first_, size_}; }

    friend bool operator==(const plain_string& a, const plain_string& b) noexcept {
        return std::string_view(a) == std::string_view(b);
    }
    friend auto operator<=>(const plain_string& a, const plain_string& b) noexcept {
        return std::string_view(a) <=> std::string_view(b);
    }

private:
    char* first_ = nullptr;
    std::size_t size_ = 0;
};
