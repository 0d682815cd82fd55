#include "chunker/refining.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "apart.hpp"
#include "chunker/segmentation.hpp"

namespace chunker {

namespace {

constexpr std::size_t window = refining::window, look_ahead = refining::look_ahead, branches = refining::branches, least_step = refining::least_step,
                      few = refining::few;

using Offsets = std::vector<std::size_t>;

// All of them if they are few, else `branches` - 1 that split them into equal parts.
template <class At>
Offsets spread(std::size_t number, At at) {
    Offsets result;
    result.reserve(std::min<std::size_t>(number, 2 * branches));
    if (number < 2 * branches) {
        for (std::size_t index = 0; index < number; ++index) result.push_back(at(index));
    } else {
        for (std::size_t branch = 1; branch < branches; ++branch) result.push_back(at(branch * number / branches));
    }
    return result;
}

Offsets spread(const Offsets& offsets) {
    return spread(offsets.size(), [&](std::size_t index) { return offsets[index]; });
}

// Offsets at which two characters separate, at most one in each of 32 equal parts of the window; none if reading it all is better.
template <class Apart>
Offsets pairs_apart(const Text& text, std::size_t start, std::size_t end, Apart apart) {
    std::size_t const size = std::min(window, end - start);
    if (size < 2 * branches) return {};
    std::size_t const step = std::max(size / branches, least_step);
    Offsets found;
    for (std::size_t first = start + step - 1; first + 2 < start + size; first += step) {
        Characters const part = text.part(first, std::min(first + step, start + size));
        for (std::size_t at = 0; at + 1 < part.size(); ++at) {
            if (!apart(part[at], part[at + 1])) continue;
            found.push_back(first + at + 1);
            break;
        }
    }
    if (found.size() < std::min(few, size / step / 2)) found.clear();
    return found;
}

// The ends of the clusters that end inside the window and inside the span.
Offsets cluster_ends_in_window(const Text& text, std::size_t start, std::size_t end) {
    Offsets ends = cluster_ends(text.part(start, std::min(end, start + window)));
    ends.pop_back();
    for (std::size_t& offset : ends) offset += start;
    return ends;
}

// The `offsets`, all in the window, that do not cut a grapheme cluster.
Offsets between_clusters(const Text& text, std::size_t start, std::size_t end, Offsets offsets) {
    ClustersApart const apart;
    if (std::all_of(offsets.begin(), offsets.end(), [&](std::size_t offset) { return apart(text[offset - 1], text[offset]); })) return offsets;
    Offsets const allowed = cluster_ends_in_window(text, start, end);
    Offsets kept;
    std::set_intersection(offsets.begin(), offsets.end(), allowed.begin(), allowed.end(), std::back_inserter(kept));
    return kept;
}

// `whole_up_to`: as in Refined.
Offsets sentences(const Text& text, std::size_t start, std::size_t end, std::size_t& whole_up_to) {
    std::size_t const size = std::min(window, end - start);
    auto [ends, with_phrases] = tailored_sentence_ends(text.part(start, std::min(end, start + window + look_ahead)));
    ends.erase(std::lower_bound(ends.begin(), ends.end(), size), ends.end());
    for (std::size_t& offset : ends) offset += start;
    Offsets found = between_clusters(text, start, end, std::move(ends));
    // A rule that looks past a full stop (SB6 to SB8a) stops at the next terminator or line end. So a sentence that is cut from its text has no end that the
    // text has not, unless phrases end without a terminator.
    if (!found.empty() && !with_phrases) whole_up_to = end - start <= window ? end : found.back();
    return found;
}

Offsets words(const Text& text, std::size_t start, std::size_t end) {
    Offsets ends = pairs_apart(text, start, end, WordsApart());
    if (!ends.empty()) return ends;
    std::size_t const last = std::min(end, start + window);
    ends = word_ends(text.part(start, last));
    // If the window is cut short, its last word may belong to the one before it, so the start of that word is uncertain, too.
    std::size_t const size = last - start - (last == end ? 0 : 1);
    ends.erase(std::lower_bound(ends.begin(), ends.end(), size), ends.end());
    if (last != end && !ends.empty()) ends.pop_back();
    for (std::size_t& offset : ends) offset += start;
    return spread(between_clusters(text, start, end, std::move(ends)));
}

Offsets clusters(const Text& text, std::size_t start, std::size_t end) {
    Offsets ends = pairs_apart(text, start, end, ClustersApart());
    if (!ends.empty()) return ends;
    ends = cluster_ends_in_window(text, start, end);
    if (ends.empty() && start + window < end) {
        // The first cluster is longer than the window: only its end will do.
        std::size_t const after = start + cluster_end(text.part(start, end), 0);
        if (after < end) ends.push_back(after);
    }
    return spread(ends);
}

Offsets characters(const Text& text, std::size_t start, std::size_t end) {
    Offsets ends = spread(end - start - 1, [&](std::size_t index) { return start + 1 + index; });
    std::erase_if(ends, [&](std::size_t offset) { return text[offset] == '\n' && text[offset - 1] == '\r'; });
    return ends;
}

}  // namespace

Refined refine(const Text& text, std::size_t start, std::size_t end, std::int64_t strength, std::int64_t least) {
    Refined refined;
    for (std::size_t level = 0; level < levels && refined.offsets.empty(); ++level) {
        if (strength_of[level] >= strength || end <= start) continue;
        if (strength_of[level] < least) break;
        refined.level = static_cast<Level>(level);
        switch (refined.level) {
        case Level::sentence: refined.offsets = sentences(text, start, end, refined.whole_up_to); break;
        case Level::word: refined.offsets = words(text, start, end); break;
        case Level::grapheme: refined.offsets = clusters(text, start, end); break;
        case Level::character: refined.offsets = characters(text, start, end); break;
        }
    }
    return refined;
}

}  // namespace chunker
