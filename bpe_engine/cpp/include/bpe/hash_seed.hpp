// What makes hashes unforeseeable: a text that somebody has made for it would else find one slot of a table for all its words.
#pragma once

#include <cstdint>
#include <random>

#include "bpe/types.hpp"

namespace bpe {

// Another number in each process. No result depends on it.
inline std::uint64_t hash_seed() {
    static std::uint64_t const seed = [] {
        std::random_device device;
        return mixed(std::uint64_t{device()} << 32 | device());
    }();
    return seed;
}

}  // namespace bpe
