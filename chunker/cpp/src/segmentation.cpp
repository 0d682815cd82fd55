#include "chunker/segmentation.hpp"

#include "apart.hpp"
#include "break_reader.hpp"

namespace chunker {

namespace {

// --- clusters

template <InCB... values>
constexpr auto conjunct = is_any_of<&BreakClass::conjunct, values...>;

bool is_pictographic(const BreakClass& found) { return found.pictographic; }

class ClusterReader : public BreakReader {
public:
    using BreakReader::BreakReader;

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
constexpr auto word = is_any_of<&BreakClass::word, values...>;
constexpr auto letter = word<WB::ALetter, WB::Hebrew_Letter>;
constexpr auto line_end_of_words = word<WB::CR, WB::LF, WB::Newline>;

class WordReader : public BreakReader {
public:
    using BreakReader::BreakReader;

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
        std::size_t const start = at;
        run();
        while (connectors()) run();
        if (at == start) return false;
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
    WordsApart const apart;
    for (WordReader reader(text); !reader.is_done();) {
        // Most characters of scripts without spaces are words by themselves, which reading finds out by many questions.
        if (reader.at + 1 < text.size() && apart(text[reader.at], text[reader.at + 1])) {
            ends.push_back(++reader.at);
            continue;
        }
        reader.read();
        bool const inside = !reader.is_done() && reader.class_of(reader.at - 1).unspaced && reader.class_of(reader.at).unspaced;
        if (!inside) ends.push_back(reader.at);
    }
    return ends;
}

}  // namespace chunker
