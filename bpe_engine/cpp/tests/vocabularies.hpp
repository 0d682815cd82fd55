// Small vocabularies and texts for them, made of choices; and the fresh count that the incremental encoders are held to.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bpe/encoder.hpp"
#include "check.hpp"
#include "choices.hpp"
#include "naive.hpp"
#include "try_scanner.hpp"

namespace bpe::test {

struct Vocabulary {
    std::vector<std::string> tokens;  // by rank
    Ranks ranks;
    std::shared_ptr<const Dictionary> dictionary;

    // Tokens that cannot be made from the ones before them are left out.
    explicit Vocabulary(std::vector<std::string> wanted);

    // The number of tokens of a text, by definition; nothing where a byte is no token.
    std::optional<std::size_t> count(const Scanner* scanner, const std::string& text) const;

private:
    std::optional<std::size_t> count_piece(const std::string& piece) const;

    mutable std::unordered_map<std::string, std::optional<std::size_t>> counts_;
};

// Over two or three letters, or over all bytes, or over most; a few tokens that no merge reaches.
Vocabulary random_vocabulary(Choices& choices);

// The same few for a whole run: making one costs more than most of what is done with it.
const Vocabulary& pooled_vocabulary(Choices& choices);

// One of the grammars, or none.
const Scanner* random_scanner(Choices& choices);

// A text of up to `most` tokens and fragments, some of them repeated up to `longest_run` times, sometimes cut inside a character.
// Seldom with a byte that is no token.
std::string random_text(Choices& choices, const Vocabulary& vocabulary, std::size_t most, std::size_t longest_run = 20);

std::string text_of(Bytes bytes);
std::string hexadecimal(const std::string& text);

// What failed, for whoever reads it; then the end.
[[noreturn]] void fail(const char* what, const Vocabulary& vocabulary, const Scanner* scanner, const std::string& text);

}  // namespace bpe::test
