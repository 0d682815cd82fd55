// A hash of the bytes of a token, eight at a time.
#pragma once

#include "bpe/types.hpp"

namespace bpe {

inline std::uint64_t byte_hash(Bytes token) {
    std::uint64_t hash = 0x9E3779B97F4A7C15ull * (token.size + 1);
    std::size_t place = 0;
    for (; place + 8 <= token.size; place += 8) {
        std::uint64_t word;
        std::memcpy(&word, token.data + place, 8);
        hash = mixed(hash ^ word);
    }
    std::uint64_t word = 0;
    if (token.size > place) std::memcpy(&word, token.data + place, token.size - place);
    return mixed(hash ^ word);
}

}  // namespace bpe
