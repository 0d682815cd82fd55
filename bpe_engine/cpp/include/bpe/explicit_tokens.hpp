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
#include <utility>
#include <vector>

#include "bpe/room.hpp"
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
    void push(ExplicitToken token) {
        make_room(tokens_, 1);
        tokens_.push_back({token.start, static_cast<std::uint32_t>(token.end - token.start), token.id});
    }
    void truncate(std::size_t size) {
        if (size < tokens_.size()) tokens_.resize(size);
    }
    // The offset where the first `size` tokens end; 0 for none.
    std::size_t end_of(std::size_t size) const { return size == 0 ? 0 : (*this)[size - 1].end; }

private:
    // 32-bit offsets take two thirds of the size, and a conversation has some explicit tokens in each message.
    struct Kept {
        std::size_t start;
        std::uint32_t size, id;
    };
    std::vector<Kept> tokens_;
};

// The ids of a growing text, kept between requests. The encoder does not know this class: a request encodes the text that has settled since the last
// one, and the open text each time. Counting alone costs nothing.
template <class Core>
class GrownIds {
public:
    using State = typename Core::State;

    // The ids of the current text.
    const std::vector<std::uint32_t>& of(const Core& core) {
        fresh_.clear();
        core.encode_from(known_, fresh_);
        std::size_t const kept = Core::settled_count(known_);
        // The ids of the open text are usually the same as before.
        auto const old = ids_.begin() + static_cast<std::ptrdiff_t>(kept);
        auto const [first, differs] = std::mismatch(old, ids_.end(), fresh_.begin(), fresh_.end());
        auto const same = static_cast<std::size_t>(first - ids_.begin());
        if (first != ids_.end() || differs != fresh_.end()) changed_from_ = std::min(changed_from_, same);
        ids_.resize(same);
        make_room(ids_, static_cast<std::size_t>(fresh_.end() - differs));
        ids_.insert(ids_.end(), differs, fresh_.end());
        if (fresh_.capacity() > scratch) fresh_ = std::vector<std::uint32_t>();
        known_ = core.state();
        return ids_;
    }

    // The index of the first id that has changed since `told`. Call right after `of`.
    std::size_t changed_from() const { return std::min(changed_from_, ids_.size()); }
    void told() { changed_from_ = ids_.size(); }

    // Follow a rollback of the text to its earlier state `state`.
    void return_to(const State& state) {
        std::size_t const known = Core::settled_end(known_), end = Core::settled_end(state);
        if (known > end || (known == end && Core::settled_count(known_) > Core::settled_count(state))) known_ = state;
    }

private:
    static constexpr std::size_t scratch = 32;  // ids that `fresh_` keeps room for
    std::vector<std::uint32_t> ids_, fresh_;
    State known_;  // the ids of its settled text are at the start of `ids_`
    std::size_t changed_from_ = 0;
};

}  // namespace bpe
