#include <optional>
#include <utility>

#include "chunker/formats/line_formats.hpp"

namespace chunker::formats {

namespace {

// After tags and anchors that begin at `at`, each with the blanks after it; `at_end`: the last one needs none.
std::size_t after_properties(Text body, std::size_t at, bool at_end) {
    while (at < body.size() && (body[at] == '&' || body[at] == '!')) {
        std::size_t const last =
            skip_while(body, at + 1, [](char32_t mark) { return !is_space(mark) && mark != ',' && mark != '[' && mark != ']' && mark != '{' && mark != '}'; });
        std::size_t const next = after_blanks(body, last);
        if (next == last && !(at_end && last == body.size())) break;
        at = next;
    }
    return at;
}

bool ends_or_comments(Text body, std::size_t at) { return at == body.size() || body[at] == '#'; }

// Whether the text after a key, on its line, begins a block scalar.
bool is_block_scalar(Text value) {
    std::size_t at = after_properties(value, after_blanks(value, 0), false);
    if (at == value.size() || (value[at] != '|' && value[at] != '>')) return false;
    at = skip_while(value, at + 1, [](char32_t mark) { return mark == '-' || mark == '+' || is_digit(mark); });
    return ends_or_comments(value, after_blanks(value, at));
}
bool is_no_value(Text value) { return ends_or_comments(value, after_properties(value, after_blanks(value, 0), true)); }

struct Key {
    std::size_t first, last;  // of its name, in the line
    std::size_t after;        // its colon
};

bool may_begin_plain(char32_t mark) { return !is_space(mark) && Text(U"\"'#&*!|>%@`{}[],?-").find(mark) == none; }

// After a plain key whose first character stands before `at`: up to a colon before white space, or a comment.
std::size_t after_plain(Text body, std::size_t at) {
    for (; at < body.size(); ++at) {
        if (body[at] == ':' && (at + 1 == body.size() || is_space(body[at + 1]))) break;
        if (body[at] == '#' && is_space(body[at - 1])) break;
    }
    return at;
}

// The key whose name is body[first:last], if a colon follows after `at`.
std::optional<Key> key_before_colon(Text body, std::size_t first, std::size_t last, std::size_t at) {
    at = after_blanks(body, at);
    if (at == body.size() || body[at] != ':' || (at + 1 < body.size() && !is_blank(body[at + 1]))) return {};
    return Key{first, last, at + 1};
}

std::optional<Key> key_of(Text body) {
    std::size_t at = 0;
    if (!body.empty() && body[0] == '?' && body.size() > 1 && is_blank(body[1])) at = after_blanks(body, 1);
    at = after_properties(body, at, false);
    if (at == body.size()) return {};
    char32_t const mark = body[at];
    if (mark == '"' || mark == '\'') {
        char32_t const escape = mark == '"' ? '\\' : mark;
        std::size_t last = at + 1;
        for (; last < body.size(); ++last) {
            if (body[last] == escape && last + 1 < body.size() && (escape != mark || body[last + 1] == mark)) ++last;
            else if (body[last] == mark) break;
        }
        if (last == body.size()) return {};
        return key_before_colon(body, at + 1, last, last + 1);
    }
    bool const is_alias = mark == '*', is_odd = mark == '?' || mark == '-';
    bool const has_next = at + 1 < body.size();
    if (is_odd ? has_next && !is_space(body[at + 1]) : is_alias ? has_next && may_begin_plain(body[at + 1]) : may_begin_plain(mark)) {
        std::size_t const last = after_plain(body, at + 1 + is_alias);
        if (auto const key = key_before_colon(body, at, last, last)) return key;
    }
    if (!is_alias) return {};
    std::size_t const last = skip_while(body, at + 1, [](char32_t character) { return !is_space(character) && character != ':'; });
    return last == at + 1 ? std::nullopt : key_before_colon(body, at, last, last);
}

class YamlReader {
public:
    explicit YamlReader(Text text) : text_(text) {}

    DataOutline read() {
        bool after_blank = true;
        for (std::size_t start = 0; start < text_.size();) {
            std::size_t const end = line_end(text_, start), text_start = after_blanks(text_, start + (text_[start] == 0xFEFF));
            Text const line = text_.substr(0, end);
            std::size_t body = text_start;
            while (body < end && line[body] == '-' && (body + 1 == end || is_blank(line[body + 1]))) body = after_blanks(line, body + 1);
            if (body == text_start && skip_while(line, text_start, is_space) == end) {
                after_blank = true;
                if (!in_block_ && !comments_.empty() && !comments_.front().after_blank) comments_.clear();  // they end what is above
            } else {
                auto const indent = static_cast<std::int64_t>(text_start - start - (start == 0 && text_[0] == 0xFEFF));
                read_line({start, indent, text_start, body, line, after_blank});
                after_blank = false;
            }
            start = after_line_end(text_, end);
            if (start == end) break;
        }
        close(-1, mapping, text_.size());
        for (std::size_t number = 0; documents_.size() > 1 && number < documents_.size(); ++number)
            found_.members.push_back(
                {documents_[number], number + 1 < documents_.size() ? documents_[number + 1] : text_.size(), Member::document, number + 1, 0});
        found_.columns = boundaries_.take(text_, "document");
        return std::move(found_);
    }

private:
    enum Kind { mapping, sequence };

    struct Comment {
        std::size_t offset;
        std::int64_t indent;
        bool after_blank;
    };
    // An open mapping or sequence: its column and kind, and of its current member the start, the key and the number.
    struct Level {
        std::int64_t column;
        Kind kind;
        std::size_t number = 0, start = 0, first = 0, last = 0;

        std::pair<std::int64_t, Kind> place() const { return {column, kind}; }
    };
    // A line that is not blank: dashes stand in text[dashes:body].
    struct Line {
        std::size_t start;
        std::int64_t indent;
        std::size_t dashes, body;
        Text text;  // up to its end
        bool after_blank;

        bool has_dashes() const { return dashes < body; }
        Text rest() const { return text.substr(body); }
    };

    void read_line(const Line& line) {
        Text const body = line.rest();
        if (line.indent == 0 && !line.has_dashes() && is_marker(body)) {
            marker(line.start, body);
        } else if (open_column_ && line.indent > *open_column_) {
            // it goes on with the value above
        } else if (!line.has_dashes() && body[0] == '#') {
            comments_.push_back({line.start, line.indent, line.after_blank});
        } else if (started_ || line.indent > 0 || line.has_dashes() || body[0] != '%') {
            started_ = true;
            auto const key = key_of(body);
            if (line.has_dashes() || key) {
                member(line, key);
                return;
            }
            comments_.clear();
            if (levels_.empty() && is_block_scalar(body)) value(body, -1);  // all of the document
        }
        boundaries_.put_line(line.start, line.after_blank);
    }

    static bool is_marker(Text body) { return (body.starts_with(U"---") || body.starts_with(U"...")) && (body.size() == 3 || is_blank(body[3])); }

    // A line of dashes begins a document; the first one only if something but comments and directives precedes it.
    void marker(std::size_t start, Text body) {
        close(-1, mapping, start);
        comments_.clear();
        in_block_ = false;
        open_column_.reset();
        if (body[0] != '-') return;
        if (started_) {
            boundaries_.put(start, strength_at(0) + nesting::ranks, "document");
            documents_.push_back(start);
        }
        started_ = true;
        value(body.substr(3), -1);
    }

    // A line that begins a key or an item, or several, one inside the other.
    void member(const Line& line, const std::optional<Key>& key) {
        std::size_t const top = with_comments(line);
        std::int64_t column = line.indent;
        bool first_of_line = true;
        for (std::size_t at = line.dashes; at < line.body;) {
            enter(column, sequence, top, 0, 0, first_of_line, line.start);
            first_of_line = false;
            std::size_t const next = after_blanks(line.text, at + 1);
            column += static_cast<std::int64_t>(next - at);
            at = next;
        }
        if (!key) {
            value(line.rest(), levels_.back().column);
            return;
        }
        enter(column, mapping, top, line.body + key->first, line.body + key->last, first_of_line, line.start);
        value(line.rest().substr(key->after), column);
    }

    // A member of this kind begins in this column, with its comments at `top`.
    void enter(std::int64_t column, Kind kind, std::size_t top, std::size_t first, std::size_t last, bool put, std::size_t start) {
        close(column, kind, top);
        nesting::Rank rank = nesting::member;
        if (levels_.empty() || levels_.back().place() != std::pair(column, kind)) {
            levels_.push_back({column, kind});
            rank = nesting::first;
        } else {
            ++levels_.back().number;
        }
        Level& level = levels_.back();
        level.start = top;
        level.first = first;
        level.last = last;
        if (!put) return;
        std::size_t const depth = levels_.size() - 1;
        Label const label = kind == mapping ? "key" : "item";
        if (top < start) boundaries_.put(start, strength_at(depth, nesting::commented), label);
        boundaries_.put(top, strength_at(depth, rank), label);
    }

    // End everything that is open inside this column, and the member before the one that begins there.
    void close(std::int64_t column, Kind kind, std::size_t end) {
        std::pair const place(column, kind);
        while (!levels_.empty() && levels_.back().place() > place) {
            name(levels_.back(), levels_.size() - 1, end);
            levels_.pop_back();
        }
        if (!levels_.empty() && levels_.back().place() == place) name(levels_.back(), levels_.size() - 1, end);
    }

    void name(const Level& level, std::size_t depth, std::size_t end) {
        if (end <= level.start + nesting::long_member || depth >= nesting::max_named) return;
        if (level.kind == sequence) found_.members.push_back({level.start, end, Member::element, level.number, 0});
        else found_.members.push_back({level.start, end, Member::key, level.first, level.last});
    }

    // Note the text after the key of a member in this column, on its line.
    void value(Text value, std::int64_t column) {
        in_block_ = is_block_scalar(value);
        open_column_.reset();
        if (in_block_ || !is_no_value(value)) open_column_ = column;
    }

    // The start of the comments above a line that are not indented more; they are used up.
    std::size_t with_comments(const Line& line) {
        std::size_t top = line.start;
        for (; !comments_.empty() && comments_.back().indent <= line.indent; comments_.pop_back()) top = comments_.back().offset;
        comments_.clear();
        return top;
    }

    Text text_;
    Boundaries boundaries_;
    DataOutline found_;
    std::vector<Level> levels_;
    std::vector<Comment> comments_;  // those above
    std::vector<std::size_t> documents_{0};
    bool started_ = false;                     // whether anything but comments and directives was there
    std::optional<std::int64_t> open_column_;  // lines indented more go on with the value that began there
    bool in_block_ = false;                    // and these are the lines of a block scalar
};

}  // namespace

DataOutline read_yaml(Text text) { return YamlReader(text).read(); }

}  // namespace chunker::formats
