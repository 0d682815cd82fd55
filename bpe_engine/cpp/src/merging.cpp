#include "bpe/merging.hpp"

#include <algorithm>
#include <queue>

#include "bpe/pair_merging.hpp"
#include "bpe/steps.hpp"

namespace bpe {

namespace {

// The tokens of a piece, for pair_merging.hpp. What a pair becomes is its rank.
class TokensOfBytes {
public:
    TokensOfBytes(const Dictionary& dictionary, Bytes piece, Rank* out) : dictionary_(dictionary), piece_(piece), out_(out) {}

    Rank symbol(std::size_t place) const { return dictionary_.byte(piece_[place]); }
    Rank first(std::size_t place) const { return dictionary_.merged_bytes(piece_[place], piece_[place + 1]); }
    Rank rank(Rank left, Rank right, std::size_t) const { return dictionary_.merged(left, right); }
    Rank merged(Rank rank, std::size_t) const { return rank; }
    void put(Rank token, std::size_t, std::size_t) { out_[count_++] = token; }
    std::size_t count() const { return count_; }

private:
    const Dictionary& dictionary_;
    Bytes piece_;
    Rank* out_;
    std::size_t count_ = 0;
};

template <std::size_t longest, typename Place>
std::size_t merge_blocks(const Dictionary& dictionary, Bytes piece, Rank* out) {
    TokensOfBytes row(dictionary, piece, out);
    merge_row<longest, Place>(row, std::min(piece.size, longest));
    return row.count();
}

// Joins `tokens`, which reach up to byte `end`, with the tokens of the window that `merge` encodes. Returns the new end, or `end` if they cannot be joined.
template <std::size_t longest, typename Merge>
std::size_t join_window(const Dictionary& dictionary, Bytes piece, std::vector<Rank>& tokens, std::size_t end, Merge merge) {
    Rank window[longest];
    std::size_t keep = tokens.size(), start = end;
    for (std::size_t overlap = thresholds::overlap; overlap < longest; overlap *= 2) {
        while (keep > 0 && end - start < overlap) start -= dictionary.length(tokens[--keep]);
        if (keep == 0 || end - start >= longest) break;
        std::size_t const window_end = std::min(piece.size, start + longest);
        std::size_t const count = merge(dictionary, piece.part(start, window_end), window);
        // Walk over the boundaries of both in parallel: before tokens[index] and before window[other].
        std::size_t index = keep, place = start, other = 0, other_place = start;
        while (other < count) {
            if (place == other_place && compatible(dictionary, tokens[index - 1], window[other])) {
                tokens.resize(index);
                tokens.insert(tokens.end(), window + other, window + count);
                return window_end;
            }
            bool const moves_own = place <= other_place, moves_other = other_place <= place;
            if (moves_own && index == tokens.size()) break;
            if (moves_own) place += dictionary.length(tokens[index++]);
            if (moves_other) other_place += dictionary.length(window[other++]);
        }
    }
    return end;
}

}  // namespace

// Tried and rejected: to begin Chinese and Japanese words with characters where no token is torn between two of them. To find that out took what it saved in a
// first text.
std::size_t merge_short(const Dictionary& dictionary, Bytes piece, Rank* out) {
    TokensOfBytes row(dictionary, piece, out);
    merge_short_row(row, std::min(piece.size, short_length));
    return row.count();
}

std::size_t merge_medium(const Dictionary& dictionary, Bytes piece, Rank* out) { return merge_blocks<medium_length, std::uint8_t>(dictionary, piece, out); }

bool merge_windows(const Dictionary& dictionary, Bytes piece, std::vector<Rank>& tokens) {
    constexpr std::size_t narrow = thresholds::window, wide = thresholds::wide_window;
    static_assert(narrow <= medium_length && wide <= 512);
    constexpr auto merge_wide = merge_blocks<512, std::uint16_t>;
    tokens.resize(wide);
    std::size_t end = std::min(piece.size, narrow);
    tokens.resize(merge_medium(dictionary, piece.part(0, end), tokens.data()));
    while (end < piece.size) {
        count_step();
        std::size_t const before = end;
        end = join_window<narrow>(dictionary, piece, tokens, before, merge_medium);
        if (end == before) end = join_window<wide>(dictionary, piece, tokens, before, merge_wide);
        if (end != before) continue;
        // One token may fill the first window.
        if (before > narrow) return false;
        end = std::min(piece.size, wide);
        tokens.resize(wide);
        tokens.resize(merge_wide(dictionary, piece.part(0, end), tokens.data()));
        if (end == before) return false;
    }
    return true;
}

PairMemory& Dictionary::pairs() const {
    std::call_once(pairs_once_, [this] { pairs_ = std::make_unique<PairMemory>(thresholds::pair_bits); });
    return *pairs_;
}

const std::vector<Rank>& Merging::encode(const Dictionary& dictionary, Bytes piece) {
    dictionary.check_bytes(piece);
    if (!dictionary.is_ordered(piece)) [[unlikely]]
        return tokens_ = encode_by_heap(dictionary, piece);
    if (merged_ < worth_a_trie) {
        merged_ += piece.size;
        if (piece.size <= medium_length) {
            tokens_.resize(medium_length);
            tokens_.resize(merge_medium(dictionary, piece, tokens_.data()));
            return tokens_;
        }
        if (merge_windows(dictionary, piece, tokens_)) return tokens_;
    }
    return backtrack(dictionary, piece);
}

const std::vector<Rank>& Merging::backtrack(const Dictionary& dictionary, Bytes piece) {
    dictionary.check_bytes(piece);
    const Trie& trie = dictionary.starting();
    tokens_.clear();
    possible_.assign(piece.size / 64 + 1, ~std::uint64_t{0});
    // For two short tokens the test is as fast as the cache; and in random letters no pair occurs twice.
    PairMemory& pairs = dictionary.pairs();
    constexpr std::size_t worth_remembering = 7;  // bytes of both
    auto const fits = [&](std::size_t previous_size, Trie::Match token) {
        if (tokens_.empty()) return true;
        return previous_size + token.size < worth_remembering ? compatible(dictionary, tokens_.back(), token.token)
                                                              : compatible(dictionary, tokens_.back(), token.token, pairs);
    };
    std::size_t place = 0, previous_size = 0;
    Trie::Match next = trie.longest(piece);
    while (place < piece.size) {
        for (;;) {
            count_step();
            std::size_t const end = place + next.size;
            bool const possible = possible_[end >> 6] >> (end & 63) & 1;
            if (possible && fits(previous_size, next)) {
                tokens_.push_back(next.token);
                previous_size = next.size;
                place = end;
                next = trie.longest({piece.data + place, piece.size - place});
                break;
            }
            Rank const shorter = trie.shorter(next.token);
            if (shorter != no_rank) {
                next = {shorter, dictionary.length(shorter)};
                continue;
            }
            // No token fits at this offset: no encoding has a boundary here.
            possible_[place >> 6] &= ~(std::uint64_t{1} << (place & 63));
            next = {tokens_.back(), dictionary.length(tokens_.back())};
            tokens_.pop_back();
            place -= next.size;
            previous_size = tokens_.empty() ? 0 : dictionary.length(tokens_.back());
            break;
        }
    }
    return tokens_;
}

std::vector<Rank> encode_by_heap(const Dictionary& dictionary, Bytes piece) {
    dictionary.check_bytes(piece);
    constexpr std::uint32_t nobody = 0xFFFFFFFF;
    struct Part {
        Rank token;
        std::uint32_t previous, next;
    };
    struct Candidate {
        Rank priority;
        std::uint32_t place;
        Rank left, right, merged;
        bool operator>(const Candidate& other) const { return priority != other.priority ? priority > other.priority : place > other.place; }
    };
    auto const size = static_cast<std::uint32_t>(piece.size);
    std::vector<Part> parts(size);
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    auto const offer = [&](std::uint32_t place) {
        if (place == nobody || parts[place].next == nobody) return;
        Rank const left = parts[place].token, right = parts[parts[place].next].token;
        if (Rank const merged = dictionary.merged(left, right); merged != no_rank) queue.push({dictionary.priority(merged), place, left, right, merged});
    };
    for (std::uint32_t place = 0; place < size; ++place)
        parts[place] = {dictionary.byte(piece[place]), place == 0 ? nobody : place - 1, place + 1 < size ? place + 1 : nobody};
    for (std::uint32_t place = 0; place < size; ++place) offer(place);
    while (!queue.empty()) {
        Candidate const best = queue.top();
        queue.pop();
        Part& left = parts[best.place];
        // A candidate is stale if one of its two tokens has been merged since.
        if (left.token != best.left || left.next == nobody || parts[left.next].token != best.right) continue;
        Part& right = parts[left.next];
        right.token = no_rank;
        left.token = best.merged;
        left.next = right.next;
        if (left.next != nobody) parts[left.next].previous = best.place;
        offer(best.place);
        offer(left.previous);
    }
    std::vector<Rank> tokens;
    for (std::uint32_t place = 0; place < size && place != nobody; place = parts[place].next) tokens.push_back(parts[place].token);
    return tokens;
}

}  // namespace bpe
