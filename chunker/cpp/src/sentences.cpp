#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "break_reader.hpp"

namespace chunker {

namespace {

template <SB... values>
constexpr auto sentence = is_any_of<&BreakClass::sentence, values...>;
constexpr auto line_end = sentence<SB::Sep, SB::CR, SB::LF>;

class SentenceReader : public BreakReader {
    // Most characters of most texts are ASCII, and do not end a sentence: where the search for an end stops. To compare blocks of characters by vector
    // instructions takes half as long again: stops are near each other.
    static constexpr auto stops = [] {
        std::array<bool, 0x81> table{};
        for (char32_t const character : {U'.', U'!', U'?', U'\n', U'\r', U'\x80'}) table[character] = true;
        return table;
    }();
    // From the kana to the last ideograph of the Basic Multilingual Plane, where nothing ends a sentence either.
    static constexpr bool is_east_asian(char32_t character) { return character - 0x3040 < 0xA000 - 0x3040; }

public:
    using BreakReader::BreakReader;

    // Moves past what ends the next sentence (SB4, SB9-11), or to the end of the text, which may be none.
    bool read() {
        return find([this] { return read_end(); });
    }

protected:
    // Calls `read_end` where a sentence may end, until it moves past an end.
    template <class End>
    bool find(End read_end) {
        while (at < text_.size()) {
            while (at < text_.size() && (!stops[std::min<char32_t>(text_[at], 0x80)] || is_east_asian(text_[at]))) ++at;
            if (at == text_.size()) break;
            if (classes_[text_[at]].tells(may_end_sentence) && read_end()) return true;
            ++at;
        }
        return false;
    }

    void extend() { skip(sentence<SB::Extend, SB::Format>); }

    bool is_full_stop() const {
        BreakReader after(text_, at + 1);
        after.skip(sentence<SB::Extend, SB::Format>);
        if (after.ahead(sentence<SB::Numeric>)) return false;  // SB6: 3.4
        if (!after.ahead(sentence<SB::Upper>)) return true;    // SB7: U.S.
        std::size_t place = at;
        while (place > 0 && sentence<SB::Extend, SB::Format>(class_of(place - 1))) --place;
        return place == 0 || !sentence<SB::Upper, SB::Lower>(class_of(place - 1));
    }

    // SB8: etc. and. `more`: what ends the search, too.
    template <SB... more>
    bool goes_on_in_lower_case() const {
        BreakReader after(text_, at);
        after.skip([](const BreakClass& found) { return !sentence<SB::OLetter, SB::Upper, SB::Lower, SB::STerm, SB::ATerm, more...>(found); });
        return after.ahead(sentence<SB::Lower>);
    }

private:
    // Whether a sentence ends here; if so, it moves past the end.
    bool read_end() {
        std::size_t const start = at;
        if (auto const is_end = read_plain_end()) return *is_end;
        if (take_line_end()) return true;
        bool const full_stop = ahead(sentence<SB::ATerm>);
        if ((full_stop && is_full_stop()) || ahead(sentence<SB::STerm>)) {
            ++at;
            extend();
            while (take(sentence<SB::Close>)) extend();
            while (take(sentence<SB::Sp>)) extend();
            if (take_line_end()) return true;
            if (!ahead(sentence<SB::SContinue, SB::STerm, SB::ATerm>) && !(full_stop && goes_on_in_lower_case<SB::Sep, SB::CR, SB::LF>())) return true;  // SB8a
        }
        at = start;
        return false;
    }

    // A shortcut for most stops, with the result of the rules below: a line feed ends a sentence, a full stop does before a space and a capital letter, and
    // does not before a small letter or a digit. None: the rules have to be asked.
    std::optional<bool> read_plain_end() {
        if (text_[at] == '\n') {
            ++at;
            return true;
        }
        if (text_[at] != '.' || text_.size() - at < 3) return std::nullopt;
        char32_t const next = text_[at + 1], after = text_[at + 2];
        if (is_small_letter(next) || next - U'0' < 10) return false;
        if (next != ' ') return std::nullopt;
        if (is_small_letter(after)) return false;
        if (after - U'A' >= 26) return std::nullopt;
        at += 2;
        return true;
    }

    static constexpr bool is_small_letter(char32_t character) { return character - U'a' < 26; }

    bool take_line_end() {
        if (take(sentence<SB::CR>)) {
            take(sentence<SB::LF>);
            return true;
        }
        return take(line_end);
    }
};

// Sentences of marked-up prose: _PROSE_SENTENCE_END of chunker/formats/segmentation.py.
class ProseReader : public SentenceReader {
public:
    using SentenceReader::SentenceReader;

    bool read() {
        return find([this] { return read_end(); });
    }

private:
    bool read_end() {
        std::size_t const start = at;
        bool const full_stop = ahead(sentence<SB::ATerm>);
        if ((full_stop && is_full_stop()) || ahead(sentence<SB::STerm>)) {
            bool const is_cjk = text_[at] == U'。' || text_[at] == U'！' || text_[at] == U'？' || text_[at] == U'｡';
            do {
                ++at;
                extend();
            } while (closes());
            std::size_t const spaces = at;
            while (take(sentence<SB::Sp>)) extend();
            take(sentence<SB::CR>);
            take(sentence<SB::LF>);
            BreakReader next(text_, at);
            next.skip(sentence<SB::CR, SB::LF, SB::Sp>);
            if ((is_cjk || at > spaces) && !next.ahead(sentence<SB::SContinue, SB::STerm, SB::ATerm>) && !(full_stop && goes_on_in_lower_case<>()) &&
                is_between_clusters())
                return true;
        }
        at = start;
        return false;
    }

    // Whether this closes a sentence: emphasis marks and brackets, but none that opens.
    bool closes() const {
        if (is_done()) return false;
        char32_t const mark = text_[at];
        return ahead(sentence<SB::Close>) ? !class_of(at).opener : mark == '*' || mark == '_' || mark == '~' || mark == '`';
    }

    bool is_between_clusters() const { return !cluster<GCB::Prepend, GCB::ZWJ>(class_of(at - 1)) && (is_done() || !extends(text_[at])); }
};

bool is_thai_or_lao(char32_t character) { return character >= 0xE01 && character <= 0xEFF; }
bool is_shad(char32_t character) { return (character >= 0xF0D && character <= 0xF11) || character == 0xF14; }

// Reads blocks without a branch between their characters, which compilers turn into vector instructions; gcc unrolls loops of up to 16 and then does not.
bool may_have_phrases(Characters text) {
    auto const is_of_them = [](char32_t character) { return character - 0xE01 <= 0xF14 - 0xE01; };
    constexpr std::size_t block = 32;
    while (text.size() >= block) {
        std::uint32_t found = 0;
        for (std::size_t at = 0; at < block; ++at) found |= static_cast<std::uint32_t>(is_of_them(text[at]));
        if (found) return true;
        text = text.subspan(block);
    }
    return std::any_of(text.begin(), text.end(), is_of_them);
}

// The ends of phrases in Thai, Lao and Tibetan: after a space between letters; after shads.
void phrase_ends(Characters text, std::vector<std::size_t>& ends) {
    for (std::size_t at = 0; at < text.size();) {
        std::size_t after = at + 1;
        if (is_thai_or_lao(text[at])) {
            while (after < text.size() && text[after] == ' ') ++after;
            if (after == at + 1 || after == text.size() || !is_thai_or_lao(text[after])) {
                ++at;
                continue;
            }
        } else if (is_shad(text[at])) {
            while (after < text.size() && (is_shad(text[after]) || text[after] == ' ')) ++after;
        } else {
            ++at;
            continue;
        }
        ends.push_back(after);
        at = after;
    }
}

}  // namespace

std::vector<std::size_t> sentence_ends(Characters text) {
    std::vector<std::size_t> ends;
    for (SentenceReader reader(text); reader.read();) ends.push_back(reader.at);
    return ends;
}

std::vector<std::size_t> prose_sentence_ends(Characters paragraph) {
    std::vector<std::size_t> ends;
    for (ProseReader reader(paragraph); reader.read();) ends.push_back(reader.at);
    return ends;
}

TailoredSentences tailored_sentence_ends(Characters text) {
    TailoredSentences found{{}, may_have_phrases(text)};
    std::vector<std::size_t>& ends = found.ends;
    for (SentenceReader reader(text); reader.read();) {
        std::size_t end = reader.at;
        // A bracket or quote that opens directly after a terminator belongs to what follows.
        if (text[end - 1] > ' ')
            while (end > 0 && reader.class_of(end - 1).opener) --end;
        ends.push_back(end);
    }
    if (found.with_phrases) {
        phrase_ends(text, ends);
        std::sort(ends.begin(), ends.end());
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    }
    return found;
}

}  // namespace chunker
