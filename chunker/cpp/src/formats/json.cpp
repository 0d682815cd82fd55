#include "chunker/formats/json.hpp"

#include <utility>

namespace chunker::formats {

namespace {

// The end of the string that begins at `at`: after its quotation mark, or with its line.
std::size_t after_string(Text text, std::size_t at) {
    for (++at; at < text.size(); ++at) {
        if (text[at] == '"') return at + 1;
        if (is_line_end(text[at])) return at;
        if (text[at] != '\\') continue;
        if (at + 1 == text.size()) return at;
        ++at;
        if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') ++at;
    }
    return at;
}

// The end of the comment that begins at `at`; `at` if none does. A comment that nothing closes ends with the text.
std::size_t after_comment(Text text, std::size_t at) {
    if (begins(text, at, U"//")) return line_end(text, at);
    if (!begins(text, at, U"/*")) return at;
    std::size_t const closed = text.find(U"*/", at + 2);
    return closed == none ? text.size() : closed + 2;
}

// After the rest of the line, if nothing but a comment is on it, and the blank lines after it; else after spaces.
std::size_t after_rest(Text text, std::size_t at) {
    at = after_blanks(text, at);
    std::size_t const end = begins(text, at, U"//") ? line_end(text, at) : at;
    std::size_t next = after_line_end(text, end);
    if (next == end) return at;
    for (;;) {
        std::size_t const nonblank = after_blanks(text, next), after = after_line_end(text, nonblank);
        if (after == nonblank) return next;
        next = after;
    }
}

// The key that text[start:] begins with, after white space and comments; an empty span where none is there. A string keeps its marks.
std::pair<std::size_t, std::size_t> key_of(Text text, std::size_t start) {
    constexpr std::pair<std::size_t, std::size_t> no_key{0, 0};
    std::size_t at = start;
    for (;;) {
        std::size_t const nonblank = skip_while(text, at, is_space);
        std::size_t const next = after_comment(text, nonblank);
        if (next == nonblank || (text[nonblank + 1] == '*' && (next < nonblank + 4 || text[next - 2] != '*' || text[next - 1] != '/'))) {
            at = nonblank;
            break;
        }
        at = next;
    }
    if (at == text.size()) return no_key;
    std::size_t first = at, last = at;
    if (text[at] == '"') {
        last = at = after_string(text, at);
    } else if (text[at] == '\'') {
        ++first;
        last = skip_while(text, first, [](char32_t character) { return character != '\'' && !is_line_end(character); });
        if (last == text.size() || text[last] != '\'') return no_key;
        at = last + 1;
    } else {
        last = at = skip_while(text, at, [](char32_t character) { return is_of_name(character) || character == '$' || character == '.' || character == '-'; });
        if (first == last) return no_key;
    }
    at = skip_while(text, at, is_space);
    return at < text.size() && text[at] == ':' && first < last ? std::pair(first, last) : no_key;
}

}  // namespace

void JsonScan::run(std::size_t start, std::size_t end, std::size_t outer) {
    text_ = whole_.substr(0, end);
    outer_ = outer;
    containers_.assign(1, {start, 0, false});
    after_value_ = false;
    for (std::size_t at = start; at < end;) {
        switch (text_[at]) {
        case '"': at = after_string(text_, at); break;
        case '[':
        case '{':
        case ',': at = read_separator(at); break;
        case ']':
        case '}': close(++at); break;
        case '/': {
            std::size_t const after = after_comment(text_, at);
            at = after == at ? at + 1 : after;
            break;
        }
        default: ++at;
        }
    }
    // Containers that are still open were cut off.
    end_scalar(end);
    for (std::size_t depth = 0; depth + 1 < containers_.size(); ++depth) name(depth, end);
}

void JsonScan::run_records() {
    std::size_t number = 0;
    for (std::size_t start = 0; start < whole_.size();) {
        std::size_t const end = line_end(whole_, start);
        if (skip_while(whole_.substr(0, end), start, is_space) < end) {
            ++number;
            found.columns.add(start, strength_at(0), "record");
            if (is_long(start, end)) {
                found.members.push_back({start, end, Member::record, number, 0});
                run(start, end, 1);
            }
        }
        start = end < whole_.size() ? after_line_end(whole_, end) : end;
    }
}

// A bracket opens, or a comma stands, at `at`; where the member after it begins.
std::size_t JsonScan::read_separator(std::size_t at) {
    std::size_t const begin = after_rest(text_, at + 1);
    nesting::Rank rank = nesting::first;
    if (text_[at] == ',') {
        if (is_long(containers_.back().begin, begin)) end_scalar(at);
        containers_.back().begin = begin;
        ++containers_.back().number;
        containers_.back().member = unknown;
        rank = nesting::member;
    } else {
        containers_.push_back({begin, 0, text_[at] == '['});
    }
    after_value_ = false;
    std::size_t const nonblank = skip_while(text_, begin, is_space);
    if (nonblank < text_.size() && text_[nonblank] != ']' && text_[nonblank] != '}')
        found.columns.add(begin, strength_at(outer_ + containers_.size() - 1, rank), containers_.back().is_array ? "element" : "key");
    return begin;
}

// A closing bracket ends at `at`.
void JsonScan::close(std::size_t at) {
    end_scalar(at - 1);
    after_value_ = true;
    if (containers_.size() == 1) return;
    containers_.pop_back();
    name(containers_.size() - 1, at);
    if (containers_.size() > 1) return;
    std::size_t const next = after_rest(text_, at), nonblank = skip_while(text_, next, is_space);
    if (nonblank == text_.size() || text_[nonblank] == ',' || text_[nonblank] == ']' || text_[nonblank] == '}') return;
    containers_.front().begin = next;
    containers_.front().member = unknown;
    after_value_ = false;
    found.columns.add(next, strength_at(outer_), "record");
}

// Tell about the current member of the container at this depth, which ends at `end`, if it is long. Where no comma stands between two values it ends again.
void JsonScan::name(std::size_t depth, std::size_t end) {
    Container& container = containers_[depth];
    if (!is_long(container.begin, end) || depth >= nesting::max_named) return;
    if (container.member == nameless) return;
    if (container.member != unknown) {
        found.members[container.member].end = end;
        return;
    }
    Member member{container.begin, end, Member::element, container.number, 0};
    if (!container.is_array) {
        auto const [first, last] = key_of(text_.substr(0, end), container.begin);
        member = {container.begin, end, Member::key, first, last};
        container.member = nameless;
        if (first == last) return;
    }
    container.member = found.members.size();
    found.members.push_back(member);
}

// A member ends; if it is no container, it is a string, nearly always, which may hold lines.
void JsonScan::end_scalar(std::size_t end) {
    std::size_t const start = containers_.back().begin;
    if (!is_long(start, end) || after_value_) return;
    name(containers_.size() - 1, stripped(text_, start, end));
    put_escaped_lines(start, end);
}

void JsonScan::put_escaped_lines(std::size_t start, std::size_t end) {
    Text const text = text_.substr(0, end);
    auto const after_escaped = [&](std::size_t at) {
        std::size_t const feed = begins(text, at, U"\\r\\n") ? at + 2 : at;
        return begins(text, feed, U"\\n") ? feed + 2 : at;
    };
    for (std::size_t at = text.find('\\', start); at != none; at = text.find('\\', at)) {
        std::size_t offset = after_escaped(at);
        if (offset == at) {
            at += 2;  // another escape
            continue;
        }
        bool blank = false;
        for (;;) {
            std::size_t const next = after_blanks(text, offset), after = after_escaped(next);
            if (after == next) break;
            blank = true;
            offset = after;
        }
        if (offset < end && text[offset] != '"') found.columns.add_line(offset, blank);
        at = offset;
    }
}

}  // namespace chunker::formats
