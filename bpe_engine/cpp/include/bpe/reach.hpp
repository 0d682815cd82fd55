// An estimate of how far a number of tokens reaches in a text, from the sums at the starts of its pre-tokens, without counting slices.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace bpe {

// `words`: one for 64 bytes of a text of `size` bytes, each with a sum `tokens` that is not above those at its starts. `starts`: an object whose `bits(word)`
// are the starts of pre-tokens in such a part, whose `tokens_before(place)` are the tokens before one, and `sum_before(place)` those before the last one up to
// any place.
template <class Words, class Starts>
class Reach {
public:
    Reach(const Words& words, std::size_t size, const Starts& starts) : words_(words), size_(size), starts_(starts) {}

    // The last start of a pre-token after `start` before which there are at most `tokens` more tokens than before the pre-token at `start`; `start` if there is
    // none, or a long pre-token is before it.
    std::size_t forward(std::size_t start, std::size_t tokens) const {
        std::size_t const limit = starts_.sum_before(start) + tokens;
        std::size_t const first = start >> 6;
        std::size_t word = first, step = 1;
        while (word + step < words_.size() && words_[word + step].tokens <= limit) word += step, step *= 2;
        for (; step > 0; step /= 2)
            if (word + step < words_.size() && words_[word + step].tokens <= limit) word += step;
        for (std::size_t const last = word; word >= first && last - word < far; --word) {
            for (std::uint64_t bits = starts_.bits(word); bits; bits &= ~highest(bits)) {
                std::size_t const place = word * 64 + 63 - static_cast<std::size_t>(std::countl_zero(bits));
                if (place <= start) return start;
                if (place < size_ && starts_.tokens_before(place) <= limit) return place;
            }
            if (word == 0) break;
        }
        return start;
    }

    // The first start of a pre-token before `end` from which on there are at most `tokens` up to there; `end` if there is none, or a long pre-token is after
    // it.
    std::size_t backward(std::size_t end, std::size_t tokens) const {
        std::size_t const sum = end == size_ ? starts_.tokens_before(end) : starts_.sum_before(end);
        std::size_t const least = sum - std::min(sum, tokens);
        std::size_t word = end >> 6, step = 1;
        while (word >= step && words_[word].tokens >= least) word -= step, step *= 2;
        if (words_[word].tokens >= least) word = 0;
        for (step = 1; word + step < words_.size() && words_[word + step].tokens < least; step *= 2) word += step;
        for (; step > 0; step /= 2)
            if (word + step < words_.size() && words_[word + step].tokens < least) word += step;
        for (std::size_t const first = word; word * 64 < end && word - first < far; ++word) {
            for (std::uint64_t bits = starts_.bits(word); bits; bits &= bits - 1) {
                std::size_t const place = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                if (place >= end) return end;
                if (starts_.tokens_before(place) >= least) return place;
            }
        }
        return end;
    }

private:
    static constexpr std::size_t far = 16;  // words without a start
    static std::uint64_t highest(std::uint64_t bits) { return std::bit_floor(bits); }

    const Words& words_;
    std::size_t size_;
    const Starts& starts_;
};

}  // namespace bpe
