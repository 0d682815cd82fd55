// Engine: a vocabulary and a named scanner.
#pragma once

#include <memory>
#include <vector>

#include "bpe/encoder.hpp"
#include "known_ints.hpp"
#include "text.hpp"
#include "token_set.hpp"

namespace bpe::bindings {

class Engine {
public:
    Engine(TokenSet tokens, const Scanner* scanner);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    const std::shared_ptr<const Encoder>& encoder() const { return encoder_; }
    const TokenSet& tokens() const { return tokens_; }

    // A list of ids.
    nb::object to_list(const std::vector<std::uint32_t>& ids) const { return ints_.list(ids); }

    // Ids by the core, the GIL released around long work.
    std::vector<std::uint32_t> encode(Bytes text) const;

private:
    TokenSet tokens_;
    std::shared_ptr<const Encoder> encoder_;
    mutable KnownInts ints_;
};

}  // namespace bpe::bindings
