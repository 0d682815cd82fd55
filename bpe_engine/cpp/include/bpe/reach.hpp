// An estimate of how far a number of tokens reaches in a text, from the sums at the starts of its pre-tokens, without counting slices.
#pragma once

#include <algorithm>
#include <cstddef>

namespace bpe {

// `words`: one for 64 bytes of a text of `size` bytes, with the sum `tokens` before the first pre-token that starts in it or after it. `starts`: an object
// whose `start_at_or_before(place)` and `start_at_or_after(place)` are such starts, or the end, and whose `tokens_before(place)` are the tokens before one.
template <class Words, class Starts>
class Reach {
public:
    Reach(const Words& words, std::size_t size, const Starts& starts) : words_(words), size_(size), starts_(starts) {}

    // The last start of a pre-token after `start` before which there are at most `tokens` more tokens than before the pre-token at `start`; `start` if there is
    // none.
    std::size_t forward(std::size_t start, std::size_t tokens) const {
        std::size_t const limit = sum_before(start) + tokens;
        std::size_t word = start >> 6, step = 1;
        while (word + step < words_.size() && words_[word + step].tokens <= limit) word += step, step *= 2;
        for (; step > 0; step /= 2)
            if (word + step < words_.size() && words_[word + step].tokens <= limit) word += step;
        std::size_t found = start;
        std::size_t const end = std::min(word * 64 + 64, size_);
        for (std::size_t place = next_start(word * 64); place < end && starts_.tokens_before(place) <= limit; place = next_start(place + 1))
            found = std::max(found, place);
        return found;
    }

    // The first start of a pre-token before `end` from which on there are at most `tokens` up to there; `end` if there is none.
    std::size_t backward(std::size_t end, std::size_t tokens) const {
        std::size_t const sum = end == size_ ? starts_.tokens_before(end) : sum_before(end);
        std::size_t const least = sum - std::min(sum, tokens);
        std::size_t word = end >> 6, step = 1;
        while (word >= step && words_[word].tokens >= least) word -= step, step *= 2;
        if (words_[word].tokens >= least) word = 0;
        for (step = 1; word + step < words_.size() && words_[word + step].tokens < least; step *= 2) word += step;
        for (; step > 0; step /= 2)
            if (word + step < words_.size() && words_[word + step].tokens < least) word += step;
        for (std::size_t place = next_start(word * 64); place < end; place = next_start(place + 1))
            if (starts_.tokens_before(place) >= least) return place;
        return end;
    }

private:
    std::size_t sum_before(std::size_t place) const { return starts_.tokens_before(starts_.start_at_or_before(place)); }
    std::size_t next_start(std::size_t place) const { return place < size_ ? starts_.start_at_or_after(place) : size_; }

    const Words& words_;
    std::size_t size_;
    const Starts& starts_;
};

}  // namespace bpe
