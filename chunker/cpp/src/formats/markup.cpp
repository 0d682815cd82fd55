#include "chunker/formats/markup.hpp"

#include "chunker/break_classes.hpp"
#include "chunker/segmentation.hpp"

namespace chunker::formats {

std::string copy_of(Text text) {
    constexpr char other = '\x02';
    std::string copy(text.size(), other);
    for (std::size_t at = 0; at < text.size(); ++at) {
        char32_t const character = text[at];
        if (character == '\r') {
            copy[at] = at + 1 < text.size() && text[at + 1] == '\n' ? ' ' : '\n';
        } else if (character < 0x80 && character != '\v' && character != '\f' && character != 1) {
            copy[at] = static_cast<char>(character);
        }
    }
    return copy;
}

namespace {

bool is_prefix(char32_t character) { return character >= 0x300 && break_classes()[character].cluster == ClusterBreak::Prepend; }

// Goes to the next line of copy[at:end] that is not blank; false if there is none. `blank`: whether a blank line stands before it.
bool next_line(std::string_view copy, std::size_t& at, std::size_t end, bool& blank) {
    std::size_t const feed = copy.substr(0, end).find('\n', at);
    if (feed == none) return false;
    std::size_t next = feed + 1;
    for (std::size_t nonblank = next; nonblank < end; ++nonblank) {
        if (copy[nonblank] == '\n') next = nonblank + 1;
        else if (!is_blank(copy[nonblank])) break;
    }
    blank = next > feed + 1;
    at = next;
    return next < end;
}

// Adds the sentences of a paragraph, whose ends are given in offsets from `start`, and its lines.
void add_prose(std::string_view copy, std::size_t start, std::size_t end, const std::vector<std::size_t>& ends, Columns& found) {
    std::size_t number = 0;
    auto const add_sentences_before = [&](std::size_t stop) {
        for (; number < ends.size() && start + ends[number] < stop; ++number) found.add(start + ends[number], strength::sentence, "sentence");
    };
    if (end > start && copy.substr(0, end - 1).find('\n', start) != none) {
        std::size_t at = start;
        for (bool blank = false; next_line(copy, at, end, blank);) {
            add_sentences_before(at);
            if (number == ends.size() || start + ends[number] != at) found.add(at, columns::soft_line, "line");
        }
    }
    add_sentences_before(end);
}

}  // namespace

Markup::Markup(Text text, const CodeInside& code_inside) : text_(text), copy_(copy_of(text)), code_inside_(code_inside) {
    found.columns.add(0, strength::document, "document");
}

void Markup::put(std::size_t offset, std::int32_t strength, Label label) {
    found.columns.put(offset == 1 && text_[0] == 0xFEFF ? 0 : offset, strength, label, first_);
}

std::size_t Markup::cut_before(std::size_t offset) const {
    std::size_t const floor = found.columns.offsets.back();
    std::size_t at = offset;
    while (at > floor && is_blank(copy_[at - 1])) --at;
    if (at == 0 || copy_[at - 1] == '\n') return at;
    return (offset < size() && extends(text_[offset])) || is_prefix(text_[offset - 1]) ? floor : offset;
}

std::size_t Markup::line_feed(std::size_t start, std::size_t end) const { return std::string_view(copy_).substr(0, end).find('\n', start); }

void Markup::verbatim(std::size_t start, std::size_t end) { formats::verbatim(copy_, start, end, found.columns); }

void Markup::prose(std::size_t start, std::size_t end) { formats::prose(text_.substr(start, end - start), copy_, start, found.columns); }

void Markup::prose(std::size_t start, std::size_t end, const std::vector<std::size_t>& ends) { add_prose(copy_, start, end, ends, found.columns); }

void Markup::code(const Code& code) {
    Columns inside;
    if (code.end < code.start + embedded::long_code || !code_inside_(code, inside)) {
        verbatim(code.start, code.end);
        return;
    }
    for (std::size_t row = 0; row < inside.size(); ++row) put(inside.offsets[row], inside.strengths[row], inside.labels[row]);
}

void prose(Text paragraph, std::string_view copy, std::size_t start, Columns& found) {
    add_prose(copy, start, start + paragraph.size(), prose_sentence_ends(paragraph), found);
}

void verbatim(std::string_view copy, std::size_t start, std::size_t end, Columns& found) {
    std::size_t at = start;
    if (start > 0 && copy[start - 1] == '\n') {
        std::size_t nonblank = start;
        while (nonblank < end && is_blank(copy[nonblank])) ++nonblank;
        if (nonblank < end && copy[nonblank] == '\n') --at;
    }
    for (bool blank = false; next_line(copy, at, end, blank);) found.add_line(at, blank);
}

}  // namespace chunker::formats
