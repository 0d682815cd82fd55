// Explicit tokens in a growing text, and the ids of the whole text.
//
//     text      "You are a helper.<|im_end|>\nHi"
//     spans      You are a helper.|          |\nHi       each is encoded by itself
//     ids        2610 525 264 ...  | 151645  | 198 13048
//
// An explicit token ends a span: no merge crosses its two ends, and the text after it is encoded as a new text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bpe/shared_items.hpp"
#include "bpe/types.hpp"

namespace bpe {

// Offsets in bytes.
struct ExplicitToken {
    std::size_t start = 0, end = 0;
    std::uint32_t id = 0;
    bool operator==(const ExplicitToken&) const = default;
};

class ExplicitTokens {
public:
    std::size_t size() const { return tokens_.size(); }
    ExplicitToken operator[](std::size_t number) const {
        Kept const& token = tokens_[number];
        return {token.start, token.start + token.size, token.id};
    }
    void push(ExplicitToken token) { tokens_.push_back({token.start, static_cast<std::uint32_t>(token.end - token.start), token.id}); }
    void truncate(std::size_t size) { tokens_.truncate(size); }
    // The offset where the first `size` tokens end; 0 for none.
    std::size_t end_of(std::size_t size) const { return size == 0 ? 0 : (*this)[size - 1].end; }

private:
    // 32-bit offsets take two thirds of the size, and a conversation has some explicit tokens in each message.
    struct Kept {
        std::size_t start;
        std::uint32_t size, id;
    };
    SharedItems<Kept> tokens_;
};

// The ids of a growing text, kept between requests. The encoder does not know this class: a request encodes the text that has settled since the last
// one, and the open text each time. Counting alone costs nothing.
template <class Core>
class GrownIds {
public:
    using State = typename Core::State;

    // Brings the ids to the current text.
    void update(const Core& core) {
        fresh_.clear();
        core.encode_from(known_, fresh_);
        std::size_t const kept = Core::settled_count(known_), settled = Core::settled_count(core.state()) - kept;
        // Most ids are the same as before.
        std::size_t same = 0;
        while (same < fresh_.size() && kept + same < size() && (*this)[kept + same] == fresh_[same]) ++same;
        if (same < fresh_.size() || kept + same < size()) changed_from_ = std::min(changed_from_, kept + same);
        settled_.truncate(kept + std::min(same, settled));
        std::size_t const written = settled_.size() - kept;
        settled_.append(fresh_.data() + written, settled - written);
        open_.assign(fresh_.begin() + static_cast<std::ptrdiff_t>(settled), fresh_.end());
        if (fresh_.capacity() > scratch) fresh_ = std::vector<std::uint32_t>();
        if (open_.capacity() > scratch) open_.shrink_to_fit();
        known_ = core.state();
    }

    std::size_t size() const { return settled_.size() + open_.size(); }
    std::uint32_t operator[](std::size_t number) const { return number < settled_.size() ? settled_[number] : open_[number - settled_.size()]; }

    // The ids from number `start` on.
    std::vector<std::uint32_t> from(std::size_t start) const {
        std::vector<std::uint32_t> ids;
        ids.reserve(size() - start);
        std::size_t const first = std::min(start, settled_.size());
        ids.insert(ids.end(), settled_.begin() + first, settled_.end());
        ids.insert(ids.end(), open_.begin() + static_cast<std::ptrdiff_t>(start - first), open_.end());
        return ids;
    }

    // The number of the first id that has changed since `told`. Call right after `update`.
    std::size_t changed_from() const { return std::min(changed_from_, size()); }
    void told() { changed_from_ = size(); }

    // Follow a rollback of the text to its earlier state `state`.
    void return_to(const State& state) {
        std::size_t const known = Core::settled_end(known_), end = Core::settled_end(state);
        if (known > end || (known == end && Core::settled_count(known_) > Core::settled_count(state))) known_ = state;
    }

private:
    static constexpr std::size_t scratch = 32;  // ids that room is kept for
    SharedItems<std::uint32_t> settled_;        // of settled text, which only grows, but for rollbacks
    std::vector<std::uint32_t> open_, fresh_;
    State known_;  // the ids of its settled text are at the start of `settled_`
    std::size_t changed_from_ = 0;
};

}  // namespace bpe
