// Parsing in linear time, whatever the text; the twin of chunker/formats/code/parsing.py.
#pragma once

#include <tree_sitter/api.h>

#include <memory>
#include <string_view>
#include <utility>

#include "pool.hpp"

namespace chunker::syntax {

// A syntax tree, in a pool that it shares with those that were parsed on from it.
class Tree {
public:
    Tree(std::shared_ptr<Pool> pool, TSTree* tree) : pool_(std::move(pool)), tree_(tree) {}
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;
    ~Tree();

    TSTree* get() const { return tree_; }
    const std::shared_ptr<Pool>& pool() const { return pool_; }

private:
    std::shared_ptr<Pool> pool_;
    TSTree* tree_;
};

// The syntax tree of `source`, nullptr if that takes too long.
// Throws std::invalid_argument for a grammar that the runtime does not know how to read.
std::unique_ptr<const Tree> parse(const TSLanguage* language, std::string_view source);

// The same, made of `before`, the tree of another text, where what both share is not read again. nullptr where it is not sure to be the same: there are errors,
// which the parser may understand in another way by the tree that was before.
std::unique_ptr<const Tree> parse_on(const TSLanguage* language, std::string_view source, const Tree& before, std::string_view source_before);

// The bytes that two texts have in common at their starts, and behind that at their ends.
std::pair<std::size_t, std::size_t> shared_bytes(std::string_view one, std::string_view other);

}  // namespace chunker::syntax
