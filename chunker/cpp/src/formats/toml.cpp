#include <algorithm>
#include <optional>

#include "chunker/formats/line_formats.hpp"

namespace chunker::formats {

namespace {

// After the part of a name that begins at `at`; `at` if none does.
std::size_t after_part(Text text, std::size_t at) {
    if (at >= text.size()) return at;
    char32_t const mark = text[at];
    if (mark != '"' && mark != '\'') return skip_while(text, at, [](char32_t character) { return is_of_name(character) || character == '-'; });
    for (std::size_t last = at + 1; last < text.size() && !is_line_end(text[last]); ++last) {
        if (text[last] == mark) return last + 1;
        if (mark == '"' && text[last] == '\\' && (++last == text.size() || is_line_end(text[last]))) break;
    }
    return at;
}

struct Name {
    std::size_t first, last;
    std::size_t parts = 0;
};

// The name that begins at `at`, of no parts if none does.
Name name_at(Text text, std::size_t at) {
    Name name{at, after_part(text, at)};
    if (name.last == at) return name;
    for (name.parts = 1;; ++name.parts) {
        std::size_t const dot = after_blanks(text, name.last);
        if (dot == text.size() || text[dot] != '.') return name;
        std::size_t const first = after_blanks(text, dot + 1), last = after_part(text, first);
        if (last == first) return name;
        name.last = last;
    }
}

struct Header {
    Name name;
    bool of_array;
    std::size_t after;
};

std::optional<Header> header_at(Text text, std::size_t at) {
    at = after_blanks(text, at);
    if (at == text.size() || text[at] != '[') return {};
    bool const of_array = ++at < text.size() && text[at] == '[';
    Header header{name_at(text, after_blanks(text, at + of_array)), of_array, 0};
    if (!header.name.parts) return {};
    at = after_blanks(text, header.name.last);
    if (at == text.size() || text[at] != ']') return {};
    ++at;
    at = after_blanks(text, at + (at < text.size() && text[at] == ']'));
    if (at < text.size() && text[at] == '#') at = line_end(text, at);
    header.after = after_line_end(text, at);
    return header.after > at || at == text.size() ? std::optional(header) : std::nullopt;
}

struct Key {
    Name name;
    std::size_t after;
};

std::optional<Key> key_at(Text text, std::size_t at) {
    Name const name = name_at(text, after_blanks(text, at));
    if (!name.parts) return {};
    at = after_blanks(text, name.last);
    return at < text.size() && text[at] == '=' ? std::optional(Key{name, at + 1}) : std::nullopt;
}

std::size_t after_line(Text text, std::size_t at) { return after_line_end(text, line_end(text, at)); }

bool is_blank_line(Text text, std::size_t at) {
    at = after_blanks(text, at);
    return at == text.size() || is_line_end(text[at]);
}
// The bracket that closes an array stays with its last element.
bool closes_or_blank(Text text, std::size_t at) {
    at = after_blanks(text, at);
    return at == text.size() || is_line_end(text[at]) || text[at] == ']' || text[at] == '}';
}

// After the string that begins at `at`. One that is not closed goes on to the end of its line; one of several lines to the end of the text.
std::size_t after_string(Text text, std::size_t at) {
    char32_t const mark = text[at];
    char32_t const three[] = {mark, mark, mark};
    if (!begins(text, at, Text(three, 3))) {
        for (++at; at < text.size() && !is_line_end(text[at]); ++at) {
            if (text[at] == mark) return at + 1;
            if (mark != '"' || text[at] != '\\') continue;
            if (at + 1 == text.size() || is_line_end(text[at + 1])) return at;
            ++at;
        }
        return at;
    }
    for (at += 3; at < text.size(); ++at) {
        if (mark == '"' && text[at] == '\\') {
            ++at;
        } else if (begins(text, at, Text(three, 3))) {
            std::size_t end = at + 3;
            while (end < text.size() && end < at + 5 && text[end] == mark) ++end;
            return end;
        }
    }
    return text.size();
}

class TomlReader {
public:
    explicit TomlReader(Text text) : text_(text) {}

    DataOutline read() {
        bool first_key = false, after_blank = true;
        for (std::size_t at = text_[0] == 0xFEFF; at < text_.size();) {
            std::size_t end = 0;
            if (auto const header = header_at(text_, at)) {
                std::size_t const top =
                    statement(at, toml::tables - static_cast<std::int32_t>(std::min<std::size_t>(header->name.parts, toml::deepest)), "table");
                found_.tables.push_back({top, header->of_array, header->name.first, header->name.last});
                end = header->after;
                first_key = true;
            } else if (auto const key = key_at(text_, at)) {
                std::size_t const top = statement(at, first_key ? toml::first : after_blank ? toml::group : toml::keys, "key");
                end = value(key->after);
                first_key = false;
                if (end > top + nesting::long_member) found_.members.push_back({top, end, Member::key, key->name.first, key->name.last});
            } else if (is_blank_line(text_, at)) {
                if (!comment_after_blank_) comment_.reset();  // they end what is above
                after_blank = true;
                at = after_line(text_, at);
                continue;
            } else {
                boundaries_.put_line(at, after_blank);
                end = after_line(text_, at);
                if (text_[after_blanks(text_, at)] == '#') {
                    if (!comment_) {
                        comment_ = at;
                        comment_after_blank_ = after_blank;
                    }
                    at = end;
                    after_blank = false;
                    continue;
                }
            }
            comment_.reset();
            after_blank = false;
            at = end;
        }
        found_.columns = boundaries_.take(text_, "document");
        return std::move(found_);
    }

private:
    // A statement begins at `at`; where it begins together with the comments above.
    std::size_t statement(std::size_t at, std::int32_t strength, Label label) {
        std::size_t const top = comment_.value_or(at);
        if (top < at) {
            boundaries_.put(at, toml::commented, label);
            if (strength == toml::keys && comment_after_blank_) strength = toml::group;
        }
        boundaries_.put(top, strength, label);
        return top;
    }

    // The end of the line on which the value ends that begins at `at`; the lines inside it are put.
    std::size_t value(std::size_t at) {
        std::size_t const start = at;
        std::size_t depth = 0;
        bool after_opening = false;
        while (at < text_.size()) {
            char32_t const mark = text_[at];
            if (mark == '"' || mark == '\'') {
                at = after_string(text_, at);
            } else if (mark == '#') {
                at = line_end(text_, at);
            } else if (mark == '[' || mark == '{') {
                ++depth;
                after_opening = true;
                ++at;
            } else if (mark == ']' || mark == '}') {
                depth -= depth > 0;
                ++at;
            } else if (!is_line_end(mark)) {
                ++at;
            } else {
                at = after_line_end(text_, at);
                // A bracket that is still open was never closed, if a statement begins here.
                if (depth == 0 || header_at(text_, at) || key_at(text_, at)) break;
                if (closes_or_blank(text_, at)) continue;
                if (depth == 1) boundaries_.put(at, after_opening ? toml::first_element : toml::element, "element");
                after_opening = false;
            }
        }
        lines(start, at);
        return at;
    }

    // The lines inside a value: of long strings, of arrays in arrays, comments.
    void lines(std::size_t start, std::size_t end) {
        bool after_blank = false;
        for (std::size_t at = after_line(text_, start); at < end; at = after_line(text_, at)) {
            if (is_blank_line(text_, at)) {
                after_blank = true;
            } else if (!closes_or_blank(text_, at)) {
                boundaries_.put_line(at, after_blank);
                after_blank = false;
            }
        }
    }

    Text text_;
    Boundaries boundaries_;
    DataOutline found_;
    std::optional<std::size_t> comment_;  // where the comments above begin that belong to what follows
    bool comment_after_blank_ = false;
};

}  // namespace

DataOutline read_toml(Text text) { return TomlReader(text).read(); }

}  // namespace chunker::formats
