// Engine: a vocabulary and a named scanner.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "bpe/encoder.hpp"
#include "given.hpp"
#include "text.hpp"

namespace bpe::bindings {

// The tokens of a vocabulary, shared by all tokenizers over them.
struct TokenSet {
    std::shared_ptr<const Dictionary> dictionary;
    std::vector<std::uint32_t> ids;  // of each rank; empty where it is the rank itself
    std::vector<Rank> by_id{};       // ranks in the order of their ids
    // Whether ranks are not the order in which the tokens were given; and where merging goes by no order, as bpe_engine/fallback/merge_order.py says it.
    bool is_rearranged = false, in_order = true;
    std::vector<Halves> crossings{};

    std::uint32_t id(Rank rank) const { return ids.empty() ? rank : ids[rank]; }
    // The rank of an id; no_rank where no token has it.
    Rank rank(std::uint64_t id) const;
};

class Engine {
public:
    Engine(TokenSet tokens, const Scanner* scanner);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    const std::shared_ptr<const Encoder>& encoder() const { return encoder_; }
    const TokenSet& tokens() const { return tokens_; }

    // A list of ids, each int made once.
    nb::object to_list(const std::vector<std::uint32_t>& ids) const;

    // Ids by the core, the GIL released around long work.
    std::vector<std::uint32_t> encode(Bytes text) const;

private:
    TokenSet tokens_;
    std::shared_ptr<const Encoder> encoder_;
    mutable std::vector<PyObject*> ints_;  // of each rank or id below the number of tokens, as they are first needed
};

}  // namespace bpe::bindings
