// Parsing in linear time, whatever the text; the twin of chunker/formats/code/parsing.py.
#pragma once

#include <tree_sitter/api.h>

#include <memory>
#include <string_view>
#include <utility>

#include "pool.hpp"

namespace chunker::syntax {

// A syntax tree, in a pool that goes with it.
class Tree {
public:
    Tree(std::unique_ptr<Pool> pool, TSTree* tree) : pool_(std::move(pool)), tree_(tree) {}

    TSTree* get() const { return tree_; }
    Pool& pool() const { return *pool_; }

private:
    std::unique_ptr<Pool> pool_;
    TSTree* tree_;
};

// The syntax tree of `source`, nullptr if that takes too long.
// Throws std::invalid_argument for a grammar that the runtime does not know how to read.
std::unique_ptr<const Tree> parse(const TSLanguage* language, std::string_view source);

}  // namespace chunker::syntax
