// A compiled regular expression as a matcher of a chain.
#pragma once

#include <memory>

#include "bpe/pipeline/chain.hpp"
#include "bpe/regex/program.hpp"
#include "bpe/shelf.hpp"

namespace bpe {

class ExpressionMatcher final : public Matcher {
public:
    // Of a program that neither looks behind nor matches nothing: a chain begins anew at cuts.
    explicit ExpressionMatcher(std::shared_ptr<const regex::Program> program) : program_(std::move(program)), caches_([this] { return std::make_unique<regex::Cache>(*program_); }) {}

    Found find(const Byte* text, std::size_t from, std::size_t limit, bool at_end) const override {
        Shelf<regex::Cache>::Lease const cache(caches_);
        regex::Found const found = program_->find(text, from, from, limit, at_end, *cache);
        return {found.start, found.end, found.settled, found.start_settled, found.open_from};
    }

private:
    std::shared_ptr<const regex::Program> program_;
    Shelf<regex::Cache> caches_;
};

}  // namespace bpe
