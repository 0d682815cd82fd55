// Tokens that stand in a growing text as such, and the ids of the whole.
//
//     text      "You are a helper.<|im_end|>\nHi"
//     stretches  You are a helper.|          |\nHi       each is encoded by itself
//     ids        2610 525 264 ...  | 151645  | 198 13048
//
// An explicit token ends a stretch: nothing merges over its two ends, and the text after it begins anew.
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
    // Two thirds of the size: a conversation has some for each message.
    struct Kept {
        std::size_t start;
        std::uint32_t size, id;
    };
    std::vector<Kept> tokens_;
};

// The ids of a growing text, kept from one question to the next. The encoder need not know of it: what it has settled since is encoded when somebody
// asks, and what is open is encoded at each question. Who only counts pays nothing.
template <class Core>
class GrownIds {
public:
    using State = typename Core::State;

    // The ids of the text as it is now.
    const std::vector<std::uint32_t>& of(const Core& core) {
        fresh_.clear();
        core.encode_from(known_, fresh_);
        std::size_t const kept = Core::settled_count(known_);
        // The ids of the open text are mostly the same as before.
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

    // From which id on something has changed since `told`. Right after `of`.
    std::size_t changed_from() const { return std::min(changed_from_, ids_.size()); }
    void told() { changed_from_ = ids_.size(); }

    // The text went back to `state`, from which it had grown.
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
