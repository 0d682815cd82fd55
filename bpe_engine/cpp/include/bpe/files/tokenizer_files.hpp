// Read the long, plain parts of tokenizer files: tokens, ids and merges. The rest of a file is short and left to the caller, which knows its meaning.
//
//     {"added_tokens": [...], "model": {"type": "BPE", "vocab": {"a": 0, ...}, "merges": ["a b", ...]}}       the file
//                                                        ^^^^^^^^^^^^^            ^^^^^^^^^^^^                 the parts read here
//     {"added_tokens": [...], "model": {"type": "BPE", "vocab": {}, "merges": []}}                            the rest
//
// Anything unexpected throws Unreadable. Then a slower reader takes over, and reports the error and its place.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "bpe/files/json_cursor.hpp"
#include "bpe/files/token_list.hpp"

namespace bpe::files {

// The tokens of a tokenizer.json, with the merges or the scores of its model, or neither.
struct VocabularyFile {
    std::shared_ptr<TokenList> tokens = std::make_shared<TokenList>();
    bool has_merges = false;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> merges;  // numbers of tokens
    std::vector<bool> merged;                                     // of each token: whether it is part of a merge, or made by one
    std::vector<Byte> prefix;                                     // of tokens inside of words; a merge removes it from its right half
    std::vector<double> scores;                                   // of each token; empty where there are none
    std::vector<Byte> rest;
};
VocabularyFile read_tokenizer_json(Bytes data);

// The pieces of a SentencePiece model, and the file without them.
struct PieceFile {
    // The file format's type of a normal piece.
    static constexpr std::uint64_t normal = 1;

    std::vector<Byte> texts;
    std::vector<std::size_t> ends;  // of each text
    std::vector<float> scores;
    std::vector<std::uint64_t> kinds;
    std::vector<Byte> rest;

    std::size_t size() const { return ends.size(); }
    Bytes text(std::size_t number) const {
        std::size_t const start = number == 0 ? 0 : ends[number - 1];
        return {texts.data() + start, ends[number] - start};
    }
    // Whether no two pieces have the same text.
    bool are_distinct() const;
};
PieceFile read_sentencepiece(Bytes data);

// The tokens of a file that a text can be encoded to, in the order of their ids, with the merges, ranks or scores of their model.
class TokenTables {
public:
    static constexpr std::uint32_t no_rank = 0xFFFFFFFF;

    // All tokens except those of `left_out`. As bytes: `byte_of` has the byte of each character, negative if it stands for none; tokens with such a
    // character, and the empty token, are for decoding only. Throws Unreadable if a merge involves a token that is not selected.
    TokenTables(const VocabularyFile& file, const std::vector<Bytes>& left_out, bool as_bytes, const std::vector<std::int16_t>& byte_of);
    // The pieces of some kinds; all others are for decoding only. Ids are positions in the file. With `ranked` normal pieces have ranks by their scores, the
    // highest first; otherwise pieces have scores.
    TokenTables(const PieceFile& file, const std::vector<std::uint64_t>& kinds, bool ranked);

    bool as_bytes() const { return as_bytes_; }
    std::size_t size() const { return ids_.size(); }
    std::uint32_t id(std::size_t number) const { return ids_[number]; }
    Bytes text(std::size_t number) const { return {bytes_.data() + offsets_[number], offsets_[number + 1] - offsets_[number]}; }
    // The tokens of a model without merges and scores as they were read, the empty one among them; null where some are left out or changed.
    const std::shared_ptr<const TokenList>& as_read() const { return as_read_; }
    bool has_id(std::uint64_t id) const;
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& merges() const { return merges_; }  // ids
    const std::vector<double>& scores() const { return scores_; }                                   // of each token; empty where there are none
    const std::vector<std::uint32_t>& ranks() const { return ranks_; }                              // likewise; no_rank of one that is not merged
    // Assigns merge ranks from 0 on, only to the tokens that two others make up.
    std::vector<std::uint32_t> ranks_of_made() const;
    // Ids and texts as in the file.
    const std::vector<std::pair<std::uint32_t, std::vector<Byte>>>& texts_only() const { return texts_only_; }

private:
    bool as_bytes_;
    std::shared_ptr<const TokenList> as_read_;
    std::vector<std::uint32_t> ids_;
    std::vector<Byte> bytes_;
    std::vector<std::size_t> offsets_{0};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> merges_;
    std::vector<double> scores_;
    std::vector<std::uint32_t> ranks_;
    std::vector<std::pair<std::uint32_t, std::vector<Byte>>> texts_only_;
};

// The tokens of a tekken.json, in the order of their ranks, and the rest of the file, which has an empty list in their place.
struct TekkenFile {
    TokenList tokens;
    std::vector<Byte> rest;
};
TekkenFile read_tekken(Bytes data);

// The numbers of the tokens that two other tokens make up, split between characters.
std::vector<std::uint32_t> made_of_two(const std::vector<Bytes>& tokens);

// The tokens of a .tiktoken file, each with its id.
TokenList read_tiktoken(Bytes data);

}  // namespace bpe::files
