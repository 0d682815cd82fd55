#include "chunker/formats/markup.hpp"

#include "chunker/break_classes.hpp"

namespace chunker::formats {

namespace {

constexpr char other = '\x02';

std::string copy_of(Text text) {
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

bool extends(char32_t character) {
    if (character < 0x300) return false;
    ClusterBreak const cluster = break_classes()[character].cluster;
    return cluster == ClusterBreak::Extend || cluster == ClusterBreak::SpacingMark || cluster == ClusterBreak::ZWJ;
}
bool is_prefix(char32_t character) { return character >= 0x300 && break_classes()[character].cluster == ClusterBreak::Prepend; }

constexpr bool is_copied_blank(char character) { return character == ' ' || character == '\t'; }

// Goes to the next line of copy[at:end] that is not blank; false if there is none. `blank`: whether a blank line stands before it.
bool next_line(std::string_view copy, std::size_t& at, std::size_t end, bool& blank) {
    std::size_t const feed = copy.substr(0, end).find('\n', at);
    if (feed == none) return false;
    std::size_t next = feed + 1;
    for (std::size_t nonblank = next; nonblank < end; ++nonblank) {
        if (copy[nonblank] == '\n') next = nonblank + 1;
        else if (!is_copied_blank(copy[nonblank])) break;
    }
    blank = next > feed + 1;
    at = next;
    return next < end;
}

// Puts the sentences of a paragraph, whose ends are given in offsets from `start`, and its lines.
template <class Put>
void put_prose(std::string_view copy, std::size_t start, std::size_t end, const std::vector<std::size_t>& ends, Put&& put) {
    std::size_t number = 0;
    auto const put_sentences_before = [&](std::size_t stop) {
        for (; number < ends.size() && start + ends[number] < stop; ++number) put(start + ends[number], strength::sentence, "sentence");
    };
    if (end > start && copy.substr(0, end - 1).find('\n', start) != none) {
        std::size_t at = start;
        for (bool blank = false; next_line(copy, at, end, blank);) {
            put_sentences_before(at);
            if (number == ends.size() || start + ends[number] != at) put(at, columns::soft_line, "line");
        }
    }
    put_sentences_before(end);
}

}  // namespace

Markup::Markup(Text text, const CodeInside& code_inside) : text_(text), copy_(copy_of(text)), code_inside_(code_inside) {
    found.columns.add(0, strength::document, "document");
}

void Markup::put(std::size_t offset, std::int32_t strength, Label label) {
    std::size_t const last = found.columns.offsets.back();
    if (offset == 1 && text_[0] == 0xFEFF) offset = 0;
    if (offset > last) {
        found.columns.add(offset, strength, label);
    } else if (offset == last && offset == 0) {
        if (first_ < strength) {
            first_ = strength;
            found.columns.labels.front() = label;
        }
    } else if (offset == last && found.columns.strengths.back() < strength) {
        found.columns.strengths.back() = strength;
        found.columns.labels.back() = label;
    }
}

std::size_t Markup::cut_before(std::size_t offset) const {
    std::size_t const floor = found.columns.offsets.back();
    std::size_t at = offset;
    while (at > floor && is_copied_blank(copy_[at - 1])) --at;
    if (at == 0 || copy_[at - 1] == '\n') return at;
    return (offset < size() && extends(text_[offset])) || is_prefix(text_[offset - 1]) ? floor : offset;
}

std::size_t Markup::line_feed(std::size_t start, std::size_t end) const { return std::string_view(copy_).substr(0, end).find('\n', start); }

void Markup::verbatim(std::size_t start, std::size_t end) { formats::verbatim(copy_, start, end, found.columns); }

void Markup::prose(std::size_t start, std::size_t end) { prose(start, end, prose_ends(text_.substr(start, end - start))); }

void Markup::prose(std::size_t start, std::size_t end, const std::vector<std::size_t>& ends) {
    put_prose(copy_, start, end, ends, [this](std::size_t offset, std::int32_t strength, Label label) { put(offset, strength, label); });
}

void Markup::code(const Code& code) {
    Columns inside;
    if (code.end < code.start + embedded::long_code || !code_inside_(code, inside)) {
        verbatim(code.start, code.end);
        return;
    }
    for (std::size_t row = 0; row < inside.size(); ++row) put(inside.offsets[row], inside.strengths[row], inside.labels[row]);
}

// --- sentences

namespace {

using SB = SentenceBreak;

class ProseReader {
public:
    explicit ProseReader(Text text) : text_(text) {}

    std::vector<std::size_t> read() {
        std::vector<std::size_t> ends;
        for (std::size_t at = 0; at < text_.size();) {
            char32_t const character = text_[at];
            std::size_t end = none;
            if (character < 0x80 ? character == '.' || character == '!' || character == '?' : break_classes_[character].tells(may_end_sentence))
                end = end_at(at);
            if (end == none) {
                ++at;
            } else {
                ends.push_back(end);
                at = end;
            }
        }
        return ends;
    }

private:
    SB value(std::size_t at) const { return break_classes_[text_[at]].sentence; }
    template <SB... values>
    bool is(std::size_t at) const {
        if (at >= text_.size()) return false;
        SB const found = value(at);
        return ((found == values) || ...);
    }
    std::size_t extended(std::size_t at) const {
        while (is<SB::Extend, SB::Format>(at)) ++at;
        return at;
    }

    // The end of the sentence whose terminator is at `at`; none if it ends none.
    std::size_t end_at(std::size_t at) const {
        char32_t const character = text_[at];
        bool const is_cjk = character == U'。' || character == U'！' || character == U'？' || character == U'｡';
        bool const full_stop = is<SB::ATerm>(at);
        if (!is_cjk && !is<SB::STerm>(at) && !(full_stop && ends_sentence(at))) return none;
        std::size_t end = closed(extended(at + 1));
        std::size_t const spaces = end;
        while (is<SB::Sp>(end)) end = extended(end + 1);
        std::size_t const line = end;
        end = after_line_end(text_, end);
        if (!is_cjk && line == spaces && end == line) return none;
        std::size_t next = end;
        while (next < text_.size() && (is_line_end(text_[next]) || is<SB::Sp>(next))) ++next;
        if (is<SB::SContinue, SB::STerm, SB::ATerm>(next)) return none;  // SB8a
        if (full_stop && !is_cjk && goes_on_in_lower_case(end)) return none;
        return is_between_clusters(end) ? end : none;
    }

    bool ends_sentence(std::size_t at) const {
        std::size_t const next = extended(at + 1);
        if (is<SB::Numeric>(next)) return false;  // SB6: 3.4
        if (!is<SB::Upper>(next)) return true;    // SB7: U.S.
        std::size_t before = at;
        while (before > 0 && is<SB::Extend, SB::Format>(before - 1)) --before;
        return before == 0 || !is<SB::Upper, SB::Lower>(before - 1);
    }

    // After what closes a sentence: emphasis marks and brackets, but none that opens.
    std::size_t closed(std::size_t at) const {
        for (; at < text_.size(); at = extended(at + 1)) {
            BreakClass const& found = break_classes_[text_[at]];
            bool const is_mark = text_[at] == '*' || text_[at] == '_' || text_[at] == '~' || text_[at] == '`';
            if (found.opener || (found.sentence != SB::Close && !is_mark)) break;
        }
        return at;
    }

    bool goes_on_in_lower_case(std::size_t at) const {  // SB8: etc. and
        while (at < text_.size() && !is<SB::OLetter, SB::Upper, SB::Lower, SB::STerm, SB::ATerm>(at)) ++at;
        return is<SB::Lower>(at);
    }

    bool is_between_clusters(std::size_t end) const {
        char32_t const before = text_[end - 1];
        if (before == 0x200D || is_prefix(before)) return false;
        return end == text_.size() || !extends(text_[end]);
    }

    Text text_;
    const BreakClasses& break_classes_ = break_classes();
};

}  // namespace

std::vector<std::size_t> prose_ends(Text paragraph) { return ProseReader(paragraph).read(); }

void prose(Text paragraph, std::string_view copy, std::size_t start, Columns& found) {
    put_prose(copy, start, start + paragraph.size(), prose_ends(paragraph),
              [&found](std::size_t offset, std::int32_t strength, Label label) { found.add(offset, strength, label); });
}

void verbatim(std::string_view copy, std::size_t start, std::size_t end, Columns& found) {
    std::size_t at = start;
    if (start > 0 && copy[start - 1] == '\n') {
        std::size_t nonblank = start;
        while (nonblank < end && is_copied_blank(copy[nonblank])) ++nonblank;
        if (nonblank < end && copy[nonblank] == '\n') --at;
    }
    for (bool blank = false; next_line(copy, at, end, blank);) found.add(at, blank ? strength::paragraph : strength::line, blank ? "paragraph" : "line");
}

}  // namespace chunker::formats
