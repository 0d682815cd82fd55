// Parsing in linear time, whatever the text; the twin of chunker/formats/code/parsing.py.
#pragma once

#include <tree_sitter/api.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "pool.hpp"
#include "runtime.h"

namespace chunker::syntax {

// The places of a text that the parser is not certain of, because of a syntax error or because the text ends.
struct Doubts {
    std::vector<ChunkerRecovery> recoveries;
    std::uint32_t first_open;  // see chunker_first_open
};

// A syntax tree, in a pool that goes with it.
class Tree {
public:
    Tree(std::unique_ptr<Pool> pool, TSTree* tree, Doubts doubts) : pool_(std::move(pool)), tree_(tree), doubts_(std::move(doubts)) {}

    TSTree* get() const { return tree_; }
    Pool& pool() const { return *pool_; }
    const Doubts& doubts() const { return doubts_; }

private:
    std::unique_ptr<Pool> pool_;
    TSTree* tree_;
    Doubts doubts_;
};

// The syntax tree of `source`, nullptr if that takes too long.
// Throws std::invalid_argument for a grammar that the runtime does not know how to read.
std::unique_ptr<const Tree> parse(const TSLanguage* language, std::string_view source);

}  // namespace chunker::syntax
