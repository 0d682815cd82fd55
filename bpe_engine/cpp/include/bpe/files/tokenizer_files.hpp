// The long parts of tokenizer files, which are plain: tokens, ids and merges. The rest of a file is short and left to who knows its meaning.
//
//     {"added_tokens": [...], "model": {"type": "BPE", "vocab": {"a": 0, ...}, "merges": ["a b", ...]}}       what stands there
//                                                        ^^^^^^^^^^^^^            ^^^^^^^^^^^^                 what is read here
//     {"added_tokens": [...], "model": {"type": "BPE", "vocab": {}, "merges": []}}                            the rest
//
// Whatever is not as it should be throws Unreadable: then a reader that is slower, and says where and why, has the word.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "bpe/files/json_cursor.hpp"
#include "bpe/files/token_list.hpp"

namespace bpe::files {

// The tokens and merges of a tokenizer.json whose model is a byte-pair encoding.
struct MergeFile {
    TokenList tokens;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> merges;  // numbers of tokens
    std::vector<bool> merged;                                     // of each token: whether it is part of a merge, or made by one
    std::vector<Byte> rest;
};
MergeFile read_tokenizer_json(Bytes data);

// The tokens of a MergeFile that a text is encoded to, in the order of their ids.
class MergeTables {
public:
    // Without those of `left_out`. As bytes: each character stands for the byte that `byte_of` says, negative where it stands for none; tokens with
    // such a character, and the empty one, are decoded only. Throws Unreadable where a merge has to do with a token that is not among them.
    MergeTables(const MergeFile& file, const std::vector<Bytes>& left_out, bool as_bytes, const std::vector<std::int16_t>& byte_of);

    bool as_bytes() const { return as_bytes_; }
    std::size_t size() const { return ids_.size(); }
    std::uint32_t id(std::size_t number) const { return ids_[number]; }
    Bytes text(std::size_t number) const { return {bytes_.data() + offsets_[number], offsets_[number + 1] - offsets_[number]}; }
    bool has_id(std::uint64_t id) const;
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& merges() const { return merges_; }  // ids
    // Ids and texts as they are in the file.
    const std::vector<std::pair<std::uint32_t, std::vector<Byte>>>& texts_only() const { return texts_only_; }

private:
    bool as_bytes_;
    std::vector<std::uint32_t> ids_;
    std::vector<Byte> bytes_;
    std::vector<std::size_t> offsets_{0};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> merges_;
    std::vector<std::pair<std::uint32_t, std::vector<Byte>>> texts_only_;
};

// The tokens of a tekken.json, in the order of their ranks, and the rest of the file, which has an empty list in their place.
struct TekkenFile {
    TokenList tokens;
    std::vector<Byte> rest;
};
TekkenFile read_tekken(Bytes data);

// The pieces of a SentencePiece model, and the file without them.
struct PieceFile {
    std::vector<Byte> texts;
    std::vector<std::size_t> ends;  // of each text
    std::vector<float> scores;
    std::vector<std::uint64_t> kinds;
    std::vector<Byte> rest;
};
PieceFile read_sentencepiece(Bytes data);

// The numbers of the tokens that two others make up, cut between characters.
std::vector<std::uint32_t> made_of_two(const std::vector<Bytes>& tokens);

// The tokens of a .tiktoken file, each with its id.
TokenList read_tiktoken(Bytes data);

}  // namespace bpe::files
