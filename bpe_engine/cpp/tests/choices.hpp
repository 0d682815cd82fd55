// Where tests and fuzz targets take their decisions from: an endless sequence of numbers from a seed, or the bytes of a fuzzer's input.
//
// What is tried is written once, as a function of Choices. A test calls it with a thousand seeds; a fuzz target with what the fuzzer
// found, whose bytes then are a program, and so stay meaningful under mutation.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <random>

#include "bpe/types.hpp"
#include "check.hpp"

namespace bpe::test {

class Choices {
public:
    explicit Choices(std::uint64_t seed) : random_(seed) {}
    explicit Choices(Bytes input) : input_(input), from_input_(true) {}

    // A number below `count`, which is at least 1. An input that is used up gives 0.
    std::size_t below(std::size_t count) {
        if (!from_input_) return random_() % count;
        std::size_t number = 0;
        for (std::size_t span = 1; span < count; span *= 256) number = number << 8 | next_byte();
        return number % count;
    }

    bool one_in(std::size_t count) { return below(count) == count - 1; }

    // Whether to go on: false once an input is used up.
    bool more() const { return !from_input_ || place_ < input_.size; }

    template <class List>
    auto const& of(List const& list) {
        return list[below(list.size())];
    }

private:
    std::size_t next_byte() { return place_ < input_.size ? input_[place_++] : 0; }

    std::mt19937_64 random_;
    Bytes input_;
    std::size_t place_ = 0;
    bool from_input_ = false;
};

// Calls `round(choices)` with as many seeds: `test_x [first seed [rounds]]`.
template <class Round>
void repeat(int count, char** arguments, std::uint64_t rounds, Round&& round) {
    std::uint64_t const first = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1;
    if (count > 2) rounds = std::strtoull(arguments[2], nullptr, 10);
    for (current_seed() = first; current_seed() < first + rounds; ++current_seed()) {
        Choices choices(current_seed());
        round(choices);
    }
    current_seed() = 0;
}

}  // namespace bpe::test
