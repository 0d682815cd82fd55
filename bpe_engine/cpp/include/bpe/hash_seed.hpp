// A random seed of all hashes: without one, a text made for it could send all its words to one slot of a table.
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
