// Engine: a vocabulary and a named scanner.
#pragma once

#include <memory>
#include <vector>

#include "bpe/encoder.hpp"
#include "text.hpp"
#include "token_set.hpp"

namespace bpe::bindings {

class Engine {
public:
    Engine(TokenSet tokens, const Scanner* scanner);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    const std::shared_ptr<const Encoder>& encoder() const { return encoder_; }
    const TokenSet& tokens() const { return tokens_; }

    // A list of ids.
    nb::object to_list(const std::vector<std::uint32_t>& ids) const;

    // Ids by the core, the GIL released around long work.
    std::vector<std::uint32_t> encode(Bytes text) const;

private:
    TokenSet tokens_;
    std::shared_ptr<const Encoder> encoder_;
#ifndef Py_GIL_DISABLED
    // The int of each id below the number of tokens, made when it is first needed. Without the GIL threads would wait for each other at their references.
    mutable std::vector<PyObject*> ints_;
#endif
};

}  // namespace bpe::bindings
