// What the core computes, by its definition and without any cleverness: what every test compares with.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bpe/scanner.hpp"
#include "bpe/types.hpp"

namespace bpe::test {

using Ranks = std::unordered_map<std::string, Rank>;
using Tokens = std::vector<Rank>;

// Byte-pair encoding: as long as some two neighbours make a token, merge the two that make the lowest, the leftmost of equals.
// Nothing where a byte is no token.
std::optional<Tokens> naive_merge(const Ranks& ranks, const std::string& piece);

// The tokens of a pre-token: it may be one token as a whole, whether or not merges reach it.
std::optional<Tokens> naive_piece(const Ranks& ranks, const std::string& piece);

// The pre-tokens of a text, by the rule that walks from one to the next. Without a scanner the text is one.
std::vector<std::string> naive_pretokens(const Scanner* scanner, const std::string& text);

// How many bytes the character at `place` has: the well-formed sequences of the Unicode Standard (table 3-7), 1 for any other byte.
std::size_t naive_character(const std::string& text, std::size_t place);

// Where a text may be cut between characters, both ends included.
std::vector<std::size_t> naive_cuts(const std::string& text);

}  // namespace bpe::test
