#include "chunker/segmentation.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "chunker/break_classes.hpp"

namespace chunker {

namespace {

using GCB = ClusterBreak;
using WB = WordBreak;
using SB = SentenceBreak;
using InCB = ConjunctBreak;

// Reads a text rule by rule. `at` is where it stands; what is after the end has the class of none.
class Reader {
public:
    explicit Reader(Characters text, std::size_t start = 0) : at(start), text_(text) {}

    bool is_done() const { return at >= text_.size(); }
    char32_t character(std::size_t place) const { return text_[place]; }
    const BreakClass& class_of(std::size_t place) const { return classes_[text_[place]]; }
    template <class Test>
    bool ahead(Test test) const {
        return at < text_.size() && test(classes_[text_[at]]);
    }
    template <class Test>
    bool skip(Test test) {
        std::size_t const start = at;
        while (ahead(test)) ++at;
        return at > start;
    }
    template <class Test>
    bool take(Test test) {
        if (!ahead(test)) return false;
        ++at;
        return true;
    }

    std::size_t at;

protected:
    Characters text_;
    const BreakClasses& classes_ = break_classes();
};

template <auto field, auto... values>
bool is(const BreakClass& found) {
    return ((found.*field == values) || ...);
}

// --- clusters

template <GCB... values>
constexpr auto cluster = is<&BreakClass::cluster, values...>;
template <InCB... values>
constexpr auto conjunct = is<&BreakClass::conjunct, values...>;

bool is_pictographic(const BreakClass& found) { return found.pictographic; }

class ClusterReader : public Reader {
public:
    using Reader::Reader;

    // Goes to the end of the cluster. Table 1c of the annex.
    void read() {
        if (take(cluster<GCB::CR>)) {  // GB3-5
            take(cluster<GCB::LF>);
            return;
        }
        if (take(cluster<GCB::Control, GCB::LF>)) return;
        skip(cluster<GCB::Prepend>);  // GB9b
        core();
        skip(cluster<GCB::Extend, GCB::ZWJ, GCB::SpacingMark>);  // GB9, GB9a
    }

private:
    void core() {
        if (is_done() || ahead(cluster<GCB::CR, GCB::LF, GCB::Control>)) return;
        if (hangul()) return;
        if (take(cluster<GCB::Regional_Indicator>)) {  // GB12-13, flags
            take(cluster<GCB::Regional_Indicator>);
        } else if (take(is_pictographic)) {  // GB11, emoji sequences
            chain([this] {
                skip(cluster<GCB::Extend>);
                return take(cluster<GCB::ZWJ>) && take(is_pictographic);
            });
        } else if (take(conjunct<InCB::Consonant>)) {  // GB9c, conjuncts
            chain([this] {
                skip(conjunct<InCB::Extend>);
                if (!take(conjunct<InCB::Linker>)) return false;
                skip(conjunct<InCB::Extend, InCB::Linker>);
                return take(conjunct<InCB::Consonant>);
            });
        } else {
            ++at;
        }
    }

    // GB6-8: a syllable.
    bool hangul() {
        bool const leads = skip(cluster<GCB::L>);
        if (take(cluster<GCB::LV>)) skip(cluster<GCB::V>);
        else if (!take(cluster<GCB::LVT>) && !skip(cluster<GCB::V>)) return leads || skip(cluster<GCB::T>);
        skip(cluster<GCB::T>);
        return true;
    }

    // Read as many links as are complete.
    template <class Link>
    void chain(Link link) {
        std::size_t whole = at;
        while (link()) whole = at;
        at = whole;
    }
};

// --- words

template <WB... values>
constexpr auto word = is<&BreakClass::word, values...>;
constexpr auto letter = word<WB::ALetter, WB::Hebrew_Letter>;
constexpr auto line_end_of_words = word<WB::CR, WB::LF, WB::Newline>;

class WordReader : public Reader {
public:
    using Reader::Reader;

    // Goes to the end of the word, or of what stands between words.
    void read() {
        if (take(word<WB::CR>)) {  // WB3-3b
            take(word<WB::LF>);
            return;
        }
        if (take(line_end_of_words)) return;
        if (skip(word<WB::WSegSpace>)) {  // WB3d
            extend();
        } else if (!sequence()) {
            bool const flag = ahead(word<WB::Regional_Indicator>);  // WB15-16
            ++at;
            extend();
            if (flag && take(word<WB::Regional_Indicator>)) extend();
        }
        while (character(at - 1) == 0x200D && ahead(is_pictographic)) {  // WB3c
            if (sequence()) continue;
            ++at;
            extend();
        }
    }

private:
    // Skip characters that WB4 attaches to any character.
    void extend() { skip(word<WB::Extend, WB::Format, WB::ZWJ>); }

    // A mark that joins two characters of a kind (WB6-7, WB11-12); or nothing.
    template <class Mark, class Kind>
    void join(Mark mark, Kind kind) {
        std::size_t const before = at;
        if (!take(mark)) return;
        extend();
        if (!ahead(kind)) at = before;
    }

    // Letters and digits (WB5, WB8-10), or Katakana (WB13).
    bool run() {
        std::size_t const start = at;
        while (true) {
            if (ahead(word<WB::Hebrew_Letter>)) {  // WB7b-c
                std::size_t const before = at;
                ++at;
                extend();
                if (take(word<WB::Double_Quote>)) {
                    extend();
                    if (ahead(word<WB::Hebrew_Letter>)) continue;
                }
                at = before;
            }
            if (take(letter)) {
                extend();
                join(word<WB::MidLetter, WB::MidNumLet, WB::Single_Quote>, letter);
            } else if (take(word<WB::Numeric>)) {
                extend();
                join(word<WB::MidNum, WB::MidNumLet, WB::Single_Quote>, word<WB::Numeric>);
            } else {
                break;
            }
        }
        if (at == start)
            while (take(word<WB::Katakana>)) extend();
        return at > start;
    }

    bool connectors() {  // WB13a-b
        std::size_t const start = at;
        while (take(word<WB::ExtendNumLet>)) extend();
        return at > start;
    }

    bool sequence() {
        if (!run() && !(connectors() && (run() || true))) return false;
        while (connectors()) run();
        if (ahead(word<WB::Single_Quote>) && follows_hebrew()) {  // WB7a
            ++at;
            extend();
        }
        return true;
    }

    bool follows_hebrew() const {
        std::size_t place = at;
        while (place > 0 && word<WB::Extend, WB::Format, WB::ZWJ>(class_of(place - 1))) --place;
        return place > 0 && word<WB::Hebrew_Letter>(class_of(place - 1));
    }
};

// Whether a word ends between two characters, whatever is around them.
bool are_apart(const BreakClass& first, char32_t before, const BreakClass& second, char32_t after) {
    return first.tells(ends_word) && second.tells(begins_word) && !(first.unspaced && second.unspaced) && !(before == '\r' && after == '\n');
}

// --- sentences

template <SB... values>
constexpr auto sentence = is<&BreakClass::sentence, values...>;
constexpr auto line_end = sentence<SB::Sep, SB::CR, SB::LF>;

class SentenceReader : public Reader {
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
    using Reader::Reader;

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
        Reader after(text_, at + 1);
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
        Reader after(text_, at);
        after.skip([](const BreakClass& found) { return !sentence<SB::OLetter, SB::Upper, SB::Lower, SB::STerm, SB::ATerm, more...>(found); });
        return after.ahead(sentence<SB::Lower>);
    }

private:
    // Whether a sentence ends here; if so, it moves past the end.
    bool read_end() {
        std::size_t const start = at;
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
            Reader next(text_, at);
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

    bool is_between_clusters() const { return !cluster<GCB::Prepend, GCB::ZWJ>(class_of(at - 1)) && !ahead(cluster<GCB::Extend, GCB::SpacingMark, GCB::ZWJ>); }
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

std::size_t cluster_end(Characters text, std::size_t start) {
    ClusterReader reader(text, start);
    reader.read();
    return reader.at;
}

std::vector<std::size_t> cluster_ends(Characters text) {
    std::vector<std::size_t> ends;
    for (ClusterReader reader(text); !reader.is_done();) {
        reader.read();
        ends.push_back(reader.at);
    }
    return ends;
}

std::vector<std::size_t> word_ends(Characters text) {
    std::vector<std::size_t> ends;
    ends.reserve(text.size());
    for (WordReader reader(text); !reader.is_done();) {
        // Most characters of scripts without spaces are words by themselves, which reading finds out by many questions.
        if (reader.at + 1 < text.size() && are_apart(reader.class_of(reader.at), text[reader.at], reader.class_of(reader.at + 1), text[reader.at + 1])) {
            ends.push_back(++reader.at);
            continue;
        }
        reader.read();
        bool const inside = !reader.is_done() && reader.class_of(reader.at - 1).unspaced && reader.class_of(reader.at).unspaced;
        if (!inside) ends.push_back(reader.at);
    }
    return ends;
}

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

std::vector<std::size_t> tailored_sentence_ends(Characters text) {
    std::vector<std::size_t> ends;
    for (SentenceReader reader(text); reader.read();) {
        std::size_t end = reader.at;
        // A bracket or quote that opens directly after a terminator belongs to what follows.
        if (text[end - 1] > ' ')
            while (end > 0 && reader.class_of(end - 1).opener) --end;
        ends.push_back(end);
    }
    if (may_have_phrases(text)) {
        phrase_ends(text, ends);
        std::sort(ends.begin(), ends.end());
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    }
    return ends;
}

bool clusters_apart(char32_t before, char32_t after) {
    BreakClasses const& classes = break_classes();
    return classes[before].tells(ends_cluster) && classes[after].tells(begins_cluster) && !(before == '\r' && after == '\n');
}

bool words_apart(char32_t before, char32_t after) {
    BreakClasses const& classes = break_classes();
    return are_apart(classes[before], before, classes[after], after);
}

}  // namespace chunker
