namespace coppice::flat::detail {

// A printer writes values as `coppice flat dump` does.
class printer {
public:
    printer(std::ostream& out, std::unordered_set<const char*>& met) : out_(out), met_(met) {}

    template <class View>
    void fields(const View& v) {
        out_ << '{';
        bool first = true;
        v.fields([&](std::string_view name, const auto& value) {
            if (!first) out_ << ", ";
            first = false;
            out_ << name << ": ";
            print(value);
        });
        out_ << '}';
    }

private:
    template <class T>
    void print(const T& v) {
        if constexpr (std::is_same_v<T, bool>) {
            out_ << (v ? "true" : "false");
        } else if constexpr (std::is_integral_v<T>) {
            out_ << +v;
        } else if constexpr (std::is_floating_point_v<T>) {
            number(v);
        } else if constexpr (std::is_same_v<T, std::string_view>) {
            text(v);
        } else if constexpr (requires { kinds_of(std::type_identity<T>{}); }) {
            if (v) {
                out_ << '#' << access::index(v);
            } else {
                out_ << "nil";
            }
        } else if constexpr (std::is_base_of_v<node, T>) {
            fields(v);
        } else if constexpr (requires { v.has_value(); }) {
            if (v) {
                print(*v);
            } else {
                out_ << "nil";
            }
        } else {
            list(v);
        }
    }

    template <class List>
    void list(const List& l) {
        out_ << '[';
        for (std::size_t i = 0; i < l.size(); ++i) {
            if (i > 0) out_ << ", ";
            print(l[i]);
        }
        out_ << ']';
    }

    // The shortest text that reads back, with an exponent if it is less than -4 or 6 or more.
    template <class F>
    void number(F v) {
        if (std::isnan(v)) {
            out_ << "NaN";
            return;
        }
        if (std::isinf(v)) {
            out_ << (v > 0 ? "+Inf" : "-Inf");
            return;
        }
        std::array<char, 64> text;
        char* const start = text.data();
        char* end = std::to_chars(start, start + text.size(), v, std::chars_format::scientific).ptr;
        const char* const e = std::find(start, end, 'e');
        const int exponent = std::atoi(std::string(e + 1, static_cast<const char*>(end)).c_str());
        if (v == 0 || (exponent >= -4 && exponent < plain_digits)) {
            end = std::to_chars(start, start + text.size(), v, std::chars_format::fixed).ptr;
        }
        out_ << std::string_view(start, static_cast<std::size_t>(end - start));
    }
    static constexpr int plain_digits = 6;

    // A long string is written in full once; after that, only its start and its length.
    void text(std::string_view s) {
        constexpr std::size_t most_again = 64;
        if (s.size() <= most_again || met_.insert(s.data()).second) {
            quoted(s);
            return;
        }
        quoted(s.substr(0, most_again));
        out_ << "... (" << s.size() << " bytes)";
    }

    void quoted(std::string_view s) {
        out_ << '"';
        for (const char c : s) {
            static constexpr std::string_view named = "\a\b\f\n\r\t\v\\\"", letters = "abfnrtv\\\"";
            const auto byte = static_cast<unsigned char>(c);
            if (const auto i = named.find(c); i != named.npos) {
                out_ << '\\' << letters[i];
            } else if (byte < 0x20 || byte >= 0x7f) {
                out_ << "\\x" << hex(byte, 2);
            } else {
                out_ << c;
            }
        }
        out_ << '"';
    }

    std::ostream& out_;
    std::unordered_set<const char*>& met_;  // where the long strings are that were written
};

}  // namespace coppice::flat::detail

template <class S>
void coppice::flat::tree<S>::dump(std::ostream& out) const {
    const auto& m = storage_->m;
    std::size_t text_bytes = m.text_bytes;
    for (std::size_t i = m.strings; i < m.all_strings(); ++i) text_bytes += m.string(static_cast<std::uint32_t>(i)).size();
    out << m.nodes << " records, " << m.words << " words, " << m.all_strings() - 1 << " strings of " << text_bytes
        << " bytes, root #" << m.root << '\n';
    const std::uint64_t body = detail::header_bytes + detail::padded(m.tables->text.size());
    std::unordered_set<const char*> met;
    for (const any n : detail::all_nodes<any>(&m)) {
        const std::uint32_t i = detail::access::index(n);
        std::string number = std::to_string(i);
        number.resize((std::max<std::size_t>)(6, number.size()), ' ');
        out << '#' << number << " 0x" << detail::hex(body + std::uint64_t{4} * i, 8) << "  " << m.shape_of(i).name;
        n.visit([&](const auto& v) { detail::printer(out, met).fields(v); });
        out << '\n';
    }
}

#endif  // COPPICE_FLAT
