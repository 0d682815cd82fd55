// Every way to encode a piece gives the tokens of the definition.
#pragma once

#include "bpe/merging.hpp"
#include "vocabularies.hpp"

namespace bpe::test {

// `definition`: the tokens of the piece as the caller knows them; nothing where a byte is no token.
void try_piece(const Vocabulary& vocabulary, const std::string& text, Merging& merging, const std::optional<Tokens>& definition);

// What the tables rest on: two tokens may stand side by side if and only if their bytes encode to just these two.
void try_compatible(const Vocabulary& vocabulary, Rank left, Rank right, PairMemory& pairs);

void try_merging(Choices& choices);

}  // namespace bpe::test
