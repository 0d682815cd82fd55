// A random seed for all hashes. Without it, an attacker could craft a text whose words all fall into one slot of a table.
#pragma once

#include <cstdint>
#include <random>

#include "bpe/types.hpp"

namespace bpe {

// A different number in each process. No result depends on it.
inline std::uint64_t hash_seed() {
    static std::uint64_t const seed = [] {
        std::random_device device;
        return mixed(std::uint64_t{device()} << 32 | device());
    }();
    return seed;
}

}  // namespace bpe
