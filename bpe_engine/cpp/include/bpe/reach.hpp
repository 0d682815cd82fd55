// An estimate of how far a text goes with a number of tokens: sums at the starts of its pre-tokens, before any slice is counted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "bpe/types.hpp"

namespace bpe {

// `words`: one for 64 bytes of a text of `size` bytes, with the sum `tokens` before them. `bits(word)`: where pre-tokens start in it. `before(place)`: the
// tokens before such a place, or before the end.
template <class Words, class Bits, class Before>
class Reach {
public:
    Reach(const Words& words, std::size_t size, Bits bits, Before before) : words_(words), size_(size), bits_(bits), before_(before) {}

    // The last start of a pre-token after `start` before which there are at most `tokens` more tokens than before the pre-token at `start`; `start` if there is
    // none.
    std::size_t forward(std::size_t start, std::size_t tokens) const {
        std::size_t const limit = sum_before(start) + tokens;
        std::size_t word = start >> 6, step = 1;
        while (word + step < words_.size() && words_[word + step].tokens <= limit) word += step, step *= 2;
        for (; step > 0; step /= 2)
            if (word + step < words_.size() && words_[word + step].tokens <= limit) word += step;
        std::size_t found = start;
        for (std::uint64_t bits = bits_(words_[word]); bits; bits &= bits - 1) {
            std::size_t const place = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
            if (before_(place) > limit) break;
            found = std::max(found, place);
        }
        return found;
    }

    // The first start of a pre-token before `end` from which on there are at most `tokens` up to there; `end` if there is none.
    std::size_t backward(std::size_t end, std::size_t tokens) const {
        std::size_t const sum = end == size_ ? before_(end) : sum_before(end);
        std::size_t const least = sum - std::min(sum, tokens);
        std::size_t word = end >> 6, step = 1;
        while (word >= step && words_[word].tokens >= least) word -= step, step *= 2;
        if (words_[word].tokens >= least) word = 0;
        for (step = 1; word + step < words_.size() && words_[word + step].tokens < least; step *= 2) word += step;
        for (; step > 0; step /= 2)
            if (word + step < words_.size() && words_[word + step].tokens < least) word += step;
        for (; word < words_.size() && word * 64 < end; ++word) {
            for (std::uint64_t bits = bits_(words_[word]); bits; bits &= bits - 1) {
                std::size_t const place = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                if (place < end && before_(place) >= least) return place;
            }
        }
        return end;
    }

private:
    std::size_t sum_before(std::size_t place) const {
        std::size_t word = place >> 6;
        std::uint64_t bits = bits_(words_[word]) & (~std::uint64_t{0} >> (63 - (place & 63)));
        while (!bits && word > 0) bits = bits_(words_[--word]);
        return bits ? before_(word * 64 + 63 - static_cast<std::size_t>(std::countl_zero(bits))) : 0;
    }

    const Words& words_;
    std::size_t size_;
    Bits bits_;
    Before before_;
};

}  // namespace bpe
