// Grapheme clusters, words and sentences: the rules of Unicode Standard Annex 29, with the tailoring of chunker/formats/segmentation.py.
//
// All take a span of a text without the text around it, and return offsets in the span. Linear.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace chunker {

using Characters = std::span<const char32_t>;

// The end of the grapheme cluster that begins at `start`, which is inside the text.
std::size_t cluster_end(Characters text, std::size_t start);
// The ends of the grapheme clusters, that of the text included.
std::vector<std::size_t> cluster_ends(Characters text);
// The ends of the words (of the spaces and marks between them, too), that of the text included, but those between two letters of a script
// without spaces between words.
std::vector<std::size_t> word_ends(Characters text);
// The ends of the sentences; the text's own end only after a terminator or a line end.
std::vector<std::size_t> sentence_ends(Characters text);
// The same, tailored to scripts.
struct TailoredSentences {
    std::vector<std::size_t> ends;
    bool with_phrases;  // whether one may end without a terminator: there are characters of Thai, Lao or Tibetan
};
TailoredSentences tailored_sentence_ends(Characters text);
// The ends of the sentences in a paragraph of markup, in which a line end counts as a space.
std::vector<std::size_t> prose_sentence_ends(Characters paragraph);

}  // namespace chunker
