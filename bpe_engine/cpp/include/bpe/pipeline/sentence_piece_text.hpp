// The normalization of the package `sentencepiece`, in one pass.
//
//     "  Ｈello  world "     user-defined texts stay; else the longest text of a table is replaced: Ｈ by H
//     "▁Hello▁world"         spaces are ▁; one before the text, none at its ends, none after another, where the flags say so
//
// A text can be cut between two of its parts where the left one ends with no space: nothing after looks back any further.
#pragma once

#include <string>
#include <vector>

#include "bpe/pipeline/charsmap.hpp"
#include "bpe/pipeline/normalizer.hpp"

namespace bpe {

struct SentencePieceRules {
    Charsmap charsmap{};                      // empty: none
    std::vector<std::string> user_defined{};  // in ascending order
    bool add_dummy_prefix = true, remove_extra_whitespaces = true, escape_whitespaces = true;
};

class SentencePieceNormalizer final : public Normalizer {
public:
    explicit SentencePieceNormalizer(SentencePieceRules rules);

    bool keeps(Bytes part, bool at_start, bool is_first) const override;
    const SettlingRun* settling_run(char32_t code, Side side, bool at_start) const override;
    std::size_t most_shrunk() const override { return rules_.charsmap.empty() && !rules_.remove_extra_whitespaces ? 1 : 0; }
    // A character is a part of its own, unless it follows another one in a text of the table, or is in a text that does not change.
    Image image(char32_t code) const override;
    bool parts_known() const override { return true; }
    bool parts_before(char32_t) const override { return rules_.charsmap.empty() && !rules_.remove_extra_whitespaces; }
    std::vector<std::string> inseparable() const override { return rules_.user_defined; }
    bool acts_at_start() const override { return rules_.add_dummy_prefix || rules_.remove_extra_whitespaces; }
    std::size_t run(const Byte* raw, std::size_t from, std::size_t limit, bool at_start, bool is_first, bool at_end, std::size_t base,
                    Normalized& out) const override;

private:
    struct Part {
        std::size_t size;  // bytes of the text
        Bytes content;
        bool is_open;  // text that follows may change it
    };
    Part part_at(const Byte* raw, std::size_t place, std::size_t limit) const;

    SentencePieceRules rules_;
    std::string space_;
    std::vector<char32_t> later_;       // characters that may belong to the one before, ascending
    std::vector<char32_t> in_symbols_;  // characters of user-defined texts, ascending
    bool begins_symbol_[256] = {};
    bool stays_[128] = {};  // characters of ASCII that are a part by themselves whatever of ASCII follows
};

}  // namespace bpe
