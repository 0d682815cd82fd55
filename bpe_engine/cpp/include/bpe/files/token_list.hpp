// The tokens of a file: bytes one after the other, ids, and a hash table from bytes to number.
#pragma once

#include <vector>

#include "bpe/byte_hash.hpp"
#include "bpe/types.hpp"

namespace bpe::files {

class TokenList {
public:
    static constexpr std::uint32_t none = 0xFFFFFFFF;

    std::size_t size() const { return ids_.size(); }
    Bytes text(std::uint32_t number) const { return {bytes_.data() + offsets_[number], offsets_[number + 1] - offsets_[number]}; }
    std::uint32_t id(std::uint32_t number) const { return ids_[number]; }

    // False if all tokens together would have 4 GB.
    bool add(Bytes text, std::uint32_t id);
    // Call after the last `add` and before `find`. Returns false if a token is a duplicate; then the first one is found.
    bool index();
    // The number of a token; `none` if it is not in the list.
    std::uint32_t find(Bytes text) const { return find(text, byte_hash(text)); }
    // Look-up in two steps: `prepare` prefetches the memory that `find` reads, and returns the hash.
    std::uint64_t prepare(Bytes text) const {
        std::uint64_t const hash = byte_hash(text);
        prefetch(&slots_[hash & (slots_.size() - 1)]);
        return hash;
    }
    std::uint32_t find(Bytes text, std::uint64_t hash) const;
    // The numbers in the order of ids.
    std::vector<std::uint32_t> by_id() const;
    // Whether no two tokens have the same id.
    bool has_distinct_ids() const;

private:
    std::vector<Byte> bytes_;
    std::vector<std::size_t> offsets_{0};
    std::vector<std::uint32_t> ids_;
    std::vector<std::uint64_t> slots_;  // the low half is the number, `none` in a free one; the high half check bits
};

}  // namespace bpe::files
